#!/usr/bin/env python3
"""Change headers by one token each, and say which changes no test notices.

    mutate.py ROOT --count 40 --seed 1 --build build/dev [--bound 90] [--json FILE] [--jobs 2]

Each mutant is a header with one token changed, written into a folder that the compiler searches
first.  Its mirrored test is compiled alone and run; where that passes, so are a few tests that
include the header, or headers that do, before the mutant is said to survive.  A mutant that a
static_assert or a constant expression refuses is killed; one that is no C++ is invalid, and another
is drawn; one whose tests all need another file to link is judged by nobody, and many of them end
the run.  The score is the share of mutants that are killed.

tools/mutate_equivalents.json lists changes that no test can notice: `file`, `line` (its text),
`old` and `new` (absent: any), `nth` if `old` is on the line more than once, and the reason.  They
are never drawn.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from mutants import sites_of  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
# What a compiler says of a value, not of a type: the change is compiled and found to be wrong.
REFUSED = re.compile(
    r"static assertion failed|static_assert failed|is not a constant expression"
    r"|overflow in constant expression|evaluation (operation )?(count|depth) exceeds"
    r"|iteration count exceeds|called in a constant expression|constant expression$"
    r"|must be initialized by a constant expression|non-constant condition for static assertion"
    r"|outside the bounds of array|division by zero|is outside of array bounds"
    r"|in a constant expression|CPU time limit exceeded|call to non-.constexpr. function")
EXAMPLES = re.compile(r"registry/(\w+_formulas|errata)\.hpp")  # tests in themselves
TEST_SECONDS = 120     # of processor time
COMPILE_SECONDS = 180
TOO_LONG = 124         # the status of what took longer
MOST_UNLINKED = 0.2    # of the mutants, whose tests all need another file
MEMORY_BYTES = 6 << 30


class Tests:
    """The tests of each header, the nearest first."""

    def __init__(self, root):
        self.root = root
        self.users = collections.defaultdict(set)  # of a file: files that include it
        include = root / "include"
        for top in (include, root / "tests", root / "benchmarks", root / "examples"):
            for path in top.rglob("*.[ch]pp"):
                for name in INCLUDE.findall(path.read_text(errors="replace")):
                    for folder in (include, root / "tests", root / "benchmarks", path.parent):
                        if (folder / name).is_file():
                            self.users[(folder / name).resolve()].add(path.resolve())
                            break

    def of(self, header):
        """Paths of tests, the mirrored one first, then by how far they are."""
        start = (self.root / "include/gpuplan" / header).resolve()
        mirror = self.root / "tests" / header.replace(".hpp", "_test.cpp")
        far = {start: 0}
        queue = collections.deque([start])
        while queue:
            file = queue.popleft()
            for user in self.users[file] - far.keys():
                far[user] = far[file] + 1
                queue.append(user)
        room = header.split("/")[0]
        stem = pathlib.Path(header).stem

        def order(test):
            inside = test.relative_to(self.root / "tests").as_posix()
            shared = len(os.path.commonprefix([test.stem, stem]))
            return (test != mirror, far[test], not inside.startswith(room + "/"), -shared, inside)

        tests = [file for file in far if file.name.endswith("_test.cpp")
                 and file.is_relative_to(self.root / "tests")]
        return sorted(tests, key=order)


class Commands:
    """How tests are compiled and linked: as the build does it, but not optimized."""

    def __init__(self, options):
        self.compile = shlex.split(options.compile or "")
        self.link = shlex.split(options.link or "")
        self.flags = {}
        self.prelude = []
        if options.build:
            self.read(options.build.resolve(), options.targets)

    def read(self, build, targets):
        for entry in json.loads((build / "compile_commands.json").read_text()):
            file = pathlib.Path(entry["file"])
            joined = file.parent.parent.name == "joined"
            if joined or file.name.endswith("_test.cpp"):
                whose = file.parent.name if joined else str(file)
                self.flags[whose] = plain(shlex.split(entry["command"]))
        link = {}
        for target in targets:
            lines = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True,
                                   capture_output=True, text=True).stdout.splitlines()
            command = next(line for line in reversed(lines) if f" -o {target} " in line)
            words = shlex.split(command.split(" && ")[1])
            own = f"CMakeFiles/{pathlib.Path(target).name}.dir/"
            for word in words:
                if own not in word and re.search(r"\.(o|a|so[\d.]*)$|^-l", word):
                    link[word if word[0] in "/-" else str(build / word)] = None
        self.link = list(link)

    def of(self, test):
        """The command of a test compiled alone, of those that it is joined with, or any."""
        joined = "gpuplan_vector_tests" if test.parent.name == "vectors" else "gpuplan_tests"
        return self.flags.get(str(test), self.flags.get(joined, self.compile))

    def prepare(self, folder, headers, some_test):
        """Compiles foreign headers once, for every test to begin with."""
        if not headers:
            return
        text = "".join(f"#include <{name}>\n" for name in headers)
        file = folder / "prelude.hpp"
        file.write_text(text)
        subprocess.run([*self.of(some_test), "-x", "c++-header", file, "-o", f"{file}.gch"],
                       check=True)
        self.prelude = ["-include", str(file)]

    def build(self, test, overlay, program):
        """Compiles and links; gives what the compiler said."""
        command = self.of(test)
        with tempfile.TemporaryDirectory() as folder:
            compiled = f"{folder}/test.o"
            done = limited([command[0], f"-I{overlay}", *command[1:], *self.prelude,
                            "-c", str(test), "-o", compiled], COMPILE_SECONDS)
            if done.returncode == 0:
                done = limited([command[0], compiled, *self.link, "-o", str(program)],
                               COMPILE_SECONDS)
        return done


def plain(command):
    """A command of the build without optimization, warnings, its precompiled header, its files."""
    kept = []
    words = iter(command)
    for word in words:
        if word in ("-o", "-c", "-include"):
            next(words)
        elif not re.match(r"-(O|g|W|fpch)", word) and not word.endswith("ccache"):
            kept.append(word)
    return [*kept, "-O0", "-w", "-fmax-errors=20", "-D_GLIBCXX_ASSERTIONS"]


def limited(command, seconds):
    """Runs it with bounds of processor time and memory, so that a busy machine fails nothing."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=20 * seconds, stdin=subprocess.DEVNULL, preexec_fn=bound)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, TOO_LONG, "", "it waits for ever")
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        done.returncode = TOO_LONG
    return done


