"""docs/schema/answer_*.json take the answers of the library, and refuse what no answer is.

    answer_schema_test.py LIBRARY
"""
import copy
import json
import os
import pathlib
import sys
import unittest

import corpus
import drawn

os.environ["GPUPLAN_LIBRARY"] = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
import gpuplan._library as library  # noqa: E402: it loads the library that is named above

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = ROOT / "docs" / "schema"


def answer_to(request):
    return json.loads(library.answer_text(json.dumps(request)))


def finite(text):
    raise AssertionError(f"an answer has {text}")


@unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
class AnswerSchema(unittest.TestCase):
    def setUp(self):
        self.validators = {}
        for path in FOLDER.glob("answer_*.json"):
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            self.validators[path.stem.removeprefix("answer_")] = jsonschema.Draft202012Validator(schema)

    def check(self, request):
        text = library.answer_text(json.dumps(request))
        answer = json.loads(text, parse_constant=finite)
        name = "error" if "error" in answer else request["question"]
        with self.subTest(request=request):
            self.check_against(name, answer)
        return name

    def check_against(self, name, answer):
        self.assertEqual([f"{error.json_path}: {error.message[:200]}"
                          for error in self.validators[name].iter_errors(answer)], [])

    def test_every_question_has_a_schema(self):
        questions = answer_to({})["error"]["allowed"]
        self.assertEqual(sorted([*questions, "error", "launch", "line_error", "page"]),
                         sorted(self.validators))

    def test_answers_that_are_of_no_question(self):
        several = answer_to({"question": "evaluate", "requests": [
            {"model": "gpt2"}, {"model": "gpt2", "cluster": {"gpu": "H1000"}}, 5]})
        self.check_against("evaluate", several[0])
        for one in several[1:]:
            self.check_against("line_error", one)
        self.assertEqual(several[1]["error"], answer_to(
            {"question": "evaluate", "model": "gpt2", "cluster": {"gpu": "H1000"}})["error"])
        self.check_against("page", answer_to({
            "question": "queue", "options": {"arrivals": "4/h", "service": "10h", "gpus": 64,
                                             "html": True}}))

    def test_answers_of_the_corpus(self):
        """Some of each question: the shapes were made of all of them."""
        asked = [members for _, members in corpus.everywhere()][::7]
        asked += [corpus.with_files(members, corpus.FILES) for _, members in corpus.apart()
                  if members["question"] != "explain"][::2]
        self.assertGreater(len({self.check(request) for request in asked}), 9)

    def test_answers_that_the_shapes_were_not_made_of(self):
        asked = [{"question": "evaluate", **one} for one in drawn.evaluations(120, seed=20)]
        for kind, count in ((drawn.fits, 80), (drawn.plans, 12), (drawn.scales, 3), (drawn.models, 20)):
            asked += [members for _, members in kind(count, seed=20)]
        seen = [self.check(request) for request in asked]
        self.assertGreater(sum(name != "error" for name in seen), 120)

    def test_what_no_answer_is(self):
        fit = answer_to({"question": "fit", "model": "gpt2", "cluster": {"gpu": "H100"}})
        takes = self.validators["fit"].is_valid
        self.assertTrue(takes(fit))
        for path, value in ((("inputs", "recipe", "surplus"), 1), (("fits",), None), (("fits",), "yes"),
                            (("step_time_s",), "1 s"), (("memory", "stages"), {}),
                            (("inputs", "recipe", "optimizer"), "adamm"),
                            (("memory", "worst_stage_bytes"), [1])):
            with self.subTest(path=path):
                other = copy.deepcopy(fit)
                at = other
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = value
                self.assertFalse(takes(other))
        for key in ("fits", "memory", "inputs"):
            self.assertFalse(takes({name: held for name, held in fit.items() if name != key}))
        self.assertFalse(self.validators["error"].is_valid({"error": {"what": "no"}}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
