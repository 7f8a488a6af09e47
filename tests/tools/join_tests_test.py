#!/usr/bin/env python3
"""join_tests.py keeps the names of test files apart, and their places."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
COMPILER = sys.argv.pop(1)

FILE = """#include <string>

namespace room {
namespace {

const int expected = EXPECTED;
static_assert(expected == EXPECTED);

}  // namespace
}  // namespace room
"""


class JoinTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def joined(self, *texts):
        files = []
        for number, text in enumerate(texts):
            files.append(self.folder / f"folder_{number}" / "a_test.cpp")
            files[-1].parent.mkdir()
            files[-1].write_text(text)
        output = self.folder / "all.cpp"
        done = subprocess.run([sys.executable, SCRIPT, output, *files], capture_output=True, text=True)
        return done, output

    def compiled(self, *texts):
        done, output = self.joined(*texts)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", output], capture_output=True,
                              text=True)

    def test_two_files_give_one_name_to_two_things(self):
        done = self.compiled(FILE.replace("EXPECTED", "1"), FILE.replace("EXPECTED", "2"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_for_other_files_sees_the_names_of_its_own(self):
        shared = FILE.replace("}  // namespace\n", "}  // namespace\n\nint shared() { return expected; }\n")
        done = self.compiled(FILE.replace("EXPECTED", "1"), shared.replace("EXPECTED", "2"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_two_files_that_define_something_for_others_are_refused(self):
        shared = FILE.replace("}  // namespace\n", "}  // namespace\n\nint shared() { return expected; }\n")
        done, _ = self.joined(shared, shared)
        self.assertEqual(done.returncode, 1)
        self.assertIn("two files define something for others", done.stderr)

    def test_what_fails_is_shown_where_it_was_written(self):
        done = self.compiled(FILE.replace("EXPECTED", "1"),
                             FILE.replace("== EXPECTED", "== 3").replace("EXPECTED", "2"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(str(self.folder / "folder_1" / "a_test.cpp") + ":7:", done.stderr)

    def test_a_namespace_that_is_not_closed_is_refused(self):
        done, _ = self.joined(FILE.replace("}  // namespace\n", "}\n", 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 lines are 'namespace {', 0 '}  // namespace'", done.stderr)


if __name__ == "__main__":
    unittest.main()
