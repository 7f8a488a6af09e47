#!/usr/bin/env python3
"""What each header costs to compile, and what of it is ours.

    compile_time.py COMPILER include [--repeat 5]

For each header two files are compiled: one that includes it, and one that includes the standard
and foreign headers that it reaches.  The second is what a program would pay anyway; the difference
is ours.  Times are the least of several runs, in seconds of processor time, without optimization.
Ends with 1 if the umbrella's difference passes the limit.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

LIMIT = 0.5  # seconds that gpuplan.hpp may cost above the standard headers it includes

INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)


def not_ours(root, header, seen):
    """The standard and foreign headers that a header reaches, in the order of their first use."""
    for target in INCLUDE.findall((root / header).read_text()):
        if target not in seen:
            seen[target] = None
            if target.startswith("gpuplan/"):
                not_ours(root, target, seen)
    return [target for target in seen if not target.startswith("gpuplan/")]


def seconds(compiler, root, includes, repeat):
    """Processor time of one compilation of a file that has these includes."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source.cpp"
        source.write_text("".join(f"#include <{name}>\n" for name in includes) + "int main() {}\n")
        command = [compiler, "-std=c++20", f"-I{root}", "-c", source, "-o", f"{folder}/source.o"]
        times = []
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        return min(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("compiler")
    arguments.add_argument("include", type=pathlib.Path)
    arguments.add_argument("--repeat", type=int, default=5)
    given = arguments.parse_args()

    headers = sorted(path.relative_to(given.include).as_posix()
                     for path in given.include.rglob("*.hpp"))
    print(f"{'header':44} {'whole':>7} {'others':>7} {'ours':>7}   s, {given.compiler}")
    ours = {}
    for header in headers:
        others = not_ours(given.include, header, {})
        whole = seconds(given.compiler, given.include, [header], given.repeat)
        rest = seconds(given.compiler, given.include, others, given.repeat)
        ours[header] = whole - rest
        print(f"{header:44} {whole:7.2f} {rest:7.2f} {whole - rest:7.2f}", flush=True)

    umbrella = ours["gpuplan/gpuplan.hpp"]
    print(f"the umbrella costs {umbrella:.2f} s above its standard headers; {LIMIT} s is the limit")
    sys.exit(umbrella > LIMIT)


if __name__ == "__main__":
    main()
