#!/usr/bin/env python3
"""Check what README.md and the pages of docs/ show, or write it again.

    check_pages.py ROOT [--program GPUPLAN] [--write]

A comment names the source of the block that follows it:

    <!-- examples/tutorial/best_layout.cpp -->            the fenced code is that file
    <!-- examples/tutorial/does_it_fit.cpp: snippet -->   or what stands in it between the lines
                                                          "// [snippet]" and "// [/snippet]"
    <!-- docs/accuracy.md: In short -->                   the table is the first one of that section

In a block that begins with ```console, a line "$ command" is run by bash and the lines after it
are what it prints, on both standard streams.  A line "..." stands for the lines left out: those
before it are the first lines of the output, those after it the last.  A command with no lines
after it must succeed; its output is free.  Commands run only with --program.  They run in an empty
folder that shows the files of ROOT; `gpuplan` and `./run` mean the program.  The commands of a page
share this folder, so that one may read what an earlier one wrote.

Links to files of the project must lead somewhere.  Paths of sources are relative to ROOT, links to
the page.  Prints one line for each fault: file:line: what.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

SOURCE = re.compile(r"^<!-- (?P<path>[\w./-]+\.\w+)(?:: (?P<section>.+))? -->$")
LINK = re.compile(r"\]\((?P<path>[^)#:\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
FENCE = "```"
CONSOLE = FENCE + "console"
LEFT_OUT = "..."
TIME_LIMIT = 120  # seconds for one command

# Written by programs; tests of theirs compare each page as a whole.
GENERATED = ["reference.md", "errata.md", "accuracy.md", "coverage.md"]


@dataclasses.dataclass
class Fault:
    """What is wrong at a line, and the lines (first, last exclusive) to write again, and how."""
    line: int
    what: str
    place: tuple | None = None
    wanted: list | None = None


def part_of(text, name):
    """The lines between the marks of a part of a program, or None."""
    lines = text.splitlines()
    marks = [line.strip() for line in lines]
    try:
        part = lines[marks.index(f"// [{name}]") + 1:marks.index(f"// [/{name}]")]
    except ValueError:
        return None
    return textwrap.dedent("\n".join(part)).splitlines()


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


def end_of_fence(lines, start):
    """The line that closes the fenced block whose first line is `start`, or None."""
    return next((n for n in range(start + 1, len(lines)) if lines[n] == FENCE), None)


def block_after(lines, start):
    """First and last line, exclusive, of the fenced code or table that begins at or after a line."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines):
        return None
    if lines[start].startswith(FENCE):
        end = end_of_fence(lines, start)
        return (start + 1, end) if end else None
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return (start, end) if end > start else None


def shown_of(source, section):
    """The lines of a source that a page shows, or None, and in words what is missing then."""
    text = source.read_text()
    if not section:
        return text.splitlines(), ""
    if source.suffix == ".md":
        return table_of(text, section), f"no table in a section {section!r}"
    return part_of(text, section), f"no part [{section}]"


def check_sources(root, lines):
    """Yields faults of blocks whose source is named."""
    for number, line in enumerate(lines, 1):
        found = SOURCE.match(line)
        if not found:
            continue
        source = root / found["path"]
        if not source.exists():
            yield Fault(number, f"there is no {found['path']}")
            continue
        wanted, missing = shown_of(source, found["section"])
        place = block_after(lines, number)
        if wanted is None:
            yield Fault(number, f"{found['path']} has {missing}")
        elif place is None:
            yield Fault(number, "neither code nor a table follows")
        elif lines[place[0]:place[1]] != wanted:
            yield Fault(number, f"is not what {found['path']} says: ./run docs writes it again",
                        place, wanted)


def abridged(output, shown):
    """The output with the lines left out that `shown` leaves out."""
    if LEFT_OUT not in shown:
        return output
    first = shown.index(LEFT_OUT)
    last = len(shown) - first - 1
    return output[:first] + [LEFT_OUT] + output[len(output) - last:]


def run(command, folder):
    """Exit code and printed lines of a command."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                          timeout=TIME_LIMIT,
                          env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"})
    return done.returncode, [line.rstrip() for line in done.stdout.splitlines()]


def commands_of(block):
    """Of a console block, pairs: the lines of a command, and the lines shown after it."""
    pairs = []
    continued = False
    for line in block:
        if continued:
            pairs[-1][0].append(line)
        elif line.startswith("$ "):
            pairs.append(([line], []))
        elif pairs:
            pairs[-1][1].append(line)
        else:
            return None
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    return pairs


def check_commands(lines, folder):
    """Yields faults of console blocks whose commands print something else."""
    for start, line in enumerate(lines, 1):
        if line != CONSOLE:
            continue
        end = end_of_fence(lines, start - 1)
        pairs = commands_of(lines[start:end]) if end else None
        if not pairs:
            yield Fault(start, "a console block is closed and begins with a line '$ command'")
            continue
        place = start
        for command, shown in pairs:
            code, output = run("\n".join(command)[2:], folder)
            place += len(command)
            wanted = abridged(output, shown)
            if not shown and code != 0:
                yield Fault(place, f"'{command[0][2:]}' ends with exit code {code}")
            if shown and shown != wanted:
                yield Fault(place, f"'{command[0][2:]}' prints something else: "
                                   "./run docs writes it again",
                            (place, place + len(shown)), wanted)
            place += len(shown)


def anchors_of(text):
    """The places of a page that links can name: its headings, and what has an id."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = re.findall(r'<a id="([^"]+)">', text)
    return {*named, *(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)}


def check_links(page, lines):
    """Yields faults of links that lead to no file or no heading."""
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith(FENCE)
        if fenced:
            continue
        for link in LINK.finditer(line):
            target = page.parent / link["path"] if link["path"] else page
            if not target.exists():
                yield Fault(number, f"there is no {link['path']}")
            elif link["anchor"] and link["anchor"] not in anchors_of(target.read_text()):
                yield Fault(number, f"{target.name} has no heading #{link['anchor']}")


def folder_of_commands(root, program, folder):
    """Fill a folder with links to the files of the project, and with names for the program."""
    for entry in root.iterdir():
        if entry.name not in ("run", "bin", "build"):
            (folder / entry.name).symlink_to(entry)
    (folder / "bin").mkdir()
    (folder / "bin/gpuplan").symlink_to(program)
    (folder / "run").write_text('#!/bin/sh\nexec gpuplan "$@"\n')
    (folder / "run").chmod(0o755)


def check(page, root, program):
    """The text of a page as it should be, and its faults."""
    lines = page.read_text().splitlines()
    faults = [*check_links(page, lines), *check_sources(root, lines)]
    if program and page.name not in GENERATED:
        with tempfile.TemporaryDirectory() as folder:
            folder_of_commands(root, program, pathlib.Path(folder))
            faults += check_commands(lines, folder)
    faults.sort(key=lambda fault: fault.line)
    for fault in reversed(faults):
        if fault.place:
            lines[slice(*fault.place)] = fault.wanted
    return "\n".join(lines) + "\n", faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    root = given.root.resolve()
    program = given.program and given.program.resolve()

    bad = False
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text, faults = check(page, root, program)
        if given.write and text != page.read_text():
            page.write_text(text)
            text, faults = check(page, root, program)
        for fault in faults:
            print(f"{page}:{fault.line}: {fault.what}")
        bad = bad or bool(faults)
    return bad


if __name__ == "__main__":
    sys.exit(main())
