#!/usr/bin/env python3
"""Write all headers that need only the standard library as one header.

    amalgamate.py include [--output FILE] [--header gpuplan/gpuplan.hpp]

Each own header comes once, after those it includes; standard headers come first, in one list.
"""
import argparse
import pathlib
import re

OWN = re.compile(r"#include <(gpuplan/[^>]+)>")
STANDARD = re.compile(r"#include <([a-z0-9_]+)>")


def unfold(root, header, seen, standard):
    """The text of a header and of all it includes, without what was seen before."""
    seen.add(header)
    before, own = [], []
    depth = 0  # of #if: what some compilers only include stays where it is
    for line in (root / header).read_text().splitlines():
        if line == "#pragma once":
            continue
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        if depth and not OWN.fullmatch(line):
            own.append(line)
        elif found := OWN.fullmatch(line):
            if found[1] not in seen:
                before.append(unfold(root, found[1], seen, standard))
        elif found := STANDARD.fullmatch(line):
            standard.add(found[1])
        elif re.match(r"\s*#\s*include", line):
            raise SystemExit(f"{header}: {line}: neither ours nor standard")
        else:
            own.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(own)).strip()
    return "".join(before) + f"// {header}\n{text}\n\n"


def amalgamate(root, header):
    standard = set()
    body = unfold(root, header, set(), standard)
    includes = "".join(f"#include <{name}>\n" for name in sorted(standard))
    return ("// gpuplan: analytical models for planning GPU training, as one C++20 header.\n"
            "// SPDX-License-Identifier: Apache-2.0\n"
            f"// Made by tools/amalgamate.py; the sources are the headers named below.\n"
            f"#pragma once\n\n{includes}\n{body}".rstrip() + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("include", type=pathlib.Path)
    arguments.add_argument("--output", type=pathlib.Path)
    arguments.add_argument("--header", default="gpuplan/gpuplan.hpp")
    given = arguments.parse_args()
    text = amalgamate(given.include, given.header)
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
