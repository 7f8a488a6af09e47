#!/usr/bin/env python3
"""Fail if tests/data/coverage.json leaves out a part of a source document, or claims what is not.

    check_coverage.py ROOT [--program GPUPLAN]

The file says, section by section, what documents on planning GPU training contain, and where this
project has it.  A row names what stands in its section, the topics it belongs to
(tests/data/formula_topics.txt), rows of the registry, functions or types of headers, commands with
a text that they print, examples, a worked number, and an erratum or
a list of them; each erratum has a row.  Its state is one of

    have      computed here with the document's meaning, or corrected by an erratum
    partial   something lacks, as `lacks` says
    missing   nothing here computes it, as `lacks` says
    outside   no quantity that a plan could compute, as `why` says

Every section and every topic must have a row.  What is partial or missing must be listed in
`known_gaps` with what is to be built, and nothing else may be listed there; the list may not be
longer, nor shorter, than `gaps_at_most` says, which is lowered whenever a gap is closed.  Commands
run only with --program, each once, in ROOT.  Prints one line for each fault.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_registry  # noqa: E402

DATA = "tests/data/coverage.json"
TOPICS = "tests/data/formula_topics.txt"
NUMBERS = ["tests/data/vectors/seed_cases.json", "tests/data/errata_cases.json",
           "tests/data/worked_numbers.json"]
ERRATA = "docs/errata.md"
STATES = ["have", "partial", "missing", "outside"]
KINDS = ["section", "concept", "formula", "rule", "table", "number"]
FIELDS = {"id", "document", "section", "kind", "what", "topics", "formulas", "calls", "shows",
          "examples", "number", "erratum", "state", "lacks", "why", "in_work"}
TIME_LIMIT = 60  # seconds for one command


def words(text):
    """A text with each stretch of white space as one blank."""
    return " ".join(text.split())


def topics_of(root):
    """Ids of the formulas that guides print."""
    lines = (root / TOPICS).read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def numbers_of(root):
    """Ids of the worked numbers that tests hold the library against."""
    return {case["id"] for name in NUMBERS if (root / name).exists()
            for case in json.loads((root / name).read_text())}


def faults_of_list(data, topics):
    """What the list leaves out, and what it says twice."""
    rows = data["rows"]
    sections = {(document["id"], number) for document in data["documents"]
                for number, _ in document["sections"]}
    told = {(row["document"], row["section"]) for row in rows}
    for document, number in sorted(sections - told):
        yield f"{document} {number} has no row"
    for document, number in sorted(told - sections):
        yield f"{document} {number} is no section of a document"
    reached = {topic for row in rows for topic in row.get("topics", [])}
    for topic in topics:
        if topic not in reached:
            yield f"topic {topic} has no row"
    for topic in sorted(reached - set(topics)):
        yield f"topic {topic} is not in {TOPICS}"
    ids = [row["id"] for row in rows]
    for one in sorted({one for one in ids if ids.count(one) > 1}):
        yield f"{one}: {ids.count(one)} rows have this id"


def faults_of_row(row, data):
    """What a row lacks for its state."""
    for field in sorted(row.keys() - FIELDS):
        yield f"has a field {field} that nobody reads"
    if row["kind"] not in KINDS:
        yield f"its kind {row['kind']} is none of {', '.join(KINDS)}"
    state = row["state"]
    if state not in STATES:
        yield f"its state {state} is none of {', '.join(STATES)}"
    reached = row.get("shows") or row.get("examples")
    if state == "have" and not (row.get("calls") and reached):
        yield "is said to be there, but names no call, or neither command nor example"
    for shown in row.get("shows", []):
        run_by = re.match(r"gpuplan formula ([\w/]+:)?(\w+)", shown["command"])
        if run_by and run_by[2] not in {name.split(":")[-1] for name in row.get("formulas", [])}:
            yield f"shows {run_by[2]}, which is none of its formulas"
    if state in ("partial", "missing") and not row.get("lacks"):
        yield f"is {state}, but does not say what lacks"
    if state == "missing" and (row.get("formulas") or row.get("calls")):
        yield "is missing, but names a call: it is partial"
    if state == "outside" and (not row.get("why") or row.get("topics") or row.get("number")):
        yield "is outside, but does not say why, or has a topic or a number"
    if "lacks" in row and state not in ("partial", "missing"):
        yield f"lacks something, but is {state}"
    if "in_work" in row and row["in_work"] not in data["in_work"]:
        yield f"{row['in_work']} is not in in_work"
    if "in_work" in row and state == "have":
        yield "is there, and in work"


def errata_of(row):
    """The errata that a row names: none, one or a list."""
    named = row.get("erratum", [])
    return [named] if isinstance(named, str) else named


def faults_of_gaps(data):
    """Rows and known gaps that do not agree."""
    open_rows = {row["id"] for row in data["rows"] if row["state"] in ("partial", "missing")}
    gaps = data["known_gaps"]
    for one in sorted(open_rows - gaps.keys()):
        yield f"{one} is partial or missing, and no known gap"
    for one in sorted(gaps.keys() - open_rows):
        yield f"known gap {one} is closed: remove it, and lower gaps_at_most"
    for one in sorted(one for one, build in gaps.items() if not build):
        yield f"known gap {one} does not say what is to be built"
    if len(gaps) != data["gaps_at_most"]:
        yield f"{len(gaps)} known gaps, and gaps_at_most is {data['gaps_at_most']}"


class Library:
    """Names that rows may use."""

    def __init__(self, root):
        self.root = root
        self.include = root / "include/gpuplan"
        self.rows = list(check_registry.rows(self.include))
        self.names = {}

    def has_formula(self, name):
        """Whether the registry calls one formula so: by its name, or header:name among several."""
        header, _, function = name.rpartition(":")
        found = [row for row in self.rows
                 if row[1] == function and (not header or row[0] == f"{header}.hpp")]
        return len(found) == 1

    def has_call(self, call):
        """Whether "header: name" names a function, a type or a constant that the header declares."""
        header, _, name = call.partition(": ")
        path = self.include / header
        if not name or not path.is_file():
            return False
        if header not in self.names:
            text = path.read_text()
            code = check_registry.IGNORED.sub(" ", text)
            self.names[header] = {
                *check_registry.functions_in(text),
                *re.findall(r"^(?:struct|class|enum class) (\w+)", code, re.MULTILINE),
                *re.findall(r"^(?:using|inline constexpr [\w:<>]+) (\w+)", code, re.MULTILINE)}
        return name in self.names[header]


def faults_of_names(row, library, numbers, errata):
    """Names of a row that nothing has."""
    for name in row.get("formulas", []):
        if not library.has_formula(name):
            yield f"the registry has not one formula {name}"
    for call in row.get("calls", []):
        if not library.has_call(call):
            yield f"there is no {call}"
    for example in row.get("examples", []):
        if not (library.root / example).is_file():
            yield f"there is no {example}"
    if "number" in row and row["number"] not in numbers:
        yield f"no test has the number {row['number']}"
    for one in errata_of(row):
        if one not in errata:
            yield f"there is no erratum {one}"


def run(command, root, program):
    """Exit code of a command, and what it prints."""
    arguments = shlex.split(command)
    if arguments[0] != "gpuplan":
        return None, "is no command of gpuplan"
    try:
        done = subprocess.run([program, *arguments[1:]], cwd=root, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                              timeout=TIME_LIMIT, env={**os.environ, "COLUMNS": "1000"})
    except subprocess.TimeoutExpired:
        return None, f"takes longer than {TIME_LIMIT} s"
    return done.returncode, words(done.stdout)


def faults_of_commands(rows, root, program):
    """Commands that fail, or print something else than their rows say."""
    shown = [(row["id"], show) for row in rows for show in row.get("shows", [])]
    commands = sorted({show["command"] for _, show in shown})
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = dict(zip(commands, workers.map(lambda one: run(one, root, program), commands)))
    for name, show in shown:
        code, printed = answers[show["command"]]
        if code != show.get("code", 0):
            yield f"{name}: '{show['command']}' ends with exit code {code}: {printed[:200]}"
        elif not words(show["text"]) or words(show["text"]) not in printed:
            yield f"{name}: '{show['command']}' does not print '{show['text']}'"


def check(root, program=None):
    """Every fault of the list."""
    data = json.loads((root / DATA).read_text())
    yield from faults_of_list(data, topics_of(root))
    library = Library(root)
    numbers = numbers_of(root)
    errata = set(re.findall(r'<a id="([^"]+)">', (root / ERRATA).read_text()))
    for row in data["rows"]:
        for fault in (*faults_of_row(row, data), *faults_of_names(row, library, numbers, errata)):
            yield f"{row['id']}: {fault}"
    named = {one for row in data["rows"] for one in errata_of(row)}
    for one in sorted(errata - named):
        yield f"no row names the erratum {one}"
    yield from faults_of_gaps(data)
    if program:
        yield from faults_of_commands(data["rows"], root, program)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    given = parser.parse_args()
    root = given.root.resolve()
    faults = list(check(root, given.program and given.program.resolve()))
    print("\n".join(faults) or "coverage ok")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
