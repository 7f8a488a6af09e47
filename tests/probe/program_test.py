#!/usr/bin/env python3
"""What gpuplan-probe does where it sees no GPU.

    program_test.py GPUPLAN_PROBE
"""
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def run(*words):
    """As on a machine whose GPUs are hidden."""
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run([PROGRAM, *words], env=hidden, capture_output=True, text=True, timeout=60)


class WithoutDevice(unittest.TestCase):
    def test_says_so_in_one_line(self):
        ended = run()
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stdout, "")
        self.assertEqual(ended.stderr.count("\n"), 1)
        self.assertRegex(ended.stderr, "^gpuplan-probe: no CUDA device")

    def test_writes_no_file(self):
        self.assertEqual(run("-o", "/nonexistent/report.json").returncode, 1)

    def test_help_needs_no_device(self):
        ended = run("--help")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for section in ("identity", "hbm", "gemm", "collectives"):
            self.assertIn(section, ended.stdout)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^gpuplan-probe \d+\.\d+\.\d+\n$")

    def test_wrong_words_are_named(self):
        for words, named in ((["--sections", "hbm,teapot"], "teapot"), (["--device", "x"], '"x"'),
                             (["--fast"], "--fast"), (["-o"], "-o")):
            ended = run(*words)
            self.assertEqual(ended.returncode, 2, words)
            self.assertIn(named, ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
