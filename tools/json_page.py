#!/usr/bin/env python3
"""Fail if the tables of fields in docs/json.md are not what the program says of its requests.

    json_page.py PROGRAM docs/json.md            say which table is stale
    json_page.py PROGRAM docs/json.md --write    write them again

A line "<!-- fields: recipe -->" stands before the table of that part of a request; the table ends
at the next blank line.
"""
import json
import pathlib
import re
import subprocess
import sys

TABLE = re.compile(r"(<!-- fields: (\w+) -->\n\n)((?:\|[^\n]*\n)*)")
HEAD = "| key | option | value | where absent | what it is |\n|---|---|---|---|---|\n"


def number(x):
    return str(x) if isinstance(x, int) and x < 10**6 else f"{x:g}"


def code(text):
    return f"`{text}`"


def value_of(row):
    """What a field may hold."""
    if row["names"]:
        names = {}
        for name, printed in row["names"].items():
            names.setdefault(printed, [])
            if name != printed:
                names[printed].append(name)
        words = ", ".join(code(name) + (f" ({', '.join(map(code, others))})" if others else "")
                          for name, others in names.items())
        return words if row["kind"] == "name" else f"{row['kind']}: {words}"
    if row["kind"].startswith("flag"):
        return row["kind"]
    if row["least"] is None:
        return row["kind"]
    most = "" if row["most"] >= 1e9 and row["kind"] == "integer" else f" to {number(row['most'])}"
    start = number(row["least"]) if most else f">= {number(row['least'])}"
    unit = f" {row['unit']}, or a text with its unit" if row["unit"] else ""
    return f"{row['kind']}, {start}{most}{unit}"


def row_of(row):
    help_text = row["help"]
    if row["idle"]:
        refused = "refused" if row["idle_is_refused"] else "without effect"
        help_text += f"; {refused} where {row['idle']}"
    options = ", ".join(map(code, row["option"].split(",")))
    cells = [code(row["key"]), options, value_of(row), row["usual"], help_text]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def main(program, page, write):
    fields = json.loads(subprocess.run([program, "evaluate", "--fields"], capture_output=True,
                                       check=True, timeout=60).stdout)
    path = pathlib.Path(page)
    text = path.read_text()
    shown = TABLE.findall(text)
    faults = [f"{page}: no table of {part}" for part in fields.keys() - {part for _, part, _ in shown}]
    fresh = TABLE.sub(lambda found: found[1] + HEAD + "".join(map(row_of, fields[found[2]])), text)
    if write:
        path.write_text(fresh)
    elif fresh != text:
        faults.append(f"{page} is not what the program says; ./run docs writes it again")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], "--write" in sys.argv))
