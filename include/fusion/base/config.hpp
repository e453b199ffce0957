#pragma once
// Version and the two build forms. Header-only (default): every `.ipp` is included by its header and
// its definitions are inline. Split (FUSECL_SPLIT): bodies are compiled once, by split.cpp.

#define FUSECL_VERSION_MAJOR 0
#define FUSECL_VERSION_MINOR 1
#define FUSECL_VERSION_PATCH 0
#define FUSECL_VERSION "0.1.0"

#ifdef FUSECL_SPLIT
#define FUSECL_INLINE
#else
#define FUSECL_INLINE inline
#endif
