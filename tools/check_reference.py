#!/usr/bin/env python3
"""Write the reference of the public headers; fail if their comments lack what it needs.

    check_reference.py DOXYGEN DOXYFILE [NAME=VALUE ...]

Runs Doxygen from the folder above DOXYFILE's, with settings of one's own if there are any.  Says
file:line: what, one line for each fault: a type or a free function without a comment, and a comment
that Doxygen does not understand.
"""
import pathlib
import re
import subprocess
import sys

# What may speak for itself: fields, values, members, other names for a type, deduction guides.
MEMBER = re.compile(r"Member .* \((?P<kind>\w+)\) of (?P<of>\w+) \S.* is not documented\.$")


def is_fault(warning):
    found = MEMBER.search(warning)
    if not found:
        return True
    if found["kind"] == "enumeration":
        return True
    return found["kind"] == "function" and found["of"] == "namespace" and " -> " not in warning


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    doxygen, doxyfile = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    settings = doxyfile.read_text() + "\n" + "\n".join(sys.argv[3:]) + "\n"
    tree = doxyfile.parent.parent
    (tree / "build").mkdir(exist_ok=True)
    done = subprocess.run([doxygen, "-"], cwd=tree, input=settings, text=True, capture_output=True)
    faults = sorted({line.replace(f"{tree}/", "") for line in done.stderr.splitlines()
                     if line.strip() and is_fault(line)})
    print("\n".join(faults) if faults else "reference ok")
    return bool(faults or done.returncode)


if __name__ == "__main__":
    sys.exit(main())
