#!/usr/bin/env python3
"""Write registry/words.hpp: what the rows of the registry say, from the comments of functions.

    make_formula_words.py SOURCE_TREE            write it
    make_formula_words.py SOURCE_TREE --check    fail if it is not what would be written

A row names its function, its inputs by letter, and the unit of its result: "queue/erlang.hpp:
erlang_c(c, a) in 1".  A comment, of a function or above a row, is read in this order:

    meaning     the first sentence; a long one up to its colon
    formula     the first indented block that is no table of symbols; without one, a fault
    symbols     an indented table: letter, meaning, and "unit, range", "one of <enumeration>" or
                "one of <name> <name> ..."; what follows a semicolon is for readers of the comment
    validity    the sentence that begins with Holds
    source      the paragraph that begins with Source:

What the comment above a row does not say is that of its function: the first of that name in the
header whose comment has a formula or a source.  A letter that neither lists is looked up in the
comment above the table.  "Source: as f." is the source of f, in the same header.

A letter that a row typesets (.latex) must stand in its formula or among its inputs, but for
indices, what is left of a first = sign, and e and d.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_registry  # noqa: E402

GENERATED = "include/gpuplan/registry/words.hpp"
WIDTH = 100
ONE_OF = re.compile(r"one of (\w+(?: \w+)*)$")
CODE_REFERENCE = re.compile(r", [a-z_]+(?:\[i\])?(?:\.[a-z_]+(?:\(\))?)+$")
UNIT = re.compile(r"(count|1|erlang|s\^2|(?:B|FLOP|s|J|W|dollar|token|g|1)(?:/(?:B|s|J|token))?)"
                  r",? ")
RANGE = re.compile(r"any$|[<>]=? |\d|multiple of ")
MEASURE = re.compile(r"[^,<>=]+, (?:any\b|[<>]=? |\d|multiple of )")  # a unit of any name, and a range


class Fault(Exception):
    """A comment does not say what a row needs; the text is one line, for people."""


class Comment:
    """What a comment says."""

    def __init__(self, lines):
        self.meaning = self.formula = self.validity = self.source = ""
        self.symbols = {}  # letter: (meaning, unit, range, enumeration)
        prose = []
        for paragraph in paragraphs_of(lines):
            if paragraph[0].startswith("    "):
                self.read_block(paragraph)
            else:
                prose.append(" ".join(line.strip() for line in paragraph))
        self.read_prose(prose)

    def read_block(self, block):
        rows = rows_of_table(block)
        if not is_table_of_symbols(rows) and not self.formula:
            indent = min(len(line) - len(line.lstrip()) for line in block)
            self.formula = "\n".join(line[indent:].rstrip() for line in block)
            return
        for cells in rows:
            if len(cells) >= 3 and (read := symbol_of(cells)):
                self.symbols.setdefault(cells[0], read)

    def read_prose(self, prose):
        for paragraph in prose:
            if paragraph.startswith("Source: "):
                self.source = without_stop(paragraph.removeprefix("Source: "))
            elif found := re.search(r"(?:^|[.:] {1,2})Holds:? (.*?\.)(?: {1,2}[A-Z]|$)", paragraph):
                self.validity = self.validity or without_stop(found[1])
        if prose and not re.match(r"\\|Source: |Holds:? ", prose[0]):
            self.meaning = short(without_stop(first_sentence(prose[0])))


def without_stop(text):
    return text.strip().removesuffix(".")


def first_sentence(text):
    """Up to a full stop before a capital letter, a number of a new sentence, or a command."""
    found = re.search(r"(?<![ .])(?<!\b[A-Z])\.(?= {1,2}[A-Z0-9\"'(\\])", text)
    return (text[:found.end()] if found else text.split(" \\")[0]).strip()


def short(sentence):
    """A sentence of more than a line up to the colon or semicolon after which it says more."""
    found = re.search(r"(?<=.{25})[:;] ", sentence) if len(sentence) > WIDTH else None
    return sentence[:found.start()] if found else sentence


def paragraphs_of(lines):
    paragraph = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []


def rows_of_table(block):
    """Cells of each row; a line that is indented further continues the last cells above it."""
    rows = []
    for line in block:
        cells = re.split(r" {2,}", line.strip())
        if line.startswith("     ") and rows:
            if len(cells) > 1 or not rows[-1][2:]:
                rows[-1][1:2] = [" ".join([*rows[-1][1:2], cells[0]])]
                rows[-1] += cells[1:]
            else:
                rows[-1][-1] += " " + cells[0]
        else:
            rows.append(cells)
    return rows


def is_table_of_symbols(rows):
    return (all(len(cells) >= 2 and not re.search(r" [-+*/=<>]", cells[0]) for cells in rows) and
            any(len(cells) >= 3 and (ONE_OF.search(cells[2]) or UNIT.match(cells[2] + " ") or
                                     MEASURE.match(cells[2]) or re.match(r"[<>]=? ", cells[2]))
                for cells in rows))


def symbol_of(cells):
    """(meaning, unit, range, enumeration) of a row of a table; None where it says no range."""
    measure = "  ".join(cells[2:])
    choices = ONE_OF.search(measure)
    unit, _, bounds = ONE_OF.sub("", measure).split(";")[0].partition(", ")
    if not choices and not (RANGE.match(bounds) and UNIT.match(unit + " ")):
        return None
    return (CODE_REFERENCE.sub("", cells[1]), unit or "count", bounds.strip(),
            choices[1] if choices else "")


def comments_of_names(text):
    """(name, comment) of functions and classes at namespace scope, but for those in detail."""
    lines = text.splitlines()
    detail = False
    comment = []
    for number, line in enumerate(lines):
        detail = ((detail or line.startswith("namespace detail")) and
                  line != "}  // namespace detail")
        if line.startswith("///"):
            comment.append(line[4:])
        elif comment:
            head = re.split(r"[{;]", "\n".join(lines[number:number + 30]))[0]
            found = re.match(r"(?:template <.*>\s*)?(?:struct|class) (\w+)", head)
            name = found[1] if found else check_registry.function_of(re.sub(r"//.*", "", head))
            if name and not detail:
                yield name, Comment(comment)
            comment = []


class Headers:
    """The comments of functions and classes below include/gpuplan."""

    def __init__(self, root):
        self.root = root
        self.read = {}

    def comment_of(self, header, name):
        if header not in self.read:
            path = self.root / header
            if not path.exists():
                raise Fault(f"there is no {header}")
            self.read[header] = list(comments_of_names(path.read_text()))
        named = [comment for other, comment in self.read[header] if other == name]
        if not named:
            raise Fault(f"{name} of {header} has no comment")
        full = [comment for comment in named if comment.formula or comment.source]
        return (full or named)[0]

    def source_of(self, header, name):
        source = self.comment_of(header, name).source
        for _ in range(5):
            found = re.fullmatch(r"as (\w+)(?:\(\))?", source)
            if not found:
                return source
            source = self.comment_of(header, found[1]).source
        return source

    def enumerators_of(self, name):
        for path in sorted(self.root.rglob("*.hpp")):
            found = re.search(rf"enum class {name}\b[^{{]*{{(.*?)}};", path.read_text(), re.DOTALL)
            if found:
                names = re.sub(r"//[^\n]*", "", found[1])
                return [one.split("=")[0].strip() for one in names.split(",") if one.strip()]
        raise Fault(f"there is no enumeration {name}")


GREEK = set("alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi "
            "rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi "
            "Omega".split())
ARGUMENT = r"\{(?:[^{}]|\{[^{}]*\})*\}"
LEFT_SIDE = re.compile(r"\s*\\?[A-Za-z]+(?:[_^](?:\{[^{}]*\}|\*|\w))*(?:\([^()]*\))?\s*"
                       r"(?:=|\\approx)")


def typeset_letters(latex):
    """The letters of a typeset formula, without words, indices and the left side."""
    latex = re.sub(r"\\(?:mathrm|text|operatorname)\{[^{}]*\}", " ", latex)
    latex = re.sub(r"\\mu ?s\b", " ", latex)  # microseconds
    indices = re.findall(rf"_({ARGUMENT}|[A-Za-z])", latex)
    latex = LEFT_SIDE.sub("", latex, count=1)
    letters = set()
    for command, letter, index in re.findall(rf"\\([A-Za-z]+)|([A-Za-z])(_{ARGUMENT})?", latex):
        if command in GREEK:
            letters.add(command)
        elif letter and not re.fullmatch(r"_\{[A-Za-z]{2,}\}", index):  # P_{total} is a word
            letters.add(letter)
    return letters - set(re.findall(r"[A-Za-z]", " ".join(indices))) - {"e", "d"}


def written_letters(text):
    """The letters and words of a formula or a symbol, without indices."""
    words = set(re.findall(r"[A-Za-z]+", re.sub(rf"_(?:\([^)]*\)|{ARGUMENT}|[\w,]+)", " ", text)))
    return words | ({"varphi"} if "phi" in words else set())


class Row:
    """A row of a table of the registry, as it is written."""

    def __init__(self, call, latex, comment, table):
        found = CALL.fullmatch(call)
        if not found:
            raise Fault(f"the call of a row is not 'header: function(letters) in unit': {call}")
        self.call, self.latex, self.comment, self.table = call, latex, comment, table
        self.header, self.name, self.result = found[1], found[2], found[4]
        self.letters = found[3].split(", ")

    @property
    def title(self):
        return f"{self.header}: {self.name}"


TABLE = re.compile(r"((?:^///.*\n)*)^inline constexpr std::array (\w+)_rows\{", re.MULTILINE)
ROW = re.compile(r'((?:^ *///.*\n)*)^ *row\{\s*\.call =((?:\s*"[^"]*")+),?\s*'
                 r'(?:\.latex =((?:\s*R"\((?:.|\n)*?\)")+))?', re.MULTILINE)
CALL = re.compile(r"([\w/.]+): (\w+)\((.+)\) in (\S+)")


def comment_in(text):
    return Comment([re.sub(r"^ */// ?", "", line) for line in text.splitlines()])


def tables_of(root):
    """(name, rows) of every table of the registry."""
    for path in sorted((root / "registry").glob("*_formulas.hpp")):
        text = path.read_text()
        starts = list(TABLE.finditer(text))
        for start, end in zip(starts, [*starts[1:], None]):
            table = comment_in(start[1])
            body = text[start.end():end.start() if end else len(text)]
            yield start[2] + "_formulas", [
                Row("".join(re.findall(r'"([^"]*)"', call)),
                    " ".join(re.findall(r'R"\(((?:.|\n)*?)\)"', latex)), comment_in(comment), table)
                for comment, call, latex in ROW.findall(body)]


def words_of(row, headers):
    """What a row says: meaning, formula, validity, source, and its symbols."""
    function = headers.comment_of(row.header, row.name)
    said = {what: getattr(row.comment, what) or getattr(function, what)
            for what in ("meaning", "formula", "validity")}
    said["source"] = row.comment.source or headers.source_of(row.header, row.name)
    for what, text in said.items():
        if not text:
            raise Fault(f"{row.title}: neither the row nor its function says its {what}")
    symbols = []
    for letter in row.letters:
        read = next((comment.symbols[letter] for comment in (row.comment, function, row.table)
                     if letter in comment.symbols), None)
        if read is None:
            raise Fault(f"{row.title}: no table of symbols has a line for {letter}, with unit and "
                        "range")
        meaning, unit, bounds, choices = read
        is_enumeration = choices and " " not in choices
        names = headers.enumerators_of(choices) if is_enumeration else choices.split()
        symbols.append((letter, meaning, unit, bounds or f"0 to {len(names) - 1}", " ".join(names)))
    known = set().union(*map(written_letters, [said["formula"], *row.letters]))
    if strange := sorted(typeset_letters(row.latex) - known):
        raise Fault(f"{row.title}: typesets {', '.join(strange)}, which its formula has not")
    return said, symbols


def symbol_literal(one):
    """A symbol of C++: letter, meaning, unit, range and, where there are any, its choices."""
    parts = [literal(part, 5) for part in one[:4 + bool(one[4])]]
    line = "    {" + ", ".join(parts) + "}"
    return line if len(line) < WIDTH - 1 else "    {" + ",\n     ".join(parts) + "}"


def literal(text, indent):
    """A string of C++ on as many lines as it takes, the first of which is indented as well."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    pieces, line = [], ""
    for word in re.split(r"(?<= )", escaped):
        if line and len(line) + len(word) > WIDTH - indent - 8:
            pieces.append(line)
            line = ""
        line += word
    pieces.append(line)
    return ("\n" + " " * indent).join(f'"{piece}"' for piece in pieces) + "sv"


