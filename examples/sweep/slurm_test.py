"""A sweep as a job array of a real Slurm with two nodes: a shard that is killed is submitted again,
one whose node is lost is run again by Slurm, and no other.

    slurm_test.py GPUPLAN

Ends with 77, after a line that says why, where there is no Slurm to try.
"""
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "support"))
from private_slurm import LONGEST_WAIT, SKIPPED, Skip, Slurm  # noqa: E402: found in the path above

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SHARDS = 6
AXES = ("model=gpt2,llama-3-8b,mistral-7b-v0.1", "parallelism.data=1,2,4,8",
        "parallelism.tensor=1,2,4,8", "recipe.zero=0,1,2,3")
COUNT = 3 * 4 * 4 * 4

# Stands for the program: notes shard and node of each run, and waits in shards that are to be lost
# until all is over: a node that Slurm gives up may work on.
STAND_IN = """\
#!/bin/sh
case "$1" in --version) exec {program} --version ;; esac
echo "$SLURM_ARRAY_TASK_ID $SLURMD_NODENAME" >>{folder}/runs
if test -e {folder}/hold-$SLURM_ARRAY_TASK_ID; then
  {program} evaluate | head -5
  touch {folder}/held-$SLURM_ARRAY_TASK_ID
  while test -e {folder}/runs; do sleep 1; done
fi
exec {program} "$@"
"""
failures = []


def check(holds, what, seen=""):
    print(f"{'ok' if holds else 'FAILED'}: {what}")
    if not holds:
        print(f"    {seen}")
        failures.append(what)


def until(holds, what):
    for _ in range(2 * LONGEST_WAIT):
        if holds():
            return
        time.sleep(0.5)
    raise SystemExit(f"FAILED: {what} does not happen")


class Sweep:
    def __init__(self, slurm):
        self.slurm = slurm
        self.folder = slurm.folder / "sweep"
        self.stand_in = slurm.folder / "gpuplan"
        self.stand_in.write_text(STAND_IN.format(folder=slurm.folder, program=PROGRAM))
        self.stand_in.chmod(0o755)
        self.requests = slurm.folder / "requests.jsonl"
        self.requests.write_text(self.run("grid", *AXES).stdout)
        self.run("split", self.requests, self.folder, "--shards", SHARDS)

    def run(self, *words):
        return self.slurm.run(sys.executable, "-B", str(HERE / "sweep.py"), *map(str, words))

    def submit(self):
        return self.run("submit", self.folder, "--gpuplan", self.stand_in).stdout

    def hold(self, shard):
        (self.slurm.folder / f"hold-{shard}").touch()

    def release(self, shard):
        (self.slurm.folder / f"hold-{shard}").unlink()

    def until_held(self, shard):
        until((self.slurm.folder / f"held-{shard}").exists, f"shard {shard}")

    def runs(self):
        """The shards that were begun, in order of their numbers, and their nodes."""
        lines = (self.slurm.folder / "runs").read_text().split("\n")[:-1]
        return sorted((int(line.split()[0]), line.split()[1]) for line in lines)

    def begun(self):
        return [shard for shard, _ in self.runs()]

    def missing(self):
        return self.run("missing", self.folder).stdout.strip()

    def queue(self):
        return self.slurm.run("squeue", "-h", "-r", "-o", "%F_%K %T").stdout.split("\n")[:-1]


def test(slurm):
    sweep = Sweep(slurm)
    sweep.hold(1)
    done = sweep.submit()
    check("Submitted batch job" in done and f"shards 0-{SHARDS - 1}" in done,
          "a job array of all shards is submitted", done)
    sweep.until_held(1)
    done = sweep.submit()
    check("shards are missing, and in the queue" in done,
          "what waits or runs is not submitted again", done)
    until(lambda: sweep.missing() == "1" and len(sweep.queue()) == 1, "the end of the other shards")
    check({node for _, node in sweep.runs()} == {"node1", "node2"}, "both nodes work",
          sweep.runs())

    [task] = [line.split()[0] for line in sweep.queue()]
    slurm.run("scancel", "--signal=KILL", "--full", task)
    slurm.run("scancel", task)
    until(lambda: not sweep.queue(), "the end of the killed task")
    check(sweep.missing() == "1", "a shard that is killed is missing", sweep.missing())
    out = slurm.folder / "answers.jsonl"
    done = sweep.run("merge", sweep.folder, out)
    check(done.returncode == 2 and "1 of 6 shards are missing: 1;" in done.stderr
          and not out.exists(), "and merge refuses the gap", done)

    # Again, and now its node is lost: Slurm runs it on the other.
    (slurm.folder / "held-1").unlink()
    done = sweep.submit()
    check("shards 1\n" in done, "the missing shard alone is submitted again", done)
    sweep.until_held(1)
    lost = slurm.run("squeue", "-h", "-o", "%N").stdout.split()[0]
    sweep.release(1)
    slurm.lose(lost)
    until(lambda: sweep.missing() == "", "the run on the other node")
    check(sweep.begun() == [0, 1, 1, 1, 2, 3, 4, 5],
          "the lost shard is run again, and no other", sweep.runs())
    done = sweep.submit()
    check("nothing to submit: all shards are answered" in done, "then nothing is left", done)
    done = sweep.run("merge", sweep.folder, out)
    with open(sweep.requests, "rb") as requests:
        alone = subprocess.run([PROGRAM, "evaluate"], stdin=requests, capture_output=True).stdout
    check(done.returncode == 0 and out.read_bytes() == alone and alone.count(b"\n") == COUNT,
          "and the answers are those of one process", done)


def main():
    try:
        with Slurm(nodes=2) as slurm:
            test(slurm)
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    print(f"{len(failures)} failures" if failures else "all as it should be")
    return 1 if failures else 0


sys.exit(main())
