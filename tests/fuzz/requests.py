#!/usr/bin/env python3
"""Requests drawn by number, each read, evaluated and written under sanitizers.

    requests.py [--count 1000000] [--first 0] [--build build/fuzz] [--jobs N]

Compiles requests_fuzz.cpp with clang++ under the address and undefined behaviour sanitizers, asks
the requests that are kept in tests/data/requests again, then those of the numbers from --first on.
A request that fails is written to that folder, so that every later run asks it again.
"""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
KEPT = TREE / "tests/data/requests"
SOURCE = TREE / "tests/fuzz/requests_fuzz.cpp"
FLAGS = ["-std=c++20", "-O1", "-gline-tables-only", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{TREE / 'include'}", f"-I{TREE / 'tests'}"]


def compile_program(build):
    program = build / "requests_fuzz"
    command = [os.environ.get("CXX", "clang++"), *FLAGS, str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--build", type=pathlib.Path, default=TREE / "build/fuzz")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    asked = parser.parse_args()
    build = asked.build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    program = compile_program(build)

    failed = sum(subprocess.run([str(program), str(path)], check=False).returncode != 0
                 for path in sorted(KEPT.glob("*.json")))
    share = -(-asked.count // asked.jobs)
    running = [subprocess.Popen([str(program), str(KEPT), str(asked.first + begin),
                                 str(min(share, asked.count - begin))])
               for begin in range(0, asked.count, share)]
    failed += sum(each.wait() != 0 for each in running)
    print(f"{asked.count} requests from {asked.first}, {failed} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
