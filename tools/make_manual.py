#!/usr/bin/env python3
"""Write the man pages of the program and its completions for shells, from what it says of itself.

    make_manual.py GPUPLAN FOLDER

help2man makes a page of each help text: gpuplan.1, gpuplan-plan.1, ...; without help2man there are
completions alone.  The date of the pages is that of SOURCE_DATE_EPOCH, where it is set.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMPLETIONS = {"bash": "bash-completion/completions/gpuplan", "zsh": "zsh/site-functions/_gpuplan",
               "fish": "fish/vendor_completions.d/gpuplan.fish"}


# The help as it is written: man pages break their own lines.
WIDE = os.environ | {"COLUMNS": "10000"}


def printed(*words, env=WIDE):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          env=env).stdout


def subcommands(program):
    """Names and what they do, as the help of the program lists them."""
    listed = printed(program, "--help").partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^  (\w+)(?:, \w+)* {2,}(.+)$", listed, re.MULTILINE)
    if not rows:
        raise SystemExit("make_manual.py: the help lists no subcommands")
    return rows


def first_small(text):
    """A sentence as the line of a NAME section has it."""
    return text if text[:2].isupper() else text[0].lower() + text[1:]


def line_by_line(page):
    """Indented text of a help, as its examples, keeps its lines."""
    return re.sub(r"^\.IP\n((?:[^.\n].*\n)+)", r".IP\n.nf\n\1.fi\n", page, flags=re.MULTILINE)


class Pages:
    def __init__(self, program, folder):
        self.folder = folder
        self.folder.mkdir(parents=True)
        scratch = tempfile.TemporaryDirectory()
        self.scratch = scratch
        # help2man calls the program by the name that its pages shall have.
        link = pathlib.Path(scratch.name) / "gpuplan"
        link.symlink_to(program)
        self.environment = WIDE | {"PATH": f"{scratch.name}:{os.environ['PATH']}"}
        self.version = printed(program, "--version").split()[1]

    def write(self, command, what, see):
        name = command.replace(" ", "-")
        more = pathlib.Path(self.scratch.name) / "more"
        more.write_text("[see also]\n" + ",\n".join(f".BR {one} (1)" for one in see) + "\n")
        page = printed("help2man", "--no-info", "--section=1", "--manual=gpuplan",
                       f"--version-string={self.version}", f"--name={first_small(what)}",
                       f"--include={more}", command, env=self.environment)
        page = page.replace(f".SH NAME\n{command} ", f".SH NAME\n{name} ")
        page = re.sub(r'^\.TH \S+( "?1"? .*?)"gpuplan [\w ]*?([\d.]+)"',
                      lambda found: f'.TH {name.upper()}{found[1]}"gpuplan {found[2]}"',
                      page, count=1, flags=re.MULTILINE)
        (self.folder / f"{name}.1").write_text(line_by_line(page))


def write_completions(program, folder):
    for shell, place in COMPLETIONS.items():
        path = folder / place
        path.parent.mkdir(parents=True)
        path.write_text(printed(program, "completion", shell))


def main(program, folder):
    program, folder = pathlib.Path(program).resolve(), pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    write_completions(program, folder)
    if not shutil.which("help2man"):
        print("make_manual.py: without help2man there are no man pages")
        return
    rows = subcommands(program)
    pages = Pages(program, folder / "man1")
    pages.write("gpuplan", "plan the training of neural networks on GPUs",
                [f"gpuplan-{name}" for name, _ in rows])
    for name, what in rows:
        pages.write(f"gpuplan {name}", what, ["gpuplan"])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
