#!/usr/bin/env python3
"""Fail where README.md shows what another file says no more; or write it in again.

    check_readme.py README.md [--write]

A comment names the source of the block after it:

    <!-- examples/tutorial/best_layout.cpp -->   the fenced code below is that file
    <!-- docs/accuracy.md: In short -->          the table below is the first one of that section

Paths are relative to the README.  Says file:line: what, one line for each fault.
"""
import pathlib
import re
import sys

SOURCE = re.compile(r"^<!-- (?P<path>[\w./-]+\.\w+)(?:: (?P<section>.+))? -->$")
FENCE = "```"


def table_of(text, section):
    """The first table of a section of Markdown, or None."""
    lines = text.splitlines()
    if f"## {section}" not in lines:
        return None
    table = []
    for line in lines[lines.index(f"## {section}") + 1:]:
        if line.startswith("|"):
            table.append(line)
        elif table or line.startswith("## "):
            break
    return table or None


def block_after(lines, start):
    """First and last line, exclusive, of the fenced code or table that begins at or after a line."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines):
        return None
    if lines[start].startswith(FENCE):
        end = start + 1
        while end < len(lines) and lines[end] != FENCE:
            end += 1
        return (start + 1, end) if end < len(lines) else None
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return (start, end) if end > start else None


def check(readme):
    """The text with every block as its source has it, and the faults: (line, what)."""
    lines = readme.read_text().splitlines()
    faults = []
    number = 0
    while number < len(lines):
        found = SOURCE.match(lines[number])
        number += 1
        if not found:
            continue
        source = readme.parent / found["path"]
        if not source.exists():
            faults.append((number, f"there is no {found['path']}"))
            continue
        text = source.read_text()
        wanted = table_of(text, found["section"]) if found["section"] else text.splitlines()
        place = block_after(lines, number)
        if wanted is None:
            faults.append((number, f"{found['path']} has no table in a section "
                                   f"{found['section']!r}"))
        elif place is None:
            faults.append((number, "neither code nor a table follows"))
        elif lines[place[0]:place[1]] != wanted:
            faults.append((number, f"is not what {found['path']} says: ./run docs writes it again"))
            lines[place[0]:place[1]] = wanted
    return "\n".join(lines) + "\n", faults


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    readme = pathlib.Path(sys.argv[1])
    text, faults = check(readme)
    if sys.argv[2:] and text != readme.read_text():
        readme.write_text(text)
        text, faults = check(readme)
    for line, what in faults:
        print(f"{readme}:{line}: {what}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
