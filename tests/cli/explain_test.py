"""gpuplan explain, from outside."""
import json
import pathlib
import pickle
import random
import re
import resource
import subprocess
import tempfile

import program
from program import ASSERT_FAILED, DONE, read_json, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GIVEN = program.DATA / "explain"
REQUEST = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 8},
           "parallelism": {"data": 2, "tensor": 4},
           "recipe": {"global_batch_size": 8, "zero": 1, "sequence_parallel": True}}
KERNEL = {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 5, "pid": 0, "args": {}}


def changed(**parts):
    """The request with other fields in its parts."""
    return {**REQUEST, **{name: {**REQUEST.get(name, {}), **fields} for name, fields in parts.items()}}


def evaluated(request):
    done = run("evaluate", stdin=json.dumps(request))
    assert done.returncode == DONE, done.stdout
    return json.loads(done.stdout)


class Explain(program.ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.a = self.file("a.json", evaluated(REQUEST))

    def file(self, name, what):
        path = self.folder / name
        if isinstance(what, bytes):
            path.write_bytes(what)
        else:
            path.write_text(what if isinstance(what, str) else json.dumps(what))
        return path

    def explain(self, b, a=None, *options):
        """The answer for B, of which the terms must sum up to the difference."""
        answer = self.answer("explain", a or self.a, b, *options)
        for part, unit in ((answer["step_time"], "_s"), (answer["memory"], "_bytes")):
            if not part or not part["terms"]:
                continue
            whole = part["difference" + unit]
            total = sum(term["difference" + unit] for term in part["terms"])
            self.assertAlmostEqual(total, whole, delta=1e-9 * abs(whole))
            self.assertAlmostEqual(part["b" + unit] - part["a" + unit], whole,
                                   delta=1e-9 * part["a" + unit])
            sizes = [abs(term["difference" + unit]) for term in part["terms"]]
            self.assertEqual(sizes, sorted(sizes, reverse=True))
            if whole:
                self.assertAlmostEqual(sum(term["share"] for term in part["terms"]), 1)
        return answer

    def test_two_answers(self):
        before, after = evaluated(REQUEST), evaluated(changed(parallelism={"data": 1, "tensor": 8}))
        answer = self.explain(self.file("b.json", after))
        self.assertAlmostEqual(answer["step_time"]["a_s"], before["step_time_s"], places=12)
        self.assertAlmostEqual(answer["step_time"]["b_s"], after["step_time_s"], places=12)
        terms = {term["term"]: term for term in answer["step_time"]["terms"]}
        self.assertEqual({name + "_s" for name in terms}, set(before["step_terms"]))
        for name, term in terms.items():
            self.assertEqual(term["a_s"], before["step_terms"][name + "_s"])
            self.assertEqual(term["b_s"], after["step_terms"][name + "_s"])
        memory = answer["memory"]
        # Terms are rounded up, so that they may exceed the total by a byte each.
        self.assertAlmostEqual(memory["a_bytes"], before["memory"]["worst_stage_bytes"], delta=25)
        self.assertAlmostEqual(memory["b_bytes"], after["memory"]["worst_stage_bytes"], delta=25)
        figures = {one["figure"]: one for one in memory["figures"]}
        for name in ("allocated", "reserved", "device"):
            self.assertEqual(figures[name]["a_bytes"], before["memory"][name + "_bytes"])
            self.assertEqual(figures[name]["b_bytes"], after["memory"][name + "_bytes"])
        inputs = {one["input"]: (one["a"], one["b"]) for one in answer["changed_inputs"]}
        self.assertEqual(inputs["parallelism.tensor"], (4, 8))
        self.assertEqual(inputs["parallelism.data"], (2, 1))
        self.assertNotIn("recipe.zero", inputs)
        cause = answer["step_time"]["terms"][0]["term"]
        self.assertIn(cause, answer["summary"][0])
        self.assertRegex(answer["summary"][0], r"^B is \S+ \S+ (slower|faster) \(")

    def test_the_summary_names_the_cause(self):
        answer = evaluated(REQUEST)
        answer["step_terms"]["data_s"] += 2
        answer["step_terms"]["optimizer_s"] += 1
        answer["step_time_s"] += 3
        b = self.file("b.json", answer)
        self.assertTrue(self.explain(b)["summary"][0].endswith(": 2 s of it is DP communication."))
        answer["step_terms"]["optimizer_s"] -= 1
        answer["step_terms"]["products_s"] = 0
        lost = evaluated(REQUEST)["step_terms"]["products_s"]
        answer["step_time_s"] = evaluated(REQUEST)["step_time_s"] + 2 - lost
        found = self.explain(self.file("b.json", answer))
        self.assertTrue(found["summary"][0].endswith(": DP communication alone accounts for 2 s."), found)
        self.assertLess(found["step_time"]["terms"][1]["share"], 0)

    def test_what_no_term_has_is_the_rest(self):
        answer = evaluated(REQUEST)
        answer["step_time_s"] += 0.25
        answer["memory"]["stages"][0]["total_bytes"] += 10**6
        found = self.explain(self.file("b.json", answer))
        for part, key, value in (("step_time", "difference_s", 0.25),
                                 ("memory", "difference_bytes", 10**6)):
            first = found[part]["terms"][0]
            self.assertEqual(first["term"], "rest")
            self.assertAlmostEqual(first[key], value, delta=25 if part == "memory" else 1e-9)

    def test_the_order_of_the_files_turns_the_signs(self):
        b = self.file("b.json", evaluated(changed(recipe={"zero": 3, "recompute": "full"})))
        there, back = self.explain(b), self.explain(self.a, b)
        for part, unit in (("step_time", "_s"), ("memory", "_bytes")):
            self.assertEqual(there[part]["difference" + unit], -back[part]["difference" + unit])
            self.assertEqual([(one["term"], one["difference" + unit]) for one in there[part]["terms"]],
                             [(one["term"], -one["difference" + unit]) for one in back[part]["terms"]])
        self.assertEqual([(one["input"], one["a"]) for one in there["changed_inputs"]],
                         [(one["input"], one["b"]) for one in back["changed_inputs"]])

    def test_equal_answers_explain_nothing(self):
        answer = self.explain(self.a)
        self.assertEqual(answer["summary"], ["A and B take the same time for a step.",
                                             "A and B hold the same memory."])
        self.assertEqual(answer["changed_inputs"], [])
        for part, unit in ((answer["step_time"], "_s"), (answer["memory"], "_bytes")):
            self.assertEqual(part["difference" + unit], 0)
            for term in part["terms"]:
                self.assertEqual((term["difference" + unit], term["share"]), (0, None))
        self.assertIn("The inputs of A and B are the same.", run("explain", self.a, self.a).stdout)

    def test_terms_of_every_kind_of_peak_sum_up_to_the_total(self):
        """Terms of other moments than the peak, and gradients that are not made yet, do not count."""
        requests = [changed(recipe={"gradients_live": "backward", "framework": "fsdp2", "zero": zero,
                                    "recompute": recompute, "loss": loss})
                    for zero in (0, 3) for recompute in ("none", "full")
                    for loss in ("in_place", "eager", "chunked")]
        requests += [changed(recipe={"gradients_live": "backward", "framework": "fsdp2", "zero": zero,
                                     "global_batch_size": 2}) for zero in (0, 2, 3)]
        requests += [changed(recipe={"sequence_length": 128, "framework": "fsdp"}),
                     changed(parallelism={"pipeline": 2, "tensor": 2}, recipe={"global_batch_size": 8})]
        moments = set()
        for request in requests:
            answer = evaluated(request)
            path = self.file("b.json", answer)
            for number, stage in enumerate(answer["memory"]["stages"], 1):
                memory = self.explain(path, path, "--stage", number)["memory"]
                self.assertAlmostEqual(memory["a_bytes"], stage["total_bytes"], delta=25)
                self.assertNotIn("rest", [term["term"] for term in memory["terms"]])
                moments.add(stage["peak_moment"])
        self.assertGreaterEqual(len(moments), 3, moments)

    def test_a_plan_is_compared_by_the_layout_that_it_chose(self):
        done = run("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8", "--batch", "8", "--json")
        plan = json.loads(done.stdout)
        answer = self.explain(self.file("plan.json", plan))
        inputs = {one["input"]: one["b"] for one in answer["changed_inputs"]}
        before = evaluated(REQUEST)["inputs"]
        self.assertEqual(plan["parallelism"], plan["inputs"]["parallelism"])
        for part in ("parallelism", "recipe"):
            for key, value in plan[part].items():
                if not isinstance(value, dict):
                    self.assertEqual(inputs.get(f"{part}.{key}", before[part][key]), value, key)
        self.assertFalse([one for one in inputs if one.startswith(("run", "searched", "by"))])

    def test_a_stage_may_be_named(self):
        b = self.file("b.json", evaluated(changed(parallelism={"pipeline": 2, "tensor": 2})))
        answer = self.explain(b, b, "--stage", "2")
        self.assertEqual((answer["memory"]["stage_a"], answer["memory"]["stage_b"]), (1, 1))
        self.refused("explain", b, self.a, "--stage", "2", saying="a.json has 1 stage, not 2")
        self.refused("explain", self.a, b, "--stage", "0", saying="--stage")

    def test_what_does_not_fit_is_said(self):
        large = self.file("large.json", evaluated(changed(parallelism={"data": 8, "tensor": 1},
                                                          recipe={"sequence_length": 8192,
                                                                  "zero": 0})))
        answer = self.explain(large)
        self.assertTrue(answer["summary"][0].startswith("B does not fit: "), answer["summary"])
        self.assertIsNotNone(answer["step_time"])
        broken = self.file("broken.json", evaluated(changed(parallelism={"data": 1, "tensor": 3})))
        for pair in ((self.a, broken), (broken, self.a), (broken, broken)):
            answer = self.explain(pair[1], pair[0])
            self.assertIn("has no time and memory to compare: ", answer["summary"][0])
            self.assertIsNone(answer["step_time"])
            self.assertIsNone(answer["memory"])
        self.assertIn("parallelism.tensor", run("explain", self.a, broken).stdout)

    def test_a_profile(self):
        answer = self.explain(GIVEN / "profile.json")
        profile = answer["profile"]
        self.assertEqual((profile["steps"], profile["device"], profile["kernels"]), (2, 0, 26))
        terms = {term["term"]: term["b_s"] for term in answer["step_time"]["terms"]}
        for name, seconds in (("products", 0.154), ("attention", 0.018), ("elementwise", 0.012),
                              ("tensor", 0.07), ("data", 0.008), ("optimizer", 0.066),
                              ("unclassified", 0.006), ("offload", 0.0003), ("idle", 0.1857)):
            self.assertAlmostEqual(terms[name], seconds, places=9, msg=name)
        self.assertAlmostEqual(answer["step_time"]["b_s"], 0.52)
        before = evaluated(REQUEST)["step_terms"]
        of_a = {term["term"]: term["a_s"] for term in answer["step_time"]["terms"]}
        self.assertAlmostEqual(of_a["idle"],
                               sum(before[k] for k in ("launch_s", "bubble_s", "stragglers_s")))
        self.assertAlmostEqual(of_a["products"],
                               sum(before[k] for k in ("products_s", "recompute_s", "ends_s")))
        self.assertEqual([one["name"][:18] for one in profile["unclassified_kernels"]],
                         ["void fused_router_"])
        busy = {term["term"]: term["busy_s"] for term in profile["terms"]}
        self.assertAlmostEqual(busy["tensor"], 0.09)
        text = run("explain", self.a, GIVEN / "profile.json").stdout
        for words in ("unclassified", "Hidden behind other work", "fused_router_v2", "idle"):
            self.assertIn(words, text)
        self.assertIsNone(answer["memory"])
        self.assertEqual(answer["summary"][2], "6 ms of B is of kernels that could not be classified.")

    def test_a_memory_trace(self):
        answer = self.explain(GIVEN / "memory.json")
        trace = answer["memory_trace"]
        self.assertEqual(trace["events"], 12)
        self.assertEqual(sum(one["bytes"] for one in trace["functions"]), trace["allocated_bytes"])
        self.assertEqual(trace["functions"][0]["function"], "__init__ (model.py)")
        self.assertEqual({one["part"] for one in trace["functions"]},
                         {"unknown", "optimizer", "backward"})
        figures = {one["figure"]: one for one in answer["memory"]["figures"]}
        self.assertEqual(figures["allocated"]["b_bytes"], trace["allocated_bytes"])
        self.assertEqual(figures["reserved"]["b_bytes"], trace["reserved_bytes"])
        self.assertNotIn("device", figures)
        terms = {term["term"]: term for term in answer["memory"]["terms"]}
        self.assertEqual(set(terms), {"optimizer", "all other terms"})
        self.assertIn("feed_forward (model.py)", run("explain", self.a, GIVEN / "memory.json").stdout)

    def test_a_pickled_snapshot_is_read_as_its_json(self):
        snapshot = json.loads((GIVEN / "memory.json").read_text())
        expected = self.explain(GIVEN / "memory.json")
        for protocol in (2, 3, 4, 5):
            path = self.folder / f"memory{protocol}.pickle"
            path.write_bytes(pickle.dumps(snapshot, protocol))
            found = self.explain(path)
            for part in ("memory", "memory_trace", "summary"):
                self.assertEqual(found[part], expected[part])
            told = [json.loads(run("calibrate", name, "--json").stdout)["logs"][0]
                    for name in (path, GIVEN / "memory.json")]
            for log in told:
                log.pop("file")
            self.assertEqual(told[0], told[1])

    def test_frames_that_events_share_are_read_once(self):
        """As PyTorch makes them: each event has a list of its own, of frames that others have too."""
        frames = [{"name": f"f{i}", "filename": "/torch/x.py", "line": i} for i in range(50)]
        frames += [{"name": "step", "filename": "/me/train.py", "line": 1}]
        kept, trace, address = {}, [], 0
        for i in range(20000):
            name = {"name": f"layer{i % 7}", "filename": "/me/model.py", "line": i % 7}
            shared = kept.setdefault(i % 7, name)
            trace.append({"action": "alloc", "addr": address, "size": 4096, "frames":
                          [*frames[:50], shared, *frames[50:]]})
            address += 4096
        snapshot = {"segments": [{"device": 0, "address": 0, "total_size": address, "blocks": [
            {"size": address, "state": "inactive"}]}], "device_traces": [trace]}
        short, whole = self.folder / "shared.pickle", self.folder / "shared.json"
        short.write_bytes(pickle.dumps(snapshot))
        whole.write_text(json.dumps(snapshot))
        self.assertLess(20 * short.stat().st_size, whole.stat().st_size)
        self.assertEqual(self.explain(short)["memory_trace"], self.explain(whole)["memory_trace"])

    def test_both_sides_may_be_pipes(self):
        expected = self.explain(GIVEN / "memory.json")["memory"]
        snapshot = self.folder / "pipe.pickle"
        snapshot.write_bytes(pickle.dumps(json.loads((GIVEN / "memory.json").read_text())))
        line = 'exec "$0" explain <(cat "$1") <(cat "$2") --json'
        done = subprocess.run(["bash", "-c", line, program.PROGRAM, self.a, snapshot],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(json.loads(done.stdout)["memory"], expected)

    def test_plain_numbers_and_statistics(self):
        answer = self.explain(GIVEN / "measured.json")
        self.assertEqual(answer["step_time"]["b_s"], 0.52)
        self.assertEqual(answer["memory"]["b_bytes"], 30.5e9)
        self.assertEqual([one["figure"] for one in answer["memory"]["figures"]],
                         ["allocated", "reserved"])
        for name, figure in (("max_allocated_bytes", "allocated"), ("device_bytes", "device"),
                             ("max_reserved_bytes", "reserved"), ("allocated_bytes", "allocated")):
            figures = self.explain(self.file("one.json", {name: 3e10}))["memory"]["figures"]
            self.assertEqual([(one["figure"], one["b_bytes"]) for one in figures], [(figure, 3e10)])
        self.refused("explain", self.a, self.file("two.json", {"max_allocated_bytes": 3e10,
                                                               "peak_memory_bytes": 3e10}),
                     saying="peak_memory_bytes is max_allocated_bytes by another name")
        statistics = self.file("stats.json", {"allocated_bytes.all.peak": 10**9,
                                              "reserved_bytes.all.peak": 2 * 10**9})
        answer = self.explain(statistics)
        self.assertEqual(answer["memory"]["b_bytes"], 10**9)
        self.assertIsNone(answer["step_time"])
        summary = self.file("summary.txt", "PyTorch CUDA memory summary, device ID 0\n"
                            "| Allocated memory | 1 MiB | 4096 MiB | 1 MiB | 1 MiB |\n"
                            "| GPU reserved memory | 1 MiB | 8192 MiB | 1 MiB | 1 MiB |\n")
        figures = self.explain(summary)["memory"]["figures"]
        self.assertEqual([one["b_bytes"] for one in figures], [2**32, 2**33])

    def test_a_measurement_is_held_against_the_range(self):
        def within(**known):
            return {"step_time": None, "allocated_memory": None, "reserved_memory": None,
                    "device_memory": None} | known
        answer = evaluated(REQUEST)
        low, high = answer["step_time_low_s"], answer["step_time_high_s"]
        memory = answer["memory"]
        for step, word, inside in ((low * 0.99, "below", False), (low * 1.01, "within", True),
                                   (high * 0.99, "within", True), (high * 1.01, "above", False)):
            found = self.explain(self.file("b.json", {"step_time_s": step}))
            self.assertIn(f"It is {word} the ", found["summary"][1])
            self.assertEqual(found["within_range"], within(step_time=inside))
        for figure, words in (("allocated", "Its tensors are"), ("reserved", "What it reserves is"),
                              ("device", "It is")):
            for end, factor, where in (("low", 0.99, "below"), ("low", 1.01, "within"),
                                       ("high", 0.99, "within"), ("high", 1.01, "above")):
                size = memory[f"{figure}_{end}_bytes"] * factor
                found = self.explain(self.file("b.json", {f"{figure}_bytes": size}))
                self.assertEqual(found["within_range"],
                                 within(**{f"{figure}_memory": where == "within"}))
                self.assertIn(f"{words} {where} the ", found["summary"][1])
        # A snapshot of memory, too.
        found = self.explain(GIVEN / "memory.json")
        inside = {f"{one['figure']}_memory": memory[f"{one['figure']}_low_bytes"] <= one["b_bytes"]
                  <= memory[f"{one['figure']}_high_bytes"] for one in found["memory"]["figures"]}
        self.assertEqual(set(inside), {"allocated_memory", "reserved_memory"})
        self.assertEqual(found["within_range"], within(**inside))
        self.assertEqual(self.explain(self.a)["within_range"], within())

    def test_the_help_asserts_what_the_answer_has(self):
        collective = ("collective", "all-reduce", "--bytes", "1GB", "--gpu", "H100", "--gpus", 16)
        calibrate = ("calibrate", program.DATA / "runs" / "synthetic_steps_h100.csv", "--model",
                     "llama-3-8b", "--gpu", "H100", "--layout",
                     "zero=1 sequence_length=4096 recompute=full")
        place = ("place", "--nodes", ROOT / "docs/data/nodes.csv", "--jobs",
                 ROOT / "docs/data/day.csv")
        for words in (collective, place, calibrate, ("model", "gpt2"),
                      ("explain", self.a, GIVEN / "measured.json")):
            text = " ".join(run(words[0], "--help").stdout.split())
            examples = re.search(r"unless this holds of the answer, as '(.*?)' or '(.*?)'", text)
            for example in examples.groups():
                done = run(*words, "--assert", example)
                self.assertIn(done.returncode, (DONE, ASSERT_FAILED), done.stderr)
            done = run(*words, "--assert", "bogus_key < 10min")
            self.assertEqual(done.returncode, program.USAGE)
            self.assertIn("bogus_key", done.stderr)

    def test_a_step_of_no_time_is_refused(self):
        for step in (0, 1e-300, -1):
            self.refused("explain", self.a, self.file("b.json", {"step_time_s": step}),
                         saying=("step_time_s", "1e-9"))

    def test_a_profile_of_the_cluster_is_an_input(self):
        profile = self.file("cluster.json", {"schema": "gpuplan-profile", "version": 2,
                                             "memory_bandwidth_bytes_per_s": 2e12})
        fit = ("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--json")
        a = self.file("without.json", json.loads(run(*fit).stdout))
        b = self.file("with.json", json.loads(run(*fit, "--profile", profile).stdout))
        changes = {one["input"]: one["b"] for one in self.explain(b, a)["changed_inputs"]}
        self.assertIn("cluster.json", changes["profile"])
        found = self.explain(b, a)
        self.assertEqual((found["inputs"]["a"]["profile"], found["inputs"]["b"]["profile"]),
                         (None, str(profile)))
        one_of_them = [line for line in found["summary"] if "made" in line]
        self.assertEqual(len(one_of_them), 1)
        for words in (f"with the profile {profile}", "without a profile"):
            self.assertIn(words, one_of_them[0])
        # With a measurement the profile of the answer is named; of one profile nothing is said.
        measured = self.explain(GIVEN / "measured.json", b)["summary"]
        self.assertIn(f"A was made with the profile {profile}.", measured)
        self.assertNotIn("made with", " ".join(self.explain(b, b)["summary"]))
        self.assertNotIn("made with", " ".join(self.explain(GIVEN / "measured.json", a)["summary"]))
        # The same file with other rates is another profile.
        self.file("cluster.json", {"schema": "gpuplan-profile", "version": 2,
                                   "memory_bandwidth_bytes_per_s": 1.9e12})
        c = self.file("later.json", json.loads(run(*fit, "--profile", profile).stdout))
        self.assertIn("which had other rates then", " ".join(self.explain(c, b)["summary"]))

    def test_options_that_change_nothing_are_refused(self):
        self.refused("explain", self.a, self.a, "--device", "0", saying="--device has no effect: ")
        self.refused("explain", self.a, GIVEN / "measured.json", "--device", "0",
                     saying="--device has no effect: ")
        self.refused("explain", self.a, GIVEN / "profile.json", "--stage", "1",
                     saying="--stage has no effect: ")
        for measured in ("profile.json", "memory.json"):
            self.explain(GIVEN / measured, self.a, "--device", "0")
            self.refused("explain", self.a, GIVEN / measured, "--device", "5", saying="device 5")
        self.explain(GIVEN / "measured.json", self.a, "--stage", "1")

    def test_standard_input_and_assertions(self):
        text = self.a.read_text()
        for pair in (("-", self.a), (self.a, "-")):
            self.assertEqual(run("explain", *pair, stdin=text).returncode, DONE)
        self.refused("explain", "-", "-", stdin=text, saying="must not both be standard input")
        self.assertEqual(run("explain", self.a, self.a, "--assert",
                             "step_time.difference_s <= 1ms").returncode, DONE)
        done = run("explain", self.a, GIVEN / "measured.json", "--assert",
                   "memory.difference_bytes < 1GiB")
        self.assertEqual(done.returncode, ASSERT_FAILED)

    def test_a_page(self):
        page = self.folder / "page.html"
        done = run("explain", self.a, GIVEN / "profile.json", "--html", page)
        self.assertEqual(done.returncode, DONE)
        self.assertIn("Time of a step", page.read_text())
        self.assertEqual(page.read_text().count("<svg"), 2)  # narrow and wide
        self.assertNotRegex(page.read_text(), r"\b(nan|inf)\b")
        self.refused("explain", self.a, self.a, "--html", self.a, saying="--html")

    def test_what_is_no_answer_is_refused_in_one_line(self):
        answer = evaluated(REQUEST)
        bad = [(b"", "is empty"), ("{", "is not JSON"), ("hello", "is not JSON"), ("[]", "neither"),
               ("{}", "unknown kind"), (b"\x80\x04\x95\x00\x00", "is a pickle that is cut short"),
               (pickle.dumps(range(3)), "makes an object of Python"),
               (pickle.dumps([]), "neither"), (pickle.dumps({}), "unknown kind"),
               (b"\x1f\x8b\x08", "is packed by gzip"), (b"PK\x03\x04", "is a zip"),
               ({"line": 1, "error": {"what": "model: is missing"}},
                "holds no answer: the string \"model: is missing\""),
               ({"error": 5}, "holds no answer: 5"),
               ({**answer, "schema_version": 2}, "has the schema 2; this program reads 1"),
               ({"schema_version": 1}, "has no step_time_s and memory"),
               (json.dumps(answer) + "\n" + json.dumps(answer), "is not JSON at line 2"),
               ({**answer, "step_time_s": -1}, "step_time_s must be seconds"),
               ({**answer, "step_time_s": 1e300}, "step_time_s must be seconds"),
               ({**answer, "step_terms": 3}, "step_terms: must be a JSON object"),
               ({**answer, "step_terms": None}, "step_terms is missing"),
               ({**answer, "memory": {"stages": [1]}}, "memory.stages[0]: must be a JSON object"),
               ({**answer, "memory": {"worst_stage": 9, "stages": []}}, "worst_stage must be one of"),
               (json.dumps(answer).replace('"mfu":', '"mfu":NaN,"x":', 1), "is not JSON"),
               ("[" * 100000, "nested more than 64"),
               ({"step_time_s": 1, "speed": 2}, "speed is not a known field"),
               ({"step_time_s": None}, "measures nothing"),
               ({"traceEvents": []}, "has no kernels of a GPU"),
               ({"traceEvents": [{**KERNEL, "dur": -1}]}, "dur must be microseconds"),
               ({"segments": [{"total_size": "x"}]}, "total_size must be bytes"),
               ('{"traceEvents": [', "is not JSON")]
        for what, why in bad:
            self.refused("explain", self.a, self.file("bad.json", what), saying=("bad.json: ", why))
        self.refused("explain", self.file("bad.json", {**answer, "inputs": {"parallelism": 7}}),
                     self.a, saying="parallelism: must be a JSON object")
        self.refused("explain", self.a, self.folder / "none.json", saying="there is no such file")
        self.refused("explain", self.a, self.folder, saying="is a directory")
        for measured in ("profile.json", "memory.json", "measured.json"):
            self.refused("explain", GIVEN / measured, self.a, saying="give the answer first")

    def test_answers_that_chance_has_changed(self):
        """No crash, no number that is none, one line where it is refused."""
        chance = random.Random(1)
        values = ["0", "1", "-1", "1e308", str(2**63), "null", "true", '"x"', "[]", "{}", "[1]",
                  '{"a": 1}', "0.5"]
        for _ in range(150):
            answer = json.loads(self.a.read_text())
            for _ in range(chance.randint(1, 3)):
                at = answer
                while True:
                    keys = list(at) if isinstance(at, dict) else list(range(len(at)))
                    if not keys:
                        break
                    key = chance.choice(keys)
                    if isinstance(at[key], (dict, list)) and chance.random() < 0.7:
                        at = at[key]
                        continue
                    at[key] = json.loads(chance.choice(values))
                    break
            done = run("explain", self.a, self.file("b.json", answer), "--json")
            if done.returncode == DONE:
                read_json(done.stdout)
                self.assertNotRegex(run("explain", self.a, self.folder / "b.json").stdout,
                                    r"\b(nan|inf)\b")
            else:
                self.assertEqual(done.returncode, program.USAGE, done.stderr)
                self.assertRegex(done.stderr, r"\Agpuplan: [^\n]+\n\Z")

    def test_a_profile_of_a_million_kernels_takes_little_memory(self):
        path = self.folder / "long.json"
        with path.open("w") as file:
            file.write('{"traceEvents": [')
            for i in range(1_000_000):
                file.write('%s{"ph":"X","cat":"kernel","name":"gemm_%d","ts":%d,"dur":5,"args":{}}'
                           % ("," if i else "", i % 5000, 10 * i))
            file.write("]}")
        size = path.stat().st_size
        most = size + 400 * 1_000_000

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

        done = subprocess.run([program.PROGRAM, "explain", self.a, path, "--json"], timeout=120,
                              capture_output=True, preexec_fn=limit)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(read_json(done.stdout)["profile"]["kernels"], 1_000_000)


program.main()
