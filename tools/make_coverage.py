#!/usr/bin/env python3
"""Write docs/coverage.md: what source documents contain and where this project has it.

    make_coverage.py ROOT            write it
    make_coverage.py ROOT --check    fail if it is not what would be written

Made from tests/data/coverage.json, which check_coverage.py holds against the library.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_coverage  # noqa: E402

DATA = "tests/data/coverage.json"
PAGE = "docs/coverage.md"
STATES = ["have", "partial", "missing", "outside"]
HEAD = """# What the source documents contain, and where it is

Five documents on planning GPU training, section by section: each concept, formula, rule, table and
worked number, what computes it here, and a command that shows it. Made from
`tests/data/coverage.json` by `./run docs`; a test runs every command.

| state | meaning |
|---|---|
| have | computed with the document's meaning, or corrected in [errata.md](errata.md) |
| partial | something lacks, as the row says |
| missing | nothing here computes it |
| outside | no quantity that a plan could compute |
"""


def cell(text):
    """A text within a table of Markdown."""
    return text.replace("|", "\\|").replace("$", "\\$")


def summary_of(data):
    """Lines of the table that counts the rows."""
    yield "| document | sections | rows | " + " | ".join(STATES) + " |"
    yield "|---|" + "---:|" * (2 + len(STATES))
    total = [0] * (2 + len(STATES))
    for document in data["documents"]:
        states = [row["state"] for row in data["rows"] if row["document"] == document["id"]]
        counts = [len(document["sections"]), len(states), *map(states.count, STATES)]
        total = [one + other for one, other in zip(total, counts)]
        link = f"[{document['title']}](#{anchor_of(document['title'])})"
        yield f"| {link} | " + " | ".join(map(str, counts)) + " |"
    yield "| all | " + " | ".join(map(str, total)) + " |"


def anchor_of(title):
    """The name by which links find a heading."""
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def here_of(row):
    """What a row has here: calls by header, and examples."""
    headers = {}
    for call in row.get("calls", []):
        header, name = call.split(": ")
        headers.setdefault(header, []).append(f"`{name}`")
    parts = [f"{header}: " + ", ".join(names) for header, names in headers.items()]
    parts += [f"[{example}](../{example})" for example in row.get("examples", [])]
    return "; ".join(parts) or "-"


def command_of(row):
    """The command that shows it, and what it prints."""
    shown = [f"`{show['command']}` prints `{show['text']}`" for show in row.get("shows", [])]
    return cell("; ".join(shown)) or "-"


def state_of(row):
    """The state in words."""
    text = row["state"]
    for erratum in check_coverage.errata_of(row):
        text += f", [erratum](errata.md#{erratum})"
    if reason := row.get("lacks") or row.get("why"):
        text += ": " + reason
    if "in_work" in row:
        text += f" (in work: {row['in_work']})"
    return cell(text)


def tables_of(data):
    """Lines of a table for each document."""
    for document in data["documents"]:
        yield from ("", f"## {document['title']}", "")
        yield "| section | what | topics | here | command | state |"
        yield "|---|---|---|---|---|---|"
        for number, title in document["sections"]:
            for row in data["rows"]:
                if (row["document"], row["section"]) == (document["id"], number):
                    yield (f"| {number} {cell(title)} | {row['kind']}: {cell(row['what'])} | "
                           f"{' '.join(row.get('topics', [])) or '-'} | {here_of(row)} | "
                           f"{command_of(row)} | {state_of(row)} |")


def gaps_of(data):
    """Lines of the table of what is to be built."""
    yield from ("", "## Known gaps", "")
    if not data["known_gaps"]:
        yield "None."
        return
    yield from ("| row | to build |", "|---|---|")
    for one, build in data["known_gaps"].items():
        yield f"| {one} | {cell(build)} |"


def page_of(root):
    data = json.loads((root / DATA).read_text())
    lines = [HEAD, "## In numbers", "", *summary_of(data), *tables_of(data), *gaps_of(data)]
    return "\n".join(lines) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    page, text = root / PAGE, page_of(root)
    if "--check" not in sys.argv[2:]:
        page.write_text(text)
        return 0
    if page.exists() and page.read_text() == text:
        print("coverage page ok")
        return 0
    print(f"{PAGE} is not what {DATA} says: tools/make_coverage.py writes it again")
    return 1


if __name__ == "__main__":
    sys.exit(main())
