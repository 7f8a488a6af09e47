"""gpuplan plan, from outside."""
import time

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, USAGE, run

LLAMA = program.CONFIGS / "llama-3-8b.json"
USUAL = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16", "--sequence", "4096")


class Plan(program.ProgramTest):
    def test_a_config_becomes_a_full_plan(self):
        done = run("plan", LLAMA, "--gpu", "H100-SXM5-80GB", "--gpus", "64", "--tokens", "15T")
        self.assertEqual(done.returncode, DONE, done.stderr)
        for words in ("layouts:", "Memory of a GPU", "weights", "activations", "free",
                      "Time of a step", "bound by", "MFU", "GPU hours", "cost", "energy",
                      "Layouts passed over", "15 Ttok"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("\033", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_every_candidate_is_accounted_for(self):
        search = self.answer(*USUAL)["search"]
        self.assertGreater(search["fitting"], 0)
        self.assertEqual(
            search["fitting"] + search["dominated"] + sum(search["rejected"].values()),
            search["candidates"])

    def test_plans_come_best_first_and_fit(self):
        answer = self.answer(*USUAL, "--top", "20")
        steps = [plan["step_time_s"] for plan in answer["plans"]]
        self.assertEqual(len(steps), 20)
        self.assertEqual(steps, sorted(steps))
        self.assertEqual(answer["step_time_s"], steps[0])
        for plan in answer["plans"]:
            self.assertLessEqual(plan["worst_stage_bytes"], 80 * 2**30)
            self.assertLess(plan["mfu"], 1)
            cut = plan["parallelism"]
            used = cut["data"] * cut["tensor"] * cut["pipeline"] * cut["context"]
            self.assertEqual(used, plan["gpus_used"])
            self.assertLessEqual(used, 16)

    def test_what_is_given_stays(self):
        answer = self.answer(*USUAL, "--tensor", "4", "--pipeline", "2", "--zero", "1",
                             "--recompute", "full", "--sequence-parallel", "off",
                             "--micro-batch", "2", "--top", "50")
        for plan in answer["plans"]:
            cut, recipe = plan["parallelism"], plan["recipe"]
            self.assertEqual((cut["tensor"], cut["pipeline"], cut["micro_batch_size"]), (4, 2, 2))
            self.assertEqual((recipe["zero"], recipe["recompute"]), (1, "full"))
            self.assertFalse(recipe["sequence_parallel"])

    def test_context_is_searched_unless_it_is_given(self):
        wide = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8", "--sequence", "262144",
                "--batch", "8", "--tensor", "1", "--pipeline", "1")
        self.answer(*wide, "--context", "1", code=INFEASIBLE)
        for asked in ((), ("--context", "any")):
            self.assertGreater(self.answer(*wide, *asked)["parallelism"]["context"], 1)

    def test_schedules_are_searched_when_asked_for(self):
        deep = (*USUAL, "--pipeline", "8", "--batch", "64", "--top", "1000")
        schedules = lambda answer: {plan["recipe"]["schedule"] for plan in answer["plans"]}
        self.assertEqual(schedules(self.answer(*deep)), {"1f1b"})
        self.assertGreater(len(schedules(self.answer(*deep, "--schedule", "any"))), 1)

    def test_every_recompute_that_saves_memory_is_tried(self):
        for attention, wanted in (("unfused", {"none", "selective", "full"}),
                                  ("flash", {"none", "full"})):
            answer = self.answer(*USUAL, "--data", "8", "--tensor", "2", "--pipeline", "1",
                                 "--context", "1", "--micro-batch", "1", "--zero", "1",
                                 "--attention", attention, "--sequence-parallel", "on")
            self.assertEqual({plan["recipe"]["recompute"] for plan in answer["plans"]}, wanted)

    def test_the_run_follows_from_the_step(self):
        answer = self.answer(*USUAL, "--tokens", "1T", "--price", "$2.50/h",
                             "--electricity", "$0.10/kWh", "--pue", "1.5")
        run = answer["run"]
        self.assertEqual(run["steps"], -(-10**12 // answer["tokens_per_step"]))
        self.assertAlmostEqual(run["time_s"] / (run["steps"] * answer["step_time_s"]), 1)
        hours = run["gpu_time_s"] / 3600
        self.assertAlmostEqual(run["gpu_cost_dollars"] / (hours * 2.5), 1)
        self.assertAlmostEqual(run["energy_joules"] / (run["gpu_time_s"] * 700 * 1.5), 1)
        self.assertAlmostEqual(run["energy_cost_dollars"] / (run["energy_joules"] / 3.6e6 * 0.1), 1)
        self.assertAlmostEqual(
            run["cost_dollars"], run["gpu_cost_dollars"] + run["energy_cost_dollars"])

    def test_where_nothing_fits_the_closest_miss_and_what_to_change(self):
        small = ("plan", "llama-3-70b", "--gpu", "A100-40GB", "--gpus", "8")
        answer = self.answer(*small, code=INFEASIBLE)
        self.assertFalse(answer["fits"])
        self.assertEqual(answer["reason"], "memory")
        self.assertEqual(answer["plans"], [])
        self.assertGreater(answer["rejected"]["needed_bytes"],
                           answer["rejected"]["available_bytes"])
        self.assertGreater(len(answer["repairs"]), 0)
        text = run(*small)
        self.assertEqual(text.returncode, INFEASIBLE)
        for words in ("Nothing fits", "closest miss", "needed", "What to change"):
            self.assertIn(words, text.stdout)

    def test_where_each_layout_breaks_a_rule_the_rule_is_named(self):
        answer = self.answer(*USUAL, "--tensor", "3", code=INFEASIBLE)
        self.assertEqual(answer["reason"], "attention_heads")
        self.assertIsNone(answer["step_time_s"])
        self.assertIsNone(answer["memory"]["worst_stage_bytes"])
        self.assertIn("tensor must divide the attention heads", run(*USUAL, "--tensor", "3").stdout)

    def test_the_last_node_may_be_smaller(self):
        answer = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "13",
                             "--gpus-per-node", "8")
        self.assertEqual(answer["inputs"]["cluster"]["gpus"], 13)
        self.assertLessEqual(answer["gpus_used"], 13)

    def test_sizes_have_units(self):
        answer = self.answer(*USUAL, "--memory", "40GiB", "--fabric", "400Gb/s",
                             "--latency", "3us")
        cluster = answer["inputs"]["cluster"]
        self.assertEqual(cluster["gpu_memory_bytes"], 40 * 2**30)
        self.assertEqual(cluster["fabric"], {"latency_s": 3e-06, "bandwidth_bytes_per_s": 5 * 10**10})
        self.refused(*USUAL, "--memory", "40", saying=("--memory", "80GiB"))
        self.refused(*USUAL, "--tokens", "15TB", saying="--tokens")
        self.refused(*USUAL, "--price", "2.50", saying=("--price", "$2.50/h"))

    def test_bf16_means_mixed_and_the_echo_says_so(self):
        recipe = self.answer(*USUAL, "--precision", "bf16")["inputs"]["recipe"]
        self.assertEqual((recipe["precision"], recipe["gradient_dtype"]), ("mixed_bf16", "fp32"))

    def test_the_same_question_has_the_same_answer(self):
        self.assertEqual(run(*USUAL, "--json").stdout, run(*USUAL, "--json").stdout)

    def test_more_gpus_are_never_slower(self):
        times = []
        for gpus in (8, 16, 32, 64):
            times.append(self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus", gpus,
                                     "--batch", "512")["step_time_s"])
        self.assertEqual(times, sorted(times, reverse=True))


class Assert(program.ProgramTest):
    def ends(self, *assertions):
        done = run(*USUAL, *(part for one in assertions for part in ("--assert", one)))
        return done.returncode

    def test_what_holds_is_silent(self):
        self.assertEqual(self.ends("mfu > 0.1"), DONE)
        self.assertEqual(self.ends("fits == true", "binding != bubble"), DONE)
        self.assertEqual(self.ends("memory.worst_stage_bytes<=80GiB"), DONE)
        self.assertEqual(self.ends("memory.stages[0].total_bytes > 1GB"), DONE)
        self.assertEqual(self.ends("step_time_s < 10h"), DONE)
        self.assertEqual(self.ends("reason == null"), DONE)

    def test_what_fails_is_named(self):
        done = run(*USUAL, "--assert", "mfu > 0.99")
        self.assertEqual(done.returncode, ASSERT_FAILED)
        self.assertRegex(done.stderr, r"\Agpuplan: --assert failed: mfu > 0.99 \(it is 0\.\d+\)\n\Z")
        self.assertEqual(self.ends("mfu > 0.1", "step_time_s < 1us"), ASSERT_FAILED)

    def test_what_cannot_be_read_is_refused(self):
        for text, words in (("mfu", "KEY OP VALUE"), ("mfu >", "KEY OP VALUE"),
                            ("mfu => 1", "KEY OP VALUE"), ("mfuu > 1", "did you mean mfu?"),
                            ("memory > 1", "object"), ("mfu > fast", "no number"),
                            ("memory.stages[99].total_bytes > 1", "stages"),
                            ("memory.stages[x] > 1", "stages"), ("step_time_s < 1GiB", "no number"),
                            ("binding < data", "==")):
            done = run(*USUAL, "--assert", text)
            self.assertEqual(done.returncode, USAGE, text)
            self.assertIn(words, done.stderr)

    def test_what_does_not_fit_stays_infeasible(self):
        done = run("plan", "llama-3-70b", "--gpu", "A100-40GB", "--gpus", "8",
                   "--assert", "fits == true")
        self.assertEqual(done.returncode, INFEASIBLE)


class Terminal(program.ProgramTest):
    def test_bold_text_is_for_terminals_that_want_it(self):
        self.assertIn("\033[1m", program.run_on_terminal(*USUAL))
        self.assertNotIn("\033", program.run_on_terminal(*USUAL, env={"NO_COLOR": "1"}))
        self.assertNotIn("\033", program.run_on_terminal(*USUAL, env={"TERM": "dumb"}))
        self.assertNotIn("\033", program.run_on_terminal("--no-color", *USUAL))
        self.assertIn("\033[1m", program.run_on_terminal(*USUAL, env={"NO_COLOR": ""}))

    def test_progress_is_for_terminals_and_long_work(self):
        long = ("plan", "llama-3.1-405b", "--gpu", "H100", "--gpus", "2048", "--context", "any",
                "--interleave", "any")
        began = time.monotonic()
        shown = program.run_on_terminal(*long)
        if time.monotonic() - began > 2:
            self.assertIn("gpuplan: searching, 1 s", shown)
        self.assertEqual(run(*USUAL).stderr, "")
        self.assertNotIn("searching", program.run_on_terminal(*USUAL))


program.main()
