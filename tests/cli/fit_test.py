"""gpuplan fit, from outside."""
import csv
import io
import json
import time

import program
from program import DONE, INFEASIBLE, run

SMALL = ("fit", "llama-3.2-1b", "--gpu", "A100-80GB", "--sequence", "2048")
LARGE = ("fit", "llama-3-8b", "--gpu", "H100", "--sequence", "4096")


class Fit(program.ProgramTest):
    def test_one_gpu(self):
        answer = self.answer(*SMALL)
        self.assertTrue(answer["fits"])
        self.assertEqual(answer["gpus_used"], 1)
        memory = answer["memory"]
        self.assertEqual(memory["capacity_from"], "driver")
        self.assertEqual(memory["label_bytes"], 80 * 2**30)
        self.assertLess(memory["capacity_bytes"], 79.5 * 2**30)
        self.assertEqual(answer["free_bytes"],
                         memory["capacity_bytes"] - memory["worst_stage_bytes"])
        self.assertEqual(answer["repairs"], [])

    def test_the_largest_micro_batch_is_answered_at_once(self):
        began = time.monotonic()
        done = run("fit", "llama-3-8b", "--gpu", "H100", "--micro-batch", "1000000000")
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("It does not fit", done.stdout)
        self.assertLess(time.monotonic() - began, 60)  # 4 minutes where divisors are counted down

    def test_gpus_that_the_layout_leaves_idle_are_said(self):
        for gpus, layout, words in (
                ("64", ("--data", "8"), "56 of the 64 GPUs are idle: the layout uses 8;"),
                ("8", ("--data", "7"), "1 of the 8 GPUs is idle: the layout uses 7;")):
            done = run(*SMALL, "--gpus", gpus, *layout)
            self.assertEqual(done.returncode, DONE)
            self.assertIn(words, done.stdout)
        for whole in ((), ("--data", "8"), ("--gpus", "8", "--data", "8")):
            self.assertNotIn("idle", run(*SMALL, *whole).stdout)
        answer = self.answer(*SMALL, "--gpus", "64", "--data", "8")
        self.assertEqual((answer["gpus_used"], answer["inputs"]["cluster"]["gpus"]), (8, 64))

    def test_csv_has_the_same_columns_of_every_job(self):
        headers = {run(*SMALL, *more, "--csv").stdout.splitlines()[0]
                   for more in ((), ("--data", "8", "--zero", "3"), ("--pipeline", "2"),
                                ("--adapter-rank", "8"), ("--recompute", "full"))}
        self.assertEqual(len(headers), 1)
        [row] = csv.DictReader(io.StringIO(run(*SMALL, "--csv").stdout))
        parts = [name for name in row if name.startswith("at_peak.")]
        self.assertEqual(row["at_peak.deferred_head_bytes"], "0")
        self.assertEqual(sum(int(row[name]) for name in parts), int(row["total_bytes"]))

    def test_what_fits_the_label_alone_does_not_fit(self):
        at = self.answer(*SMALL, "--memory", "80GiB")["memory"]
        self.assertEqual((at["capacity_bytes"], at["capacity_from"]), (80 * 2**30, "given"))
        # Fill what lies between the driver's memory and the label with the context.
        needed = self.answer(*SMALL, "--memory", "1TiB")["memory"]
        context = 500_000_000 + int(79.7 * 2**30) - needed["worst_stage_bytes"]
        between = (*SMALL, "--cuda-context", f"{context}B")
        self.assertTrue(self.answer(*between, "--memory", "80GiB")["fits"])
        answer = self.answer(*between, code=INFEASIBLE)
        self.assertEqual(answer["reason"], "memory")
        self.assertEqual(answer["rejected"]["available_bytes"],
                         answer["memory"]["capacity_bytes"])
        self.assertIn("as its driver shows", run(*between).stdout)
        self.assertIn("derived from its label", run("fit", "llama-3.2-1b", "--gpu", "H800").stdout)
        self.assertIn("as given", run(*SMALL, "--memory", "80GiB").stdout)

    def test_three_figures_of_memory(self):
        memory = self.answer(*SMALL)["memory"]
        self.assertLess(memory["allocated_bytes"], memory["reserved_bytes"])
        self.assertLess(memory["reserved_bytes"], memory["device_bytes"])
        self.assertEqual(memory["device_bytes"], memory["worst_stage_bytes"])
        text = run(*SMALL).stdout
        for name in ("max_memory_allocated", "max_memory_reserved", "nvidia-smi"):
            self.assertIn(name, text)
        varied = self.answer(*SMALL, "--variable-lengths", "on")["memory"]
        self.assertEqual(varied["allocated_bytes"], memory["allocated_bytes"])
        self.assertGreater(varied["reserved_bytes"], memory["reserved_bytes"])
        self.assertIn("Lengths vary", run(*SMALL, "--variable-lengths", "on").stdout)

    def test_experts_of_a_dense_model_are_said_to_be_none(self):
        done = run("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--expert", "8")
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("expert = 8, and the model has no experts", " ".join(done.stdout.split()))

    def test_block_scales_need_units_that_have_them(self):
        asked = ("llama-3-8b", "--data", "8", "--zero", "3", "--precision", "fp8", "--fp8-recipe", "mxfp8")
        for gpu in ("H100", "MI300X", "L40S"):
            answer = self.answer("fit", *asked, "--gpu", gpu, code=INFEASIBLE)
            self.assertEqual((answer["fits"], answer["reason"]), (False, "block_scales"))
        said = run("fit", *asked, "--gpu", "H100").stdout
        for words in ("It cannot run", "block", "MXFP8", "--fp8-recipe"):
            self.assertIn(words, said)
        for gpu in ("B200", "MI355X"):
            self.assertTrue(self.answer("fit", *asked, "--gpu", gpu)["fits"])
        self.assertTrue(self.answer("fit", *asked[:-1], "blockwise", "--gpu", "H100")["fits"])
        planned = ("plan", asked[0], *asked[5:], "--gpus", "8", "--quick")
        found = self.answer(*planned, "--gpu", "H100", code=INFEASIBLE)
        self.assertEqual(found["search"]["rejected"], {"block_scales": 1})
        self.assertTrue(self.answer(*planned, "--gpu", "B200")["plans"])
        four = self.answer("fit", *asked[:5], "--precision", "nvfp4", "--gpu", "H100", code=INFEASIBLE)
        self.assertEqual(four["reason"], "format")
        request = {"model": "llama-3-8b", "cluster": {"gpu": "H100"}, "parallelism": {"data": 8},
                   "recipe": {"zero": 3, "precision": "fp8", "fp8_recipe": "mxfp8"}}
        evaluated = program.read_json(run("evaluate", stdin=json.dumps(request) + "\n").stdout)
        self.assertEqual(evaluated["reason"], "block_scales")

    def test_options_without_effect_are_refused(self):
        for options in (("--host-memory", "1TB"), ("--host-update", "100GB/s"),
                        ("--context-exchange", "all_to_all"), ("--communicator", "1GB"),
                        ("--sequence-parallel", "on"), ("--schedule", "gpipe"),
                        ("--group-order", "pipeline_then_data")):
            self.refused(*SMALL, *options, saying=f"{options[0]} has no effect: ")
        for options in (("--host-memory", "1TB", "--offload", "optimizer"),
                        ("--host-update", "100GB/s", "--offload", "optimizer"),
                        ("--context-exchange", "all_to_all", "--context", "2"),
                        ("--communicator", "1GB", "--data", "2"),
                        ("--context-exchange", "ring"), ("--communicator", "600MB")):
            self.answer(*SMALL, *options)
        # Where it does not fit, offloading is among the changes.
        self.answer(*LARGE, "--host-memory", "1TB", code=INFEASIBLE)
        self.refused("scale", *LARGE[1:4], "--gpus", "8", "--host-memory", "1TB",
                     saying="--host-memory has no effect: ")
        for options in (("--host-memory", "1TB"), ("--host-update", "100GB/s")):
            self.refused("plan", *SMALL[1:4], "--gpus", "8", *options,
                         saying=f"{options[0]} has no effect: ")
            self.answer("plan", *SMALL[1:4], "--gpus", "8", "--offload", "optimizer", *options)
            self.answer("plan", *LARGE[1:4], "--gpus", "1", *options, code=INFEASIBLE)

    def test_one_of_a_thing_is_said_so(self):
        self.assertIn("1 sequence of 2048 tokens", " ".join(run(*SMALL).stdout.split()))
        self.assertIn("1 sequence of 1 token,",
                      " ".join(run(*SMALL[:4], "--sequence", "1").stdout.split()))
        self.assertIn("2 sequences of 2048 tokens",
                      " ".join(run(*SMALL, "--batch", "2").stdout.split()))

    def test_the_largest_micro_batch_is_the_largest(self):
        largest = self.answer(*SMALL, "--batch", "64")["largest_micro_batch"]
        self.assertGreater(largest, 1)
        at = ("--micro-batch", largest, "--batch", largest)
        self.assertTrue(self.answer(*SMALL, *at)["fits"])
        past = ("--micro-batch", largest + 1, "--batch", largest + 1)
        self.assertFalse(self.answer(*SMALL, *past, code=INFEASIBLE)["fits"])

    def test_accumulation_makes_the_batch(self):
        accumulation = self.answer(*SMALL, "--batch", "500")["accumulation"]
        self.assertGreaterEqual(accumulation["effective_batch"], 500)
        self.assertEqual(accumulation["effective_batch"],
                         accumulation["steps"] * accumulation["micro_batch_size"])

    def test_passes_are_said_in_the_words_of_the_layout(self):
        ask = ("fit", "llama-3-8b", "--gpu", "H100", "--data", 8, "--zero", 3, "--sequence", 4096)
        for batch in (256, 8):
            answer = self.answer(*ask, "--batch", batch)
            words = " ".join(run(*ask, "--batch", batch).stdout.split())
            parts = answer["accumulation"]
            size, passes = parts["micro_batch_size"], parts["steps"]
            self.assertIn(f"then takes micro-batch {size} x {passes} on each of 8 replicas", words)
            largest = answer["largest_micro_batch"]
            self.assertEqual("does not divide" in words, size < min(largest, batch // 8))

    def test_what_would_make_it_fit(self):
        layout = ("--data", "8", "--zero", "0")
        answer = self.answer(*LARGE, *layout, code=INFEASIBLE)
        self.assertEqual(answer["reason"], "memory")
        first = answer["repairs"][0]
        self.assertTrue(first["fits"])
        self.assertLessEqual(first["needed_bytes"], 80 * 2**30)
        # The repair, asked for, does what it says.
        cut, recipe = first["parallelism"], first["recipe"]
        changed = self.answer(*LARGE, "--data", cut["data"], "--tensor", cut["tensor"],
                              "--pipeline", cut["pipeline"], "--zero", recipe["zero"],
                              "--recompute", recipe["recompute"], "--batch",
                              recipe["global_batch_size"], "--gradients",
                              recipe["gradient_dtype"], "--optimizer", recipe["optimizer"],
                              "--offload", recipe["offload"], "--offload-activations",
                              recipe["offloaded_activations"])
        self.assertEqual(changed["memory"]["worst_stage_bytes"], first["needed_bytes"])
        self.assertEqual(changed["step_time_s"], first["step_time_s"])

    def test_repairs_are_ranked(self):
        repairs = self.answer(*LARGE, "--data", "8", code=INFEASIBLE)["repairs"]
        fits = [one["fits"] for one in repairs]
        self.assertEqual(fits, sorted(fits, reverse=True))
        times = [one["step_time_s"] for one in repairs if one["fits"] and len(one["changes"]) == 1]
        self.assertEqual(times, sorted(times))

    def test_text_for_people(self):
        done = run(*SMALL)
        self.assertEqual(done.returncode, DONE)
        for words in ("It fits.", "Memory of a GPU", "Largest micro-batch", "MFU"):
            self.assertIn(words, done.stdout)
        done = run(*LARGE, "--data", "8")
        self.assertEqual(done.returncode, INFEASIBLE)
        for words in ("It does not fit: ", "What to change", "fits"):
            self.assertIn(words, done.stdout)
        done = run(*LARGE, "--tensor", "3")
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("tensor = 3 does not divide the", done.stdout)

    def test_the_largest_micro_batch_that_is_sure_comes_first(self):
        layout = ("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--zero", "3", "--batch", "96")
        said = " ".join(run(*layout).stdout.split())
        self.assertRegex(said, r"Largest micro-batch: [1-9] in the memory that --risk and --headroom "
                         r"leave\. In all of it, as predicted: [1-9]")
        said = " ".join(run(*layout, "--risk", "1").stdout.split())
        self.assertRegex(said, r"Largest micro-batch: [1-9][,.]")

    def test_an_uneven_split(self):
        stages = self.answer(*LARGE, "--pipeline", "4", "--tensor", "2",
                             "--layer-split", "9,8,8,7")["memory"]["stages"]
        self.assertEqual(len(stages), 4)
        self.refused(*LARGE, "--pipeline", "2", "--layer-split", "9,x", saying="--layer-split")

    def test_csv_has_a_row_for_each_stage(self):
        asked = ("fit", "llama-3.2-1b", "--gpu", "H100", "--pipeline", 2)
        rows = list(csv.DictReader(io.StringIO(run(*asked, "--csv").stdout)))
        stages = self.answer(*asked)["memory"]["stages"]
        self.assertEqual([float(row["total_bytes"]) for row in rows],
                         [stage["total_bytes"] for stage in stages])
        self.refused(*asked, "--csv", "--json", saying="--csv")

    def test_lines_are_no_wider_than_asked(self):
        for words in ((*SMALL, "--data", "8", "--batch", "256", "--zero", "1"),
                      ("fit", "llama-3-8b", "--gpu", "H100", "--task", "dpo", "--data", "8")):
            for line in run(*words, env={"COLUMNS": "80"}).stdout.splitlines():
                if not line.lstrip()[2:].lstrip().startswith("gpuplan fit"):
                    self.assertLessEqual(len(line), 80, line)

    def test_no_host_memory_is_not_any(self):
        offloaded = ("fit", "llama-3-8b", "--gpu", "H100", "--offload", "optimizer")
        # FP32 weights and two moments of 8.03e9 parameters on one host, or on two of 8 GPUs each.
        one = self.answer(*offloaded, "--data", "8", "--zero", "1")["memory"]["host_memory_bytes"]
        self.assertAlmostEqual(one / (12 * 8.03e9), 1, delta=0.01)
        half = self.answer(*offloaded, "--data", "16", "--zero", "1")["memory"]["host_memory_bytes"]
        self.assertAlmostEqual(half / one, 0.5, delta=0.01)
        self.assertEqual(self.answer(*offloaded[:-2], "--data", "8", code=INFEASIBLE)["memory"][
            "host_memory_bytes"], 0)
        self.assertIn("Host memory for what is offloaded: 89.75 GiB of a node's 1862.65 GiB.",
                      run(*offloaded, "--data", "8", "--zero", "1", "--host-memory", "2TB").stdout)
        for none in ("0TB", "0", "0GiB"):
            self.refused(*offloaded, "--host-memory", none, saying="--host-memory must be")
        for asked in (0, 0.5, -1):
            line = json.dumps({"model": "llama-3-8b", "cluster": {"host_memory_bytes": asked}})
            done = run("evaluate", stdin=line)
            self.assertEqual(done.returncode, program.USAGE)
            self.assertIn("host_memory_bytes", json.loads(done.stdout)["error"]["what"])
        # Unknown is absent, or null: no limit.
        self.assertTrue(self.answer(*offloaded, "--data", "8", "--zero", "1")["fits"])
        for cluster in ({}, {"host_memory_bytes": None}):
            line = json.dumps({"model": "llama-3-8b", "parallelism": {"data": 8}, "cluster": cluster,
                               "recipe": {"offload": "optimizer", "zero": 1}})
            answer = json.loads(run("evaluate", stdin=line).stdout)
            self.assertTrue(answer["fits"], answer["reason"])
            self.assertNotIn("host_memory_bytes", answer["inputs"]["cluster"])
        small = self.answer(*offloaded, "--data", "8", "--zero", "1", "--host-memory", "1B",
                            code=program.INFEASIBLE)
        self.assertEqual(small["reason"], "host_memory")

    def test_what_is_beside_the_model_may_be_given(self):
        before = self.answer(*SMALL)["memory"]["stages"][0]
        after = self.answer(*SMALL, "--cuda-context", "1GB", "--fragmentation", "0")
        stage = after["memory"]["stages"][0]
        self.assertEqual(stage["cuda_context_bytes"], 10**9)
        self.assertEqual(stage["fragmentation_bytes"], 0)
        self.assertEqual(stage["allocator_peak_bytes"], before["allocator_peak_bytes"])


program.main()
