#!/usr/bin/env python3
"""A private name that another room uses fails check_private.py; one that its own room uses does not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, *COMPILER = sys.argv[1:]
del sys.argv[1:]

QUEUE = """#pragma once
namespace gpuplan {
namespace detail {
constexpr int waiting(int jobs) { return jobs; }
}  // namespace detail
constexpr int served(int jobs) { return detail::waiting(jobs); }
}  // namespace gpuplan
"""
QUEUE_SHARE = """#pragma once
#include <gpuplan/queue/line.hpp>
namespace gpuplan::detail {
constexpr int twice(int jobs) { return 2 * waiting(jobs); }  // detail::waiting of its own room
}  // namespace gpuplan::detail
"""
PLAN = """#pragma once
#include <gpuplan/queue/line.hpp>
namespace gpuplan {
%s
}  // namespace gpuplan
"""


class Private(unittest.TestCase):
    def check(self, plan):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("queue/line.hpp", QUEUE), ("queue/share/twice.hpp", QUEUE_SHARE),
                               ("plan/plan.hpp", PLAN % plan)):
                path = pathlib.Path(folder, "gpuplan", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, folder, *COMPILER],
                                  capture_output=True, text=True)

    def test_public_names_of_others_and_private_ones_of_the_room(self):
        done = self.check("namespace detail { constexpr int next(int jobs) { return jobs; } }\n"
                          "constexpr int planned = served(1) + detail::next(1);")
        self.assertEqual((done.returncode, done.stdout), (0, "private names ok\n"), done.stderr)

    def test_a_qualified_private_name_of_another_room(self):
        done = self.check("constexpr int planned = detail::waiting(1);")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\Aplan/plan.hpp:\d+:.*detail")

    def test_a_private_name_of_another_room_seen_through_the_shared_namespace(self):
        done = self.check("namespace detail { constexpr int planned = waiting(1); }")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\Aplan/plan.hpp:\d+:.*waiting")


unittest.main()
