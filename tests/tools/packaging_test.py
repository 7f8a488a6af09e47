#!/usr/bin/env python3
"""The vcpkg port and the Conan recipe, without vcpkg and Conan: stand-ins of their functions do what
those do of CMake's and of files, so that what is packaged is the whole library.

    packaging_test.py SOURCE_TREE
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PORT = ROOT / "packaging" / "vcpkg" / "gpuplan"
COMPONENTS = re.search(r"^set\(gpuplan_components ([\w ]+)\)",
                       (ROOT / "cmake" / "components.cmake").read_text(),
                       re.MULTILINE)[1].split()
VERSION = re.search(r"^project\(gpuplan VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(),
                    re.MULTILINE)[1]

VCPKG = """\
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(require_file)
  foreach(file IN LISTS ARGN)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is not there")
    endif()
  endforeach()
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unknown: ${given_UNPARSED_ARGUMENTS}")
  endif()
  run(${CMAKE_COMMAND} -S ${given_SOURCE_PATH} -B ${BUILD} -G Ninja
      -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${given_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${BUILD} --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "CONFIG_PATH" "")
  require_file(${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}/gpuplanConfig.cmake)
endfunction()
function(vcpkg_fixup_pkgconfig)
  require_file(${CURRENT_PACKAGES_DIR}/share/pkgconfig/gpuplan.pc)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  require_file(${given_FILE_LIST})
endfunction()
include(${PORTFILE})
"""


def headers(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*.hpp")}


class Vcpkg(unittest.TestCase):
    def installed(self, *features):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        (folder / "vcpkg.cmake").write_text(VCPKG)
        done = subprocess.run(["cmake", f"-DPORTFILE={PORT}/portfile.cmake", f"-DBUILD={folder}/build",
                               f"-DCURRENT_PACKAGES_DIR={folder}/packages",
                               f"-DFEATURES=core;{';'.join(features)}", "-P",
                               folder / "vcpkg.cmake"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "packages"

    def test_manifest(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        self.assertEqual(manifest["version-semver"], VERSION)
        self.assertEqual(list(manifest["features"]), COMPONENTS)

    def test_all_features(self):
        packages = self.installed(*COMPONENTS)
        self.assertEqual(headers(packages / "include"), headers(ROOT / "include"))
        for component in COMPONENTS:
            self.assertTrue(list(packages.rglob(f"gpuplan_{component}Targets.cmake")), component)

    def test_features_that_are_off(self):
        packages = self.installed()
        self.assertTrue(list(packages.rglob("gpuplanTargets.cmake")))
        self.assertEqual(list(packages.rglob("gpuplan_*Targets.cmake")), [])
        self.assertIn("gpuplan/memory/footprint.hpp", headers(packages / "include"))


def copy(recipe, pattern, source, target):
    """As conan.tools.files.copy: files below a folder by a pattern of their path."""
    import fnmatch
    import shutil
    for path in pathlib.Path(source).rglob("*"):
        name = str(path.relative_to(source))
        if path.is_file() and fnmatch.fnmatch(name, pattern):
            place = pathlib.Path(target) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


class Part(types.SimpleNamespace):
    def set_property(self, name, value):
        self.properties = {**getattr(self, "properties", {}), name: value}


class Conan(unittest.TestCase):
    def setUp(self):
        for name, members in {"conan": {"ConanFile": object}, "conan.tools": {},
                              "conan.tools.build": {"check_min_cppstd": lambda *_: None},
                              "conan.tools.files": {"copy": copy},
                              "conan.tools.layout": {"basic_layout": lambda _: None}}.items():
            module = types.ModuleType(name)
            vars(module).update(members)
            sys.modules[name] = module
        space = {"__name__": "conanfile"}
        path = ROOT / "packaging" / "conan" / "conanfile.py"
        exec(compile(path.read_text(), path, "exec"), space)
        self.needs = space["NEEDS"]
        self.recipe = space["Gpuplan"]()
        self.recipe.recipe_folder = str(path.parent)

    def test_version(self):
        self.recipe.set_version()
        self.assertEqual(self.recipe.version, VERSION)

    def test_headers(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.recipe.export_sources_folder = self.recipe.source_folder = scratch + "/sources"
            self.recipe.package_folder = scratch + "/package"
            self.recipe.export_sources()
            self.recipe.package()
            package = pathlib.Path(self.recipe.package_folder)
            self.assertEqual(headers(package / "include"), headers(ROOT / "include"))
            self.assertTrue((package / "licenses" / "LICENSE").exists())

    def test_components(self):
        self.assertEqual(list(self.needs), COMPONENTS)
        self.recipe.options = types.SimpleNamespace(**{name: name in ("io", "report")
                                                       for name in COMPONENTS})
        required = []
        self.recipe.requires = lambda reference, **_: required.append(reference.split("/")[0])
        self.recipe.requirements()
        self.assertEqual(required, ["nlohmann_json", "fmt"])
        parts = {name: Part() for name in ["gpuplan", *COMPONENTS]}
        self.recipe.cpp_info = Part(components=parts)
        self.recipe.package_info()
        self.assertEqual(parts["report"].properties, {"cmake_target_name": "gpuplan::report"})
        self.assertEqual(parts["report"].requires, ["gpuplan", "fmt::fmt"])
        self.assertEqual(vars(parts["math"]), {})


if __name__ == "__main__":
    unittest.main()
