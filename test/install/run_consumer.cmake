# Configures, builds and runs consumer/ with FuseCL reached by WAY. Run as `cmake -DWAY=... -P`.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${CCACHE}")
set(prefix ${WORK}/prefix)
if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
  # Moved after installing: the package must not remember where it was put.
  file(RENAME ${WORK}/first ${prefix})
  foreach(document IN ITEMS LICENSE README.md docs/index.md docs/operations.md docs/decisions)
    if(NOT EXISTS ${prefix}/share/doc/FuseCL/${document})
      message(FATAL_ERROR "not installed: ${document}")
    endif()
  endforeach()
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DWAY=${WAY} -DFUSECL_SOURCE=${SOURCE})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer_header_only)
run(${WORK}/build/consumer_split)
