#!/usr/bin/env python3
"""Sizes of the doors to the library, and how long a call takes through each of them.

    doors.py LIBRARY [FOLDER-OF-./run-web]

Medians of wall time in this machine's load; the first call of a process has what is set up once.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(sys.argv[1]).resolve()
WEB = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
ON = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 64}}
LARGE = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 1024}}
# What is asked, and how often.
CALLS = {"evaluate one layout": ({"question": "evaluate", **ON, "parallelism": {"data": 64}}, 201),
         "fit, one layout": ({"question": "fit", **ON, "parallelism": {"data": 64}}, 21),
         "plan, 64 GPUs": ({"question": "plan", **ON}, 7),
         "plan, 1024 GPUs": ({"question": "plan", **LARGE}, 7)}
NODE = """
const { load } = await import(process.argv[2]);
const begin = performance.now();
const planner = await load();
const opened = performance.now() - begin;
const [request, count] = JSON.parse(process.argv[3]);
const times = [];
for (let i = 0; i < count; ++i) {
  const start = performance.now();
  planner.answer(request);
  times.push((performance.now() - start) / 1000);
}
const first = times[0] + opened / 1000;
console.log(first, times.sort((a, b) => a - b)[Math.floor(count / 2)]);
"""


def in_c(folder):
    source = ROOT / "bindings" / "c"
    subprocess.run(["cc", "-O2", f"-I{source}", ROOT / "benchmarks" / "bindings" / "calls.c", LIBRARY,
                    f"-Wl,-rpath,{folder}", "-o", folder / "calls"], check=True)
    (folder / "libgpuplan.so.0").symlink_to(LIBRARY)
    return lambda request, count: pair([folder / "calls", json.dumps(request), str(count)])


def in_node(folder):
    (folder / "calls.mjs").write_text(NODE)
    return lambda request, count: pair(["node", folder / "calls.mjs", WEB / "npm" / "index.js",
                                        json.dumps([request, count])])


def pair(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


def in_python(request, count):
    os.environ["GPUPLAN_LIBRARY"] = str(LIBRARY)
    sys.path.insert(0, str(ROOT / "bindings" / "python"))
    import gpuplan
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        gpuplan.answer(request)
        times.append(time.perf_counter() - begin)
    return times[0], statistics.median(times)


def in_words(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def page_opens():
    """From the address to the first answer on the page."""
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    import browser
    if browser.found() is None:
        return
    with browser.Browser() as chromium:
        page = chromium.page()
        for time_of in ("cold", "warm"):
            page.look(1280)
            begin = time.perf_counter()
            page.open((WEB / "planner.html").as_uri() + f"?{time_of}")
            while not page.evaluate("document.querySelector('#layouts .note') !== null"):
                time.sleep(0.005)
            print(f"page opened until its first answer, {time_of}: "
                  f"{in_words(time.perf_counter() - begin)}")


def main():
    print(f"libgpuplan.so: {LIBRARY.stat().st_size:,} bytes")
    if WEB:
        print(f"gpuplan.wasm: {(WEB / 'gpuplan.wasm').stat().st_size:,} bytes; "
              f"planner.html: {(WEB / 'planner.html').stat().st_size:,} bytes")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        doors = {"C": in_c(folder), "Python": in_python}
        if WEB and shutil.which("node"):
            doors["node"] = in_node(folder)
        print(f"{'':22}" + "".join(f"{door + ', first':>18}{door:>12}" for door in doors))
        for what, (request, count) in CALLS.items():
            cells = [ask(request, count) for ask in doors.values()]
            print(f"{what:22}" + "".join(f"{in_words(first):>18}{in_words(middle):>12}"
                                         for first, middle in cells))
    if WEB:
        page_opens()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main()
