"""What named schedulers make of the open traces of GPU clusters: the table of docs/schedulers.md.

    python3 benchmarks/trace/schedulers.py PROGRAM FOLDER [--jobs 10000] [--parallel-part 0.95]
                                           [--idle-share 0.48]

FOLDER holds the traces, each a table with the columns submit_s, gpus and duration_s:

    philly_2017.csv         Microsoft Philly, msr-fiddle/philly-traces (CC-BY 4.0)
    helios_venus_2020.csv   SenseTime Helios, cluster Venus, S-Lab-System-Group/HeliosData (CC-BY 4.0)
    alibaba_pai_2020_sub.csv   8.2 % of Alibaba PAI, alibaba/clusterdata, cluster-trace-gpu-v2020
                               (CC-BY 4.0)

A file that is missing is passed over.  Policies run on the busiest jobs in a row, so many, and on
the GPUs below.  A trace does not say how jobs speed up (--parallel-part, Amdahl's law) nor how idle
they leave a GPU (--idle-share; M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters
for DNN Training Workloads", USENIX ATC, 2019, measure a mean utilisation of 52 % in Philly).
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys

# On the first pools some jobs wait under first come, first served; the second ones are too small
# for it, and jobs wait for days.
POOLS = (("philly_2017.csv", 600), ("helios_venus_2020.csv", 900), ("philly_2017.csv", 350),
         ("alibaba_pai_2020_sub.csv", 350))
POLICIES = "fcfs,tiresias,gandiva,optimus,sia,antman"


def in_words(seconds):
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.2f} h" if seconds < 172800 else f"{seconds / 86400:.2f} days"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", default="10000")
    parser.add_argument("--parallel-part", default="0.95")
    parser.add_argument("--idle-share", default="0.48")
    asked = parser.parse_args()

    print("| trace, GPUs | policy | mean wait | mean time in system | p99 wait | slowdown | utilisation |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, gpus in POOLS:
        if not (asked.folder / name).exists():
            print(f"{asked.folder / name} is not there", file=sys.stderr)
            continue
        options = ["--gpus", str(gpus), "--sample", asked.jobs, "--policy", POLICIES,
                   "--parallel-part", asked.parallel_part, "--idle-share", asked.idle_share]
        command = [asked.program, "queue", "--trace", str(asked.folder / name), *options, "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 4):  # 4: the trace as a whole overloads the pool
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
        for row in json.loads(done.stdout)["policies"]:
            print(f"| {name}, {gpus} | `{row['policy']}` | {in_words(row['mean_wait_s'])} | "
                  f"{in_words(row['mean_response_s'])} | {in_words(row['p99_wait_s'])} | "
                  f"{row['mean_slowdown']:.2f} | {100 * row['utilization']:.1f} % |")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time {used.ru_utime + used.ru_stime:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
