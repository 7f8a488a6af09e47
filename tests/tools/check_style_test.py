#!/usr/bin/env python3
"""Each breach of style, planted in a small tree, fails check_style.py in one line."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

SOUND = r"""#pragma once
/// \file
/// Sound: says `using namespace` in a comment only.

#include <string_view>

namespace gpuplan {

inline constexpr std::string_view advice{"never using namespace, never assert(x)"};
inline constexpr char quote = '"';  // #define is a word here

}  // namespace gpuplan
"""

BREACHES = [  # replace this, by that, the line it is on, a word that the fault must say
    ("#pragma once\n", "", 1, "pragma once"),
    ("/// \\file\n", "", 2, "file"),
    ("namespace gpuplan {\n", "namespace gpuplan {\nusing  namespace std;\n", 8, "no namespace"),
    ("<string_view>", "<iostream>", 5, "<iostream> is slow"),
    ("#include", "#define GPUPLAN_X 1\n#include", 5, "macros"),
    ("#include", "#ifdef NDEBUG\n#endif\n#include", 5, "alone ask how"),
    ("inline constexpr char", "inline void f(bool x) { assert(x); }\ninline constexpr char", 10,
     "require()"),
    ("only.", "only, at a length that nobody who keeps two files side by side on one screen would "
     "put up with.", 3, "columns"),
]


class CheckStyle(unittest.TestCase):
    def check(self, text, test=True, name="units/sound.hpp", more=()):
        """Runs the script on a tree of one header and its test; its exit code and lines."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            header = tree / "include" / "gpuplan" / name
            header.parent.mkdir(parents=True)
            header.write_text(text)
            if test:
                mirror = tree / "tests" / "units" / "sound_test.cpp"
                mirror.parent.mkdir(parents=True)
                mirror.write_text('TEST_CASE("a name, with a comma", "[sound]") {}\n')
            for path, content in more:
                (tree / path).write_text(content)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_a_sound_tree_passes(self):
        self.assertEqual(self.check(SOUND), (0, ["style ok"]))

    def test_each_breach_fails_in_one_line(self):
        for old, new, line, says in BREACHES:
            with self.subTest(says=says):
                self.assertIn(old, SOUND)
                code, lines = self.check(SOUND.replace(old, new, 1))
                self.assertEqual(code, 1, lines)
                wanted = f"include/gpuplan/units/sound.hpp:{line}: "
                self.assertTrue(any(fault.startswith(wanted) and says in fault for fault in lines),
                                lines)

    def test_a_header_without_a_test_fails(self):
        code, lines = self.check(SOUND, test=False)
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("has no tests/units/sound_test.cpp", lines[0])

    def test_a_part_is_tested_with_the_whole(self):
        part = "include/gpuplan/units/sound_part.hpp"
        self.assertEqual(self.check(SOUND, more=[(part, SOUND)])[0], 0)
        code, lines = self.check(SOUND, more=[(part.replace("sound_", "a_"), SOUND)])
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("has no tests/units/a_part_test.cpp", lines[0])

    def test_the_name_of_a_test_has_no_semicolon(self):
        code, lines = self.check(SOUND, more=[("tests/units/sound_test.cpp",
                                               '\nTEST_CASE("one; two", "[sound]") {}\n')])
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertTrue(lines[0].startswith("tests/units/sound_test.cpp:2: "), lines)

    def test_no_two_tests_have_one_name(self):
        twice = '#include <a>\n\nTEST_CASE(\n    "a name, with a comma", "[sound]") {}\n'
        code, lines = self.check(SOUND, more=[("tests/units/twice_test.cpp", twice)])
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertTrue(lines[0].startswith("tests/units/twice_test.cpp:3: "), lines)
        self.assertIn("tests/units/sound_test.cpp:1", lines[0])

    def test_a_table_needs_no_test_of_its_name(self):
        self.assertEqual(self.check(SOUND, test=False, name="hardware/catalog_facts.hpp")[0], 0)


if __name__ == "__main__":
    unittest.main()
