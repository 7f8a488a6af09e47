#!/usr/bin/env python3
"""Fail if a formula in a comment of a header was split, joined to the next, or lost its layout.

    check_formulas.py FOLDER

A formula, or a table of symbols, is a block of lines in a comment (///) that are indented by four
spaces and set off by empty comment lines.  A line that is indented further continues the one above
it.  Says file:line: what, one line for each fault.
"""
import pathlib
import re
import sys

WIDTH = 100
INDENT = 4  # of a block, after "/// "
COMMENT = re.compile(r"\s*///(?: (.*))?$")
LIST_ITEM = re.compile(r"( *)- ")
RELATION = re.compile(r"(?:^|\s)(?:=|<|>|<=|>=|~|<-|<=>|:)(?:\s|$)")
OPERATOR_AT_END = re.compile(r"(?:^|\S )(?:[-+*/=<>~]|<=|>=|\^)$|\($")  # "-" may be a cell
JOINED = re.compile(r" = .*(?:\)|\^\w+) (?!d[a-z] )[A-Za-z]\w*(?:\([\w,. ]*\))? = ")


class Row:
    """A line of a block, with the lines that are indented further and so continue it."""

    def __init__(self, number, columns, text):
        self.number, self.columns, self.lines = number, columns, [text]

    @property
    def text(self):
        return " ".join(self.lines)

    def has_columns(self):
        return re.search(r"\S {2,}\S", self.lines[0]) is not None


def comments_of(text):
    """Comments as lists of (line number, text after the slashes, columns of the line)."""
    comment = []
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.match(line)
        if found:
            comment.append((number, found[1] or "", len(line)))
        elif comment:
            yield comment
            comment = []
    if comment:
        yield comment


def indent_of(text):
    return len(text) - len(text.lstrip())


def paragraphs_of(comment):
    """Runs of lines between the empty ones."""
    paragraph = []
    for line in comment:
        if line[1].strip():
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def faults_of_list(paragraph):
    """A line of a list that continues an item stands under its text, not under its dash."""
    item = None
    for number, text, _ in paragraph:
        if found := LIST_ITEM.match(text):
            item = len(found[1])
        elif item is not None and indent_of(text) <= item:
            yield number, "continues an item of a list, and is not indented like its text"


def faults_of_prose(paragraph):
    """Prose has no line that is indented like a formula, but for what continues a command."""
    command = ""
    for number, text, _ in paragraph:
        if text.startswith("\\"):
            command = text.split()[0]
        elif command == r"\throws" and indent_of(text) < INDENT:
            yield number, r"continues \throws: indent it further"
        elif indent_of(text) >= INDENT and not command:
            yield number, "a formula is set off from the text above by an empty comment line"


def rows_of(paragraph):
    rows = []
    for number, text, columns in paragraph:
        if indent_of(text) > INDENT and rows:
            rows[-1].lines.append(text.strip())
            rows[-1].columns = columns
        else:
            rows.append(Row(number, columns, text.strip()))
    return rows


def brackets_of(text):
    """Brackets left open; None where one closes that was not opened.  [0, 1) is an interval."""
    depth = 0
    for character in re.sub(r'"[^"]*"|`[^`]*`|\'.\'', "", text):
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return None
    return depth


def faults_of_row(row, above):
    if brackets_of(row.text) != 0:
        yield "brackets do not match: the line was split, or is joined to another"
    elif OPERATOR_AT_END.search(row.text):
        yield "ends in an operator: the line was split"
    elif any(JOINED.search(cell) for line in row.lines for cell in re.split(r" {2,}", line)):
        yield "two formulas in one line: lay them out in lines of their own"
    elif above is not None and not row.has_columns() and not RELATION.search(row.text):
        if above.columns + 1 + len(row.text.split()[0]) > WIDTH:
            yield "continues the line above: indent it further"


def second_column(line):
    """Where the second column of a table begins and ends, or None where the line has but one."""
    found = re.search(r"\S {2,}(\S+(?: \S+)*)", line)
    return found.span(1) if found else None


def faults_of_table(rows):
    """The second columns of a table stand under each other, or end so."""
    columns = [second_column(row.lines[0]) for row in rows]
    if None in columns or any(RELATION.search(row.lines[0][:column[0]])
                              for row, column in zip(rows, columns)):
        return
    for row, (start, end) in zip(rows, columns):
        if start != columns[0][0] and end != columns[0][1]:
            yield row.number, "its second column is not under that of the first line"


def faults_of(text):
    for comment in comments_of(text):
        for paragraph in paragraphs_of(comment):
            if any(LIST_ITEM.match(text) for _, text, _ in paragraph):
                yield from faults_of_list(paragraph)
                continue
            indents = [indent_of(text) for _, text, _ in paragraph]
            if indents[0] < INDENT:
                yield from faults_of_prose(paragraph)
                continue
            for number, text, _ in paragraph:
                if indent_of(text) < INDENT:
                    yield number, "lost its indentation, or no empty comment line above it"
            rows = rows_of(paragraph)
            for row, above in zip(rows, [None, *rows]):
                for what in faults_of_row(row, above):
                    yield row.number, what
            yield from faults_of_table(rows[indents[0] > INDENT:])  # a head is centered


def main():
    root = pathlib.Path(sys.argv[1])
    faults = [f"{path.relative_to(root)}:{number}: {what}" for path in sorted(root.rglob("*.hpp"))
              for number, what in sorted(faults_of(path.read_text()))]
    print("\n".join(faults) or "formulas ok")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
