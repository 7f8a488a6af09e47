"""The Python package, as it is installed; GPUPLAN_LIBRARY may name the library that it loads."""
import contextlib
import copy
import io
import json
import pathlib
import pickle
import tempfile
import threading
import unittest

import gpuplan

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "examples"
CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "data" / "configs"
ON = {"gpu": "H100", "gpus": 8}


class Functions(unittest.TestCase):
    def test_plan(self):
        found = gpuplan.plan("llama-3-8b", **ON, tokens="100B", top=2)
        self.assertEqual(found.schema_version, 1)
        self.assertEqual(found.inputs.cluster.gpus, 8)
        self.assertEqual(len(found.plans), 2)
        self.assertEqual(found.plans[0]["step_time_s"], found.to_dict()["plans"][0]["step_time_s"])

    def test_fit_or_not_is_an_ordinary_answer(self):
        self.assertTrue(gpuplan.fit("gpt2", **ON, parallelism={"data": 8}).fits)
        self.assertFalse(gpuplan.fit("llama-3-70b", gpu="H100").fits)

    def test_models_by_name_object_and_path(self):
        config = json.loads((CONFIGS / "qwen3-0.6b.json").read_text())
        by_name = gpuplan.model("qwen3-0.6b")
        for given in (config, CONFIGS / "qwen3-0.6b.json"):
            self.assertEqual(gpuplan.model(given).parameters, by_name.parameters)
        evaluated = [gpuplan.evaluate(given, gpu="H100").step_time_s
                     for given in ("qwen3-0.6b", config, CONFIGS / "qwen3-0.6b.json")]
        self.assertEqual(len(set(evaluated)), 1)

    def test_parts_change_the_answer(self):
        one = gpuplan.evaluate("llama-3-8b", gpu="H100", parallelism={"tensor": 8})
        two = gpuplan.evaluate("llama-3-8b", gpu="H100", parallelism={"tensor": 8},
                               recipe={"recompute": "full"})
        self.assertLess(one.step_time_s, two.step_time_s)
        self.assertEqual(two.inputs.recipe.recompute, "full")

    def test_many(self):
        requests = [{"model": "gpt2", "parallelism": {"data": n}} for n in (1, 2, 4)]
        answers = gpuplan.evaluate_many(requests)
        self.assertEqual([one.inputs.parallelism.data for one in answers], [1, 2, 4])
        requests[1] = {"model": "gpt"}
        with self.assertRaises(gpuplan.RequestError) as raised:
            gpuplan.evaluate_many(requests)
        self.assertEqual(raised.exception.where, "requests[1].model")
        self.assertIn("gpt2", raised.exception.did_you_mean)
        kept = gpuplan.evaluate_many(requests, on_error="keep")
        self.assertIsInstance(kept[1], gpuplan.RequestError)
        self.assertEqual(kept[2], answers[2])
        self.assertEqual(gpuplan.evaluate_many([]), [])

    def test_scale(self):
        found = gpuplan.scale("gpt2", gpu="H100", gpus=16)
        self.assertEqual(found.inputs.cluster.gpus, 16)

    def test_queue(self):
        self.assertTrue(gpuplan.queue(arrivals="4/h", service="10h", gpus=64).stable)

        def trace_of(jobs):
            return "submit_s,gpus,duration_s\n" + "".join(f"{i * 60},1,600\n" for i in range(jobs))

        self.assertTrue(gpuplan.queue(trace_of(120), gpus=16).stable)
        self.assertIsNone(gpuplan.queue(trace_of(50), gpus=16).stable, "too short to say")

    def test_place_from_texts_and_paths(self):
        nodes = "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\n"
        jobs = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nj0,8000,16384,4,1000\n"
        found = gpuplan.place(nodes, jobs, policy="best-fit")
        self.assertEqual(found.best, "best-fit")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "jobs.csv"
            path.write_text(jobs)
            again = gpuplan.place(nodes, path, policy="best-fit")
        self.assertEqual(again.policies, found.policies)

    def test_formula(self):
        found = gpuplan.formula("erlang_b", servers=3, offered=2)
        self.assertAlmostEqual(found.value, 4 / 19)
        self.assertGreater(len(gpuplan.formula(search="bubble").formulas), 0)

    def test_catalog(self):
        self.assertIn("accelerators", gpuplan.catalog())
        self.assertIn("H200", json.dumps(gpuplan.catalog("accelerators", "H200").to_dict()))
        with self.assertRaises(ValueError):
            gpuplan.catalog(name="H200")

    def test_explain(self):
        before = gpuplan.fit("llama-3-8b", gpu="H100", recipe={"zero": 3}, parallelism={"data": 8})
        after = gpuplan.fit("mistral-7b-v0.1", gpu="H100", recipe={"zero": 3},
                            parallelism={"data": 8})
        found = gpuplan.explain(before, after)
        self.assertEqual(found.schema_version, 1)


    def test_examples_of_the_docstrings(self):
        count = 0
        for name in gpuplan.__all__:
            for line in (getattr(gpuplan, name).__doc__ or "").splitlines():
                if line.strip().startswith(">>> ") and "Path(" not in line:
                    example = line.strip().removeprefix(">>> ")
                    exec(example, {"gpuplan": gpuplan, "found": gpuplan.fit("gpt2", **ON)})
                    count += 1
        self.assertGreaterEqual(count, 10)

    def test_the_example_of_the_pages(self):
        example = EXAMPLES / "compare_clusters.py"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.read_text(), str(example), "exec"), {"__name__": "__main__"})
        self.assertEqual(printed.getvalue(), example.with_suffix(".txt").read_text())


