#!/usr/bin/env python3
"""check_reference.py keeps those of Doxygen's warnings that are faults, with a Doxygen of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

FAULTS = [
    "include/a.hpp:1: warning: Compound gpuplan::thing is not documented.",
    "include/a.hpp:2: warning: Member kind (enumeration) of namespace gpuplan is not documented.",
    "include/a.hpp:3: warning: Member f(int x) (function) of namespace gpuplan is not documented.",
    "include/a.hpp:4: warning: Unsupported xml/html tag <data> found",
    "error: Doxyfile not found",
]
MEMBERS = [
    "include/a.hpp:5: warning: Member size (variable) of struct gpuplan::thing is not documented.",
    "include/a.hpp:6: warning: Member f() const (function) of struct gpuplan::thing is not documented.",
    "include/a.hpp:7: warning: Member ms (variable) of namespace gpuplan::units is not documented.",
    "include/a.hpp:8: warning: Member bytes (typedef) of namespace gpuplan is not documented.",
    "include/a.hpp:9: warning: Member jobs(Law) -> jobs< Law > (function) of namespace gpuplan is not "
    "documented.",
]


class Reference(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name).resolve()
        (self.root / "docs").mkdir()
        (self.root / "docs" / "Doxyfile").write_text("QUIET = YES\n")

    def run_script(self, warnings, *settings, code=0):
        doxygen = self.root / "doxygen"
        lines = "\n".join(f"{self.root}/{line}" for line in warnings)
        doxygen.write_text(f"#!/bin/sh\ncat >settings\npwd >>settings\ncat >&2 <<'END'\n{lines}\nEND\n"
                           f"exit {code}\n")
        doxygen.chmod(0o755)
        done = subprocess.run([sys.executable, SCRIPT, doxygen, "docs/Doxyfile", *settings],
                              cwd=self.root, capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_members_may_speak_for_themselves(self):
        self.assertEqual(self.run_script(MEMBERS), (0, "reference ok\n"))

    def test_types_functions_and_what_doxygen_does_not_understand_are_faults(self):
        code, said = self.run_script(MEMBERS + FAULTS)
        self.assertEqual((code, said.splitlines()), (1, sorted(FAULTS)))

    def test_a_doxygen_that_fails_is_a_fault(self):
        self.assertEqual(self.run_script([], code=1)[0], 1)

    def test_settings_come_after_those_of_the_file_in_the_folder_above_it(self):
        self.run_script([], "QUIET = NO")
        self.assertEqual((self.root / "settings").read_text().split("\n"),
                         ["QUIET = YES", "", "QUIET = NO", str(self.root), ""])


if __name__ == "__main__":
    unittest.main()
