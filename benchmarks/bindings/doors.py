#!/usr/bin/env python3
"""Sizes of the doors to the library, and how long a call takes through each of them.

    doors.py LIBRARY [FOLDER-OF-./run-web]

Medians of processor time, which the load of the machine disturbs least; the first call of a process
has what is set up once.  It ends within three minutes, whatever the load: each cell stops asking
after some seconds, and a door that does not answer is said to be silent.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ON = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 64}}
LARGE = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 1024}}
LAYOUT = {"parallelism": {"data": 64}, "recipe": {"zero": 1, "recompute": "full"}}
# What is asked, and how often at most.
CALLS = {"evaluate one layout": ({"question": "evaluate", **ON, **LAYOUT}, 201),
         "fit, one layout": ({"question": "fit", **ON, **LAYOUT}, 101),
         "plan --quick, 1024 GPUs": ({"question": "plan", **LARGE, "options": {"quick": True}}, 21),
         "plan, 1024 GPUs": ({"question": "plan", **LARGE}, 21)}
CELL_SECONDS = 3  # after which a cell asks no more
SILENT_SECONDS = 6  # after which it is given up: the call in progress, and its start
PAGE_SECONDS = 15  # of each opening of the page, and of closing it
NODE = """
const seconds = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };
const { load } = await import(process.argv[2]);
const [request, most, limit] = JSON.parse(process.argv[3]);
const end = performance.now() + 1000 * limit;
const opening = seconds();
const planner = await load();
const opened = seconds() - opening;
const times = [];
do {
  const start = seconds();
  planner.answer(request);
  times.push(seconds() - start);
} while (times.length < most && performance.now() < end);
const first = times[0] + opened;
console.log(first, times.sort((a, b) => a - b)[Math.floor(times.length / 2)], times.length);
"""
PYTHON = """
import json, statistics, sys, time
import gpuplan
request, most, limit = json.loads(sys.argv[1])
end = time.monotonic() + limit
times = []
while not times or (len(times) < most and time.monotonic() < end):
    begin = time.process_time()
    gpuplan.answer(request)
    times.append(time.process_time() - begin)
print(times[0], statistics.median(times), len(times))
"""


def in_c(library, folder):
    source = ROOT / "bindings" / "c"
    (folder / "libgpuplan.so.0").symlink_to(library)
    subprocess.run(["cc", "-O2", f"-I{source}", ROOT / "benchmarks" / "bindings" / "calls.c", library,
                    f"-Wl,-rpath,{folder}", "-o", folder / "calls"], check=True, timeout=20)
    return lambda request, most: measured([folder / "calls", json.dumps(request), str(most),
                                           str(CELL_SECONDS)])


def in_python(library):
    surroundings = os.environ | {"GPUPLAN_LIBRARY": str(library),
                                 "PYTHONPATH": str(ROOT / "bindings" / "python")}
    return lambda request, most: measured(
        [sys.executable, "-B", "-c", PYTHON, json.dumps([request, most, CELL_SECONDS])], surroundings)


def in_node(web, folder):
    (folder / "calls.mjs").write_text(NODE)
    return lambda request, most: measured(["node", folder / "calls.mjs", web / "npm" / "index.js",
                                           json.dumps([request, most, CELL_SECONDS])])


def measured(command, surroundings=None):
    """Seconds of the first call and of the median; None where there is no answer."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=surroundings,
                              timeout=CELL_SECONDS + SILENT_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        print(f"doors.py: {command[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}",
              file=sys.stderr)
        return None
    first, middle, _ = done.stdout.split()
    return float(first), float(middle)


def in_words(seconds):
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def cells(times):
    """A cell for each of the times."""
    return tuple(map(in_words, times)) if times else ("silent", "silent")


def page_opens(page):
    """From the address to the first answer on the page: wall time, as a user waits."""
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    import browser
    if browser.found() is None:
        return

    def give_up(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    try:
        signal.alarm(PAGE_SECONDS)
        with browser.Browser() as chromium:
            tab = chromium.page()
            for when in ("first", "again"):
                signal.alarm(PAGE_SECONDS)
                tab.look(1280)
                begin = time.perf_counter()
                tab.open(f"{page.as_uri()}?{when}")
                while not tab.evaluate("document.querySelector('#layouts .note') !== null"):
                    time.sleep(0.005)
                print(f"page opened until its first answer, {when}: "
                      f"{in_words(time.perf_counter() - begin)}", flush=True)
            signal.alarm(PAGE_SECONDS)
    except TimeoutError:
        print(f"the page gave no answer in {PAGE_SECONDS} s")
    finally:
        signal.alarm(0)


def main(library, web=None):
    page = web and web / "planner.html"
    for what in (library, web and web / "npm" / "gpuplan.wasm", page):
        if what and what.is_file():
            print(f"{what.name}: {what.stat().st_size:,} bytes")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        doors = {"C": in_c(library, folder), "Python": in_python(library)}
        if web and (web / "npm" / "gpuplan.wasm").is_file() and shutil.which("node"):
            doors["Node.js"] = in_node(web, folder)
        print(f"{'':24}" + "".join(f"{door + ', first':>16}{door:>10}" for door in doors))
        for what, (request, most) in CALLS.items():
            print(f"{what:24}", end="", flush=True)
            for ask in doors.values():
                first, middle = cells(ask(request, most))
                print(f"{first:>16}{middle:>10}", end="", flush=True)
            print()
    if page and page.is_file():
        page_opens(page)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*(pathlib.Path(path).resolve() for path in sys.argv[1:]))
