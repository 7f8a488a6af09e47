#!/usr/bin/env python3
"""check_registry.py finds the functions that need rows, and says which lack one or have no use."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

HEADER = """#pragma once
/// \\file
/// Comments name ring(int) and say f(x) without declaring either.
namespace gpuplan {
struct part {
  constexpr double total() const { return sum_of(1); }
  friend constexpr part operator+(const part& a, const part& b) { return a; }
};
inline constexpr part whole_part{.size = make(3)};
constexpr void require_valid(const part& p) { require(p.total() >= 0, "part (all) must be >= 0"); }
namespace detail {
constexpr double helper(double x) { return x; }
}  // namespace detail
template <class T, class U = std::array<T, 2>>
constexpr basic_bytes<T> state_memory(const T& x) {
  const auto twice = [](double y) { return 2 * y; };
  return twice(x);
}
[[nodiscard]] inline std::vector<int>
pieces(int n, double share = ratio(1, 2));
constexpr double part::total() const { return 0; }
namespace inner { constexpr int depth(int n) { return n; } }
}  // namespace gpuplan
"""

ROWS = """#pragma once
inline constexpr std::array memory_formulas{
    row{.call = "memory/states.hpp: state_memory(x) in B",
        .latex = R"(\\frac{"a"}{b})"},
    row{
        .call =
            "memory/states.hpp: pieces(n, share) in count",
        .evaluate = [](inputs x) { return pieces(x[0]); }},
    row{.call = "memory/states.hpp: depth(n) in 1"}};
"""


class CheckRegistry(unittest.TestCase):
    def check(self, header=HEADER, rows=ROWS, arguments=()):
        """Runs the script on a tree of one header and one table; its exit code and lines."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "gpuplan"
            for name, text in (("memory/states.hpp", header),
                               ("registry/memory_formulas.hpp", rows),
                               ("registry/formula.hpp", "constexpr int whole(double x);\n"),
                               ("report/table.hpp", "int width_of(int text);\n")):
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder, *arguments],
                                  capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()

    def test_a_sound_tree_passes(self):
        self.assertEqual(self.check(), (0, ["registry ok, 3 rows"]))

    def test_the_functions_that_need_rows_are_those_that_are_public_and_free(self):
        self.assertEqual(self.check(arguments=["--list"])[1],
                         ["memory/states.hpp: depth", "memory/states.hpp: pieces",
                          "memory/states.hpp: state_memory"])

    def test_a_function_without_a_row_fails(self):
        grown = HEADER.replace("struct part", "constexpr int ring(int n) { return n; }\nstruct part")
        self.assertEqual(self.check(header=grown),
                         (1, ["memory/states.hpp: ring has no row in registry/"]))

    def test_a_row_without_a_function_fails(self):
        shrunk = HEADER.replace("constexpr int depth(int n) { return n; }", "")
        self.assertEqual(self.check(header=shrunk),
                         (1, ["registry: depth of memory/states.hpp is no public function"]))

    def test_a_row_of_another_header_is_no_row(self):
        code, said = self.check(rows=ROWS.replace("states.hpp: state", "other.hpp: state"))
        self.assertEqual(code, 1)
        self.assertEqual(said, ["memory/states.hpp: state_memory has no row in registry/",
                                "registry: state_memory of memory/other.hpp is no public function"])

    def test_two_rows_of_one_function_fail(self):
        self.assertEqual(self.check(rows=ROWS + ROWS)[0], 1)


if __name__ == "__main__":
    unittest.main()
