"""How long gpuplan queue takes for a trace of a million jobs.

    python3 benchmarks/trace/million_jobs.py PROGRAM [--jobs 1000000] [--seed 1] [--keep FILE]
                                             [--arguments 'of gpuplan queue']

Writes a trace of jobs that come more often by day than by night, run for lognormal times and hold
1 to 64 GPUs, gives it to the program, and prints the processor time and the memory that it took.  The jobs keep 90 % of 2048 GPUs busy.
"""
import argparse
import math
import os
import random
import resource
import shlex
import subprocess
import sys
import tempfile

GPUS = 2048
LOAD = 0.9
# Shares of the jobs by GPUs, about those of the public traces: most hold one, few hold many.
MIX = ((1, 0.60), (2, 0.12), (4, 0.11), (8, 0.12), (16, 0.03), (32, 0.015), (64, 0.005))
MEDIAN_S, SIGMA = 900.0, 1.5


def write_trace(path, jobs, seed):
    chance = random.Random(seed)
    sizes, shares = zip(*MIX)
    mean_gpus = sum(size * share for size, share in MIX)
    mean_duration = MEDIAN_S * math.exp(SIGMA * SIGMA / 2)
    rate = LOAD * GPUS / (mean_gpus * mean_duration)
    gpus = chance.choices(sizes, shares, k=jobs)
    time = 0.0
    with open(path, "w") as out:
        out.write("submit_s,gpus,duration_s\n")
        for held in gpus:
            by_day = 1 + 0.5 * math.sin(2 * math.pi * time / 86400)
            time += chance.expovariate(rate * by_day)
            duration = chance.lognormvariate(math.log(MEDIAN_S), SIGMA)
            out.write(f"{time:.0f},{held},{duration:.0f}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="where to leave the trace; it is not written again")
    parser.add_argument("--arguments", default=f"--gpus {GPUS} --target-mean-wait 10min")
    asked = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = asked.keep or os.path.join(folder, "jobs.csv")
        if not os.path.exists(path):
            write_trace(path, asked.jobs, asked.seed)
        command = [asked.program, "queue", "--trace", path]
        command += shlex.split(asked.arguments)
        size = os.path.getsize(path) / 1e6
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.write(done.stdout)
    print(f"exit code {done.returncode}; processor time {used.ru_utime + used.ru_stime:.2f} s "
          f"({used.ru_utime:.2f} user, {used.ru_stime:.2f} system); at most "
          f"{used.ru_maxrss / 1024:.0f} MiB; {size:.1f} MB of text")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
