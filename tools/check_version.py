#!/usr/bin/env python3
"""Fail if a file says another version of the project than CMakeLists.txt.

    check_version.py SOURCE_TREE

Each row names files, what stands before the version there, and how many of its numbers stand there.
Prints one line for each fault: file:line: what.
"""
import pathlib
import re
import sys

PLACES = [
    ("bindings/c/gpuplan.h", r'The version, as "', 3),
    ("bindings/python/gpuplan/_library.py", r'as "', 3),
    ("docs/bindings.md", r'gpuplan_version\(void\)` \| `"', 3),
    ("packaging/vcpkg/gpuplan/vcpkg.json", r'"version-semver": "', 3),
    ("docs/release.md", r"build/release-", 3),
    ("docs/library.md", r"find_package\(gpuplan ", 2),
    ("tests/package/*/CMakeLists.txt", r"find_package\(gpuplan (?=\d)", 2),
    ("tests/package/pkg_config/CMakeLists.txt", r"gpuplan >= ", 2),
    ("CHANGELOG.md", r"\A(?s:.*?)^## (?=[\d])", 3),
]


def version_of(root):
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(gpuplan VERSION (\d+\.\d+\.\d+)", text, re.MULTILINE)[1]


def faults(root):
    version = version_of(root)
    for pattern, before, count in PLACES:
        wanted = ".".join(version.split(".")[:count])
        seen = 0
        for path in sorted(root.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(f"(?:{before})" + r"(\d+(?:\.\d+)*)", text, re.MULTILINE):
                seen += 1
                if found[1] != wanted:
                    line = text.count("\n", 0, found.end()) + 1
                    yield f"{path.relative_to(root)}:{line}: {found[1]}, not {wanted}"
        if not seen:
            yield f"{pattern}:1: says no version"


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = list(faults(root))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
