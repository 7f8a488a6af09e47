"""The examples of other languages, where their compilers are installed.

    examples_test.py LIBRARY CC
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
CC = sys.argv[2] if len(sys.argv) > 2 else "cc"
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "bindings" / "c"
EXAMPLES = SOURCES / "examples"


class Examples(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name in ("libgpuplan.so", "libgpuplan.so.0"):
            (self.folder / name).symlink_to(LIBRARY)
        self.environment = os.environ | {
            "LD_LIBRARY_PATH": str(self.folder), "CGO_ENABLED": "1",
            "CGO_CFLAGS": f"-I{SOURCES}", "CGO_LDFLAGS": f"-L{self.folder}",
            "GOCACHE": str(self.folder / "cache"), "GOFLAGS": "-mod=mod"}

    def run_words(self, *words, code=0, stdin=""):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, text=True,
                              input=stdin, capture_output=True, env=self.environment, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def check(self, program):
        self.assertEqual(self.run_words(program), "llama-3-8b fits: true\n")
        self.assertEqual(self.run_words(program, "llama-3-70b"), "llama-3-70b fits: false\n")
        self.assertEqual(self.run_words(program, "llama-3-8c", code=2), "")

    def test_c(self):
        program = self.folder / "ask"
        self.run_words(CC, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{SOURCES}",
                       EXAMPLES / "ask.c", f"-L{self.folder}", "-lgpuplan", "-o", program)
        request = '{"question": "model", "model": "gpt2"}'
        self.assertIn('"schema_version": 1', self.run_words(program, stdin=request))

    @unittest.skipUnless(shutil.which("rustc"), "rustc is not installed")
    def test_rust(self):
        program = self.folder / "fit"
        self.run_words("rustc", EXAMPLES / "fit.rs", "-L", f"native={self.folder}", "-l", "gpuplan",
                       "-o", program)
        self.check(program)

    @unittest.skipUnless(shutil.which("go"), "go is not installed")
    def test_go(self):
        program = self.folder / "fit"
        self.run_words("go", "build", "-o", program, EXAMPLES / "fit.go")
        self.check(program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
