#!/usr/bin/env python3
"""Worked numbers of source documents that are right there, given by formulas of the registry."""
import json
import unittest

import program

NUMBERS = json.loads((program.DATA / "worked_numbers.json").read_text())
COVERAGE = json.loads((program.DATA / "coverage.json").read_text())


class WorkedNumbers(program.ProgramTest):
    def test_each_formula_gives_the_number_to_the_precision_printed(self):
        for number in NUMBERS:
            with self.subTest(number["id"]):
                answer = self.answer("formula", *number["call"].split())
                if "term" in number:
                    answer = answer["terms"][number["term"]]
                self.assertEqual(answer["unit"].replace("byte", "B"), number["unit"])
                self.assertLessEqual(abs(answer["value"] - number["value"]),
                                     number["rel_tol"] * abs(number["value"]))

    def test_no_id_is_told_twice(self):
        ids = [number["id"] for number in NUMBERS]
        self.assertEqual(sorted(ids), sorted(set(ids)))

    def test_the_calls_are_of_rows_of_the_list_of_coverage(self):
        named = {name for row in COVERAGE["rows"] for name in row.get("formulas", [])}
        for number in NUMBERS:
            self.assertIn(number["call"].split()[0], named)


program.main()