class Errors(unittest.TestCase):
    def refused(self, ask, *words, **options):
        with self.assertRaises(gpuplan.RequestError) as raised:
            ask(*words, **options)
        return raised.exception

    def test_a_name_comes_with_those_that_were_meant(self):
        error = self.refused(gpuplan.plan, "gpt2", gpu="H1000", gpus=8)
        self.assertEqual(error.where, "cluster.gpu")
        self.assertIn("H100", error.did_you_mean)
        self.assertIsInstance(error, ValueError)
        self.assertEqual(str(error), error.what)

    def test_a_choice_comes_with_all(self):
        error = self.refused(gpuplan.fit, "gpt2", gpu="H100", recipe={"recompute": "some"})
        self.assertEqual(error.where, "recipe.recompute")
        self.assertEqual(error.allowed, ["none", "selective", "alternate_products", "full"])

    def test_what_is_allowed_has_no_article(self):
        error = self.refused(gpuplan.fit, "gpt2", gpu="H100", parallelism={"data": "x"})
        self.assertIn("must be ", error.what)
        self.assertFalse(error.allowed.startswith(("a ", "an ")), error.allowed)

    def test_an_unknown_key(self):
        error = self.refused(gpuplan.plan, "gpt2", **ON, tokns="1T")
        self.assertEqual((error.where, error.did_you_mean), ("options.tokns", ["tokens"]))
        error = self.refused(gpuplan.plan, "gpt2", **ON, recipe={"zeroo": 3})
        self.assertEqual((error.where, error.did_you_mean), ("recipe.zeroo", ["zero"]))

    def test_an_unknown_question_or_part(self):
        error = self.refused(gpuplan.answer, {"question": "pln"})
        self.assertEqual((error.where, error.did_you_mean), ("question", ["plan"]))
        error = self.refused(gpuplan.answer, {"question": "fit", "recipes": {}})
        self.assertEqual((error.where, error.did_you_mean), ("recipes", ["recipe"]))
        self.assertIn("parallelism", error.allowed)

    def test_a_part_without_effect(self):
        error = self.refused(gpuplan.answer, {"question": "catalog", "recipe": {"zero": 1}})
        self.assertEqual(error.what, "recipe.zero has no effect on catalog")

    def test_one_option_given_twice(self):
        error = self.refused(gpuplan.fit, "gpt2", **ON, recipe={"zero": 1}, zero=1)
        self.assertIn("are one option", error.what)

    def test_what_the_machine_has_stays_unread_and_unwritten(self):
        error = self.refused(gpuplan.model, "/etc/hostname")
        self.assertIn("no such file", error.what)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/page.html"
            self.refused(gpuplan.plan, "gpt2", **ON, html=path)
            self.assertFalse(pathlib.Path(path).exists())

    def test_an_assertion(self):
        self.assertTrue(gpuplan.fit("gpt2", **ON, **{"assert": "mfu < 1"}))
        with self.assertRaises(gpuplan.AssertionFailed) as raised:
            gpuplan.fit("gpt2", **ON, **{"assert": "mfu > 1"})
        self.assertEqual(raised.exception.exit_code, 3)

    def test_no_number(self):
        with self.assertRaises(ValueError):
            gpuplan.fit("gpt2", gpu="H100", workspace={"fragmentation": float("nan")})


class Results(unittest.TestCase):
    def setUp(self):
        self.found = gpuplan.evaluate("gpt2", gpu="H100")

    def test_items_and_attributes(self):
        self.assertEqual(self.found.memory, self.found["memory"])
        self.assertIn("mfu", dir(self.found))
        self.assertIn("mfu", self.found)
        self.assertEqual(dict(self.found).keys(), self.found.to_dict().keys())
        with self.assertRaises(AttributeError) as raised:
            self.found.mfuu
        self.assertIn("mfu", str(raised.exception))
        with self.assertRaises(AttributeError):
            self.found.mfu = 1

    def test_copies(self):
        self.assertEqual(pickle.loads(pickle.dumps(self.found)), self.found)
        self.assertEqual(copy.deepcopy(self.found), self.found)

    def test_shown(self):
        self.assertIn("mfu=", repr(self.found))
        page = gpuplan.Result({"a": {"b": 1.5}, "<c>": None})._repr_html_()
        self.assertIn("a.b", page)
        self.assertIn("&lt;c&gt;", page)


class Threads(unittest.TestCase):
    def test_each_gets_its_answer(self):
        alone = {n: gpuplan.evaluate("gpt2", gpu="H100", parallelism={"data": n})
                 for n in range(1, 9)}
        wrong = []

        def ask(n):
            for _ in range(5):
                if gpuplan.evaluate("gpt2", gpu="H100", parallelism={"data": n}) != alone[n]:
                    wrong.append(n)

        threads = [threading.Thread(target=ask, args=(n,)) for n in alone]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
