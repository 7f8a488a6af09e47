# An overlay port of the sources that it lies in:
#   vcpkg install 'gpuplan[report]' --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # headers alone
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

# A component is installed where its package is found: those of features that are off are not looked
# for.
set(options)
foreach(pair IN ITEMS math:Boost io:nlohmann_json eigen:Eigen3 report:fmt)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 feature)
  list(GET pair 1 package)
  if(NOT feature IN_LIST FEATURES)
    list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endif()
endforeach()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DGPUPLAN_EXAMPLES=OFF -DGPUPLAN_BENCHMARKS=OFF -DBUILD_TESTING=OFF
          -DGPUPLAN_INSTALL=ON ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/gpuplan)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
