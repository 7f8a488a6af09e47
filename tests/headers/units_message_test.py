#!/usr/bin/env python3
"""A quantity in the place of another is refused in words, by each compiler.

    units_message_test.py COMPILER INCLUDE
"""
import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv[1:3]
del sys.argv[1:3]

SOURCE = """#include <gpuplan/comm/all_reduce.hpp>
using namespace gpuplan;
constexpr interconnect link{{.latency = 5 * units::us, .bandwidth = 400 * units::GB / units::second}};
auto value = {};
"""

REFUSED = {  # what is written, and what the compiler must say of it
    "bytes(seconds{1})": "given<gpuplan::kinds::time>::wanted<gpuplan::kinds::size>",
    "[]() -> bytes { return seconds{1}; }": "given<gpuplan::kinds::time>::wanted<gpuplan::kinds::size>",
    "ring_all_reduce(link, 8, seconds{1})": "given<gpuplan::kinds::time>::wanted<gpuplan::kinds::size>",
    "[]() -> seconds { return flop{1}; }": "given<gpuplan::kinds::arithmetic>::wanted<gpuplan::kinds::time>",
    "[]() -> watts { return bytes_per_second{1}; }":
        "given<gpuplan::kinds::bandwidth>::wanted<gpuplan::kinds::power>",
}


def compiled(expression):
    """The exit code, and what the compiler says."""
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}", "-x", "c++", "-"],
                          input=SOURCE.format(expression), capture_output=True, text=True)
    return done.returncode, done.stderr.replace("gpuplan::detail::", "gpuplan::")


class Messages(unittest.TestCase):
    def test_what_is_given_and_what_is_wanted_is_said(self):
        for expression, words in REFUSED.items():
            with self.subTest(expression=expression):
                code, said = compiled(expression)
                self.assertNotEqual(code, 0)
                self.assertIn(words, said)

    def test_the_same_dimension_is_taken(self):
        for expression in ("bytes(bytes{1})", "ring_all_reduce(link, 8, bytes{1})",
                           "[]() -> bytes { return 2 * seconds{1} * bytes_per_second{1}; }"):
            with self.subTest(expression=expression):
                self.assertEqual(compiled(expression), (0, ""))


if __name__ == "__main__":
    unittest.main()
