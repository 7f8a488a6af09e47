"""How much of a pool's GPUs each placement policy allocates, as Weng et al. (USENIX ATC 2023) ask.

    python3 benchmarks/trace/fragmentation_gradient.py PROGRAM NODES JOBS [--orders 10] [--ask 1.3]

NODES and JOBS are tables of Alibaba's open GPU trace of 2023 (openb_node_list_gpu_node.csv and
openb_pod_list_default.csv).  Jobs drawn from the list are added until they ask for 1.3 times the
GPUs of the pool, then all are shuffled; each order is placed without jobs leaving.  Types of GPU
that a job asks for are left out.  Of equal nodes random and best fit take any, the fragmentation
gradient the first.
"""
import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import tempfile

POLICIES = {"random": "random", "best-fit": "random", "fgd": "first"}
COLUMNS = ("num_gpu", "gpu_milli", "cpu_milli", "memory_mib")


def rows_of(path):
    with open(path, newline="") as table:
        return list(csv.DictReader(table))


def write_rows(path, columns, rows):
    with open(path, "w", newline="") as table:
        writer = csv.DictWriter(table, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def gpus_of(job):
    return int(job["num_gpu"]) * (int(job["gpu_milli"]) / 1000 if job["num_gpu"] == "1" else 1)


def ordered(jobs, wanted, seed):
    chance = random.Random(seed)
    drawn = list(jobs)
    asked = sum(map(gpus_of, drawn))
    while asked < wanted:
        drawn.append(chance.choice(jobs))
        asked += gpus_of(drawn[-1])
    chance.shuffle(drawn)
    return drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("nodes")
    parser.add_argument("jobs")
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--ask", type=float, default=1.3)
    asked = parser.parse_args()

    nodes, jobs = rows_of(asked.nodes), rows_of(asked.jobs)
    pool = sum(int(node["gpu"]) for node in nodes)
    allocated = {policy: [] for policy in POLICIES}
    with tempfile.TemporaryDirectory() as folder:
        node_table, job_table = (os.path.join(folder, name) for name in ("nodes.csv", "jobs.csv"))
        write_rows(node_table, ("gpu", "cpu_milli", "memory_mib"), nodes)
        for seed in range(1, asked.orders + 1):
            write_rows(job_table, COLUMNS, ordered(jobs, asked.ask * pool, seed))
            for policy, ties in POLICIES.items():
                answer = subprocess.run(
                    [asked.program, "place", "--nodes", node_table, "--jobs", job_table,
                     "--policy", policy, "--ties", ties, "--seed", str(seed), "--json"],
                    check=True, stdout=subprocess.PIPE, text=True).stdout
                allocated[policy].append(100 * json.loads(answer)["policies"][0]["allocation"])
    for policy, shares in allocated.items():
        spread = statistics.stdev(shares) if len(shares) > 1 else 0
        print(f"{policy:9} {statistics.mean(shares):.2f} % of the GPUs, "
              f"standard deviation {spread:.2f} of {len(shares)} orders")


if __name__ == "__main__":
    main()
