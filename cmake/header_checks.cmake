# Does each header stand on its own?

# gpuplan_every_header(target headers...) gives the target a file "every_header.hpp", which includes
# them all.
function(gpuplan_every_header target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources)
  set(every_header "#pragma once\n")
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "^.*/include/" "" name ${header})
    string(APPEND every_header "#include <${name}>\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/every_header.hpp CONTENT "${every_header}")

  target_include_directories(${target} PRIVATE ${folder})
  target_compile_options(${target} PRIVATE -g0)
  target_link_libraries(${target} PRIVATE gpuplan_warnings)
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
endfunction()

# gpuplan_check_headers(target main headers...) makes a program that includes each header twice,
# with nothing in front of it but what it includes itself, and `main`, which includes
# "every_header.hpp".  So a header that lacks an include does not compile, a warning is an error, and
# a definition that forgot to be inline is there twice and does not link.  tools/header_chains.py
# says which headers share a source; it is asked again where one has changed.
set(gpuplan_header_chains ${CMAKE_CURRENT_LIST_DIR}/../tools/header_chains.py)
function(gpuplan_check_headers target main)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources)
  set(sources)
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "^.*/include/(.*)\\.hpp$" "${folder}/\\1.cpp" source ${header})
    list(APPEND sources ${source})
  endforeach()
  string(REPLACE ";" "\n" lines "${ARGN}")
  file(CONFIGURE OUTPUT ${folder}/headers.txt CONTENT "${lines}\n")
  add_custom_command(OUTPUT ${sources}
                     COMMAND Python3::Interpreter -B ${gpuplan_header_chains} ${folder}
                             ${folder}/headers.txt
                     DEPENDS ${gpuplan_header_chains} ${folder}/headers.txt ${ARGN}
                     COMMENT "Dividing headers into chains" VERBATIM)
  add_executable(${target} ${main} ${sources})
  gpuplan_every_header(${target} ${ARGN})
endfunction()