class Judge:
    def __init__(self, root, tests, commands, options):
        self.root, self.tests, self.commands = root, tests, commands
        self.more, self.control = options.more, options.control
        self.passed = set()  # tests of unchanged headers
        self.locks = collections.defaultdict(threading.Lock)

    def require_pass(self, test):
        """Ends the program if the test fails where nothing is changed."""
        with self.locks[test], tempfile.TemporaryDirectory() as folder:
            if test in self.passed:
                return
            program = pathlib.Path(folder, "test")
            done = self.commands.build(test, folder, program)
            if done.returncode == 0:
                done = limited([str(program)], TEST_SECONDS)
            if done.returncode:
                raise SystemExit(f"{test} fails on unchanged headers\n{done.stdout}{done.stderr}")
            self.passed.add(test)

    def verdict(self, site, new):
        """(killed, survived or invalid, by what)."""
        text = (self.root / "include/gpuplan" / site.file).read_text()
        tests = self.tests.of(site.file)[:1 + self.more]
        with tempfile.TemporaryDirectory() as folder:
            overlay = pathlib.Path(folder, "gpuplan", site.file)
            overlay.parent.mkdir(parents=True)
            overlay.write_text(text[:site.begin] + new + text[site.end:])
            asked = 0
            for test in tests:
                verdict, why = self.by(test, pathlib.Path(folder))
                if verdict == "unlinked":
                    continue
                asked += 1
                if verdict != "survived":
                    return verdict, f"{test.relative_to(self.root)}: {why}"
        if asked == 0:
            return "unlinked", "no test of it links"
        return "survived", f"{asked} tests"

    def by(self, test, overlay):
        if self.control:
            self.require_pass(test)
        program = overlay / "test"
        built = self.commands.build(test, overlay, program)
        if "ld returned" in built.stderr:
            return "unlinked", ""  # a test that needs another file: it does not judge
        if built.returncode:
            return compiler_verdict(built)
        done = limited([str(program)], TEST_SECONDS)
        if done.returncode == 0:
            return "survived", ""
        return "killed", "takes too long" if done.returncode == TOO_LONG else first_failure(done)


