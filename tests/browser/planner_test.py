"""The planner in a browser: planner_test.py GPUPLAN PLANNER.html.

The page is opened from disk, as a user opens it.  Its answers are those of the program, its flows
work by mouse and keyboard, nothing is asked of a network, and the console stays empty.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

import browser

PROGRAM, PAGE = sys.argv[1:3]
SKIPPED = 77
ADDRESS = pathlib.Path(PAGE).resolve().as_uri()
READY = "!document.body.classList.contains('busy') && document.querySelector('#layouts table') !== null"


class Planner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = browser.Browser()
        cls.chromium.__enter__()
        cls.page = cls.chromium.page()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()

    def wait(self, condition, seconds=60):
        """Until a script says so."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            if time.monotonic() > end:
                self.fail(f"waited {seconds} s for: {condition}; the page says: "
                          + self.page.evaluate("document.querySelector('main').innerText"))
            time.sleep(0.05)

    def open(self, fragment="", width=1280, scheme="light", ready=READY):
        self.page.look(width, scheme=scheme)
        self.page.send("Page.navigate", url="about:blank")
        requests, complaints = self.page.open(ADDRESS + ("#" + fragment if fragment else ""))
        own = [url for url in requests if not url.startswith(("blob:", "data:", ADDRESS))]
        self.assertEqual(own, [])
        self.assertEqual(complaints, [])
        self.wait(ready)

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def picture(self, name):
        if folder := os.environ.get("GPUPLAN_PICTURES"):
            self.page.picture(f"{folder}/{name}.png")

    def native(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_it_answers_the_usual_question(self):
        self.open()
        self.assertIn("It fits", self.text("#verdict"))
        answer = self.native("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64")
        rows = self.page.evaluate("document.querySelectorAll('#layouts tbody tr').length")
        self.assertEqual(rows, len(answer["plans"]))
        self.assertEqual(self.text("#command"),
                         "gpuplan plan llama-3-8b --gpu H100-SXM5-80GB --gpus 64")
        self.picture("usual-1280")


    def type(self, selector, text):
        """As a user does: the input gets the focus, then the text, then says so."""
        self.page.evaluate(f"""(() => {{
          const input = document.querySelector({json.dumps(selector)});
          input.focus();
          input.value = {json.dumps(text)};
          input.dispatchEvent(new Event('input', {{bubbles: true}}));
          input.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})()""")

    def click(self, selector):
        self.page.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def say(self, condition, seconds=60):
        self.wait(f"document.querySelector('#command').textContent.includes({json.dumps(condition)})"
                  f" && {READY}", seconds)

    def assert_same(self, one, other, where="answer"):
        """Equal, numbers to 1e-12."""
        if isinstance(one, dict) and isinstance(other, dict):
            self.assertEqual(sorted(one), sorted(other), where)
            for key in one:
                self.assert_same(one[key], other[key], f"{where}.{key}")
        elif isinstance(one, list) and isinstance(other, list):
            self.assertEqual(len(one), len(other), where)
            for i, (a, b) in enumerate(zip(one, other)):
                self.assert_same(a, b, f"{where}[{i}]")
        elif isinstance(one, (int, float)) and isinstance(other, (int, float)):
            self.assertLessEqual(abs(one - other), 1e-12 * max(abs(one), abs(other)), where)
        else:
            self.assertEqual(one, other, where)

    def asked(self, requests):
        """What the module in the page answers."""
        return self.page.evaluate(f"""(async () => {{
          const answers = [];
          for (const one of {json.dumps(requests)}) answers.push(await gpuplan(one));
          return answers;
        }})()""")

    def test_evaluate_answers_as_the_program_does(self):
        self.open()
        chance = random.Random(19)
        requests = [one_layout(chance) for _ in range(200)]
        answers = self.asked([{"question": "evaluate", **one} for one in requests])
        lines = "".join(json.dumps(one) + "\n" for one in requests).encode()
        done = subprocess.run([PROGRAM, "evaluate"], input=lines, capture_output=True, timeout=120)
        native = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(native), len(answers))
        fitting = refused = 0
        for request, answer, expected in zip(requests, answers, native):
            if "error" in expected:
                refused += 1
                self.assertEqual(answer["error"]["what"], expected["error"], request)
                continue
            fitting += expected["fits"]
            expected["line"] = 1
            self.assert_same(answer, expected, json.dumps(request))
        self.assertGreater(fitting, 40)
        self.assertGreater(refused, 3)

    def test_searches_answer_as_the_program_does(self):
        self.open()
        chance = random.Random(20)
        for _ in range(12):
            request, words, code = one_search(chance)
            with self.subTest(words=" ".join(words)):
                done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, timeout=120)
                self.assertIn(done.returncode, (0, 4), done.stderr)
                self.assert_same(self.asked([request])[0], json.loads(done.stdout))


def one_layout(chance):
    """A request for evaluate; some break a rule, some are refused."""
    layout = {key: chance.choice([1, 1, 2, 4, 8]) for key in ("data", "tensor", "pipeline")}
    layout["micro_batch_size"] = chance.choice([1, 2, 4])
    if chance.random() < 0.3:
        layout["context"] = chance.choice([1, 2, 4])
    recipe = {"sequence_length": chance.choice([512, 2048, 4096, 8192]),
              "zero": chance.choice([0, 1, 2, 3]),
              "recompute": chance.choice(["none", "selective", "full"])}
    if chance.random() < 0.5:
        recipe["global_batch_size"] = layout["data"] * layout["micro_batch_size"] * chance.choice([1, 4, 16])
    if chance.random() < 0.2:
        recipe["optimizer"] = chance.choice(["adam_8bit", "sgd", "muon", "none"])
    if chance.random() < 0.2:
        recipe.update({"adapter_rank": 16, "base_weights": chance.choice(["int4", "by_precision"])})
    return {"model": chance.choice(["llama-3-8b", "gpt2-xl", "mixtral-8x7b-v0.1", "llama-3-70b",
                                    "qwen3-8b", "deepseek-v2-lite"]),
            "cluster": {"gpu": chance.choice(["H100", "A100-40GB", "H200", "B200", "MI300X"])},
            "recipe": recipe, "parallelism": layout}


def one_search(chance):
    """A request, its words, and nothing that takes long."""
    model = chance.choice(["llama-3-8b", "gpt2-xl", "llama-3.2-1b", "qwen3-4b"])
    gpu = chance.choice(["H100", "A100-80GB", "H200"])
    question = chance.choice(["plan", "plan", "scale", "fit", "model"])
    if question == "model":
        return {"question": "model", "model": model}, ["model", model], 0
    gpus, sequence = chance.choice([8, 16, 32]), chance.choice([1024, 4096])
    request = {"question": question, "model": model, "cluster": {"gpu": gpu, "gpus": gpus},
               "recipe": {"sequence_length": sequence}}
    words = [question, model, "--gpu", gpu, "--gpus", str(gpus), "--sequence", str(sequence)]
    if question == "fit":
        request["parallelism"] = {"data": gpus}
        words += ["--data", str(gpus)]
    if question == "plan" and chance.random() < 0.5:
        request["options"] = {"tokens": "1T"}
        words += ["--tokens", "1T"]
    return request, words, 0


if __name__ == "__main__":
    if browser.found() is None:
        print("skipped: there is no Chromium here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
