"""What ./run release has made: each file is whole, works, and is of one version.

    release_test.py FOLDER [C++ COMPILER]
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

FOLDER = pathlib.Path(sys.argv[1]).resolve()
CXX = sys.argv[2] if len(sys.argv) > 2 else "c++"
ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(gpuplan VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(),
                    re.MULTILINE)[1]
NAME = f"gpuplan-{VERSION}"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          **options).stdout


class Release(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def unpacked(self, name):
        """Its one folder, with owners and times that no machine has left in it."""
        with tarfile.open(FOLDER / name) as archive:
            members = archive.getmembers()
            self.assertLessEqual({member.uname for member in members}, {"", "root"})
            self.assertEqual({member.uid for member in members}, {0})
            self.assertEqual(len({member.mtime for member in members}), 1)
            archive.extractall(self.scratch)
        [folder] = self.scratch.iterdir()
        self.assertEqual(folder.name, NAME)
        return folder

    def test_checksums(self):
        rows = [line.split("  ") for line in (FOLDER / "SHA256SUMS").read_text().splitlines()]
        self.assertEqual({name for _, name in rows} | {"SHA256SUMS"},
                         {path.name for path in FOLDER.iterdir()})
        self.assertEqual(len(rows), 5)
        for digest, name in rows:
            self.assertEqual(hashlib.sha256((FOLDER / name).read_bytes()).hexdigest(), digest)

    def test_header(self):
        program = self.scratch / "program.cpp"
        program.write_text(f'#include "{FOLDER / NAME}.hpp"\n'
                           "#include <cstdio>\n"
                           "int main() { std::puts(gpuplan::catalog::llama_3_8b.layers == 32"
                           ' ? "32" : ""); }\n')
        run(CXX, "-std=c++20", program, "-o", self.scratch / "program")
        self.assertEqual(run(self.scratch / "program"), "32\n")

    def test_sources(self):
        folder = self.unpacked(f"{NAME}.tar.gz")
        listed = run("git", "ls-files", cwd=ROOT).split()
        self.assertEqual(sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                                if not path.is_dir()), sorted(listed))

    def test_program(self):
        [name] = [path.name for path in FOLDER.glob(f"{NAME}-linux-*.tar.gz")]
        folder = self.unpacked(name)
        self.assertEqual(run(folder / "bin" / "gpuplan", "--version"), f"gpuplan {VERSION}\n")
        for file in ("include/gpuplan.h", "include/gpuplan_admission.h",
                     "include/gpuplan/gpuplan.hpp", "share/man/man1/gpuplan-plan.1",
                     "share/bash-completion/completions/gpuplan"):
            self.assertTrue((folder / file).exists(), file)
        [library] = folder.rglob(f"libgpuplan.so.{VERSION}")
        self.assertNotIn(str(ROOT).encode(), library.read_bytes())

    def test_wheel(self):
        [path] = FOLDER.glob(f"{NAME}-py3-none-*.whl")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            self.assertIn(f"Version: {VERSION}\n",
                          wheel.read(f"{NAME}.dist-info/METADATA").decode())
        self.assertIn("gpuplan/libgpuplan.so", names)
        self.assertIn("gpuplan/__init__.py", names)

    def test_planner(self):
        self.assertIn(f"gpuplan {VERSION}", (FOLDER / f"planner-{VERSION}.html").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
