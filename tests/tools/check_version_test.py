#!/usr/bin/env python3
"""check_version.py finds a file that says another version, and one that says none."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = SCRIPT.parent.parent
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True
import check_version  # noqa: E402: it is found in the path above


class CheckVersion(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name)
        for pattern in ["CMakeLists.txt", *(place[0] for place in check_version.PLACES)]:
            for path in ROOT.glob(pattern):
                copy = self.tree / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        self.version = check_version.version_of(ROOT)

    def check(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT, self.tree], capture_output=True,
                              text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_the_project_agrees(self):
        self.assertEqual(self.check(), [])

    def test_another_version_of_the_project(self):
        path = self.tree / "CMakeLists.txt"
        path.write_text(path.read_text().replace(f"VERSION {self.version}", "VERSION 7.8.9"))
        faulty = {line.split(":")[0] for line in self.check()}
        for pattern, _, _ in check_version.PLACES:
            self.assertTrue(any(pathlib.PurePath(name).match(pattern) for name in faulty), pattern)

    def test_a_file_without_a_version(self):
        path = self.tree / "bindings" / "c" / "gpuplan.h"
        path.write_text(path.read_text().replace(self.version, "new"))
        self.assertEqual(self.check(), ["bindings/c/gpuplan.h:1: says no version"])


if __name__ == "__main__":
    unittest.main()
