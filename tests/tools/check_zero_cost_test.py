#!/usr/bin/env python3
"""A formula on quantities that does more work than its twin fails check_zero_cost.py, by name.

    check_zero_cost_test.py SCRIPT COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, COMPILER = sys.argv[1:3]
del sys.argv[1:3]
SKIPPED = 77

TWINS = """extern "C" {
struct length { double value; };
length typed_sum(length a, length b) { return {a.value + b.value}; }
double raw_sum(double a, double b) { return a + b; }
length typed_fold(const length* x, int n) {
  length sum{0};
  for (int i = 0; i < n; ++i) sum.value += x[i].value;
  return sum;
}
double raw_fold(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
}
"""


def checked(text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "formulas.cpp"
        source.write_text(text)
        ran = subprocess.run([sys.executable, SCRIPT, COMPILER, folder, source],
                             capture_output=True, text=True)
        if ran.returncode == SKIPPED:
            raise unittest.SkipTest(ran.stdout)
        return ran.returncode, ran.stdout + ran.stderr


class CheckZeroCost(unittest.TestCase):
    def test_twins_pass(self):
        code, printed = checked(TWINS)
        self.assertEqual(code, 0, printed)
        self.assertIn("2 of 2", printed)

    def test_more_work_fails(self):
        kinds = {
            "an operation": ("{a.value + b.value}", "{a.value + b.value * b.value}"),
            "a store": ("{ return {a.value + b.value}; }",
                        "{ volatile double kept = a.value + b.value; return {kept}; }"),
            "a call": ("{ return {a.value + b.value}; }",
                       "{ void log(); log(); return {a.value + b.value}; }"),
            "a branch": ("sum.value += x[i].value", "if (x[i].value > 0) sum.value += x[i].value"),
        }
        for kind, (honest, dear) in kinds.items():
            with self.subTest(kind):
                self.assertIn(honest, TWINS)
                code, printed = checked(TWINS.replace(honest, dear))
                self.assertEqual(code, 1, printed)
                self.assertIn("typed_", printed)
                self.assertIn("1 of 2", printed)

    def test_a_hidden_copy_fails(self):
        # A copy constructor of one's own sends each argument through memory.
        copied = TWINS.replace("{ double value; }",
                               "{ double value; length(double v) : value{v} {}"
                               " length(const length& x) : value{x.value} {} }")
        code, printed = checked(copied)
        self.assertEqual(code, 1, printed)
        self.assertIn("typed_sum", printed)

    def test_a_formula_without_a_twin_fails(self):
        code, printed = checked(TWINS.replace("raw_sum", "sum"))
        self.assertNotEqual(code, 0)
        self.assertIn("typed_sum has no raw_sum", printed)

    def test_a_file_without_formulas_fails(self):
        code, printed = checked("int nothing;\n")
        self.assertNotEqual(code, 0)
        self.assertIn("no function", printed)


if __name__ == "__main__":
    unittest.main()
