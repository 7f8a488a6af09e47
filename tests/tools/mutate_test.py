#!/usr/bin/env python3
"""mutate.py tells changes that a test notices from those that none does, in a planted tree."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, COMPILER = sys.argv[1:3]
del sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))
sys.dont_write_bytecode = True
from mutants import sites_of  # noqa: E402

REQUIRE = """#pragma once
#include <stdexcept>
constexpr void require(bool holds) {
  if (!holds) throw std::invalid_argument{"no"};
}
"""
LINE = """#pragma once
#include <gpuplan/require.hpp>
// A comment says 1 + 2 < 3.
constexpr int waiting(int jobs) {
  require(jobs >= 0);
  return jobs * 2;
}
constexpr const char* name() { return "a + b"; }
"""
TEST = """#include <gpuplan/queue/line.hpp>
static_assert(waiting(3) == 6);
int main() { return %s; }
"""
BUSY = """#pragma once
#include <gpuplan/queue/line.hpp>
constexpr int busy(int jobs) { return waiting(jobs) / 2; }
"""
BUSY_TEST = """#include <gpuplan/queue/busy.hpp>
int main() {
  try { return busy(-1); } catch (const std::invalid_argument&) { return busy(4) - 4; }
}
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("include/gpuplan/require.hpp", REQUIRE)
        self.write("include/gpuplan/queue/line.hpp", LINE)
        self.write("tests/queue/line_test.cpp", TEST % "waiting(1) - 2")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_script(self, *options):
        compile_command = f"{COMPILER} -std=c++20 -w -I{self.root}/include"
        done = subprocess.run([sys.executable, SCRIPT, self.root, "--compile", compile_command,
                               "--json", self.root / "out.json", *options],
                              capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def verdicts(self, line, *options):
        """What becomes of each change of a line of line.hpp, by what it becomes."""
        done = self.run_script("--only", "queue/line", "--line", str(line), *options)
        rows = json.loads((self.root / "out.json").read_text())["mutants"]
        return {(row["old"], row["new"]): row["verdict"] for row in rows}, done

    def test_a_value_that_a_static_assertion_or_a_run_refuses_is_killed(self):
        verdicts, done = self.verdicts(6)
        self.assertEqual(verdicts, {("*", "/"): "killed", ("2", "3"): "killed",
                                    ("2", "1"): "killed", ("jobs * 2", "{}"): "killed"})
        self.assertIn("100.0 %", done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_what_no_test_notices_survives_and_counts_against_the_bound(self):
        verdicts, done = self.verdicts(5, "--bound", "50")
        self.assertEqual(verdicts[">=", "<"], "killed")
        self.assertEqual(verdicts[">=", ">"], "survived")
        self.assertEqual(verdicts["0", "1"], "survived")
        self.assertEqual(verdicts["require(jobs >= 0);", ";"], "survived")
        self.assertEqual(done.returncode, 1, "25 % is less than the bound")
        self.assertIn("queue/line.hpp:5: require(jobs >= 0);\n    >=\n    >\n", done.stdout)

    def test_the_test_of_a_header_that_includes_it_is_asked_too(self):
        self.write("include/gpuplan/queue/busy.hpp", BUSY)
        self.write("tests/queue/busy_test.cpp", BUSY_TEST)
        verdicts, _ = self.verdicts(5)
        self.assertEqual(verdicts["require(jobs >= 0);", ";"], "killed")
        verdicts, _ = self.verdicts(5, "--more", "0")
        self.assertEqual(verdicts["require(jobs >= 0);", ";"], "survived")

    def test_what_is_no_program_is_invalid_and_not_counted(self):
        self.write("include/gpuplan/queue/line.hpp",
                   LINE.replace("jobs * 2;", "*(&jobs + 0) * 2;"))
        self.write("tests/queue/line_test.cpp", TEST.replace("static_assert", "// ") % "0")
        verdicts, done = self.verdicts(6)
        self.assertEqual(verdicts["+", "-"], "survived")
        self.write("include/gpuplan/queue/line.hpp",
                   LINE.replace("jobs * 2;", "(&jobs - &jobs) + *(&jobs + 0);"))
        verdicts, done = self.verdicts(6)
        self.assertEqual(verdicts["-", "+"], "invalid", "two pointers have no sum")
        self.assertRegex(done.stdout, r"[1-9] more were no C\+\+")

    def test_a_listed_equivalent_is_not_drawn(self):
        entry = {"file": "queue/line.hpp", "line": "require(jobs >= 0);", "old": ">=", "new": ">",
                 "reason": "of no jobs, none wait"}
        self.write("tools/mutate_equivalents.json", json.dumps([entry]))
        self.run_script("--only", "queue/line", "--count", "100")
        rows = json.loads((self.root / "out.json").read_text())["mutants"]
        self.assertNotIn((">=", ">"), [(row["old"], row["new"]) for row in rows])
        self.write("tools/mutate_equivalents.json", json.dumps([{**entry, "reason": ""}]))
        self.assertEqual(self.run_script("--count", "1").returncode, 1)

    def test_a_listed_equivalent_whose_line_is_gone_is_named(self):
        entry = {"file": "queue/line.hpp", "line": "require(jobs > 7);", "old": ">", "reason": "x"}
        self.write("tools/mutate_equivalents.json", json.dumps([entry]))
        done = self.run_script("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("queue/line.hpp: require(jobs > 7);", done.stdout)
        self.write("tools/mutate_equivalents.json", "[]")
        self.assertEqual(self.run_script("--check").returncode, 0)

    def test_a_test_that_fails_on_unchanged_headers_is_no_judge(self):
        self.write("tests/queue/line_test.cpp", TEST % "1")
        done = self.run_script("--only", "queue/line", "--line", "6", "--control")
        self.assertEqual(done.returncode, 1)
        self.assertIn("fails on unchanged headers", done.stderr)

    def test_a_mutant_whose_tests_do_not_link_is_not_judged(self):
        self.write("tests/queue/line_test.cpp", "int elsewhere();\n" + TEST % "elsewhere()")
        verdicts, done = self.verdicts(5)
        self.assertEqual(verdicts[">=", ">"], "unlinked")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^no test of [0-9]+ of [0-9]+ mutants links: build ")
        self.write("include/gpuplan/queue/busy.hpp", BUSY)  # a test that links judges it
        self.write("tests/queue/busy_test.cpp", BUSY_TEST)
        verdicts, done = self.verdicts(5)
        self.assertEqual(verdicts[">=", ">"], "survived")
        self.assertEqual(verdicts["require(jobs >= 0);", ";"], "killed")
        self.assertEqual(done.returncode, 0)

    def test_the_same_seed_draws_the_same_mutants(self):
        drawn = []
        for _ in range(2):
            self.run_script("--count", "3", "--seed", "5")
            rows = json.loads((self.root / "out.json").read_text())["mutants"]
            drawn.append([(row["file"], row["old"], row["new"]) for row in rows])
        self.assertEqual(drawn[0], drawn[1])


class Sites(unittest.TestCase):
    def changes(self, text):
        return {(site.old, new) for site in sites_of("a.hpp", text) for new in site.choices}

    def test_comments_strings_directives_and_static_assertions_stay(self):
        self.assertEqual(self.changes('#include <a>\n/// 1 + 2\nstatic_assert(1 < 2, "3");\n'
                                      '[[nodiscard]] auto s = "4 + 5"; auto r = R"(6)";\n'), set())

    def test_brackets_of_templates_and_pointers_are_no_operators(self):
        self.assertEqual(self.changes("template <class T>\nstd::vector<T> f(T* a, T&& b);\n"),
                         set())

    def test_operators_constants_and_words(self):
        self.assertLessEqual({("+", "-"), ("1e-3", "0.0"), ("max", "min"), ("true", "false")},
                             self.changes("bool b = x + 1e-3 == (std::max)(a, c) && true;\n"))
        self.assertLessEqual({("!", ""), ("-", ""), ("0x10", "17"), ("1'000", "999")},
                             self.changes("auto b = f(!a, -c, 0x10, 1'000);\n"))
        self.assertEqual(self.changes("auto b = 1e300;\n"), {("1e300", "1.0")})
        self.assertEqual(self.changes("bool b = x < seconds{1e300};\n"),
                         {("<", ">="), ("1e300", "1.0")})

    def test_statements_values_conditions_and_arguments(self):
        changes = self.changes("void f() {\n  int n = g(a, b);\n  n = a;\n  if (n) g(b, a);\n"
                               "  return g(a);\n}\n")
        self.assertEqual(changes, {("a, b", "b, a"), ("n = a;", ";"), ("n", "!(n)"),
                                   ("g(b, a);", ";"), ("b, a", "a, b"), ("g(a)", "{}")})

    def test_tables_that_a_script_wrote_stay(self):
        self.assertEqual(self.changes("/// Written by tools/make.py.\nint n = 1;\n"), set())


unittest.main()
