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

# gpuplan_check_headers(target main headers...) makes a program with one translation unit for each
# header, which includes that one first and twice, and `main`, which includes "every_header.hpp".
# So a header that lacks an include does not compile, a warning is an error, and a definition that
# forgot to be inline is there twice and does not link.
function(gpuplan_check_headers target main)
  set(sources ${main})
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "^.*/include/" "" name ${header})
    string(REGEX REPLACE "\\.hpp$" ".cpp" source ${name})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources/${source})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <${name}>\n#include <${name}>\n")
    list(APPEND sources ${source})
  endforeach()
  add_executable(${target} ${sources})
  gpuplan_every_header(${target} ${ARGN})
endfunction()
