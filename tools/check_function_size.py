#!/usr/bin/env python3
"""Fail where a function of the library or of its examples has a body of more than 60 lines.

    check_function_size.py SOURCE_TREE [MOST_LINES]

Says file:line: what, one line for each.  clang-tidy counts: all headers in one translation unit,
then the sources of each folder of examples/ in one.  Sources that share a translation unit may
repeat names, and headers of CUDA or pagmo2 may be missing; neither changes where a function ends,
so errors are passed over, and a missing header is taken for an empty one.  Tables are not functions.
CUDA's own sources (.cu) are not read.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOUND = re.compile(r"^(\S+?):(\d+):\d+: warning: function '([^']*)' exceeds")
LINES = re.compile(r"note: (\d+) lines including whitespace and comments")
MISSING = re.compile(r"error: '([^']+)' file not found")


def tidy(tree, source, stubs, most):
    """What clang-tidy prints of a file, missing headers taken for empty ones."""
    checks = (f"{{CheckOptions: [{{key: readability-function-size.LineThreshold, value: {most}}},"
              "{key: readability-function-size.StatementThreshold, value: 100000}]}")
    command = ["clang-tidy", "-checks=-*,readability-function-size", f"-config={checks}",
               "--header-filter=.*", str(source), "--", "-std=c++20", "-ferror-limit=0", "-w",
               f"-I{tree / 'include'}", f"-I{tree / 'examples' / 'gpuplan'}",
               f"-I{tree / 'examples' / 'probe'}", f"-I{tree / 'examples' / 'scheduler'}",
               "-isystem", "/usr/include/eigen3", "-isystem", str(stubs)]
    for _ in range(50):
        done = subprocess.run(command, capture_output=True, text=True, cwd=tree, check=False)
        text = done.stdout + done.stderr
        missing = MISSING.search(text)
        if not missing:
            return text
        stub = stubs / missing[1]
        if stub.exists():
            break
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.touch()
    raise SystemExit(f"{source}: cannot be read:\n{text}")


def long_functions(tree, text):
    """file:line: what, of each function that is too long."""
    for first, second in zip(text.splitlines(), text.splitlines()[1:] + [""]):
        if found := FOUND.match(first):
            path = os.path.relpath(tree / found[1], tree)
            lines = LINES.search("\n".join([second, *text.split(first, 1)[1].splitlines()[:12]]))
            yield f"{path}:{found[2]}: {found[3]} has {lines[1] if lines else 'too many'} lines"


def including(paths):
    return "".join(f'#include "{path}"\n' for path in paths)


def units(tree):
    """What to read together: all headers, then the sources of each folder of examples/."""
    yield "headers", sorted((tree / "include").rglob("*.hpp"))
    folders = {path.parent for path in (tree / "examples").rglob("*.cpp")}
    for folder in sorted(folders):
        yield str(folder.relative_to(tree)).replace("/", "_"), sorted(folder.glob("*.cpp"))


def main():
    tree = pathlib.Path(sys.argv[1]).resolve()
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def looked_at(unit):
            name, paths = unit
            source = scratch / f"{name}.cpp"
            source.write_text(including(paths))
            stubs = scratch / f"{name}_stubs"
            stubs.mkdir()
            return list(long_functions(tree, tidy(tree, source, stubs, most)))

        planted = scratch / "planted.cpp"
        planted.write_text("void planted() {\n" + "  ;\n" * most + "}\n")
        if len(looked_at(("plant", [planted]))) != 1:
            raise SystemExit("clang-tidy does not find a function that is too long")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = sorted({fault for found in pool.map(looked_at, units(tree))
                             for fault in found})
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
