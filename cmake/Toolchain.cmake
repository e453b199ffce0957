# How FuseCL itself is built when it is the top-level project: default build type, ccache, sanitizers,
# compile_commands.json. Nothing here reaches a project that uses FuseCL.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(FUSECL_CCACHE ccache)
if(FUSECL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache needs to cache compilations that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${FUSECL_CCACHE})
endif()

# A fifth more memory for less time: GCC looks for what it can forget only when it has taken 600 MB more.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("SHELL:--param ggc-min-expand=100" "SHELL:--param ggc-min-heapsize=600000")
endif()

if(FUSECL_SANITIZE)
  add_compile_options(-fsanitize=${FUSECL_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${FUSECL_SANITIZE})
endif()
