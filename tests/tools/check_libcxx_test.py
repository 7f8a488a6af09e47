#!/usr/bin/env python3
"""check_libcxx.py names the headers that fail and why, and fails where there is no libc++."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

# A compiler that refuses what includes "bad", as clang++ would.
COMPILER = """#!/bin/sh
text=$(cat)
case "$text" in
  *bad*) echo "/include/gpuplan/bad.hpp:3:7: error: no such thing" >&2; exit 1 ;;
esac
"""
WITHOUT = """#!/bin/sh
echo "<stdin>:1:10: fatal error: 'cstddef' file not found" >&2
exit 1
"""


class Libcxx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "gpuplan").mkdir()
        for name in ["good", "bad", "worse_bad"]:
            (self.root / "gpuplan" / f"{name}.hpp").write_text("#pragma once\n")

    def run_script(self, compiler, *arguments):
        path = self.root / "compiler"
        path.write_text(compiler)
        path.chmod(0o755)
        done = subprocess.run([sys.executable, SCRIPT, path, self.root, *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_headers_that_fail_are_listed_by_cause(self):
        code, said = self.run_script(COMPILER)
        self.assertEqual(code, 0, said)
        self.assertIn("2 of 3 headers do not compile with libc++:", said)
        self.assertIn("bad.hpp:3: no such thing", said)
        self.assertIn("stops 2: gpuplan/bad.hpp gpuplan/worse_bad.hpp", said)

    def test_strict_fails_unless_all_compile(self):
        self.assertEqual(self.run_script(COMPILER, "--strict")[0], 1)
        for name in ["bad", "worse_bad"]:
            (self.root / "gpuplan" / f"{name}.hpp").unlink()
        code, said = self.run_script(COMPILER, "--strict")
        self.assertEqual(code, 0, said)
        self.assertIn("0 of 1 headers do not compile with libc++\n", said)

    def test_together_the_first_error_is_told(self):
        code, said = self.run_script(COMPILER, "--together", "--strict")
        self.assertEqual(code, 1, said)
        self.assertIn("no such thing", said)
        for name in ["bad", "worse_bad"]:
            (self.root / "gpuplan" / f"{name}.hpp").unlink()
        code, said = self.run_script(COMPILER, "--together", "--strict")
        self.assertEqual(code, 0, said)
        self.assertIn("all 1 headers compile with libc++, together\n", said)

    def test_without_libcxx_it_fails(self):
        code, said = self.run_script(WITHOUT)
        self.assertEqual(code, 1, said)
        self.assertIn("has no libc++", said)


if __name__ == "__main__":
    unittest.main()
