#!/usr/bin/env python3
"""Fail if a header uses what is private to another room.

    check_private.py include COMPILER [FLAGS...]

What namespace `detail` holds is private to a room: a folder of include/gpuplan with all below it.
All rooms share the name of that namespace, so a compiler alone would let one room use what is
private to another.  This script gives each room a namespace of its own in a copy of the headers and
compiles the copy: a name of another room is not found there.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

DETAIL = re.compile(r"\bdetail(?=::| \{|$)")


def room_of(header):
    return header.parts[0] if len(header.parts) > 1 else "top"


def with_own_namespace(text, room):
    """The header with its room's name for `detail`, in code; includes and comments stay."""
    lines = []
    for line in text.split("\n"):
        code, slashes, comment = line.partition("//")
        if not line.lstrip().startswith("#"):
            code = DETAIL.sub(f"detail_of_{room}", code)
        lines.append(code + slashes + comment)
    return "\n".join(lines)


def copy(root, target):
    """Copies the headers, each room with its namespace, and gives their names."""
    names = []
    for path in sorted(root.rglob("*.hpp")):
        header = path.relative_to(root)
        place = target / "gpuplan" / header
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(with_own_namespace(path.read_text(), room_of(header)))
        names.append(header.as_posix())
    return names


def faults_of(compiler, folder, names):
    """What the compiler says of names that are not found."""
    source = folder / "every_header.cpp"
    source.write_text("".join(f"#include <gpuplan/{name}>\n" for name in names))
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-w", f"-I{folder}", source],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return []
    prefix = f"{folder}/gpuplan/"
    said = [line.removeprefix(prefix) for line in done.stderr.split("\n") if "error:" in line]
    return said or [done.stderr.strip()]


def main():
    root = pathlib.Path(sys.argv[1]).resolve() / "gpuplan"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        faults = faults_of(sys.argv[2:], folder, copy(root, folder))
    print("\n".join(faults) or "private names ok")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
