"""examples/sweep: requests in shards, on this machine; lost shards are answered again, and nothing
twice."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import program
from program import PROGRAM

SWEEP = program.DATA.parent.parent / "examples" / "sweep" / "sweep.py"
AXES = ("model=gpt2,llama-3-8b", "cluster.gpu=H100,A100-40GB", "parallelism.data=1,2,8",
        "parallelism.tensor=1,3", "recipe.zero=0,3")
COUNT = 2 * 2 * 3 * 2 * 2

# Stands for the program: notes each run, and is killed or lies where a file of a name is there.
STAND_IN = """\
#!/bin/sh
cd {folder}
case "$1" in --version) exec {program} --version ;; esac
cat >input.$$
echo "$(wc -l <input.$$)" >>runs
if rm kill 2>/dev/null; then {program} evaluate <input.$$ | head -3; kill -9 $$; fi
if rm shorten 2>/dev/null; then {program} evaluate <input.$$ | head -3; exit 0; fi
exec {program} "$@" <input.$$
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.stand_in = self.folder / "gpuplan"
        self.stand_in.write_text(STAND_IN.format(folder=self.folder,
                                                 program=pathlib.Path(PROGRAM).resolve()))
        self.stand_in.chmod(0o755)
        self.requests = self.folder / "requests.jsonl"
        self.requests.write_text(self.sweep("grid", *AXES))
        self.whole = self.folder / "sweep"

    def sweep(self, *words, code=0, stdin=None):
        done = subprocess.run([sys.executable, "-B", SWEEP, *map(str, words)], text=True,
                              capture_output=True, timeout=300, input=stdin)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == 2:
            self.assertRegex(done.stderr, r"(\A|\n)sweep\.py: [^\n]+\n\Z")
        return done.stderr if code else done.stdout

    def local(self, *more, code=0):
        return self.sweep("local", self.whole, "--jobs", 2, "--gpuplan", self.stand_in, *more,
                          code=code)

    def runs(self):
        return len((self.folder / "runs").read_text().split())

    def merged(self):
        path = self.folder / "answers.jsonl"
        self.sweep("merge", self.whole, path)
        return path.read_text()

    def alone(self):
        """What one process answers to all the requests."""
        return program.run("evaluate", stdin=self.requests.read_text()).stdout

    def split(self, shards=5):
        return self.sweep("split", self.requests, self.whole, "--shards", shards)

    def test_grid(self):
        lines = [json.loads(line) for line in self.requests.read_text().splitlines()]
        self.assertEqual(len({json.dumps(one) for one in lines}), COUNT)
        self.assertEqual(lines[1], {"model": "gpt2", "cluster": {"gpu": "H100"},
                                    "parallelism": {"data": 1, "tensor": 1}, "recipe": {"zero": 3}})
        for axes in (["model"], ["model=gpt2", "model=gpt2"], ["a.b=1", "a=2"], ["a="]):
            self.sweep("grid", *axes, code=2)

    def test_shards_give_the_answers_of_one_process(self):
        self.assertEqual(self.split(), f"{COUNT} lines in 5 shards\n")
        self.assertEqual(self.sweep("missing", self.whole), "0-4\n")
        self.local()
        self.assertEqual(self.merged(), self.alone())
        self.assertEqual(self.sweep("missing", self.whole), "\n")

    def test_nothing_is_answered_twice(self):
        self.split()
        self.sweep("shard", self.whole, 3, "--gpuplan", self.stand_in)
        self.assertEqual(self.sweep("missing", self.whole), "0-2,4\n")
        self.local()
        self.local()
        self.sweep("shard", self.whole, 3, "--gpuplan", self.stand_in)
        self.assertEqual(self.runs(), 5)
        self.assertEqual(self.merged(), self.alone())

    def test_a_shard_that_is_killed_is_answered_again(self):
        out = self.folder / "answers.jsonl"
        self.split()
        for runs, how in ((5, "kill"), (6, "shorten")):
            (self.folder / how).touch()
            self.assertRegex(self.local(code=2), r"shards \d are not answered; run local again")
            self.assertEqual(self.runs(), runs)
            self.assertIn("1 of 5 shards are missing", self.sweep("merge", self.whole, out, code=2))
            self.assertFalse(out.exists())
        self.local()
        self.assertEqual(self.runs(), 7)
        self.assertEqual(self.merged(), self.alone())

    def test_what_a_lost_node_leaves_does_not_count(self):
        self.split()
        left = self.whole / "answers" / "000002.part-gone-1"
        left.mkdir(parents=True)
        (left / "answers.jsonl").write_text('{"schema_version":1,"line":1')
        self.assertEqual(self.sweep("missing", self.whole), "0-4\n")
        self.local()
        self.assertEqual(self.merged(), self.alone())

    def test_of_two_at_once_one_counts(self):
        self.split(shards=1)
        both = [subprocess.Popen([sys.executable, "-B", SWEEP, "shard", self.whole, "0",
                                  "--gpuplan", self.stand_in], stderr=subprocess.DEVNULL)
                for _ in range(2)]
        self.assertEqual([one.wait() for one in both], [0, 0])
        self.assertEqual([path.name for path in (self.whole / "answers").iterdir()], ["000000"])
        self.assertEqual(self.merged(), self.alone())

    def test_merge_refuses_gaps_duplicates_and_changes(self):
        self.split()
        self.local()
        path = self.whole / "answers" / "000001" / "answers.jsonl"
        right = path.read_text()
        first, second, *others = right.splitlines(keepends=True)
        for lines, saying in (([first, first, second, *others], "after that to line"),
                              ([second, first, *others], "after that to line"),
                              ([first, *others], "answers, and"),
                              ([first.replace('"fits":true', '"fits":null'), second, *others],
                               "has changed"),
                              ([first.replace('"line":', '"line":9'), second, *others], "line 9")):
            path.write_text("".join(lines))
            self.assertIn(saying, self.sweep("merge", self.whole, self.folder / "out", code=2))
            self.assertEqual(list(self.folder.glob("out*")), [])
        path.write_text(right)
        marker = path.with_name("done.json")
        marker.write_text(marker.read_text().replace('"version": "gpuplan ', '"version": "older '))
        self.assertIn("differ in version", self.sweep("merge", self.whole, self.folder / "out",
                                                      code=2))

    def test_requests_that_change_are_refused(self):
        self.split()
        path = self.whole / "requests" / "000000.jsonl"
        path.write_text(path.read_text().replace("gpt2", "gpt3-175b"))
        self.assertIn("has changed since the split", self.local(code=2))
        self.assertIn("holds a sweep already", self.sweep("split", self.requests, self.whole,
                                                          code=2))
        self.assertIn("holds no sweep", self.sweep("missing", self.folder, code=2))

    def test_refused_and_blank_lines_keep_their_places(self):
        self.requests.write_text('{"model": "gpt2"}\n\n{"model": "gpt"}\n  \n{"model": "gpt2"}')
        self.split(shards=3)
        self.local()
        answers = [json.loads(line) for line in self.merged().splitlines()]
        self.assertEqual([one["line"] for one in answers], [1, 3, 5])
        self.assertEqual(answers[1]["error"]["where"], "model")
        self.assertIn("gpt2", answers[1]["error"]["did_you_mean"])
        self.assertEqual(self.merged(), self.alone())

    def test_kept_members(self):
        self.split()
        self.local("--keep", "fits,memory.worst_stage_bytes", "--level", "0.5")
        whole = [json.loads(line) for line in self.alone().splitlines()]
        self.assertEqual([json.loads(line) for line in self.merged().splitlines()],
                         [{"line": one["line"], "fits": one["fits"],
                           "memory.worst_stage_bytes": (one["memory"] or {}).get("worst_stage_bytes")}
                          for one in whole])

    def test_a_member_that_no_answer_has_is_refused(self):
        line = self.requests.read_text().splitlines()[0]
        for misspelt in ("fit", "memory.worst"):
            done = subprocess.run([sys.executable, SWEEP, "pipe", "--gpuplan", PROGRAM, "--keep", misspelt],
                                  input=f"k\t{line}\n", capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"--keep {misspelt}: answers have no such member", done.stderr)

    def test_keyed_lines(self):
        lines = self.requests.read_text().splitlines()[:4] + ["{}"]
        keyed = "".join(f"k{number}\t{line}\n" for number, line in enumerate(lines))
        out = self.sweep("pipe", "--gpuplan", PROGRAM, stdin=keyed).splitlines()
        expected = program.run("evaluate", stdin="\n".join(lines)).stdout.splitlines()
        self.assertEqual(len(out), 5)
        for number, (line, alone) in enumerate(zip(out, expected)):
            key, answer = line.split("\t")
            self.assertEqual(key, f"k{number}")
            alone = json.loads(alone)
            del alone["line"]
            self.assertEqual(json.loads(answer), alone)
        self.assertEqual(self.sweep("pipe", "--gpuplan", PROGRAM, stdin=""), "")

    def test_pipes_of_others(self):
        """Commands of docs/sweep.md for xargs and GNU parallel."""
        environment = os.environ | {"PATH": f"{pathlib.Path(PROGRAM).resolve().parent}:"
                                            + os.environ["PATH"]}
        page = (program.DATA.parent.parent / "docs" / "sweep.md").read_text()
        commands = [line for line in page.splitlines() if line.startswith(("split ", "parallel "))]
        self.assertEqual([line.split()[0] for line in commands], ["split", "parallel"])
        for line in commands:
            if not shutil.which(line.split()[0]):
                continue
            with self.subTest(command=line), tempfile.TemporaryDirectory() as folder:
                shutil.copy(self.requests, folder)
                subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=folder, check=True,
                               env=environment)
                answers = sorted(json.dumps(json.loads(one)["inputs"]) for one in
                                 (pathlib.Path(folder) / "answers.jsonl").read_text().splitlines())
                self.assertEqual(answers, sorted(json.dumps(json.loads(one)["inputs"])
                                                 for one in self.alone().splitlines()))


if __name__ == "__main__":
    program.main()
