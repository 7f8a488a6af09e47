"""gpuplan completion, from outside: by a real bash, and by zsh and fish where they are there."""
import shutil
import subprocess
import tempfile
import unittest

import program
from program import DONE, PROGRAM, run

BASH = """
source "$1"
shift
COMP_WORDS=(gpuplan "$@")
COMP_CWORD=$#
_gpuplan
printf '%s\\n' "${COMPREPLY[@]}"
"""


# Outside of a line editor zsh has no compadd: this one prints what it is offered.
ZSH = """
compdef() { }
_files() { }
compadd() { shift; print -rl -- "$@" }
source "$1"
shift
words=(gpuplan "$@")
CURRENT=$#words
_gpuplan
"""

FISH = """
source $argv[1]
complete -C $argv[2]
"""


class Completion(program.ProgramTest):
    def script_of(self, shell):
        done = run("completion", shell)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertTrue(done.stdout.isascii())
        return done.stdout

    def offered(self, shell, script, *words):
        """What zsh or fish offers, a line each."""
        with tempfile.NamedTemporaryFile("w", suffix="." + shell) as completion:
            completion.write(self.script_of(shell))
            completion.flush()
            bare = "-f" if shell == "zsh" else "--no-config"
            last = ["zsh"] if shell == "zsh" else []
            done = subprocess.run([shell, bare, "-c", script, *last, completion.name, *words],
                                  capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    @unittest.skipUnless(shutil.which("zsh"), "no zsh: apt-get install zsh")
    def test_zsh_completes_what_the_program_takes(self):
        self.assertLessEqual({"plan", "place"}, set(self.offered("zsh", ZSH, "pl")))
        self.assertIn("--tensor-parallel", self.offered("zsh", ZSH, "plan", "--tensor"))
        self.assertNotIn("--arrival-scv", self.offered("zsh", ZSH, "catalog", "--"))
        self.assertIn("llama-3.1-405b", self.offered("zsh", ZSH, "plan", "llama"))
        self.assertIn("H100-SXM5-80GB", self.offered("zsh", ZSH, "plan", "x", "--gpu", "H100"))
        self.assertLessEqual({"none", "full"},
                             set(self.offered("zsh", ZSH, "plan", "x", "--recompute", "f")))
        self.assertNotIn("plan", self.offered("zsh", ZSH, "plan", "x", "--recompute", "f"))

    @unittest.skipUnless(shutil.which("fish"), "no fish: apt-get install fish")
    def test_fish_completes_what_the_program_takes(self):
        self.assertEqual(set(self.offered("fish", FISH, "gpuplan pl")), {"plan", "place"})
        self.assertEqual(set(self.offered("fish", FISH, "gpuplan plan --tensor-p")),
                         {"--tensor-parallel"})
        self.assertIn("llama-3.1-405b", self.offered("fish", FISH, "gpuplan plan llama-3.1-40"))
        self.assertIn("H100-SXM5-80GB", self.offered("fish", FISH, "gpuplan plan x --gpu H100"))
        self.assertEqual(self.offered("fish", FISH, "gpuplan plan x --recompute fu"), ["full"])

    def completed(self, *words):
        """What bash offers for the last of the words."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(self.script_of("bash"))
            script.flush()
            done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", script.name, *words],
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash_completes_what_the_program_takes(self):
        self.assertEqual(self.completed("pl"), ["plan", "place"])
        self.assertEqual(set(self.completed("plan", "--tensor")),
                         {"--tensor", "--tensor-parallel"})
        self.assertEqual(self.completed("queue", "--arrivals"), ["--arrivals"])
        self.assertEqual(self.completed("plan", "llama-3.1-40"), ["llama-3.1-405b"])
        self.assertIn("H100-SXM5-80GB", self.completed("plan", "x", "--gpu", "H100"))
        self.assertEqual(self.completed("plan", "x", "--recompute", "f"), ["full"])
        self.assertEqual(self.completed("completion", "--no"), [])
        self.assertEqual(self.completed("plan", "x", "--html", "zzz"), [])

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash_knows_every_option_of_the_help(self):
        for command in ("plan", "queue", "catalog"):
            text = run(command, "--help").stdout
            listed = {word.strip(",") for line in text.splitlines() if line.startswith("  -")
                      for word in line.split()[0].split(",") if word.startswith("--")}
            self.assertTrue(listed)
            self.assertLessEqual(listed, set(self.completed(command, "--")))

    def test_zsh_and_fish_read_what_is_theirs(self):
        for shell, check in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
            text = self.script_of(shell)
            for words in ("plan", "arrivals", "recompute", "H100-SXM5-80GB", "llama-3-8b"):
                self.assertIn(words, text)
            if shutil.which(shell) is None:
                continue
            done = subprocess.run([shell, *check, "/dev/stdin"], input=text, text=True,
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_shell_is_refused(self):
        self.refused("completion", "tcsh", saying=("SHELL", "bash, zsh, fish"))
        self.refused("completion", saying="SHELL")


if __name__ == "__main__":
    program.main()
