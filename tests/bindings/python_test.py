"""The Python package, as it is installed; GPUPLAN_LIBRARY may name the library that it loads."""
import contextlib
import copy
import dataclasses
import html
import inspect
import io
import json
import math
import pathlib
import pickle
import tempfile
import threading
import typing
import unittest

import gpuplan

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "examples"
CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "data" / "configs"
ON = {"gpu": "H100", "gpus": 8}
LOG = "".join(f" [2024-01-01 00:00:{i:02}] iteration {i:8}/ 100 | consumed samples: {128 * i:12} | "
              f"elapsed time per iteration (ms): {1000 + i:.1f} | global batch size:   128 |\n"
              for i in range(1, 10))


class Scalar:
    """As numpy has them: no number of Python, and no list, but what makes one."""

    def __init__(self, value):
        self.value = value

    def tolist(self):
        return self.value


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
        self.assertTrue(raised.exception.what.startswith("requests[1]: "))
        kept = gpuplan.evaluate_many(requests, on_error="keep")
        self.assertIsInstance(kept[1], gpuplan.RequestError)
        self.assertIn("gpt2", kept[1].did_you_mean)
        self.assertEqual(kept[2], answers[2])
        self.assertEqual(gpuplan.evaluate_many([]), [])

    def test_many_say_where_and_what_may_be_meant(self):
        kept = gpuplan.evaluate_many([{"model": "gpt2", "cluster": {"gpu": "H1000"}}, {},
                                      {"model": "gpt2", "recipe": {"recompute": "some"}}],
                                     on_error="keep")
        self.assertEqual([one.where for one in kept],
                         ["requests[0].cluster.gpu", "requests[1].model",
                          "requests[2].recipe.recompute"])
        self.assertEqual(kept[0].did_you_mean, ["H100"])
        self.assertEqual(kept[2].allowed, ["none", "selective", "alternate_products", "full"])
        whole = gpuplan.evaluate_many([5], on_error="keep")
        self.assertEqual(whole[0].where, "requests[0]")
        alone = gpuplan.evaluate_many([{"model": "gpt2"}])[0]
        for level in (2, "x"):
            with self.assertRaises(gpuplan.RequestError) as raised:
                gpuplan.evaluate_many([{"model": "gpt2"}], level=level)
            self.assertEqual(raised.exception.where, "options.level")
        self.assertEqual(gpuplan.evaluate_many([alone.inputs]), [alone], "an echo is a request")

    def test_many_keep_what_is_no_json(self):
        circle = {"model": "gpt2"}
        circle["recipe"] = circle
        odd = [{"model": "gpt2", "cluster": {"slowest": math.nan}}, {"model": object()},
               {"model": "gpt2", "recipe": {"zero": {1, 2}}}, {("gpt2",): 1}, circle]
        good = {"model": "gpt2"}
        kept = gpuplan.evaluate_many([good, *(one for bad in odd for one in (bad, good))],
                                     on_error="keep")
        self.assertEqual(len(kept), 1 + 2 * len(odd))
        for index, one in enumerate(kept):
            if index % 2 == 0:
                self.assertEqual((one.mfu, one.line), (kept[0].mfu, index + 1))
                continue
            self.assertIsInstance(one, gpuplan.RequestError)
            self.assertTrue(one.where.startswith(f"requests[{index}]"), one.where)
            self.assertIn(f"requests[{index}]", one.what)
            self.assertEqual(one.exit_code, 2)
        self.assertEqual(kept[1].where, "requests[1].cluster.slowest")
        self.assertIsInstance(gpuplan.evaluate_many(odd[:1], on_error="keep")[0],
                              gpuplan.RequestError)
        for bad, raised in zip(odd, (gpuplan.RequestError, TypeError, TypeError, TypeError)):
            with self.assertRaises(raised):
                gpuplan.evaluate_many([good, bad])

    def test_many_are_those_of_an_iterable_of_any_length(self):
        count = 2 * gpuplan.MANY + 1
        answers = gpuplan.evaluate_many(({"model": "gpt2" if i % gpuplan.MANY else "gpt"}
                                         for i in range(count)), on_error="keep")
        self.assertEqual(len(answers), count)
        self.assertEqual([i for i, one in enumerate(answers) if isinstance(one, Exception)],
                         [0, gpuplan.MANY, 2 * gpuplan.MANY])
        self.assertEqual(answers[gpuplan.MANY].where, f"requests[{gpuplan.MANY}].model")
        self.assertEqual(answers[gpuplan.MANY + 1].line, gpuplan.MANY + 2)
        for wrong in ("gpt2", {"model": "gpt2"}):
            with self.assertRaises(TypeError):
                gpuplan.evaluate_many(wrong)

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
        self.assertEqual(gpuplan.formula("erlang_b", servers=3, offered=2, service=None), found,
                         "None counts as absent")
        with self.assertRaisesRegex(gpuplan.RequestError, "needs offered_load"):
            gpuplan.formula("erlang_b", servers=3, offered=None)

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

    def test_a_gpu_beside_a_pool(self):
        pool = [{"gpu": "H100", "gpus": 4}, {"gpu": "A100-80GB", "gpus": 4}]
        layout = {"data": 8}
        self.assertTrue(gpuplan.evaluate("gpt2", cluster=pool, parallelism=layout).fits)
        for beside in ({"gpu": "H100"}, {"gpus": 8}):
            for cluster in (pool, tuple(pool), []):
                error = self.refused(gpuplan.evaluate, "gpt2", cluster=cluster, **beside)
                self.assertEqual(error.where, "cluster")
                self.assertIn(f"give {[*beside][0]} or a pool", error.what)
        for cluster in ("H100", 8, object()):
            error = self.refused(gpuplan.fit, "gpt2", gpu="H100", cluster=cluster)
            self.assertEqual(error.where, "cluster")
            self.assertIn("must be a dictionary beside gpu", error.what)

    def test_a_whole_request_that_is_none(self):
        for whole in ("null", "[]", "5", '"plan"'):
            error = self.refused(gpuplan.answer, whole)
            self.assertEqual(error.where, "request")
            self.assertIn("must be a JSON object", error.what)

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
        for value in (float("nan"), float("inf"), Scalar(float("nan"))):
            workspace = {"fragmentation": value}
            error = self.refused(gpuplan.fit, "gpt2", gpu="H100", workspace=workspace)
            self.assertEqual(error.where, "workspace.fragmentation")
        many = [{"model": "gpt2"}, {"model": "gpt2", "recipe": {"zero": math.nan}}]
        error = self.refused(gpuplan.evaluate_many, many)
        self.assertEqual(error.where, "requests[1].recipe.zero")

    def test_what_json_has_not(self):
        for odd in (object(), {1, 2}, b"x", pathlib.Path("x")):
            with self.assertRaises(TypeError):
                gpuplan.fit("gpt2", gpu="H100", recipe={"zero": odd})

    def test_numbers_of_numpy(self):
        plain = gpuplan.fit("gpt2", **ON, recipe={"dropout": True}, parallelism={"data": 8},
                            level=0.5)
        numpy = gpuplan.fit("gpt2", gpu="H100", gpus=Scalar(8), recipe={"dropout": Scalar(True)},
                            parallelism={"data": Scalar(8)}, level=Scalar(0.5))
        self.assertEqual(numpy, plain)

    def test_a_dataclass_is_its_fields(self):
        @dataclasses.dataclass
        class Nodes:
            gpus_per_node: int = 4
            gpu_memory_bytes: object = None

        by_name = gpuplan.evaluate("gpt2", gpu="H100", cluster={"gpus_per_node": 4})
        self.assertEqual(gpuplan.evaluate("gpt2", gpu="H100", cluster=Nodes()), by_name)
        alone = gpuplan.evaluate("gpt2", cluster=Nodes())
        self.assertEqual(alone.inputs.cluster.gpus_per_node, 4)
        error = self.refused(gpuplan.evaluate, "gpt2", cluster=Nodes(gpu_memory_bytes=math.inf))
        self.assertEqual(error.where, "cluster.gpu_memory_bytes")
        with self.assertRaises(TypeError):
            gpuplan.evaluate("gpt2", cluster=Nodes)

    def test_a_name_that_python_keeps(self):
        with self.assertRaises(gpuplan.AssertionFailed):
            gpuplan.fit("gpt2", **ON, assert_="mfu > 1")

    def test_a_path_as_text_is_no_path(self):
        error = self.refused(gpuplan.queue, "trace.csv", gpus=8)
        self.assertEqual(error.where, "options.trace")
        self.assertIn("pathlib.Path", error.what)

    def test_a_config_that_is_no_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text("{")
            for ask in (gpuplan.evaluate, gpuplan.model):
                self.assertIn("is not JSON", self.refused(ask, path).what)

    def test_copies(self):
        error = self.refused(gpuplan.plan, "gpt2", gpu="H1000", gpus=8)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), vars(again), str(again)),
                         (type(error), vars(error), str(error)))


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
        for found in (self.found, self.found.memory, gpuplan.scale("gpt2", gpu="H100", gpus=2)):
            pickled = pickle.loads(pickle.dumps(found))
            for again in (pickled, copy.copy(found), copy.deepcopy(found)):
                self.assertEqual(again, found)
                self.assertIs(type(again), type(found))
                self.assertEqual(again._repr_html_(), found._repr_html_())

    def test_equal_is_what_holds_the_same(self):
        self.assertEqual(self.found, self.found.to_dict())
        self.assertEqual(self.found.to_dict(), self.found)
        self.assertNotEqual(self.found, gpuplan.evaluate("gpt2", gpu="A100-80GB"))
        self.assertNotEqual(self.found, 5)

    def test_it_does_not_change(self):
        self.found.to_dict()["memory"]["stages"].clear()
        self.found.memory.stages.clear()
        self.assertEqual(len(self.found.memory.stages), 1)
        with self.assertRaises(AttributeError):
            del self.found.mfu

    def test_a_misspelt_member_comes_with_that_which_was_meant(self):
        with self.assertRaises(AttributeError) as raised:
            self.found.step_times
        self.assertIn("did you mean step_time_s", str(raised.exception))
        with self.assertRaises(KeyError) as raised:
            self.found.rows("memory.device")
        self.assertIn("memory.device_bytes", str(raised.exception))
        self.assertFalse(hasattr(self.found, "_repr_png_"))

    def test_shown(self):
        self.assertIn("mfu=", repr(self.found))
        self.assertIn(" to ", self.found._repr_html_())
        page = gpuplan.Result({"a": {"b": 1.5}, "<c>": None})._repr_html_()
        self.assertIn("a.b", page)
        self.assertIn("&lt;c&gt;", page)


