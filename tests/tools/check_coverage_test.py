#!/usr/bin/env python3
"""check_coverage.py passes a sound list, and says what is wrong with each broken one."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

HEADER = """#pragma once
/// Says ring(n) in a comment.
namespace gpuplan {
struct part { double size() const { return 1; } };
inline constexpr part whole{};
constexpr double state_memory(double x) { return other_memory(x); }
}  // namespace gpuplan
"""
ROWS = """#pragma once
inline constexpr std::array memory_formulas{
    row{.call = "memory/states.hpp: state_memory(x) in B"}};
"""
PROGRAM = """#!/bin/sh
echo "$@" >>"$0.calls"
case $2 in
  state_memory) echo "state_memory   = 4 B" ;;
  wrong) echo "gpuplan: there is no wrong"; exit 2 ;;
esac
"""
HAVE = {"id": "one-states", "document": "One", "section": "1", "kind": "formula",
        "what": "memory of states", "topics": ["M1"], "formulas": ["state_memory"],
        "calls": ["memory/states.hpp: state_memory", "memory/states.hpp: part",
                  "memory/states.hpp: whole"],
        "shows": [{"command": "gpuplan formula state_memory x=4", "text": "= 4 B"}],
        "number": "one-4", "erratum": "one-5", "state": "have"}
PARTIAL = {"id": "one-half", "document": "One", "section": "1.1", "kind": "rule", "what": "a half",
           "topics": ["B1"], "calls": ["memory/states.hpp: state_memory"],
           "state": "partial", "lacks": "the other half", "in_work": "halves"}
MISSING = {"id": "one-none", "document": "One", "section": "1.1", "kind": "table", "what": "a table",
           "state": "missing", "lacks": "all of it"}
OUTSIDE = {"id": "one-history", "document": "One", "section": "2", "kind": "concept",
           "what": "history", "state": "outside", "why": "no quantity"}
SOUND = {"documents": [{"id": "One", "title": "A document",
                        "sections": [["1", "First"], ["1.1", "Part"], ["2", "Second"]]}],
         "in_work": {"halves": "the other halves"},
         "gaps_at_most": 2,
         "known_gaps": {"one-half": "the other half", "one-none": "a table"},
         "rows": [HAVE, PARTIAL, MISSING, OUTSIDE]}


class CheckCoverage(unittest.TestCase):
    def check(self, change=lambda data: None, with_program=False, header=HEADER):
        """Exit code and lines of the script on a tree whose list a function has changed."""
        data = copy.deepcopy(SOUND)
        change(data)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (("include/gpuplan/memory/states.hpp", header),
                               ("include/gpuplan/registry/memory_formulas.hpp", ROWS),
                               ("tests/data/formula_topics.txt", "# ids\nM1 memory\nB1 batch\n"),
                               ("tests/data/worked_numbers.json", '[{"id": "one-4"}]'),
                               ("tests/data/coverage.json", json.dumps(data)),
                               ("docs/errata.md", '### <a id="one-5"></a>five\n'),
                               ("program", PROGRAM)):
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            program = root / "program"
            program.chmod(0o755)
            given = ["--program", str(program)] if with_program else []
            done = subprocess.run([sys.executable, "-B", SCRIPT, folder, *given],
                                  capture_output=True, text=True)
            calls = root / "program.calls"
            self.calls = calls.read_text().splitlines() if calls.exists() else []
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def fails(self, saying, change=lambda data: None, **more):
        """One fault, in these words."""
        self.assertEqual(self.check(change, **more), (1, [saying]))

    def test_a_sound_list_passes(self):
        self.assertEqual(self.check(), (0, ["coverage ok"]))
        self.assertEqual(self.check(with_program=True), (0, ["coverage ok"]))

    def test_a_section_without_a_row_fails(self):
        self.fails("One 3 has no row",
                   lambda data: data["documents"][0]["sections"].append(["3", "Third"]))

    def test_a_row_of_no_section_fails(self):
        self.fails("One 9 is no section of a document",
                   lambda data: data["rows"].append({**OUTSIDE, "id": "one-nine", "section": "9"}))

    def test_a_topic_without_a_row_fails(self):
        self.fails("topic B1 has no row", lambda data: data["rows"][1].pop("topics"))

    def test_an_unknown_topic_fails(self):
        self.fails("topic Z9 is not in tests/data/formula_topics.txt",
                   lambda data: data["rows"][1]["topics"].append("Z9"))

    def test_an_id_of_two_rows_fails(self):
        self.fails("one-history: 2 rows have this id", lambda data: data["rows"].append(OUTSIDE))

    def test_a_formula_that_the_registry_lacks_fails(self):
        self.fails("one-states: the registry has not one formula stat_memory",
                   lambda data: data["rows"][0].update(formulas=["state_memory", "stat_memory"]))

    def test_a_formula_of_another_header_fails(self):
        self.fails("one-states: the registry has not one formula memory/other:state_memory",
                   lambda data: data["rows"][0].update(formulas=["memory/other:state_memory"]))

    def test_a_missing_header_fails(self):
        self.fails("one-half: there is no memory/other.hpp: state_memory", lambda data:
                   data["rows"][1].update(calls=["memory/other.hpp: state_memory"]))

    def test_a_function_that_is_only_used_or_told_fails(self):
        for name in ("other_memory", "ring", "size", "gone"):
            with self.subTest(name):
                self.fails(f"one-half: there is no memory/states.hpp: {name}", lambda data:
                           data["rows"][1].update(calls=[f"memory/states.hpp: {name}"]))

    def test_a_removed_function_fails(self):
        code, said = self.check(header=HEADER.replace("double state_memory", "double memory"))
        self.assertEqual(code, 1)
        self.assertIn("one-half: there is no memory/states.hpp: state_memory", said)

    def test_a_missing_example_number_or_erratum_fails(self):
        for field, value, said in (("examples", ["examples/none.cpp"], "there is no examples/none.cpp"),
                                   ("number", "one-6", "no test has the number one-6"),
                                   ("erratum", ["one-5", "one-6"], "there is no erratum one-6")):
            with self.subTest(field):
                self.fails(f"one-states: {said}",
                           lambda data: data["rows"][0].update({field: value}))

    def test_an_erratum_that_no_row_names_fails(self):
        self.fails("no row names the erratum one-5", lambda data: data["rows"][0].pop("erratum"))

    def test_a_row_that_is_there_has_a_call_and_a_command(self):
        said = "one-states: is said to be there, but names no call, or neither command nor example"
        self.fails(said, lambda data: data["rows"][0].pop("shows"))
        self.fails(said, lambda data: data["rows"][0].pop("calls"))

    def test_a_command_runs_a_formula_of_its_row(self):
        shown = {"command": "gpuplan formula other_formula x=1", "text": "1"}
        self.fails("one-states: shows other_formula, which is none of its formulas",
                   lambda data: data["rows"][0]["shows"].append(shown))

    def test_a_row_without_its_reason_fails(self):
        self.fails("one-half: is partial, but does not say what lacks",
                   lambda data: data["rows"][1].pop("lacks"))
        self.fails("one-history: is outside, but does not say why, or has a topic or a number",
                   lambda data: data["rows"][3].pop("why"))

    def test_a_formula_cannot_be_put_outside(self):
        self.fails("one-history: is outside, but does not say why, or has a topic or a number",
                   lambda data: data["rows"][3].update(topics=["B1"]))

    def test_a_missing_row_with_a_call_fails(self):
        self.fails("one-none: is missing, but names a call: it is partial", lambda data:
                   data["rows"][2].update(calls=["memory/states.hpp: state_memory"]))

    def test_an_unknown_state_kind_or_field_fails(self):
        self.fails("one-history: its state done is none of have, partial, missing, outside",
                   lambda data: data["rows"][3].update(state="done"))
        self.fails("one-history: its kind idea is none of section, concept, formula, rule, table, "
                   "number", lambda data: data["rows"][3].update(kind="idea"))
        self.fails("one-history: has a field note that nobody reads",
                   lambda data: data["rows"][3].update(note="x"))

    def test_a_gap_that_nobody_listed_fails(self):
        def change(data):
            del data["known_gaps"]["one-none"]
            data["gaps_at_most"] = 1
        self.fails("one-none is partial or missing, and no known gap", change)

    def test_a_closed_gap_must_leave_the_list(self):
        def change(data):
            data["rows"][1] = {**HAVE, "id": "one-half", "section": "1.1", "topics": ["B1"]}
        self.fails("known gap one-half is closed: remove it, and lower gaps_at_most", change)

    def test_the_list_of_gaps_neither_grows_nor_shrinks_unnoticed(self):
        self.fails("2 known gaps, and gaps_at_most is 1",
                   lambda data: data.update(gaps_at_most=1))
        self.fails("2 known gaps, and gaps_at_most is 3",
                   lambda data: data.update(gaps_at_most=3))

    def test_a_gap_says_what_is_to_be_built(self):
        self.fails("known gap one-none does not say what is to be built",
                   lambda data: data["known_gaps"].update({"one-none": ""}))

    def test_work_that_nobody_named_fails(self):
        self.fails("one-half: thirds is not in in_work",
                   lambda data: data["rows"][1].update(in_work="thirds"))
        self.fails("one-states: is there, and in work",
                   lambda data: data["rows"][0].update(in_work="halves"))

    def test_a_command_that_fails_or_prints_something_else(self):
        def shows(command, text, **more):
            return lambda data: data["rows"][0].update(
                shows=[{"command": command, "text": text, **more}])
        self.fails("one-states: 'gpuplan plan wrong' ends with exit code 2: "
                   "gpuplan: there is no wrong", shows("gpuplan plan wrong", "wrong"),
                   with_program=True)
        self.fails("one-states: 'gpuplan formula state_memory' does not print '= 5 B'",
                   shows("gpuplan formula state_memory", "= 5 B"), with_program=True)
        self.fails("one-states: 'gpuplan formula state_memory' does not print ''",
                   shows("gpuplan formula state_memory", ""), with_program=True)
        self.fails("one-states: 'rm -r x' ends with exit code None: is no command of gpuplan",
                   shows("rm -r x", "x"), with_program=True)
        self.assertEqual(self.check(shows("gpuplan plan wrong", "no  wrong", code=2),
                                    with_program=True), (0, ["coverage ok"]))

    def test_a_command_of_many_rows_runs_once(self):
        self.check(lambda data: data["rows"].append({**HAVE, "id": "one-more"}), with_program=True)
        self.assertEqual(self.calls, ["formula state_memory x=4"])


if __name__ == "__main__":
    unittest.main()