def compiler_verdict(built):
    """Killed if the compiler found a wrong value, invalid if a wrong type."""
    errors = [line for line in built.stderr.splitlines() if "error:" in line]
    wrong = [line for line in errors if not REFUSED.search(line)]
    if built.returncode == TOO_LONG or (errors and not wrong):
        return "killed", (errors or [built.stderr])[0].split("error:")[-1].strip()
    return "invalid", (wrong or built.stderr.splitlines() or ["?"])[0]


def first_failure(done):
    lines = [line for line in done.stdout.splitlines() if "FAILED" in line or "due to" in line]
    return lines[0].split("/")[-1] if lines else f"exit status {done.returncode}"


def equivalents(path):
    """Entries by (file, line, old); fails on one that names no reason."""
    known = collections.defaultdict(list)
    for entry in json.loads(path.read_text()) if path.exists() else []:
        if not entry.get("reason"):
            sys.exit(f"{path}: {entry} has no reason")
        known[entry["file"], entry["line"], entry["old"]].append(entry)
    return known


def without_line(root, known):
    """What is listed of lines that the headers no longer have."""
    sites = {(site.file, site.text, site.old) for site in population(root, "")}
    return [f"{file}: {line}\n    {old}" for file, line, old in known.keys() - sites]


def is_equivalent(known, site, new):
    return any(entry.get("new", new) == new and entry.get("nth", site.nth) == site.nth
               for entry in known.get((site.file, site.text, site.old), []))


def population(root, only):
    """Every place of every header, examples of the registry apart."""
    top = root / "include/gpuplan"
    for path in sorted(top.rglob("*.hpp")):
        name = path.relative_to(top).as_posix()
        if not EXAMPLES.fullmatch(name) and re.search(only, name):
            yield from sites_of(name, path.read_text())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40, help="mutants to judge")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="a pattern of headers")
    parser.add_argument("--line", type=int, help="every change of this line of --only")
    parser.add_argument("--build", type=pathlib.Path, help="a build by Ninja with its commands")
    parser.add_argument("--targets", nargs="*",
                        default=["tests/gpuplan_tests", "tests/gpuplan_vector_tests"])
    parser.add_argument("--prelude", nargs="*", default=[], help="foreign headers to precompile")
    parser.add_argument("--compile", help="command, where there is no build")
    parser.add_argument("--link", help="libraries, where there is no build")
    parser.add_argument("--more", type=int, default=4, help="tests after the mirrored one")
    parser.add_argument("--control", action="store_true",
                        help="first run each test on unchanged headers: it must pass")
    parser.add_argument("--check", action="store_true",
                        help="only say which listed equivalents name no line of a header")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="write every mutant to this file")
    parser.add_argument("--resume", action="store_true",
                        help="keep what the file holds, and judge the rest")
    parser.add_argument("--bound", type=float, default=0, help="least score, percent")
    return parser.parse_args()


def judged(judge, sites, options):
    """Yields (site, new, verdict, why, seconds) until enough of them are valid."""
    def one(site, new):
        started = time.monotonic()
        return (site, new, *judge.verdict(site, new), time.monotonic() - started)

    waiting = iter(sites)
    valid = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        open_jobs = set()
        while True:
            for site, new in waiting:
                open_jobs.add(pool.submit(one, site, new))
                if len(open_jobs) >= min(options.jobs, options.count - valid):
                    break
            if not open_jobs:
                return
            done, open_jobs = concurrent.futures.wait(
                open_jobs, return_when=concurrent.futures.FIRST_COMPLETED)
            for job in done:
                result = job.result()
                valid += result[2] != "invalid"
                yield result
            if valid >= options.count:
                for job in open_jobs:
                    job.cancel()
                return