class Kinds(unittest.TestCase):
    """Each question has a class of its own."""

    @classmethod
    def setUpClass(cls):
        nodes = "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\n"
        jobs = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nj0,8000,16384,4,1000\n"
        one, other = (gpuplan.evaluate("gpt2", gpu=gpu) for gpu in ("H100", "A100-80GB"))
        cls.found = {
            "plan": gpuplan.plan("llama-3-8b", **ON, tokens="1B", top=3),
            "fit": gpuplan.fit("llama-3-70b", **ON),
            "model": gpuplan.model("mixtral-8x7b-v0.1"),
            "evaluate": one,
            "scale": gpuplan.scale("gpt2", gpu="H100", gpus=8),
            "queue": gpuplan.queue(arrivals="4/h", service="10h", gpus=64),
            "place": gpuplan.place(nodes, jobs, policy="all"),
            "calibrate": gpuplan.calibrate(LOG),
            "formula": gpuplan.formula("erlang_b", servers=3, offered=2),
            "catalog": gpuplan.catalog("models"),
            "explain": gpuplan.explain(one, other),
            "collective": gpuplan.collective("all-reduce", bytes="1GB", **ON)}

    def test_classes(self):
        for question, found in self.found.items():
            self.assertEqual(type(found).__name__, question.capitalize() + "Result")
            self.assertIs(getattr(gpuplan, type(found).__name__), type(found))
            self.assertIsInstance(found, gpuplan.Result)
            hints = typing.get_type_hints(type(found))
            self.assertLessEqual(found.keys() - {"schema_version"}, hints.keys(), question)
            self.assertIn(type(found).__name__,
                          inspect.signature(getattr(gpuplan, question)).return_annotation)
            for member in hints.keys() & found.keys():
                self.assertIn(member, type(found).__doc__)
                self.assertIn(member, dir(found))

    def test_members_have_the_annotated_types(self):
        for question, found in self.found.items():
            for name, annotated in typing.get_type_hints(type(found)).items():
                if name not in found or annotated is typing.Any:
                    continue
                kinds = [typing.get_origin(one) or one
                         for one in typing.get_args(annotated) or [annotated]]
                if typing.get_origin(annotated) is list:
                    kinds = [list]
                kinds += [int] * (float in kinds)
                self.assertIsInstance(found[name], tuple(kinds), (question, name))

    def test_shown_in_one_or_two_lines(self):
        for question, found in self.found.items():
            self.assertTrue(repr(found).startswith(type(found).__name__ + "("), question)
            self.assertLess(len(repr(found)), 200, question)
        self.assertIn("step_time_s=", repr(self.found["plan"]))
        self.assertIn(" to ", repr(self.found["plan"]), "its range")
        self.assertIn("fits=False, reason=memory", repr(self.found["fit"]))

    def test_rows(self):
        counts = {"plan": 3, "fit": 1, "model": len(self.found["model"].components), "evaluate": 1,
                  "scale": 4, "queue": len(self.found["queue"].policies),
                  "place": len(self.found["place"].policies), "calibrate": 1, "formula": 1,
                  "catalog": len(self.found["catalog"].models),
                  "explain": len(self.found["explain"].step_time.terms)
                  + len(self.found["explain"].memory.terms), "collective": 1}
        for question, found in self.found.items():
            rows = found.rows()
            self.assertEqual(len(rows), counts[question], question)
            for row in rows:
                for key, value in row.items():
                    self.assertNotIsInstance(value, (gpuplan.Result, dict) if value else str, key)
        best = self.found["plan"].plans[0]
        self.assertEqual(self.found["plan"].rows("parallelism.data", "mfu")[0],
                         {"parallelism.data": best.parallelism.data, "mfu": best.mfu})
        self.assertEqual(self.found["scale"].rows("gpus"), [{"gpus": n} for n in (1, 2, 4, 8)])
        self.assertEqual({row["of"] for row in self.found["explain"].rows()},
                         {"step_time", "memory"})
        self.assertEqual(gpuplan.plan("llama-3-70b", gpu="H100", gpus=1).rows(), [])
        kinds = {row["kind"] for row in gpuplan.catalog().rows()}
        self.assertIn("accelerators", kinds)
        self.assertIn("field", gpuplan.catalog("accelerators", "H200").rows()[0])
        self.assertEqual(gpuplan.formula("erlang_b").rows()[0]["name"], "servers")
        self.assertGreater(len(gpuplan.formula(search="bubble").rows()), 1)

    def test_pages_are_those_of_the_program(self):
        for question in ("plan", "scale", "queue", "place", "explain"):
            page = self.found[question].to_html()
            self.assertTrue(page.startswith("<!DOCTYPE html>"), question)
            self.assertIn("<svg", page)
            shown = self.found[question]._repr_html_()
            self.assertTrue(shown.startswith("<iframe srcdoc="))
            self.assertIn(html.escape(page), shown)
            self.assertIs(self.found[question].to_html(), page, "kept")
        for question in ("fit", "model", "evaluate", "formula", "catalog", "collective"):
            self.assertTrue(self.found[question]._repr_html_().startswith("<table>"), question)
            self.assertFalse(hasattr(self.found[question], "to_html"))

    def test_a_page_is_of_what_was_asked_then(self):
        cluster = {"gpu": "H100", "gpus": 2}
        found = gpuplan.scale("gpt2", cluster=cluster)
        cluster["gpus"] = 8
        self.assertEqual(found.to_html(), gpuplan.scale("gpt2", gpu="H100", gpus=2).to_html())

    def test_a_launch_has_no_page(self):
        found = gpuplan.plan("llama-3-8b", **ON, emit="torchtitan", quick=True)
        self.assertIn("[parallelism]", found.launch)
        self.assertTrue(found._repr_html_().startswith("<table>"))


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
