# The manual of the program as it is installed, made by the program itself: completions for bash, zsh
# and fish, and where there is help2man a man page for it and for each subcommand.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/done
                   COMMAND Python3::Interpreter -B
                           ${PROJECT_SOURCE_DIR}/tools/make_manual.py $<TARGET_FILE:gpuplan_cli>
                           ${manual}
                   COMMAND ${CMAKE_COMMAND} -E touch ${manual}/done
                   DEPENDS gpuplan_cli ${PROJECT_SOURCE_DIR}/tools/make_manual.py VERBATIM)
add_custom_target(gpuplan_manual ALL DEPENDS ${manual}/done)
install(DIRECTORY ${manual}/man1 TYPE MAN COMPONENT program OPTIONAL)
install(DIRECTORY ${manual}/bash-completion/completions
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion COMPONENT program OPTIONAL)
install(DIRECTORY ${manual}/zsh/site-functions
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh COMPONENT program OPTIONAL)
install(DIRECTORY ${manual}/fish/vendor_completions.d
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish COMPONENT program OPTIONAL)
