#!/usr/bin/env python3
"""Fail if gpuplan.hpp is not the list of all headers that need the standard library alone.

    umbrella.py include            say what is missing or too much
    umbrella.py include --write    write the list anew
"""
import pathlib
import re
import sys

HEAD = """#pragma once
/// \\file
/// Every header that needs the standard library alone, but for units/chrono.hpp, api/, calibrate/,
/// placement/, registry/, report/, the sources of the catalogue's numbers (hardware/*_facts.hpp),
/// and of queue/ what reads traces, simulates, or is of gangs.
"""

# Costs more to compile than it is worth to those who did not ask for it.
LEFT_OUT = ["units/chrono.hpp", "hardware/catalog_facts.hpp", "hardware/catalog_fabric_facts.hpp",
            "api/*", "calibrate/*", "calibrate/formats/*", "placement/*", "registry/*", "report/*",
            "queue/gang/*", "queue/gang/peakedness.hpp",
            "text/delimited_table.hpp", "text/field_value.hpp", "text/named_rows.hpp",
            "text/row_fault.hpp", "text/visible.hpp", "trace/*", "simulate/*", "*/detail/*"]

FOREIGN = re.compile(r"^\s*#\s*include\s*<(?:fmt|boost|Eigen|unsupported|nlohmann)/", re.MULTILINE)
OWN = re.compile(r"^\s*#\s*include\s*<gpuplan/([^>]+)>", re.MULTILINE)


def stand_alone(root):
    """Headers that reach, through whatever they include, no foreign library."""
    text = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.hpp")}
    foreign = {header for header in text if FOREIGN.search(text[header])}
    grown = True
    while grown:
        reached = {header for header in text if foreign.intersection(OWN.findall(text[header]))}
        grown = not reached <= foreign
        foreign |= reached
    left_out = foreign | {"gpuplan.hpp"}
    return sorted(header for header in text if header not in left_out and
                  not any(pathlib.PurePath(header).match(pattern) for pattern in LEFT_OUT))


def umbrella(headers):
    """The text of gpuplan.hpp: a group of includes for each room."""
    rooms = {}
    for header in headers:
        rooms.setdefault(header.rpartition("/")[0], []).append(f"#include <gpuplan/{header}>\n")
    return HEAD + "".join("\n" + "".join(includes) for _, includes in sorted(rooms.items()))


def main():
    root = pathlib.Path(sys.argv[1]) / "gpuplan"
    path = root / "gpuplan.hpp"
    wanted = umbrella(stand_alone(root))
    if sys.argv[2:] == ["--write"]:
        path.write_text(wanted)
        return
    found = path.read_text() if path.exists() else ""
    if found == wanted:
        print("umbrella ok")
        return
    listed, right = set(OWN.findall(found)), set(OWN.findall(wanted))
    for header in sorted(right - listed):
        print(f"gpuplan.hpp: lacks <gpuplan/{header}>")
    for header in sorted(listed - right):
        print(f"gpuplan.hpp: should not have <gpuplan/{header}>")
    sys.exit("gpuplan.hpp: not as tools/umbrella.py include --write would write it")


if __name__ == "__main__":
    main()