class Writer:
    """The text of words.hpp, table after table."""

    def __init__(self):
        self.text = HEAD

    def add(self, name, entries):
        symbols, places = [], []
        for _, _, own in entries:
            place = next((at for at in range(len(symbols) - len(own) + 1)
                          if symbols[at:at + len(own)] == own), len(symbols))
            if place == len(symbols):
                symbols += own
            places.append(place)
        self.text += f"\ninline constexpr symbol {name}_symbols[] = {{\n"
        self.text += ",\n".join(symbol_literal(one) for one in symbols) + "};\n"
        self.text += f"inline constexpr row_words {name}[] = {{\n"
        blocks = []
        for (row, said, own), place in zip(entries, places):
            fields = [("call_length", str(len(row.call)))]
            fields += [(what, literal(text, 8 + len(what))) for what, text in (
                ("name", row.name), ("header", row.header), ("meaning", said["meaning"]),
                ("text", said["formula"]))]
            fields.append(("symbols", f"{{{name}_symbols + {place}, {len(own)}}}"))
            fields += [(what, literal(text, 8 + len(what))) for what, text in (
                ("result", row.result), ("validity", said["validity"]), ("source", said["source"]))]
            blocks.append("    {" + ",\n     ".join(
                f".{what} = {text}" for what, text in fields) + "}")
        self.text += ",\n".join(blocks) + "};\n"

    def result(self):
        return self.text + "\n}  // namespace gpuplan::registry::words\n"


HEAD = """#pragma once
/// \\file
/// What the rows of the registry say.
/// Written by tools/make_formula_words.py from the comments of functions and rows.

#include <string_view>

#include <gpuplan/registry/formula.hpp>

// clang-format off
namespace gpuplan::registry::words {

using std::string_view_literals::operator""sv;
"""


def generated(tree):
    root = tree / "include" / "gpuplan"
    headers, writer, faults = Headers(root), Writer(), []
    for name, rows in tables_of(root):
        entries = []
        for row in rows:
            try:
                entries.append((row, *words_of(row, headers)))
            except Fault as fault:
                faults.append(str(fault))
        writer.add(name, entries)
    if faults:
        raise Fault("\n".join(faults))
    return writer.result()


def main():
    tree = pathlib.Path(sys.argv[1])
    path = tree / GENERATED
    try:
        text = generated(tree)
    except Fault as fault:
        sys.exit(str(fault))
    if "--check" not in sys.argv[2:]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        sys.exit(f"{GENERATED} is not what the comments say: run tools/make_formula_words.py")
    else:
        print("words ok")


if __name__ == "__main__":
    main()
