#!/usr/bin/env python3
"""make_formula_words.py reads comments as they are laid out, and tells when its table is stale."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

HEADER = r"""#pragma once
/// \file
/// Rings.
namespace gpuplan {
/// Ways to sum.
enum class way { ring, tree };  ///< two
namespace detail {
/// Not this one.
///
///     x
constexpr double ring(double p) { return p; }
}  // namespace detail
/// Ring all-reduce: reduce-scatter, then all-gather.  One rank takes no time.
///
///     T = 2 (p - 1) alpha
///         + 2 (p - 1)/p  m / W
///
///     p      ranks                              count, >= 1
///     m      message: "bytes" to reduce         B, >= 0; on each
///     alpha  start-up time, link.latency        s, >= 0
///     w      way                                one of way
///     k      kind                               one of small large
///     W      link.bandwidth                     B/s, one direction
///
/// Exact.  Holds when every rank sends at once.
///
/// Source: P. Patarasuk and X. Yuan (2009).
///
/// \throws invalid_input if ranks < 1
template <class T>
constexpr double ring(const T& link, int ranks, double message) { return 0; }

/// Half of it.
///
/// Source: as ring.
constexpr double half(int ranks) { return 0; }
}  // namespace gpuplan
"""

ROWS = r"""#pragma once
/// Their inputs.
///
///     W  bandwidth    B/s, > 0
inline constexpr std::array comm_rows{
    row{.call = "comm/ring.hpp: ring(p, m, alpha, W, w, k) in s",
        .latex = R"(2 (p - 1) \alpha)",
        .topics = "N1"},
    /// Half of a ring of two.
    ///
    ///     m / 2
    ///
    ///     m  message    B, >= 1
    ///
    /// Holds: always.
    row{.call =
            "comm/ring.hpp: half(m, W) in "
            "s"}};
