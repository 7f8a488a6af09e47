# gpuplan_test_files: reads tests/data and the vectors, for tests and for the error tables.  The
# path of the source tree is known to one file alone, so that a compiler cache serves every clone.
include_guard(GLOBAL)
set(test_folder ${PROJECT_SOURCE_DIR}/tests)
add_library(gpuplan_test_files STATIC EXCLUDE_FROM_ALL ${test_folder}/support/data.cpp
                                                       ${test_folder}/support/vectors.cpp)
set_property(SOURCE ${test_folder}/support/data.cpp
             PROPERTY COMPILE_DEFINITIONS GPUPLAN_TEST_DATA="${test_folder}/data")
target_include_directories(gpuplan_test_files PUBLIC ${test_folder})
target_link_libraries(gpuplan_test_files PUBLIC gpuplan::io PRIVATE gpuplan_warnings)
