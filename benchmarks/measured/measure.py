#!/usr/bin/env python3
"""Trains transformers on one GPU with PyTorch, and writes down memory and time.

    measure.py --dry-run [--json]       what would be trained, and its parameters; needs no GPU
    measure.py -o FILE [--only WORD]    train all, or those whose name has the word
    measure.py --run NAME [--batch N]   train one, print it as JSON; what -o starts for each

Each configuration runs in a process of its own, so that its peak is its own: 3 steps to warm up,
then 10 that are timed by CUDA events; the median is kept beside all of them.  The largest batch is
found by doubling until a process runs out of memory, then by bisection.  FILE goes to
tests/data/measured/, where the error table (./run accuracy) reads it.  Clocks and power are left as
they are.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

from configurations import CONFIGURATIONS, LARGEST, MODELS

SCHEMA = "gpuplan-measured/1"
WARM_UP, STEPS = 3, 10
MOST_BATCH = 1 << 16
DONE, FAILED, USAGE, NO_GPU, OUT_OF_MEMORY = 0, 1, 2, 3, 4


def described(one):
    """A configuration by the words of gpuplan's recipe."""
    return {"name": one.name(), "model": one.model, "transformer": MODELS[one.model].transformer(),
            "parameters": one.parameters(), "micro_batch_size": one.batch,
            "sequence_length": one.sequence, "precision": one.precision,
            "optimizer": one.optimizer, "recompute": one.recompute, "attention": one.attention,
            "fitted": one.fitted}


def dry_run(as_json):
    if as_json:
        print(json.dumps({"rows": [described(one) for one in CONFIGURATIONS],
                          "largest": [described(one) for one in LARGEST]}, indent=1))
        return DONE
    for title, wanted in (("memory and time", CONFIGURATIONS), ("largest batch", LARGEST)):
        print(f"{title}: {len(wanted)}")
        for one in wanted:
            print(f"  {one.name():62} {one.parameters():>14,} parameters"
                  f"{'  (fitted)' if one.fitted else ''}")
    return DONE


def gpu_or_reason():
    """Why nothing can be measured here; None where it can."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    if not torch.cuda.is_available():
        return f"PyTorch {torch.__version__} finds no GPU"
    return None


def run_one(name, batch):
    """Trains one configuration in this process and prints what was measured."""
    reason = gpu_or_reason()
    if reason:
        print(f"measure.py: {reason}", file=sys.stderr)
        return NO_GPU
    known = {one.name(): one for one in CONFIGURATIONS + LARGEST}
    if name not in known:
        print(f"measure.py: no configuration is named {name}; --dry-run lists them",
              file=sys.stderr)
        return USAGE
    import torch
    import network
    how = known[name]
    try:
        work = network.Training(MODELS[how.model], how, batch or how.batch)
        counted = sum(weight.numel() for weight in work.network.parameters())
        assert counted == how.parameters(), f"{counted} parameters, not {how.parameters()}"
        for _ in range(WARM_UP):
            work.step()
        torch.cuda.synchronize()
        states = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        times = []
        for _ in range(STEPS):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            loss = work.step()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / 1e3)
        assert torch.isfinite(loss).item(), "the loss is not finite"
    except RuntimeError as error:  # of PyTorch's allocator, or of a library's beside it
        if "out of memory" in str(error) or "ALLOC_FAILED" in str(error):
            return OUT_OF_MEMORY
        raise
    free, total = torch.cuda.mem_get_info()
    reserved = torch.cuda.memory_reserved()
    print(json.dumps({"states_bytes": states, "peak_bytes": torch.cuda.max_memory_allocated(),
                      "reserved_bytes": torch.cuda.max_memory_reserved(),
                      "beside_bytes": total - free - reserved, "device_bytes": total,
                      "median_step_s": sorted(times)[len(times) // 2], "steps_s": times,
                      "retries": torch.cuda.memory_stats().get("num_alloc_retries", 0)}))
    return DONE


def in_own_process(one, batch=None):
    """(what it measured or None, exit code, the last line it said)."""
    command = [sys.executable, __file__, "--run", one.name()]
    if batch:
        command += ["--batch", str(batch)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stderr.strip().splitlines() or [""])[-1]
    measured = json.loads(done.stdout) if done.returncode == DONE else None
    return measured, done.returncode, said


def largest_batch(one, fits):
    """The largest batch for which fits(batch) is true, 0 where none; fits is true up to some batch
    and false beyond it."""
    if not fits(1):
        return 0
    good, bad = 1, 2
    while bad <= MOST_BATCH and fits(bad):
        good, bad = bad, 2 * bad
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def surroundings():
    """The device and the software, as they name themselves."""
    import torch
    try:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        query = subprocess.run(asked, capture_output=True, text=True, check=True)
        driver = query.stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        driver = ""
    return {"schema": SCHEMA, "date": datetime.date.today().isoformat(),
            "gpu": torch.cuda.get_device_name(), "driver": driver, "torch": torch.__version__,
            "cuda": torch.version.cuda, "device_bytes": torch.cuda.mem_get_info()[1]}


def measure(path, word):
    reason = gpu_or_reason()
    if reason:
        print(f"measure.py: {reason}; nothing was measured", file=sys.stderr)
        return NO_GPU
    table = surroundings() | {"rows": [], "largest": [], "left_out": []}

    def keep():
        path.write_text(json.dumps(table, indent=1) + "\n")

    for one in CONFIGURATIONS:
        if word and word not in one.name():
            continue
        measured, code, said = in_own_process(one)
        if measured:
            table["rows"].append(described(one) | measured)
        else:
            table["left_out"].append({"name": one.name(), "reason": "out of memory"
                                      if code == OUT_OF_MEMORY else said or f"exit code {code}"})
        said = measured["median_step_s"] if measured else table["left_out"][-1]["reason"]
        print(one.name(), said, file=sys.stderr, flush=True)
        keep()
    for one in LARGEST:
        if word and word not in one.name():
            continue
        failures = []

        def fits(batch, one=one, failures=failures):
            _, code, said = in_own_process(one, batch)
            if code not in (DONE, OUT_OF_MEMORY):
                failures.append(said or f"exit code {code}")
            return code == DONE

        found = largest_batch(one, fits)
        if failures:
            table["left_out"].append({"name": one.name(), "reason": failures[0]})
        else:
            table["largest"].append(described(one) | {"largest_batch": found})
        print("largest", one.name(), found, *failures[:1], file=sys.stderr, flush=True)
        keep()
    return DONE if table["rows"] or table["largest"] else FAILED


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--run", metavar="NAME")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--only", metavar="WORD", default="")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.dry_run:
        return dry_run(asked.json)
    if asked.run:
        return run_one(asked.run, asked.batch)
    if asked.output:
        return measure(asked.output, asked.only)
    parser.print_usage(sys.stderr)
    return USAGE


if __name__ == "__main__":
    sys.exit(main())