inline constexpr auto comm_formulas = with_words(comm_rows, words::comm_formulas);
"""

WORDS = "include/gpuplan/registry/words.hpp"


class MakeFormulaWords(unittest.TestCase):
    def run_on(self, header=HEADER, rows=ROWS, then=(), after=None):
        """Runs the script on a tree, then with arguments once `after` has changed the tree; its
        exit code, what it said, and the words."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name, text in (("comm/ring.hpp", header), ("registry/comm_formulas.hpp", rows)):
                path = tree / "include" / "gpuplan" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for arguments in ((), then) if then else ((),):
                done = subprocess.run([sys.executable, SCRIPT, folder, *arguments],
                                      capture_output=True, text=True)
                if after and not arguments:
                    after(tree)
            words = tree / WORDS
            return (done.returncode, (done.stdout + done.stderr).splitlines(),
                    words.read_text() if words.exists() else "")

    def test_words_are_those_of_the_comments(self):
        code, said, words = self.run_on()
        self.assertEqual((code, said), (0, []))
        for text in ('.meaning = "Ring all-reduce: reduce-scatter, then all-gather"sv',
                     r'.text = "T = 2 (p - 1) alpha\n    + 2 (p - 1)/p  m / W"sv',
                     '{"p"sv, "ranks"sv, "count"sv, ">= 1"sv}',
                     r'{"m"sv, "message: \"bytes\" to reduce"sv, "B"sv, ">= 0"sv}',
                     '{"alpha"sv, "start-up time"sv, "s"sv, ">= 0"sv}',
                     '{"w"sv, "way"sv, "count"sv, "0 to 1"sv, "ring tree"sv}',
                     '{"k"sv, "kind"sv, "count"sv, "0 to 1"sv, "small large"sv}',
                     '{"W"sv, "bandwidth"sv, "B/s"sv, "> 0"sv}',
                     '.validity = "when every rank sends at once"sv',
                     '.source = "P. Patarasuk and X. Yuan (2009)"sv'):
            self.assertIn(text, words)

    def test_what_a_row_says_itself_comes_first(self):
        words = self.run_on()[2]
        for text in ('.meaning = "Half of a ring of two"sv', '.text = "m / 2"sv',
                     '{"m"sv, "message"sv, "B"sv, ">= 1"sv}', '.validity = "always"sv'):
            self.assertIn(text, words)
        self.assertEqual(words.count('.source = "P. Patarasuk and X. Yuan (2009)"sv'), 2)

    def test_a_fresh_table_passes(self):
        self.assertEqual(self.run_on(then=["--check"])[:2], (0, ["words ok"]))

    def test_a_changed_comment_a_changed_row_and_no_table_are_stale(self):
        def replace(name, old, new):
            def change(tree):
                path = tree / "include" / "gpuplan" / name
                self.assertIn(old, path.read_text())
                path.write_text(path.read_text().replace(old, new))
            return change
        for after in (replace("comm/ring.hpp", "2 (p - 1) alpha", "2 p alpha"),
                      replace("comm/ring.hpp", "count, >= 1", "count, >= 2"),
                      replace("comm/ring.hpp", "tree };", "tree, star };"),
                      replace("comm/ring.hpp", "Yuan (2009)", "Yuan (2010)"),
                      replace("registry/comm_formulas.hpp", "Half of a ring", "Part of a ring"),
                      replace("registry/comm_formulas.hpp", "half(m, W)", "half(W, m)"),
                      lambda tree: (tree / WORDS).unlink()):
            code, said, _ = self.run_on(then=["--check"], after=after)
            self.assertEqual(code, 1)
            self.assertEqual(len(said), 1, said)
            self.assertIn("run tools/make_formula_words.py", said[0])

    def test_a_table_whose_units_are_of_another_name_is_no_formula(self):
        formula = "///     T = 2 (p - 1) alpha\n///         + 2 (p - 1)/p  m / W\n"
        for table in ("///     p, m  ranks, message   samples/s, >= 0; > 0\n",
                      "///     p  ranks      elements, >= 1\n///     m  message    $/s, any\n"):
            code, said, _ = self.run_on(header=HEADER.replace(formula, table))
            self.assertEqual(code, 1)
            self.assertTrue(any("says its formula" in line for line in said), said)
        rows = ROWS.replace("    ///     m / 2\n", "    ///     m  half    elements, 1 to 2\n")
        self.assertEqual(self.run_on(rows=rows)[:2], (1, [
            "comm/ring.hpp: half: neither the row nor its function says its formula"]))

    def test_what_nobody_says_is_named(self):
        for old, new, says in (
                ("/// Source: P. Patarasuk and X. Yuan (2009).\n", "", "says its source"),
                ("Holds when every", "When every", "says its validity"),
                ("/// Ring all-reduce: reduce-scatter, then all-gather.  One", "/// \\see x  One",
                 "says its meaning"),
                ("count, >= 1", "count", "a line for p"),
                ("one of way", "one of ways", "no enumeration ways")):
            code, said, _ = self.run_on(header=HEADER.replace(old, new))
            self.assertEqual(code, 1)
            self.assertTrue(any(says in line for line in said), said)
        for old, new, strange in (("\\alpha)", "\\alpha + \\gamma m)", "gamma"),
                                  (r"2 (p - 1)", r"\frac{c \mu}{p}", "c, mu")):
            code, said, _ = self.run_on(rows=ROWS.replace(old, new))
            self.assertEqual((code, said), (1, ["comm/ring.hpp: ring: typesets " + strange +
                                                ", which its formula has not"]))
        code, said, _ = self.run_on(rows=ROWS.replace("ring.hpp: half", "ring.hpp: third"))
        self.assertEqual((code, said), (1, ["third of comm/ring.hpp has no comment"]))
        code, said, _ = self.run_on(rows=ROWS.replace(" in s\",", "\","))
        self.assertEqual(code, 1)
        self.assertIn("header: function(letters) in unit", said[0])


if __name__ == "__main__":
    unittest.main()
