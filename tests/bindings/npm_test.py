"""The ES module answers as the program does: npm_test.py PROGRAM FOLDER-OF-THE-PACKAGE.

Node asks what the corpus asks; answers are compared number by number, to 1e-12.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import corpus
import native

PROGRAM, PACKAGE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
SKIPPED = 77
ASK = """
import { createInterface } from "node:readline";
const { load, RequestError } = await import(process.argv[2]);
const planner = await load();
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(planner.answer(JSON.parse(line))));
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    console.log(JSON.stringify({ error: { ...error } }));
  }
}
"""


def differences(one, other, where="answer"):
    """Where two answers differ, as a list of sentences."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one
                for found in differences(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for i, (a, b) in enumerate(zip(one, other))
                for found in differences(a, b, f"{where}[{i}]")]
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (one, other))
    if numbers and abs(one - other) <= 1e-12 * max(abs(one), abs(other)):
        return []
    return [] if one == other else [f"{where}: {one!r} and {other!r}"]


class Npm(unittest.TestCase):
    def ask(self, requests):
        """What the package answers to each."""
        with tempfile.NamedTemporaryFile("w", suffix=".mjs") as script:
            script.write(ASK)
            script.flush()
            lines = "".join(json.dumps(one) + "\n" for one in requests)
            done = subprocess.run(["node", script.name, f"{PACKAGE}/index.js"], input=lines,
                                  capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stderr, "")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(requests))
        return answers

    def test_a_thousand_answers_are_those_of_the_program(self):
        asked = corpus.everywhere()
        printed = native.printed(PROGRAM, asked, corpus.FILES)
        answers = self.ask([request for _, request in asked])
        for (_, request), answer, (code, text) in zip(asked, answers, printed, strict=True):
            with self.subTest(request=request):
                if code in (0, 4):
                    self.assertEqual(differences(answer, json.loads(text)), [])
                else:
                    self.assertEqual(corpus.without_options(answer["error"]["what"]),
                                     corpus.without_options(text))

    def test_several_evaluations_are_an_array(self):
        requests = list(corpus.evaluations())
        several, *each = self.ask([{"question": "evaluate", "requests": requests},
                                   *({"question": "evaluate", **one} for one in requests)])
        self.assertEqual([{**one, "line": 1} for one in several], each)

    def test_refusals_are_errors(self):
        errors = [one["error"] for one in self.ask([
            {"question": "plan", "model": "lama-3-8b", "cluster": {"gpu": "H100", "gpus": 8}},
            {"question": "fit", "model": "gpt2", "cluster": {"gpu": "H100"}, "recipe": {"zero": 9}},
            {"question": "queue"}, {}])]
        self.assertEqual([error["exit_code"] for error in errors], [2, 2, 2, 2])
        self.assertIn("lama-3-8b", errors[0]["what"])
        self.assertEqual(errors[1]["where"], "recipe.zero")


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("skipped: there is no node here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
