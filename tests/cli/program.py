"""What the tests of the program share: how to run it, and where the models are."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
CONFIGS = DATA / "configs"

DONE, INTERNAL, USAGE, ASSERT_FAILED, INFEASIBLE = range(5)
ERROR = ["what", "where", "allowed", "did_you_mean", "exit_code"]  # members of an error


def refuse_nonfinite(constant):
    raise ValueError(f"{constant} is no JSON")


def read_json(text):
    """JSON without NaN and Infinity, which Python's reader would let pass."""
    return json.loads(text, parse_constant=refuse_nonfinite)


def run(*arguments, stdin=b"", env=None, folder=None):
    """Runs the program to its end, in that folder.  Its output must be UTF-8."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | (env or {})
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                          env=environment, cwd=folder, timeout=300)
    done.stdout = done.stdout.decode()
    done.stderr = done.stderr.decode()
    return done


def run_on_terminal(*arguments, env=None, until=None):
    """What the program writes to a terminal: all of it, or until it has written that pattern."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"TERM": "xterm"} | (env or {})
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=theirs, stderr=theirs,
                               env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
        if until and re.search(until, text.decode(errors="replace")):
            process.kill()
            break
    os.close(ours)
    process.wait()
    return text.decode()


def config(name):
    return json.loads((CONFIGS / f"{name}.json").read_text())


class ProgramTest(unittest.TestCase):
    def answer(self, *arguments, code=DONE):
        """The JSON answer of a subcommand that must end with this code."""
        done = run(*arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr, "")
        answer = read_json(done.stdout)
        self.assertEqual(answer["schema_version"], 1)
        return answer

    def refused(self, *arguments, saying=(), stdin=b""):
        """The one line by which the program refuses what it was given."""
        done = run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, USAGE, (arguments, done.stdout, done.stderr))
        self.assertEqual(done.stdout, "", arguments)
        self.assertRegex(done.stderr, r"\Agpuplan: [^\n]+\n\Z")
        for words in [saying] if isinstance(saying, str) else saying:
            self.assertIn(words, done.stderr)
        return done.stderr


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=1)
