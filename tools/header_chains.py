"""Sources that compile each header as its user does, several of them in one.

    header_chains.py FOLDER LIST

LIST names headers, one a line; FOLDER gets a source for each.  A header that stands alone has to
compile with nothing in front of it but what it includes itself.  So a header may follow another in
one source if it includes that one, directly or through others: headers are divided into as few
chains of this kind as there can be, each compiled in the source of its last header, and the sources
of its other headers are empty.  Files that stay as they were are not written again.

Includes between #if and #endif do not count.
"""
import pathlib
import re
import sys

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:include[ \t]*<([^>]+)>|(if|endif))", re.MULTILINE)


def included_by(text):
    """Names of headers that this text includes under no condition."""
    names, depth = [], 0
    for name, word in DIRECTIVE.findall(text):
        if name and depth == 0:
            names.append(name)
        depth += {"if": 1, "endif": -1}.get(word, 0)
    return names


def closures(direct):
    """All that each header includes, through others too."""
    found = {}

    def of(name):
        if name not in found:
            found[name] = set()
            for other in direct[name]:
                if other in direct:
                    found[name] |= {other} | of(other)
        return found[name]

    for name in direct:
        of(name)
    return found


def chains_of(closure):
    """As few chains as cover all headers, each ordered so that a header includes those before it:
    the most pairs of neighbours, by augmenting paths (Dilworth's theorem, Fulkerson's proof)."""
    smallest_first = {name: sorted(inner, key=lambda other: (len(closure[other]), other))
                      for name, inner in closure.items()}
    after = {}  # a header, and the one that follows it

    def follows_one(name, seen):
        for other in smallest_first[name]:
            if other in seen:
                continue
            seen.add(other)
            if other not in after or follows_one(after[other], seen):
                after[other] = name
                return True
        return False

    for name in sorted(closure, key=lambda one: (-len(closure[one]), one)):
        follows_one(name, set())
    before = {name: other for other, name in after.items()}
    chains = []
    for last in sorted(set(closure) - set(after)):
        chain = [last]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        chains.append(chain[::-1])
    return chains


def write(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main(folder, listed):
    sys.setrecursionlimit(10000)
    files = [pathlib.Path(line) for line in pathlib.Path(listed).read_text().splitlines()]
    texts = {str(file).rsplit("/include/", 1)[-1]: file.read_text() for file in files}
    closure = closures({name: included_by(text) for name, text in texts.items()})
    for chain in chains_of(closure):
        for name in chain:
            text = f"// Compiled with {chain[-1]}, which includes it.\n"
            if name == chain[-1]:
                text = "".join(2 * f"#include <{each}>\n" for each in chain)
            write(pathlib.Path(folder) / pathlib.Path(name).with_suffix(".cpp"), text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