def chosen(root, options, known):
    """(site, new) in the order of the seed; every change of one line if one is named."""
    sites = list(population(root, options.only))
    if options.line:
        return [(site, new) for site in sites if site.line == options.line
                for new in site.choices]
    drawn = [(site, site.replacement(options.seed))
             for site in sorted(sites, key=lambda site: site.drawn(options.seed))]
    return [(site, new) for site, new in drawn if not is_equivalent(known, site, new)]


def key_of(site, new):
    return [site.file, site.text, site.old, new, site.nth, site.same]


def row_of(site, new, verdict, why, seconds):
    return {"key": key_of(site, new), "file": site.file, "number": site.line, "line": site.text,
            "old": site.old, "new": new, "nth": site.nth, "verdict": verdict, "why": why,
            "seconds": round(seconds, 1)}


class Result:
    """What became of the mutants so far."""

    def __init__(self, options):
        self.seed, self.file = options.seed, options.json
        self.rows = []
        if options.resume and self.file.exists():
            self.rows = json.loads(self.file.read_text())["mutants"]

    def count(self, *verdicts):
        return sum(row["verdict"] in verdicts for row in self.rows)

    def score(self):
        valid = self.count("killed", "survived")
        return 100 * self.count("killed") / valid if valid else 100.0

    def add(self, row):
        self.rows.append(row)
        print(f"{row['verdict']:9}{row['seconds']:6.1f} s  {row['file']}:{row['number']}: "
              f"{row['old'][:50]} -> {' '.join(row['new'].split())[:50]}  [{row['why'][:110]}]",
              flush=True)
        if self.file:
            self.file.write_text(json.dumps(
                {"seed": self.seed, "score": self.score(), "killed": self.count("killed"),
                 "valid": self.count("killed", "survived"), "mutants": self.rows}, indent=1) + "\n")

    def say(self):
        for row in self.rows:
            if row["verdict"] == "survived":
                which = f", the {row['nth']}. of the line" if row["nth"] > 1 else ""
                print(f"\n{row['file']}:{row['number']}: {row['line']}\n"
                      f"    {row['old']}{which}\n    {row['new'] or '(dropped)'}")
        print(f"\nseed {self.seed}: {self.count('killed')} of {self.count('killed', 'survived')} "
              f"mutants killed, {self.score():.1f} %; {self.count('invalid')} more were no C++, "
              f"{self.count('unlinked')} have no test that links")

    def require_links(self):
        """Ends the program if many mutants were judged by nobody: the score would flatter."""
        unlinked = self.count("unlinked")
        if unlinked > len(self.rows) * MOST_UNLINKED:
            raise SystemExit(f"no test of {unlinked} of {len(self.rows)} mutants links: build "
                             "gpuplan_test_support and gpuplan_test_files first, as ./run mutate "
                             "does")


def main():
    options = arguments()
    root = options.root.resolve()
    known = equivalents(root / "tools/mutate_equivalents.json")
    if options.check:
        stale = without_line(root, known)
        print("\n".join(stale) or f"{len(known)} listed equivalents ok")
        sys.exit(bool(stale))

    result = Result(options)
    judged_before = [row["key"] for row in result.rows]
    sites = [(site, new) for site, new in chosen(root, options, known)
             if key_of(site, new) not in judged_before]
    options.count = len(sites) if options.line else \
        options.count - result.count("killed", "survived")
    commands = Commands(options)
    with tempfile.TemporaryDirectory() as folder:
        if options.prelude:
            some_test = next(root.glob("tests/units/*_test.cpp"))
            commands.prepare(pathlib.Path(folder), options.prelude, some_test)
        judge = Judge(root, Tests(root), commands, options)
        for each in judged(judge, sites, options):
            result.add(row_of(*each))
    result.say()
    result.require_links()
    sys.exit(result.score() < options.bound)


if __name__ == "__main__":
    main()
