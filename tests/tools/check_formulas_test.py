#!/usr/bin/env python3
"""A formula that was split or joined, planted in a header, fails check_formulas.py in one line."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

HONEST = [  # comments that pass
    r"""
/// Ring all-reduce: reduce-scatter, then all-gather.
///
///     T = 2 (p - 1) alpha  +  2 (p - 1)/p  m / W
///
///     p      ranks                           count, >= 1
///     m      bytes to reduce, on each rank,  B, >= 0
///            its own piece included
///     alpha  link.latency                    s
///
/// Source: P. Patarasuk and X. Yuan.
///
/// \throws invalid_input if ranks < 1, message < 0 B, reduction < 0 s/B, or the link, which is the
///         first argument, is invalid
""",
    r"""
/// Formulas on lines of their own, a sum on two, a chain of equalities, and cases.
///
///     T(x) = lambda sum_i E X_i^2 / (2 (1 - rho_old) (1 - rho_new(w)))
///            + integral_0^x da / (1 - rho_new(r_x(a)))
///     rho = T_shared / T_alone = (t + Q / f) / (t_alone + Q / f_alone)
///     P   = p_1                             for c_a^2 >= 1, c <= 6 or g <= 1/2
///     P   = c_a^2 p_1 + (1 - c_a^2) Q(g)    for c_a^2 < 1, c > 6 and g >= 1
///     U = 1/(T C) integral over T of busy(t) dt = sum gpus_j |[start_j, end_j) with T| / (T C)
""",
    r"""
/// A table with a head, and one of numbers that end under each other.
///
///                  up     down
///     optimizer    -      -
///     activations  -      f A
///
///     adam      13    m = a m + (1 - a) g
///     lion       9    sign(a m + (1 - a) g)
""",
    r"""
/// Reads one of these:
///
///   - the text of torch.cuda.memory_summary(), whole or abbreviated, among other lines; of several
///     the last
///   - its JSON
///
/// - A price may have a suffix as counts have.  Elsewhere a number alone is refused, and so is
///   one that no double holds.
""",
    r"""
// A plain comment, and code that is indented, are no formulas:
    constexpr int a = (
        1);
""",
]

PLANTED = [  # comment, the line of it that is named, a word that the fault says
    ("a formula cut at the column limit", r"""
/// Priority.
///
///     W_k = R / ((1 - s_(k-1)) (1 - s_k)),   R = sum_j lambda_j E S_j^2 / 2,   s_k = sum_(j<=k)
///     rho_j
""", 5, "continues the line above"),
    ("an open parenthesis", r"""
/// By roots.
///
///     L_q = sum 1 / (1 - z) - (c (c-1) - a^2) / (2 (c - a)),   P(wait) = 1 - (c - a) / prod (1 -
///     z)
""", 4, "brackets do not match"),
    ("a continuation that lost its indentation", r"""
/// Priority.
///
///     W_k = R / ((1 - s_(k-1)) (1 - s_k)),   R = sum_j lambda_j E S_j^2 / 2,
/// s_k = sum_(j<=k) rho_j
""", 5, "lost its indentation"),
    ("an operator at the end", r"""
/// Whitt.
///
///     phi = 4 (c_a^2 - c_s^2) phi_1 +
///     c_s^2 Psi
""", 4, "ends in an operator"),
    ("a relation at the end", r"""
/// Whitt.
///
///     phi = 4 c_a^2          for c_a^2 >=
///     c_s^2  of spread
""", 4, "ends in an operator"),
    ("two formulas joined", r"""
/// Whitt.
///
///     p_4 = C Q(y) / Q(2 y) p_5 = C Q(3 y) / Q(y)
""", 4, "two formulas in one line"),
    ("a formula joined to the power before", r"""
/// Whitt.
///
///     p_4 = 1 - c_a^2 g = (c - a - 1/2) / sqrt(a z)
""", 4, "two formulas in one line"),
    ("a symbol cut at the column limit", r"""
/// Bandwidth.
///
///     W_disk, W_network  disk, network   B/s, > 0
///     F                  access_factor: what the order of access leaves, 1 if in sequence   1, 0
///     to 1
""", 6, "continues the line above"),
    ("a symbol joined to the next", r"""
/// Bandwidth.
///
///     W_disk, W_network  disk, network                       B/s, > 0
///     F                  access_factor, 1 if in sequence     1, 0 to 1
///     one     m    bytes
""", 6, "second column"),
    ("a formula that is not set off from the text", r"""
/// Hockney's time of a message.
///     T = alpha + m / W
""", 3, "set off"),
    ("an item of a list", r"""
/// Reads one of these:
///
///   - json.dumps of torch.cuda.memory_snapshot() or of memory._snapshot(): its segments say what
///   is
///     now
""", 5, "continues an item of a list"),
    ("a command", r"""
/// Reads a profile.
///
/// \throws invalid_input of one line that names `where` and the field or the line, if it is no
/// JSON,
///         of another schema
""", 5, r"continues \throws"),
]


class CheckFormulas(unittest.TestCase):
    def check(self, text):
        """Runs the script on a folder of one header; its exit code and lines."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "planted.hpp").write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_honest_comments_pass(self):
        for comment in HONEST:
            with self.subTest(comment=comment):
                self.assertEqual(self.check(comment), (0, ["formulas ok"]))

    def test_comments_of_members_are_read_too(self):
        code, lines = self.check("struct s {\n  /// Half.\n  ///\n  ///     x = (1 -\n};\n")
        self.assertEqual((code, len(lines)), (1, 1), lines)

    def test_each_damage_fails_where_it_is(self):
        for name, comment, line, says in PLANTED:
            with self.subTest(name):
                code, lines = self.check(comment)
                self.assertEqual(code, 1)
                self.assertTrue(lines[0].startswith(f"planted.hpp:{line}: "), lines)
                self.assertIn(says, lines[0])


if __name__ == "__main__":
    unittest.main()
