"""What cmake --install puts there: a program in C finds libgpuplan by pkg-config, wherever the tree
has been moved to.

    install_test.py BUILD_FOLDER [C COMPILER]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
CC = sys.argv[2] if len(sys.argv) > 2 else "cc"
ASK = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "c" / "examples" / "ask.c"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          **options).stdout


@unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
class Install(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        first = pathlib.Path(scratch.name) / "first"
        for component in ("bindings", "program"):
            run("cmake", "--install", BUILD, "--component", component, "--prefix", first)
        self.tree = first.rename(pathlib.Path(scratch.name) / "moved")
        [self.package] = self.tree.rglob("libgpuplan.pc")

    def words(self, *options):
        return run("pkg-config", *options, "libgpuplan",
                   env=os.environ | {"PKG_CONFIG_PATH": str(self.package.parent)}).split()

    def check(self, *link):
        program = self.tree / "ask"
        run(CC, ASK, *self.words("--cflags"), *link, "-o", program)
        answer = run(program, input='{"question": "model", "model": "gpt2"}',
                     env=os.environ | {"LD_LIBRARY_PATH": str(self.package.parent.parent)})
        self.assertEqual(answer, run(self.tree / "bin" / "gpuplan", "model", "gpt2", "--json"))

    def test_shared(self):
        self.check(*self.words("--libs"))

    def test_static(self):
        [library] = self.tree.rglob("libgpuplan.a")
        self.check(library, *(word for word in self.words("--static", "--libs-only-l")
                              if word != "-lgpuplan"))

    def test_version(self):
        program = run(self.tree / "bin" / "gpuplan", "--version")
        self.assertEqual(program, f"gpuplan {' '.join(self.words('--modversion'))}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
