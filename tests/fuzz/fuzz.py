#!/usr/bin/env python3
"""Every reader of the library on texts that libFuzzer makes: each for some seconds.

    fuzz.py [--seconds 5] [--build build/fuzz] [--reader NAME ...]

Compiles readers_fuzz.cpp with clang++ under the address and undefined sanitizers, then runs each
reader, as many at once as there are cores: first on long texts of a few words again and again,
which would show a reader that takes too much memory or time, then on what libFuzzer makes of the
seeds.  The seeds are seeds/<reader>/ here and what tests/data has.  What is found is kept below the
build folder, and is a seed of the next run.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
DATA = {"config": ["configs"], "probe": ["probe"]}
FLAGS = ["-std=c++20", "-gline-tables-only", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=all"]

# Words that, one after the other, are dense: much to keep for each byte, or much to look through.
WORDS = ["0,", "[],", "{},", '"",', "[[", '{"a":', '"a":0,', "a,b\n", "1,1\n", "1,1,1\n", "1,a\n",
         "1\n", "\n", '"', '"\n', '""', "1 1 1 1 1 1 1\n", "# Rank 0 on h\n",
         "| Allocated memory | 1 B | 1 B |\n", "iteration 1/ elapsed time per iteration (ms): 1\n",
         "[Rank 0] memory (MB)\n", "1-", "9", "\\", "x", ",", "|", "1s", "/s", "=", "a=1,",
         '{"ph":"X","cat":"kernel","ts":1,"dur":1},',
         '{"action":"alloc","addr":1,"size":1},', '{"total_size":1,"blocks":[{"size":1}]},',
         "\u00e9"]
HEADS = {"config": ['{"a": [', '{"model_type": "', "["], "model": ["[", '{"layers": ['],
         "trace": ["submit_s,gpus,duration_s\n", "JobID|Submit|AllocTRES|Elapsed\n", '"'],
         "nodes": ["gpu,cpu_milli\n"],
         "tasks": ["num_gpu\n", "num_gpu,user\n", "num_gpu,gpu_spec\n"],
         "nccl": ["# Collective a\n"], "nccl_json": ['{"results": [', '{"args": ["'],
         "nvbandwidth": ['{"nvbandwidth": {"testcases": [',
                         '{"nvbandwidth": {"testcases": [{"name": "a", "status": "Passed", '
                         '"bandwidth_description": "GB/s", "bandwidth_matrix": [['],
         "nvidia_smi": ["index\n", "index, name\n", "name\n"],
         "memory": ["[", '{"segments": [', "|"], "megatron": [""],
         "torch_profile": ["[", '{"traceEvents": ['],
         "torch_memory": ["[", '{"segments": [', '{"device_traces": [['],
         "profile": ['{"schema": "gpuplan-profile", "version": 1, "sources": [', "["],
         "probe": ['{"schema": "probe/1", "devices": [', '{"schema": "probe/1", "warnings": [']}


def compile_program(build, seconds):
    """A short run waits less for a compiler that does not optimize than it gains by it."""
    program = build / "readers_fuzz"
    level = "-O1" if seconds > 20 else "-O0"
    command = [os.environ.get("CXX", "clang++"), *FLAGS, level, f"-I{TREE / 'include'}",
               "-isystem", "/usr/include/eigen3", str(HERE / "readers_fuzz.cpp"), "-o",
               str(program)]
    subprocess.run(command, check=True)
    return program


def long_texts(reader, folder, length):
    """Texts of many equal words, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for at, head in enumerate([""] + HEADS.get(reader, [])):
        for word in WORDS:
            text = head + word * (length // len(word))
            name = f"{at}-{WORDS.index(word)}"
            (folder / name).write_text(text, encoding="utf-8")
    numbered = "".join(f"{i},u{i}\n" for i in range(length // 12))
    hosts = "".join(f"# Rank on h{i}\n" for i in range(length // 16))
    falling = "".join(f"{length - i},1,1\n" for i in range(length // 11))
    for at, head in enumerate(HEADS.get(reader, [])):
        (folder / f"{at}-numbered").write_text(head + numbered)
        (folder / f"{at}-falling").write_text(head + falling)
    (folder / "hosts").write_text(hosts)
    return folder


def summary(text, log):
    """What a log says of a failure: which text, what is wrong, and where in our headers."""
    wanted = ("must", "ERROR", "runtime error", "Test unit written", "SUMMARY", "/include/gpuplan/")
    lines = [line for line in text.splitlines() if line.startswith("Running: ")][-1:]
    lines += [line for line in text.splitlines() if any(word in line for word in wanted)]
    return "\n".join(f"  {line[:200]}" for line in lines[-12:] + [f"the whole: {log}"])


def run_reader(program, reader, seconds, build):
    """Runs one reader; (reader, what it says of itself, its log where something is wrong)."""
    environment = {**os.environ, "GPUPLAN_READER": reader,
                   "UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_leaks=1"}
    found = build / "found" / reader
    for folder in (found, build / "crashes" / reader):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = [HERE / "seeds" / reader]
    seeds += [TREE / "tests/data" / name for name in DATA.get(reader, [])]
    common = ["-rss_limit_mb=2048", f"-artifact_prefix={build / 'crashes' / reader}/",
              "-print_final_stats=1"]
    texts = long_texts(reader, build / "long" / reader, 300_000 if seconds > 20 else 100_000)
    shutil.rmtree(build / "log" / reader, ignore_errors=True)
    (build / "log" / reader).mkdir(parents=True)
    for step, arguments in (
            ("long", ["-timeout=60", *(str(path) for path in sorted(texts.iterdir()))]),
            ("fuzz", ["-timeout=30", f"-max_total_time={seconds}", "-max_len=20000", "-reload=0",
                      str(found), *(str(path) for path in seeds if path.is_dir())])):
        log = build / "log" / reader / step
        with log.open("wb") as file:
            done = subprocess.run([str(program), *common, *arguments], env=environment,
                                  stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
        text = log.read_text(encoding="utf-8", errors="replace")
        if done.returncode != 0:
            return reader, f"FAILED on {step} texts (exit {done.returncode})", summary(text, log)
    count = len(list(texts.iterdir()))
    shutil.rmtree(texts)
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    cover = re.findall(r"cov: (\d+)", text)
    return reader, (f"{runs.group(1) if runs else '?'} texts, {cover[-1] if cover else '?'} places "
                    f"reached, {count} long texts"), None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=TREE / "build/fuzz")
    parser.add_argument("--reader", action="append")
    asked = parser.parse_args()
    build = asked.build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    program = compile_program(build, asked.seconds)
    names = subprocess.run([str(program)], check=True, capture_output=True, text=True,
                           env={k: v for k, v in os.environ.items() if k != "GPUPLAN_READER"})
    readers = [name for name in names.stdout.split() if not asked.reader or name in asked.reader]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        for reader, said, log in pool.map(
                lambda name: run_reader(program, name, asked.seconds, build), readers):
            print(f"{reader:12} {said}", flush=True)
            if log is not None:
                failed += 1
                print(log)
    print(f"{len(readers)} readers, {failed} failed, {asked.seconds} s each")
    return 1 if failed or not readers else 0


if __name__ == "__main__":
    sys.exit(main())
