#!/usr/bin/env python3
"""Fail if a formula on quantities compiles to more work than the same formula on numbers.

    check_zero_cost.py COMPILER INCLUDE formulas.cpp

The file defines functions in pairs, typed_X and raw_X.  Both are compiled with -O2, and the
instructions that do work are counted by kind: arithmetic, loads and stores, jumps and calls.  What
a compiler arranges anew at will is left out: order, copies between registers, clearing one, and
whether a last call is a jump.  Ends with 77, which ctest takes as skipped, where the machine is not
an x86-64.
"""
import collections
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
REGISTER = r"%[a-z0-9]+"
ARRANGEMENT = [
    re.compile(rf"v?mov\w+ {REGISTER}, ?{REGISTER}$"),               # a copy
    re.compile(rf"v?p?xor\w* ({REGISTER}), ?\1(, ?\1)?$"),           # zero
    re.compile(r"(push|pop|ret|nop|endbr64|data16|cs)\w*\b"),        # frame and padding
    re.compile(rf"(add|sub)q \$-?\d+, ?%rsp$"),
]


def functions_in(assembly):
    """The instructions of each function, by name."""
    functions = collections.defaultdict(list)
    name = None
    for line in assembly.splitlines():
        line = line.split("#")[0].strip()
        if label := re.fullmatch(r"((?:typed|raw)_\w+):", line):
            name = label[1]
        elif name and line and not line.startswith(".") and not line.endswith(":"):
            functions[name].append(re.sub(r"\s+", " ", line))
    return functions


def work_of(instructions):
    """How often each kind of work is done."""
    work = collections.Counter()
    for instruction in instructions:
        if any(pattern.match(instruction) for pattern in ARRANGEMENT):
            continue
        kind, _, operands = instruction.partition(" ")
        tail_call = kind == "jmp" and not operands.startswith(".")
        work["call" if tail_call else kind.removesuffix("q") if kind == "callq" else kind] += 1
    return work


def main():
    compiler, include, source = sys.argv[1:]
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"skipped: {platform.machine()} is not x86-64")
        sys.exit(SKIPPED)

    with tempfile.TemporaryDirectory() as folder:
        assembly = pathlib.Path(folder) / "formulas.s"
        subprocess.run([compiler, "-std=c++20", "-O2", "-w", "-fno-asynchronous-unwind-tables",
                        f"-I{include}", "-S", source, "-o", assembly], check=True)
        functions = functions_in(assembly.read_text())

    typed = sorted(name for name in functions if name.startswith("typed_"))
    dearer = []
    same = 0
    for name in typed:
        raw = name.replace("typed_", "raw_", 1)
        if raw not in functions:
            sys.exit(f"{source}: {name} has no {raw} to be compared with")
        same += functions[name] == functions[raw]
        ours, theirs = work_of(functions[name]), work_of(functions[raw])
        if ours != theirs:
            dearer.append(name)
            print(f"{name}: more {dict(ours - theirs)}, less {dict(theirs - ours)} than {raw}")
            print("  " + "\n  ".join(functions[name]))
    if not typed:
        sys.exit(f"{source}: no function is called typed_...")
    print(f"{len(typed) - len(dearer)} of {len(typed)} formulas do the work of plain numbers, "
          f"{same} of them to the letter")
    sys.exit(bool(dearer))


if __name__ == "__main__":
    main()
