#!/usr/bin/env python3
"""Fail if a header or a test breaks a rule of style that a script can check.

    check_style.py SOURCE_TREE

Says file:line: what, one line for each fault.
"""
import pathlib
import re
import sys

# In the code of a header, comments and strings aside: what must not be there, and why.
FORBIDDEN = [
    (r"\busing\s+namespace\b", "a header imposes no namespace on those who include it"),
    (r"#\s*include\s*<(iostream|fstream|sstream|iomanip|filesystem|regex)>",
     "a header neither prints nor opens files; <{0}> is slow to compile"),
    (r"#\s*(define|undef)\b", "no macros of ours"),
    (r"\bassert\s*\(", "say require(), which also holds in a release build"),
    (r"\bnew\s+[a-z_]|\bdelete\s+[a-z_]", "no memory by hand"),
]
# Headers that may ask: for exceptions, for infinity and NaN, and for a standard library that reads
# doubles.
ASKING = ["require.hpp", "infinite_math.hpp", "text/decimal_number.hpp"]
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|else)\b")

# Headers with no test of the same name: the list of all, what a script compiles, tables that other
# tests read through, and what is private to a room, which the tests of the headers that use it reach.
UNTESTED = ["gpuplan.hpp", "infinite_math.hpp", "*/catalog_*.hpp", "*/*_table.hpp",
            "*/*_tables.hpp", "registry/*.hpp", "*/detail/*.hpp"]


def code_of(text):
    """The text with comments and what stands between quotes blanked out, line for line."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)
    return token.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def faults_of_header(name, text):
    lines = text.splitlines()
    if lines[:1] != ["#pragma once"]:
        yield 1, "a header begins with #pragma once"
    if lines[1:2] != [r"/// \file"]:
        yield 2, r"then says what it is for: /// \file"
    for number, line in enumerate(lines, 1):
        if len(line) > 100:
            yield number, f"{len(line)} columns; 100 are the limit"
    for number, line in enumerate(code_of(text).splitlines(), 1):
        for pattern, why in FORBIDDEN:
            if found := re.search(pattern, line):
                yield number, why.format(*found.groups())
        if CONDITIONAL.match(line) and name not in ASKING:
            yield number, f"{' and '.join(ASKING)} alone ask how they are compiled"


def is_tested(tree, name):
    """Is there a test of this name, or of the header that this is a part of: x.hpp of x_y.hpp, and
    gang/gang.hpp of gang/delay.hpp?"""
    if any(name.match(pattern) for pattern in UNTESTED):
        return True
    of_folder = name.parent / name.parent.name
    if ((tree / "tests" / f"{of_folder}_test.cpp").exists() and
            (tree / "include/gpuplan" / f"{of_folder}.hpp").exists()):
        return True
    words = name.stem.split("_")
    for count in range(len(words), 0, -1):
        whole = name.parent / "_".join(words[:count])
        if (tree / "tests" / f"{whole}_test.cpp").exists() and (
                count == len(words) or (tree / "include/gpuplan" / f"{whole}.hpp").exists()):
            return True
    return False


def faults_of_tests(tree):
    """CMake takes a semicolon in a name for the end of it, and Catch2 runs nothing at all of a
    program in which two tests have one name."""
    first = {}
    for path in sorted(tree.glob("tests/**/*_test.cpp")):
        text = path.read_text()
        for found in re.finditer(r'^TEST_CASE\(\s*"((?:\\.|[^"\\])*)"', text, re.MULTILINE):
            line = text.count("\n", 0, found.start()) + 1
            name, place = found[1], f"{path.relative_to(tree)}:{line}"
            if re.search(r"[;\\\[]", name):
                yield f"{place}: the name of a test has no ; or \\ or ["
            if first.setdefault(name, place) != place:
                yield f'{place}: "{name}" is also the name of {first[name]}'


def main():
    tree = pathlib.Path(sys.argv[1])
    root = tree / "include" / "gpuplan"
    faults = []
    for path in sorted(root.rglob("*.hpp")):
        name = path.relative_to(root)
        faults += [f"include/gpuplan/{name}:{number}: {what}"
                   for number, what in faults_of_header(name.as_posix(), path.read_text())]
        if not is_tested(tree, name):
            faults.append(f"include/gpuplan/{name}:1: has no tests/{name.with_suffix('')}_test.cpp")
    faults += faults_of_tests(tree)
    print("\n".join(faults) or "style ok")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
