"""How the placement framework compares with the other policies on open traces.

    python3 benchmarks/trace/framework.py PROGRAM FOLDER [--orders 3] [--ask 1.3] [--jobs 20000]

FOLDER holds openb_node_list_gpu_node.csv and openb_pod_list_{default,gpuspec33,multigpu50}.csv of
Alibaba's GPU trace of 2023, and philly_2017.csv and helios_venus_2020.csv with the columns
submit_s, gpus and duration_s.  What is absent is skipped, and said.

Batches: jobs drawn from a list are added until they ask for 1.3 times the GPUs of the pool, then
shuffled, or where less is asked for, drawn until they ask for that; none leaves.  Each policy takes
them as they come, and the largest first.  Jobs that come and go: the first 20000 of a trace, those
of more than 8 GPUs left out, on so many nodes of 8 GPUs that they would keep 90 % of them busy; one
that finds no node is lost, unless it has patience.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

POLICIES = ("first-fit", "random", "best-fit", "worst-fit", "dot-product", "tetris", "norm",
            "gpu-packing", "fgd")
COLUMNS = ("num_gpu", "gpu_milli", "cpu_milli", "memory_mib", "gpu_spec")
NODES = "openb_node_list_gpu_node.csv"


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


def drawn(jobs, wanted, whole, seed):
    chance = random.Random(seed)
    taken = list(jobs) if whole else []
    asked = sum(map(gpus_of, taken))
    while asked < wanted:
        taken.append(chance.choice(jobs))
        asked += gpus_of(taken[-1])
    chance.shuffle(taken)
    return taken


def place(program, nodes, jobs, *options):
    answer = subprocess.run([program, "place", "--nodes", nodes, "--jobs", jobs, "--json", *options],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(answer)["policies"]


def variants(program, nodes, jobs, *options):
    """Name and outcome of each policy, and of the framework with and without moves."""
    for one in place(program, nodes, jobs, "--policy", ",".join(POLICIES), *options):
        yield one["policy"], one
    still = (*options, "--policy", "framework", "--improve", "0")
    yield "framework, no moves", place(program, nodes, jobs, *still)[0]
    yield "framework", place(program, nodes, jobs, *options, "--policy", "framework")[0]


def batch(program, nodes, jobs, asked, folder):
    pool = sum(int(node["gpu"]) for node in rows_of(nodes))
    table = str(folder / "batch.csv")
    found = {}
    for seed in range(1, asked.orders + 1):
        write_rows(table, COLUMNS, drawn(rows_of(jobs), asked.ask * pool, asked.ask >= 1, seed))
        for order in ("arrival", "largest-first"):
            for name, one in variants(program, str(nodes), table, "--order", order):
                found.setdefault(name, {}).setdefault(order, []).append(
                    (100 * one["allocation"], 100 * one["placed"] / one["jobs"],
                     one.get("improvement", {}).get("jobs_given_room", 0)))
    print(f"\n{jobs.stem}: jobs ask for {asked.ask:.2f} times the GPUs, {asked.orders} orders")
    print(f"{'policy':20} {'as they come':>27}   {'largest first':>27}")
    print(f"{'':20} {'GPUs %':>8} {'jobs %':>8} {'moved in':>9}   {'GPUs %':>8} {'jobs %':>8} "
          f"{'moved in':>9}")
    for name, by_order in found.items():
        means = ["{:8.2f} {:8.2f} {:9.1f}".format(*map(statistics.mean, zip(*values)))
                 for values in by_order.values()]
        print(f"{name:20} {means[0]}   {means[1]}", flush=True)


def stream(program, trace, asked, folder):
    jobs = [(float(row["submit_s"]), int(row["gpus"]), float(row["duration_s"]))
            for row in rows_of(trace)[:asked.jobs]]
    jobs = [job for job in jobs if 1 <= job[1] <= 8]
    span = max(job[0] for job in jobs) - min(job[0] for job in jobs)
    nodes = math.ceil(sum(gpus * time for _, gpus, time in jobs) / span / 0.9 / 8)
    pool, table = str(folder / "pool.csv"), str(folder / "stream.csv")
    write_rows(pool, ("gpu", "cpu_milli"), [{"gpu": 8, "cpu_milli": 0}] * nodes)
    write_rows(table, ("num_gpu", "creation_time", "deletion_time"),
               [{"num_gpu": gpus, "creation_time": at, "deletion_time": at + time}
                for at, gpus, time in jobs])
    print(f"\n{trace.stem}: {len(jobs)} jobs come and go on {nodes} nodes of 8 GPUs")
    print(f"{'policy':24} {'in use %':>8} {'jobs %':>8} {'moves':>7} {'waited':>7} {'mean s':>7}")
    found = list(variants(program, pool, table, "--leave"))
    for name, moves in (("framework, 1 h, no moves", "0"), ("framework, 1 h", "16")):
        found.append((name, place(program, pool, table, "--leave", "--policy", "framework",
                                  "--patience", "1h", "--ageing", "1h", "--improve", moves)[0]))
    for name, one in found:
        better = one.get("improvement", {})
        print(f"{name:24} {100 * one['utilization_over_time']:8.2f} "
              f"{100 * one['placed'] / one['jobs']:8.2f} {better.get('moves_to_make_room', 0):7} "
              f"{better.get('jobs_that_waited', 0):7} "
              f"{better.get('mean_wait_of_these_s') or 0:7.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--ask", type=float, default=1.3)
    parser.add_argument("--jobs", type=int, default=20000)
    asked = parser.parse_args()

    with tempfile.TemporaryDirectory() as made:
        for name in ("default", "gpuspec33", "multigpu50"):
            nodes, jobs = asked.folder / NODES, asked.folder / f"openb_pod_list_{name}.csv"
            absent = [path for path in (nodes, jobs) if not path.is_file()]
            if absent:
                print(f"skipped: {', '.join(map(str, absent))}: no such file")
            else:
                batch(asked.program, nodes, jobs, asked, pathlib.Path(made))
        for name in ("philly_2017", "helios_venus_2020"):
            trace = asked.folder / f"{name}.csv"
            if trace.is_file():
                stream(asked.program, trace, asked, pathlib.Path(made))
            else:
                print(f"skipped: {trace}: no such file")
    return 0


if __name__ == "__main__":
    sys.exit(main())
