"""What cmake --install puts there: a program in C finds libgpuplan by pkg-config, wherever the tree
has been moved to, and the program has its manual.

    install_test.py BUILD_FOLDER [C COMPILER]
"""
import os
import pathlib
import re
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

    def test_completions(self):
        share = self.tree / "share"
        for shell, place in (("bash", "bash-completion/completions/gpuplan"),
                             ("zsh", "zsh/site-functions/_gpuplan"),
                             ("fish", "fish/vendor_completions.d/gpuplan.fish")):
            self.assertEqual((share / place).read_text(),
                             run(self.tree / "bin" / "gpuplan", "completion", shell))

    @unittest.skipUnless(shutil.which("help2man"), "help2man is not installed")
    def test_man_pages(self):
        pages = self.tree / "share" / "man" / "man1"
        program = self.tree / "bin" / "gpuplan"
        whole = (pages / "gpuplan.1").read_text()
        names = {path.name for path in pages.iterdir()}
        self.assertGreaterEqual(names, {"gpuplan.1", "gpuplan-plan.1", "gpuplan-fit.1",
                                        "gpuplan-completion.1"})
        self.assertEqual({f"{name}.1" for name in re.findall(r"^\.BR (\S+) \(1\)", whole, re.MULTILINE)}
                         | {"gpuplan.1"}, names)
        for path in pages.iterdir():
            text = path.read_text()
            name = path.stem
            self.assertRegex(text, rf'(?m)^\.TH {name.upper()} "1" ".*" "gpuplan [\d.]+" "gpuplan"$')
            self.assertRegex(text, rf"(?m)^\.SH NAME\n{name} \\- .")
            # Every option of the help stands in the page, and no other.
            words = name.split("-")[1:]
            help_text = run(program, *words, "--help")
            options = set(re.findall(r"--[a-z][a-z-]+", help_text))
            self.assertEqual(set(re.findall(r"--[a-z][a-z-]+", text.replace("\\-", "-"))), options)

    def test_version(self):
        program = run(self.tree / "bin" / "gpuplan", "--version")
        self.assertEqual(program, f"gpuplan {' '.join(self.words('--modversion'))}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
