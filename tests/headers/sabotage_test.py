#!/usr/bin/env python3
"""Each way in which a header can fail to stand on its own fails the build of its check.

    sabotage_test.py COMPILER SOURCE_TREE CMAKE GENERATOR
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER, SOURCE, CMAKE, GENERATOR = sys.argv[1:5]
del sys.argv[1:5]

SOUND = "#pragma once\n#include <string>\ninline int length(const std::string& s) {\n" \
        "  return static_cast<int>(s.size());\n}\n"

BROKEN = {  # name: the header, and what the build must say of it
    "missing_include": ("#pragma once\ninline std::string name() { return {}; }\n", "string"),
    "no_guard": ("inline int twice() { return 2; }\n", "redefinition"),
    "conversion": ("#pragma once\ninline int half(double x) { return x / 2; }\n", "conversion"),
    "shadow": ("#pragma once\ninline int f(int x) { { int x = 1; return x; } }\n", "shadow"),
    "unused": ("#pragma once\ninline void f(int x) { int y = 2; }\n", "unused"),
    "pedantic": ("#pragma once\nstruct none { int of_them[0]; };\n", "zero.size"),
    "not_inline": ("#pragma once\nint one() { return 1; }\n", "multiple definition|duplicate"),
}
BROKEN_WITHOUT_EXCEPTIONS = {
    "throws": ("#pragma once\ninline void f() { throw 1; }\n", "exception"),
    "typeid": ("#pragma once\n#include <typeinfo>\ninline auto f() { return typeid(int).name(); }\n",
               "rtti"),
}

USER = "#pragma once\n{}\ninline int twice(const std::string& s) {{ return 2 * length(s); }}\n"

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(sabotage LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include({source}/cmake/warnings.cmake)
include({source}/cmake/header_checks.cmake)
file(WRITE ${{CMAKE_BINARY_DIR}}/main.cpp "#include \\"every_header.hpp\\"\\nint main() {{}}\\n")
file(GLOB cases ${{CMAKE_SOURCE_DIR}}/*)
list(FILTER cases EXCLUDE REGEX "build|CMakeLists")
foreach(case IN LISTS cases)
  cmake_path(GET case FILENAME name)
  file(GLOB headers ${{case}}/include/*.hpp)
  gpuplan_check_headers(${{name}} ${{CMAKE_BINARY_DIR}}/main.cpp ${{headers}})
  add_executable(no_exceptions_${{name}} ${{CMAKE_BINARY_DIR}}/main.cpp)
  gpuplan_every_header(no_exceptions_${{name}} ${{headers}})
  foreach(target IN ITEMS ${{name}} no_exceptions_${{name}})
    target_include_directories(${{target}} PRIVATE ${{case}}/include)
  endforeach()
  target_compile_options(no_exceptions_${{name}} PRIVATE -fno-exceptions -fno-rtti)
endforeach()
"""


class HeaderChecks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = pathlib.Path(cls.folder.name)
        cls.build = root / "build"
        headers = {"sound": (SOUND, "")} | BROKEN | BROKEN_WITHOUT_EXCEPTIONS
        for name, (text, _) in headers.items():
            (root / name / "include").mkdir(parents=True)
            (root / name / "include" / "header.hpp").write_text(text)
        cls.user = root / "sound" / "include" / "user.hpp"
        cls.user.write_text(USER.format("#include <header.hpp>"))
        (root / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        subprocess.run([CMAKE, "-S", root, "-B", cls.build, "-G", GENERATOR,
                        f"-DCMAKE_CXX_COMPILER={COMPILER}"], check=True, stdout=subprocess.DEVNULL)

    def make(self, target):
        done = subprocess.run([CMAKE, "--build", self.build, "--target", target],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_a_sound_header_passes(self):
        for target in ["sound", "no_exceptions_sound"]:
            code, said = self.make(target)
            self.assertEqual(code, 0, said)

    def test_a_header_that_includes_another_shares_its_source_while_it_does(self):
        shared = (self.build / "sound_sources" / "user.cpp").read_text
        try:
            self.assertEqual(self.make("sound")[0], 0)
            self.assertIn("<header.hpp>", shared())
            for lost in "", "#if 0\n#include <header.hpp>\n#endif":
                self.user.write_text(USER.format("#include <string>\n" + lost))
                code, said = self.make("sound")
                self.assertNotEqual(code, 0, said)
                self.assertRegex(said, "length")
                self.assertNotIn("<header.hpp>", shared())
        finally:
            self.user.write_text(USER.format("#include <header.hpp>"))

    def test_each_broken_header_fails_and_the_build_says_why(self):
        for name, (_, says) in BROKEN.items():
            with self.subTest(name=name):
                code, said = self.make(name)
                self.assertNotEqual(code, 0, said)
                self.assertRegex(said, says)

    def test_exceptions_and_type_information_fail_where_there_are_none(self):
        for name, (_, says) in BROKEN_WITHOUT_EXCEPTIONS.items():
            with self.subTest(name=name):
                code, said = self.make(name)
                self.assertEqual(code, 0, said)
                code, said = self.make("no_exceptions_" + name)
                self.assertNotEqual(code, 0, said)
                self.assertRegex(said, says)


if __name__ == "__main__":
    unittest.main()
