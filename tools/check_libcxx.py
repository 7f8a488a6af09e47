#!/usr/bin/env python3
"""Say which headers do not compile alone with clang++ and libc++, and why.

    check_libcxx.py COMPILER include [--flag FLAG ...] [--strict] [--together]

Each header is parsed alone (-fsyntax-only) against libc++.  Headers that fail are listed by the
first error that the compiler reports.  They do not fail this check, unless --strict is given: it
reports how far the library is.  Without a libc++ there is nothing to report, and it fails.  With --together one text includes all
headers, which takes seconds, and the first error is told.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ERROR = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<what>.*)$",
                   re.MULTILINE)
IS_LIBCXX = "#include <cstddef>\n#ifndef _LIBCPP_VERSION\n#error not libc++\n#endif\n"


def complaint(command, text):
    """The first error of a source text and where it is; nothing if the text compiles."""
    done = subprocess.run([*command, "-x", "c++", "-"], input=text, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    found = ERROR.search(done.stderr)
    if not found:
        return (done.stderr.strip().splitlines() or [f"ends with {done.returncode}"])[-1]
    return f"{found['file']}:{found['line']}: {found['what']}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("compiler")
    arguments.add_argument("include", type=pathlib.Path)
    arguments.add_argument("--flag", action="append", default=[])
    arguments.add_argument("--strict", action="store_true")
    arguments.add_argument("--together", action="store_true")
    given = arguments.parse_args()

    command = [given.compiler, "-std=c++20", "-stdlib=libc++", "-fsyntax-only",
               f"-I{given.include}", *given.flag]
    missing = complaint(command, IS_LIBCXX)
    if missing:
        sys.exit(f"{given.compiler} has no libc++: {missing}")

    headers = sorted(path.relative_to(given.include).as_posix()
                     for path in given.include.rglob("*.hpp"))
    if not headers:
        sys.exit(f"{given.include}: no headers")
    if given.together:
        cause = complaint(command, "".join(f"#include <{name}>\n" for name in headers))
        print(cause or f"all {len(headers)} headers compile with libc++, together")
        sys.exit(bool(cause) and given.strict)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        why = list(pool.map(lambda name: complaint(command, f"#include <{name}>\n"), headers))

    causes = {}
    for header, cause in zip(headers, why):
        if cause:
            causes.setdefault(cause.replace(f"{given.include}/", ""), []).append(header)
    failed = sum(map(len, causes.values()))
    print(f"{failed} of {len(headers)} headers do not compile with libc++" + ":" * bool(failed))
    for cause, stopped in sorted(causes.items(), key=lambda pair: -len(pair[1])):
        print(f"  {cause}\n    stops {len(stopped)}: {' '.join(stopped)}")
    sys.exit(bool(failed and given.strict))


if __name__ == "__main__":
    main()
