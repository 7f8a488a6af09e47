"""How long gpuplan place takes for a million jobs on a hundred thousand nodes, policy by policy.

    python3 benchmarks/trace/million_placements.py PROGRAM [--jobs 1000000] [--nodes 100000]
        [--seed 1] [--table kinds|any] [--policy NAME ...] [--keep FOLDER] [--arguments '--leave']

Writes a table of nodes, of the shapes that the open trace of 2023 has, and one of jobs that ask for
a quarter more GPUs than there are; then prints, for each policy, the wall time, the time of the CPU
and the largest memory of the program, and how many jobs it placed.  To have its other arguments
begin with dashes, write --arguments=--leave.

With `--table kinds` the jobs are of some 300 kinds, as in that trace.  With `--table any` each
draws its share of a GPU, its cores and its memory from whole ranges, so that no two are alike.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

# Nodes by GPUs, cores, GiB and type: Alibaba's cluster-trace-gpu-v2023, node list.
SHAPES = ((549, 8, 96, 384, "G2"), (387, 2, 104, 768, "P100"), (107, 2, 16, 64, "V100M16"),
          (39, 8, 128, 1024, "G3"), (28, 4, 32, 256, "T4"), (22, 2, 64, 256, "T4"),
          (21, 8, 96, 768, "V100M32"), (19, 1, 8, 32, "T4"), (17, 4, 96, 512, "G2"),
          (9, 4, 48, 256, "P100"), (7, 8, 64, 512, "V100M16"), (8, 2, 16, 128, "T4"))
POLICIES = ("first-fit", "random", "best-fit", "worst-fit", "dot-product", "tetris", "norm",
            "gpu-packing", "fgd", "framework")
KINDS = 300


def write_nodes(path, nodes, chance):
    shapes = chance.choices(SHAPES, [shape[0] for shape in SHAPES], k=nodes)
    with open(path, "w") as out:
        out.write("cpu_milli,memory_mib,gpu,model\n")
        for _, gpus, cores, memory, kind in shapes:
            out.write(f"{1000 * cores},{1024 * memory},{gpus},{kind}\n")


def request(chance, whole_steps):
    """GPUs, thousandths of each, cores, memory and types of a job; where steps are not whole, each
    number is drawn from its whole range."""
    size = chance.random()
    gpus = 0 if size < 0.15 else 1 if size < 0.95 else 2 if size < 0.98 else 4 if size < 0.99 else 8
    shared = gpus == 1 and chance.random() < 0.75
    if whole_steps:
        share = 10 * chance.randint(5, 80) if shared else 1000
        cores = 1000 * chance.randint(1, 12) * max(1, gpus)
        memory = 1024 * chance.randint(1, 60) * max(1, gpus)
    else:
        share = chance.randint(50, 800) if shared else 1000
        cores = chance.randint(1000, 12000) * max(1, gpus)
        memory = chance.randint(1024, 60 * 1024) * max(1, gpus)
    types = chance.choice(("T4", "V100M16|V100M32", "G2|G3")) if chance.random() < 0.1 else ""
    return f"{gpus},{share},{cores},{memory},{types}"


def write_jobs(path, jobs, table, chance):
    kinds = [request(chance, True) for _ in range(KINDS)]
    often = [1 / (1 + kind) ** 0.5 for kind in range(KINDS)]
    with open(path, "w") as out:
        out.write("num_gpu,gpu_milli,cpu_milli,memory_mib,gpu_spec,creation_time,deletion_time\n")
        for job in range(jobs):
            drawn = (chance.choices(kinds, often)[0] if table == "kinds"
                     else request(chance, False))
            out.write(f"{drawn},{job},{job + chance.randint(1, jobs)}\n")


def measure(program, policy, nodes, jobs, arguments):
    """What the program says, its wall time, and what wait4 says that it used."""
    command = [program, "place", "--nodes", str(nodes), "--jobs", str(jobs), "--policy", policy,
               "--json", *arguments]
    begun = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    answer = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - begun
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return json.loads(answer)["policies"][0], wall, used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", choices=("kinds", "any"), default="kinds")
    parser.add_argument("--policy", action="append", choices=POLICIES)
    parser.add_argument("--keep", help="where to leave the tables; they are not written again")
    parser.add_argument("--arguments", default="", help="other arguments of gpuplan place")
    asked = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(asked.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        nodes = folder / f"nodes-{asked.nodes}-{asked.seed}.csv"
        jobs = folder / f"jobs-{asked.table}-{asked.jobs}-{asked.seed}.csv"
        if not nodes.exists():
            write_nodes(nodes, asked.nodes, random.Random(asked.seed))
        if not jobs.exists():
            write_jobs(jobs, asked.jobs, asked.table, random.Random(asked.seed + 1))
        print(f"{asked.jobs} jobs ({asked.table}) on {asked.nodes} nodes")
        print(f"{'policy':12} {'wall s':>8} {'CPU s':>8} {'MiB':>7} {'placed':>9} {'allocated':>9}")
        for policy in asked.policy or POLICIES:
            said, wall, used = measure(asked.program, policy, nodes, jobs,
                                       asked.arguments.split())
            allocated = said["allocation"]
            shown = "-" if allocated is None else f"{100 * allocated:.2f} %"
            print(f"{policy:12} {wall:8.2f} {used.ru_utime + used.ru_stime:8.2f} "
                  f"{used.ru_maxrss / 1024:7.0f} {said['placed']:9} {shown:>9}", flush=True)


main()
