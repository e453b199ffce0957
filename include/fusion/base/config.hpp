#pragma once
// Version and the two build forms. Header-only (default): every `.ipp` is included by its header and
// its definitions are inline. Split (FUSECL_SPLIT): bodies are compiled once, by split.cpp.

#define FUSECL_VERSION_MAJOR 0
#define FUSECL_VERSION_MINOR 1
#define FUSECL_VERSION_PATCH 0
#define FUSECL_VERSION "0.1.0"

#if __cplusplus < 202002L
#error "FuseCL is C++20: compile with -std=c++20"
#endif
#ifndef __cpp_exceptions
#error "FuseCL reports errors by exceptions: compile without -fno-exceptions"
#endif

// FUSECL_SHARED marks what is one for the whole process, however many parts of it include the library, hide
// their symbols or are loaded later, as far as the linker lets them share.
#ifdef __GNUC__
#define FUSECL_SHARED __attribute__((visibility("default")))
#else
#define FUSECL_SHARED
#endif

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

// FUSECL_ANY_KIND marks functions that call what the kinds of steps override: GCC would compile every class
// that is declared and could be meant, in each unit, before it drops those that are not.
#if !defined(FUSECL_SPLIT) && defined(__GNUC__) && !defined(__clang__)
#define FUSECL_ANY_KIND __attribute__((optimize("no-devirtualize")))
#else
#define FUSECL_ANY_KIND
#endif

// The files of one program are compiled all header-only or all split. Both forms define the same symbol, each
// in a section that only files of its own form share: a program that mixes them does not link, and the linker
// names the symbol.
#if defined(__ELF__) && defined(__GNUC__)
#ifdef FUSECL_SPLIT
#define FUSECL_FORM "split"
#else
#define FUSECL_FORM "header_only"
#endif
#define FUSECL_FORM_SYMBOL \
  "FuseCL_header_only_and_split_files_do_not_mix__compile_all_of_them_with_FUSECL_SPLIT_or_none"
__asm__(".ifndef " FUSECL_FORM_SYMBOL
        "\n.pushsection .rodata.fusecl_form,\"aG\",%progbits,fusecl_form_" FUSECL_FORM
        ",comdat\n"
        ".globl " FUSECL_FORM_SYMBOL "\n.hidden " FUSECL_FORM_SYMBOL "\n" FUSECL_FORM_SYMBOL
        ":\n.byte 0\n.popsection\n.endif");
#undef FUSECL_FORM
#undef FUSECL_FORM_SYMBOL
#endif
