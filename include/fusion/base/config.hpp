#pragma once
// Version and the two build forms. Header-only (default): every `.ipp` is included by its header and
// its definitions are inline. Split (FUSECL_SPLIT): bodies are compiled once, by split.cpp.

#define FUSECL_VERSION_MAJOR 0
#define FUSECL_VERSION_MINOR 1
#define FUSECL_VERSION_PATCH 0
#define FUSECL_VERSION "0.1.0"

// FUSECL_INLINE marks bodies that run while something is compiled or reported, FUSECL_HOT_INLINE those on the
// path of a warm evaluation. The first are marked cold: programs that include them compile in less time.
#ifdef FUSECL_SPLIT
#define FUSECL_INLINE
#define FUSECL_HOT_INLINE
#elif defined(__GNUC__)
#define FUSECL_INLINE __attribute__((cold)) inline
#define FUSECL_HOT_INLINE inline
#else
#define FUSECL_INLINE inline
#define FUSECL_HOT_INLINE inline
#endif
