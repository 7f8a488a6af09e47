"""Joins test files into one that compiles as they do, in a fraction of the time.

    join_tests.py OUTPUT SOURCE...

The anonymous namespace of each file becomes a namespace of its own inside one, so that two files
may give one name to two things.  What one of them defines behind it, for other files, sees its names.
Messages and tests name the files that were joined.
"""
import pathlib
import re
import sys

OPENS, CLOSES = "namespace {", "}  // namespace"
SEES = "} using namespace"


def joined(path, number):
    """The text of a file with its names apart from those of other files."""
    lines = path.read_text().split("\n")
    if lines.count(OPENS) != lines.count(CLOSES):
        sys.exit(f"{path}: {lines.count(OPENS)} lines are '{OPENS}', {lines.count(CLOSES)} '{CLOSES}'")
    name = re.sub(r"\W", "_", path.stem) + f"_{number}"
    behind = lines[::-1][:lines[::-1].index(CLOSES)] if CLOSES in lines else []
    seen = any(line and not line.startswith("}  // namespace ") for line in behind)
    names = {OPENS: f"namespace {{ namespace {name} {{",
             CLOSES: f"{SEES} {name}; }}" if seen else "}}"}
    return f'#line 1 "{path}"\n' + "\n".join(names.get(line, line) for line in lines)


def main(output, *sources):
    paths = [pathlib.Path(source).resolve() for source in sources]
    texts = [joined(path, number) for number, path in enumerate(paths)]
    if sum(SEES in text for text in texts) > 1:
        sys.exit(f"{output}: two files define something for others behind their names")
    pathlib.Path(output).write_text("\n".join(texts))


if __name__ == "__main__":
    main(*sys.argv[1:])
