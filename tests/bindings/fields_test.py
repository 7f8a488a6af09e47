"""A field of a job means the same in every question that is asked in JSON.

    fields_test.py LIBRARY
"""
import json
import sys
import unittest

import drawn
from fuzz_test import Door

LIBRARY = sys.argv[1]
QUESTIONS = ("evaluate", "fit", "plan", "scale")
# What has an effect on the model below where nothing else is asked for.
DENSE = {"model": "gpt2", "cluster": {"gpu": "H100", "gpus": 1}}
SEVERAL = {"model": "gpt2", "cluster": {"gpu": "H100", "gpus": 8}}


class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.door = Door(LIBRARY)
        cls.rows = cls.answer({"question": "evaluate", "options": {"fields": True}})

    @classmethod
    def answer(cls, request):
        return json.loads(cls.door.ask(json.dumps(request).encode()))

    def asked(self, question, base, part, fields, **options):
        request = {"question": question, **base, part: {**base.get(part, {}), **fields}}
        if question == "plan":
            options["quick"] = True
        return self.answer(request | ({"options": options} if options else {}))

    def unusual(self, row):
        """A value that is not the usual one."""
        if row["names"]:
            shown = list(row["names"])
            return shown[-1] if row["key"] != "schedule" else "gpipe"
        return True if row["kind"] == "flag" else max(2, row["least"])

    def test_what_has_no_effect_is_accepted_where_the_page_says_so(self):
        accepted = [(part, row) for part, rows in self.rows.items() if isinstance(rows, list)
                    for row in rows if row["idle"] and not row["idle_is_refused"]]
        self.assertGreater(len(accepted), 8)
        self.assertLessEqual({row["key"] for _, row in accepted}, drawn.ACCEPTED)
        for part, row in accepted:
            value = self.unusual(row)
            for question in QUESTIONS:
                with self.subTest(field=row["key"], question=question):
                    found = self.asked(question, DENSE, part, drawn.nested({row["key"]: value}))
                    self.assertNotIn("error", found)
            option = row["option"].split(",")[0][2:]
            typed = "on" if value is True else f"{value}{row['unit'] or ''}"
            with self.subTest(option=option):
                found = self.answer({"question": "fit", **DENSE, "options": {option: typed}})
                self.assertEqual(found["error"]["what"],
                                 f"{found['error']['where']} has no effect: {row['idle']}")

    def test_idle_fields_change_nothing(self):
        for part, fields in (("recipe", {"sequence_parallel": True}),
                             ("recipe", {"overlap": {"data": "on"}}),
                             ("parallelism", {"context_exchange": "ulysses"}),
                             ("workspace", {"zero_bucket_bytes": 1e9})):
            one, other = (self.asked("fit", SEVERAL, part, given) for given in (fields, {}))
            for key in ("step_time_s", "memory", "largest_micro_batch"):
                self.assertEqual(one[key], other[key], fields)
            evaluated = self.asked("evaluate", SEVERAL, part, fields)
            self.assertEqual(one["memory"], evaluated["memory"])

    def test_what_the_page_refuses_is_refused(self):
        for question in QUESTIONS:
            for fields in ({"dispatcher": "deep_ep"}, {"adapter_place": "all_linear"},
                           {"interleave_group": 2}):
                found = self.asked(question, SEVERAL, "recipe", fields)
                self.assertIn("has no effect", found["error"]["what"], (question, fields))

    def test_types_are_those_of_evaluate(self):
        for part, fields in (("cluster", {"gpus": "8"}), ("cluster", {"slowest": "1.1"}),
                             ("cluster", {"fabric": ""}), ("cluster", {"fabric": 400}),
                             ("parallelism", {"tensor": "2"}), ("parallelism", {"tensor": [1, 2]}),
                             ("recipe", {"layer_split": "12"}), ("recipe", {"dropout": "on"}),
                             ("recipe", {"layer_split": ["6", "6"]}),
                             ("recipe", {"recompute_modules": "mlp"}),
                             ("recipe", {"overlap.data": "on"}), ("recipe", {"overlap": True}),
                             ("recipe", {"sequence_parallel": "on"}), ("recipe", {"zero": 1.5}),
                             ("workspace", {"fragmentation": "0.1"})):
            [(key, _)] = fields.items()
            for question in QUESTIONS:
                with self.subTest(field=fields, question=question):
                    error = self.asked(question, SEVERAL, part, fields)["error"]
                    self.assertEqual(error["where"], f"{part}.{key}")
                    self.assertNotIn("whole number", error["what"])
                    evaluated = self.asked("evaluate", SEVERAL, part, fields)["error"]
                    if evaluated["allowed"] and key != "fabric":  # which may be an object, too
                        self.assertIn(evaluated["allowed"], error["allowed"])
        for question in ("fit", "scale", "evaluate"):
            error = self.asked(question, SEVERAL, "cluster", {"gpu": ["H100", "B200"]})["error"]
            self.assertTrue(error["what"].endswith("gpu must be a string, not an array"), error)

    def test_what_the_page_lets_searches_have(self):
        for part, fields in (("cluster", {"gpus": [4, 8]}), ("cluster", {"gpu": ["H100", "A100-80GB"]}),
                             ("parallelism", {"tensor": "any"}), ("recipe", {"schedule": "any"}),
                             ("recipe", {"zero": "any"}), ("recipe", {"sequence_parallel": "any"}),
                             ("parallelism", {"tensor": 2.0}), ("recipe", {"zero": "fsdp"})):
            self.assertNotIn("error", self.asked("plan", SEVERAL, part, fields), fields)
            if part != "cluster":
                self.assertNotIn("error", self.asked("scale", SEVERAL, part, fields), fields)

    def test_refusals_show_what_was_given(self):
        for options, what in (({"tokens": True}, "options.tokens must be a text or a number, not true"),
                              ({"tokens": [1, 2]},
                               "options.tokens must be a text or a number, not the array [1,2]"),
                              ({"tokens": []}, "options.tokens must not be empty")):
            error = self.asked("plan", SEVERAL, "cluster", {}, **options)["error"]
            self.assertEqual((error["what"], error["where"]), (what, "options.tokens"))
        error = self.asked("plan", SEVERAL, "cluster", {}, price=2)["error"]
        self.assertTrue(error["what"].startswith("options.price: 2 has no unit"), error["what"])
        error = self.answer({"question": "plan", "model": "gpt2", "cluster": {"gpu": "H100"}})["error"]
        self.assertEqual(error["what"], "cluster.gpus is required, unless options.deadline or "
                                        "options.budget is given")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
