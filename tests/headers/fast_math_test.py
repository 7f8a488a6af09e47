#!/usr/bin/env python3
"""Headers refuse a compiler that assumes that there is neither infinity nor NaN, and no other.

    fast_math_test.py COMPILER INCLUDE
"""
import pathlib
import re
import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv[1:3]
del sys.argv[1:3]

HEADERS = ("require.hpp", "queue/erlang.hpp", "comm/all_reduce.hpp", "gpuplan.hpp", "ceiling.hpp",
           "units/units.hpp", "units/parse.hpp", "text/decimal_number.hpp", "hardware/fact.hpp",
           "model/field.hpp", "plan/reject.hpp")
GUARD = "infinite_math.hpp"


def compile_with(header, *flags):
    """The exit code, and what the compiler says."""
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-w", "-Wfatal-errors", *flags, f"-I{INCLUDE}",
                           "-x", "c++", "-"], input=f"#include <gpuplan/{header}>\n",
                          capture_output=True, text=True)
    return done.returncode, done.stderr


def reached_from(header, included):
    """The header, and all that it includes."""
    seen, waiting = set(), [header]
    while waiting:
        if (one := waiting.pop()) not in seen:
            seen.add(one)
            waiting += included[one]
    return seen


class FastMath(unittest.TestCase):
    def test_headers_with_floating_point_include_the_guard(self):
        root = pathlib.Path(INCLUDE) / "gpuplan"
        texts = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.hpp")}
        included = {header: re.findall(r"#include <gpuplan/([^>]+)>", text)
                    for header, text in texts.items()}
        computing = [header for header, text in texts.items()
                     if re.search(r"\b(double|float)\b", re.sub(r"//.*", "", text))]
        self.assertGreater(len(computing), len(texts) // 2)
        for header in sorted(computing):
            with self.subTest(header=header):
                self.assertIn(GUARD, reached_from(header, included))

    def test_it_does_not_compile(self):
        for flags in (["-ffast-math"], ["-ffinite-math-only"], ["-O2", "-ffast-math"], ["-Ofast"]):
            for header in HEADERS:
                with self.subTest(flags=flags, header=header):
                    code, said = compile_with(header, *flags)
                    self.assertNotEqual(code, 0)
                    self.assertIn("gpuplan needs infinity and NaN", said)

    def test_what_keeps_infinity_and_nan_compiles(self):
        for flags in ([], ["-O3"], ["-fno-math-errno"], ["-ffast-math", "-fno-fast-math"]):
            with self.subTest(flags=flags):
                self.assertEqual(compile_with("queue/erlang.hpp", *flags), (0, ""))


if __name__ == "__main__":
    unittest.main()
