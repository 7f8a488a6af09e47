"""gpuplan plan, from outside."""
import csv
import io
import itertools
import json
import math
import os
import shlex
import subprocess
import tempfile

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, USAGE, read_json, run

LLAMA = program.CONFIGS / "llama-3-8b.json"
USUAL = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16", "--sequence", "4096")


def variants(answer):
    """Every plan of an answer, those that are about as good as another one, too."""
    return [one for plan in answer["plans"] for one in (plan, *plan["variants"])]


class Plan(program.ProgramTest):
    def test_a_step_waits_for_samples_that_come_slowly(self):
        job = ("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--zero", "1", "--recompute",
               "full", "--global-batch-size", "64", "--json")
        fast = json.loads(run(*job).stdout)
        self.assertEqual(fast["step_terms"]["input_s"], 0)
        # 64 sequences of 1 GB at 8 GB/s: 8 s.
        slow = json.loads(run(*job, "--sample-size", "1GB", "--storage", "8GB/s").stdout)
        self.assertAlmostEqual(slow["step_time_s"], 8)
        self.assertAlmostEqual(slow["step_terms"]["input_s"], 8 - fast["step_time_s"])
        self.assertEqual(slow["binding"], "input")
        # 64 sequences of 2 s by 16 workers, two for each GPU: 8 s.
        for more, step in (((), 8), (("--loader-workers", "8"), 16)):
            slow = json.loads(run(*job, "--preprocessing", "2s", *more).stdout)
            self.assertAlmostEqual(slow["step_time_s"], step)
        text = run(*job[:-1], "--preprocessing", "2s").stdout
        self.assertIn("for its samples; ", text)
        self.assertIn(" workers on the node would hide that", " ".join(text.split()))
        for alone in (("--storage", "8GB/s"), ("--sample-size", "1GB"), ("--loader-workers", "8")):
            done = run(*job, *alone)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_config_becomes_a_full_plan(self):
        usual = ("plan", LLAMA, "--gpu", "H100-SXM5-80GB", "--gpus", "64", "--tokens", "15T")
        done = run(*usual)
        self.assertEqual(done.returncode, DONE, done.stderr)
        for words in ("layouts:", "Memory of a GPU", "weights", "activations", "free",
                      "Time of a step", "bound by", "MFU", "GPU hours", "on demand", "energy",
                      "CO2e", "failures", "What would help", "1 % more of", "15 Ttok"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("\033", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertLess(done.stdout.count("\n"), 85)
        self.assertTrue(done.stdout.isascii())
        full = run(*usual, "--verbose").stdout
        for words in ("master weights", "cuda context", "Layouts rejected"):
            self.assertIn(words, full)
            self.assertNotIn(words, done.stdout)

    def test_a_row_for_each_kind_of_plan(self):
        text = run(*USUAL).stdout
        table = text[text.index("the best of each kind"):text.index("DP data, TP tensor")]
        rows = [line for line in table.splitlines() if line[:1].isdigit()]
        self.assertGreater(len(rows), 1)
        self.assertRegex(table, r"All: .*no recompute, .*bound by GEMM")
        for words in ("GEMM", "embedding + LM head", "pruned",
                      "micro-batch: sequences x passes"):
            self.assertIn(words, text)
        for words in ("products", "ends ", "Chunks", "cannot be better"):
            self.assertNotIn(words, text)
        single = run(*USUAL, "--tensor", "1", "--pipeline", "1", "--context", "1").stdout
        self.assertNotIn("\n2  ", single[:single.index("A step takes")])
        self.assertNotIn("All: ", single)

    def test_lines_are_as_wide_as_asked(self):
        commands = (USUAL, ("plan", "mixtral-8x7b", "--gpu", "H100", "--gpus", "32"),
                    ("plan", "llama-3-8b", "--gpu", "H100,H200", "--gpus", "64,128", "--deadline",
                     "30d"), ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "64"))
        for command in commands:
            for width, env in ((80, {"COLUMNS": "x"}), (120, {"COLUMNS": "120"})):
                for line in run(*command, env=env).stdout.splitlines():
                    if len(line.split()) > 1:  # a word that is longer stands alone
                        self.assertLessEqual(len(line), width, line)
        wide = run(*commands[3], env={"COLUMNS": "200"}).stdout
        self.assertIn("nine of ten", wide)
        narrow = run(*commands[3], env={"COLUMNS": "80"}).stdout
        self.assertIn("Left out for 80 columns, which COLUMNS changes: nine of ten", narrow)

    def test_prices_that_are_compared_are_of_one_list(self):
        wide = {"COLUMNS": "300"}
        text = run(*USUAL, env=wide).stdout
        self.assertIn("cost elsewhere", text)  # spot of another cloud
        self.assertIn("there on demand", text)
        self.assertNotIn("reserved $", text)  # of 2024, twice the price of 2026
        one = run(*USUAL, "--provider", "Nebius", env=wide).stdout
        self.assertNotIn("cost elsewhere", one)
        self.assertIn("$2.95 a GPU hour (Nebius", one)
        self.assertEqual({rental["source"] for rental in
                          self.answer(*USUAL, "--provider", "nebius")["run"]["rentals"]},
                         {self.answer(*USUAL, "--provider", "nebius")["inputs"]["run"]
                          ["gpu_price_source"]})
        self.refused(*USUAL, "--provider", "nobody", saying=("--provider", "Nebius"))

    def test_each_offer_says_of_when_and_from_where_its_price_is(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100,A100-80GB", "--gpus", "64", "--quick")
        offers = self.answer(*asked)["offers"]
        for one in offers:
            self.assertAlmostEqual(one["gpu_time_s"] * one["gpu_price_dollars_per_s"],
                                   one["cost_dollars"], delta=1e-9 * one["cost_dollars"])
            for key in "provider", "date", "source":
                self.assertTrue(one["gpu_price_" + key])
        self.assertNotEqual(offers[0]["gpu_price_date"], offers[1]["gpu_price_date"])
        text = " ".join(run(*asked).stdout.split())
        self.assertIn("They are of different clouds and dates: --provider takes one", text)
        for one in self.answer(*asked, "--price", "$2/h")["offers"]:
            self.assertAlmostEqual(one["gpu_price_dollars_per_s"], 2 / 3600)
            self.assertIsNone(one["gpu_price_source"])

    def test_every_offer_heeds_the_deadline(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64", "--tokens", "160G")
        run_of = self.answer(*asked)["run"]
        on_demand = run_of["with_failures"]["time_s"]
        spot = next(one for one in run_of["rentals"] if one["terms"] == "spot")["time_s"]
        self.assertGreater(spot, on_demand)
        between = f"{(on_demand + spot) / 2}s"
        lines = [line for line in run(*asked, "--deadline", between,
                                      env={"COLUMNS": "400"}).stdout.splitlines()]
        late = [line for line in lines if "after the deadline" in line]
        self.assertEqual(len(late), 1)
        self.assertIn("spot", late[0])
        self.assertNotIn("after the deadline", run(*asked, "--deadline", f"{2 * spot}s").stdout)

    def test_another_type_changes_no_row_of_a_comparison(self):
        asked = ("plan", "llama-3-8b", "--tokens", "1T", "--deadline", "30d")
        rows = {}
        types = ("H100", "H200", "A100-80GB", "MI300X")
        for count in (2, len(types)):
            text = run(*asked, "--gpu", ",".join(types[:count]), env={"COLUMNS": "200"}).stdout
            head = text[:text.index("Prices, on demand")]
            rows[count] = [line for line in head.splitlines() if "H100" in line]
            self.assertGreater(len(rows[count]), 0)
            self.assertIn("$/GPU h", head)
            self.assertIn("cheapest", head)  # of those with a price
        plain = lambda line: tuple(line.split()[:11])  # the remark compares all types
        for count in rows:
            self.assertEqual({plain(line) for line in rows[len(types)]},
                             {plain(line) for line in rows[count]})

    def test_a_fitted_batch_is_said(self):
        self.assertIn("made a multiple of 24 GPUs: 1032",
                      run("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "24").stdout)
        for more in (("--gpus", "16"), ("--gpus", "24", "--batch", "1032")):
            self.assertNotIn("made a multiple",
                             run("plan", "llama-3-8b", "--gpu", "H100", *more).stdout)

    def test_options_by_the_names_that_people_type(self):
        long = ("--sequence", "4Ki", "--tensor", "2", "--pipeline", "2", "--data", "4", "--context",
                "1", "--micro-batch", "2", "--batch", "64", "--interleave", "2")
        short = ("--seq", "4096", "--tp", "2", "--pp", "2", "--dp", "4", "--cp", "1", "--mbs", "2",
                 "--gbs", "64", "--vpp", "2")
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16")
        self.assertEqual(self.answer(*asked, *long), self.answer(*asked, *short))
        lora = ("fit", "llama-3-8b", "--gpu", "H100")
        self.assertEqual(self.answer(*lora, "--lora-rank", "8"),
                         self.answer(*lora, "--adapter-rank", "8"))

    def test_options_of_other_programs_suggest_ours(self):
        for typed, meant in (("--num-gpus", "--gpus"), ("--num_gpus=8", "--gpus"),
                             ("--nnodes", "--gpus"), ("--tp-size", "--tensor"),
                             ("--tensor-model-parallel-size", "--tensor"), ("--dtype", "--precision"),
                             ("--gradient_accumulation_steps", "--batch"),
                             ("--per-device-train-batch-size", "--micro-batch")):
            self.refused(*USUAL, typed, saying=(typed.split("=")[0], f"did you mean {meant}?"))
        self.refused("queue", "--tp-size", "8", saying="see gpuplan --help")

    def test_unknown_options_suggest_the_nearest(self):
        for typed, meant in (("--sequance", "--sequence"), ("--tensr", "--tensor"),
                             ("--jsn", "--json"), ("--micro_batch=2", "--micro-batch")):
            self.refused(*USUAL, typed, saying=(typed.split("=")[0], f"did you mean {meant}"))
        self.refused(*USUAL, "--zzzzzzz", saying="see gpuplan --help")

    def test_a_word_that_is_no_subcommand_is_named(self):
        for typed, said in ((("plna", "gpt2"), "plna is no subcommand; did you mean plan?"),
                            (("plann", "gpt2"), "plann is no subcommand; did you mean plan?"),
                            (("evalute",), "evalute is no subcommand; did you mean evaluate?"),
                            (("--no-color", "bogus", "--gpus", "8"),
                             "bogus is no subcommand; gpuplan --help lists them"),
                            (("x" * 999,), "is no subcommand; gpuplan --help lists them"),
                            ((), "A subcommand is required")):
            self.refused(*typed, saying=said)

    def test_a_list_has_no_empty_part(self):
        asked = ("plan", "gpt2", "--quick")
        for option in ("--gpu", "--gpus", "--price", "--spot-price"):
            for typed in (",", "8,", ",8", "8,,9"):
                given = {"--gpu": "H100", "--gpus": "8"} | {option: typed}
                words = [word for pair in given.items() for word in pair]
                self.refused(*asked, *words, saying=f"{option} must not have an empty part")
        self.refused("plan", "gpt2", "--gpu", "H100", "--gpus", ",", "--quick", saying="--gpus")
        apart = self.answer(*asked, "--gpu", "H100", "--gpus", "8", "--gpus", "16")
        self.assertEqual(apart, self.answer(*asked, "--gpu", "H100", "--gpus", "8,16"))

    def test_quick_leaves_out_what_is_searched_further(self):
        further = ("help", "risks", "repairs", "what_fits", "clusters_that_fit")
        for job, code in ((USUAL, DONE), (("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "8"), INFEASIBLE),
                          (("plan", "gpt2", "--gpu", "H100,A100-80GB", "--gpus", "8"), DONE)):
            whole = self.answer(*job, code=code)
            quick = self.answer(*job, "--quick", code=code)
            with self.subTest(job=job):
                self.assertEqual({key: quick[key] for key in further}, dict.fromkeys(further))
                for answer in (whole, quick):
                    for key in further:
                        del answer[key]
                self.assertEqual(quick, whole)
        self.assertIn("What would help", run(*USUAL).stdout)
        quick = run(*USUAL, "--quick")
        self.assertEqual((quick.returncode, quick.stderr), (DONE, ""))
        self.assertNotIn("What would help", quick.stdout)
        self.assertNotIn("Safer or bolder", quick.stdout)
        miss = run("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "8", "--quick")
        self.assertEqual((miss.returncode, miss.stderr), (INFEASIBLE, ""))
        self.assertIn("What would fit was not searched: without --quick it is.", miss.stdout)
        self.assertNotIn("What to change", miss.stdout)
        self.refused(*USUAL, "--quick", "--what-if", saying="give --quick or --what-if, not both")

    def test_quick_refuses_what_a_whole_answer_refuses(self):
        for memory, code in ((("--host-memory", "1TB"), USAGE), ((), DONE)):
            done = run(*USUAL, "--quick", *memory)
            self.assertEqual(done.returncode, code)
            self.assertEqual(done.stderr, run(*USUAL, *memory).stderr)

    def test_how_many_are_shown_changes_no_plan(self):
        asked = ("plan", "llama-3-8b", "--gpu", "RTX4090", "--gpus", "64", "--quick", "--json")
        steps = [json.loads(run(*asked, *more).stdout)["step_time_s"]
                 for more in ((), ("--top", "1"), ("--top", "40"))]
        self.assertEqual(len(set(steps)), 1)
        told = json.loads(run(*asked, "--pipeline", "4", "--tensor", "2").stdout)["step_time_s"]
        self.assertLessEqual(steps[0], told)

    def test_csv_says_where_it_has_no_row_or_prints_less(self):
        done = run("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "1", "--csv")
        self.assertEqual((done.returncode, done.stdout), (INFEASIBLE, ""))
        self.assertIn("nothing fits", done.stderr)
        for idle in "--front", "--what-if":
            done = run(*USUAL, "--csv", idle)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(f"{idle} has no effect", done.stderr)

    def test_csv_has_a_row_for_each_layout_or_cluster(self):
        rows = list(csv.DictReader(io.StringIO(run(*USUAL, "--csv").stdout)))
        plans = self.answer(*USUAL)["plans"]
        self.assertEqual([float(row["step_time_s"]) for row in rows],
                         [plan["step_time_s"] for plan in plans])
        self.assertEqual([int(row["parallelism.data"]) for row in rows],
                         [plan["parallelism"]["data"] for plan in plans])
        several = ("plan", "llama-3-8b", "--gpu", "H100,MI300X", "--gpus", "8,64")
        rows = list(csv.DictReader(io.StringIO(run(*several, "--csv").stdout)))
        offers = self.answer(*several)["offers"]
        self.assertEqual([(row["gpu"], int(row["gpus"])) for row in rows],
                         [(one["gpu"], one["gpus"]) for one in offers])
        self.assertEqual(rows[-1]["cost_dollars"], "")
        uneven = ["plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64", "--pipeline", "2",
                  "--tensor", "1", "--quick"]
        best = json.loads(run(*uneven, "--json").stdout)["plans"][0]
        row = next(csv.DictReader(io.StringIO(run(*uneven, "--csv").stdout)))
        self.assertTrue(best["recipe"]["layer_split"])
        self.assertEqual(row["recipe.layer_split"],
                         ",".join(str(n) for n in best["recipe"]["layer_split"]))
        self.refused(*USUAL, "--csv", "--json", saying="not both")
        self.refused(*USUAL, "--csv", "--verbose", saying="--verbose has no effect")
        self.refused(*USUAL, "--csv", "--emit", "megatron", saying="--csv has no effect")

    def test_every_candidate_is_accounted_for(self):
        search = self.answer(*USUAL)["search"]
        self.assertGreater(search["fitting"], 0)
        self.assertEqual(
            search["fitting"] + search["dominated"] + sum(search["rejected"].values()),
            search["candidates"])

    def test_plans_come_best_first_and_fit(self):
        answer = self.answer(*USUAL, "--top", "12")
        steps = [plan["step_time_s"] for plan in answer["plans"]]
        self.assertEqual(len(steps), 12)
        self.assertEqual(steps, sorted(steps))
        self.assertEqual(answer["step_time_s"], steps[0])
        for plan in variants(answer):
            self.assertLessEqual(plan["worst_stage_bytes"], 80 * 2**30)
            self.assertLess(plan["mfu"], 1)
            cut = plan["parallelism"]
            used = cut["data"] * cut["tensor"] * cut["pipeline"] * cut["context"]
            self.assertEqual(used, plan["gpus_used"])
            self.assertLessEqual(used, 16)

    def test_rows_differ_in_more_than_recipe_and_batch(self):
        answer = self.answer(*USUAL)
        cut_of = lambda plan: tuple(plan["parallelism"][axis] for axis in
                                    ("data", "tensor", "pipeline", "context", "expert"))
        cuts = [cut_of(plan) for plan in answer["plans"]]
        self.assertEqual(len(set(cuts)), len(cuts))
        for plan in answer["plans"]:
            for other in plan["variants"]:
                self.assertEqual(cut_of(other), cut_of(plan))
                self.assertGreaterEqual(other["step_time_s"], plan["step_time_s"])
                self.assertNotEqual(other["differs"], "")

    def test_what_is_given_stays(self):
        answer = self.answer(*USUAL, "--tensor", "4", "--pipeline", "2", "--zero", "1",
                             "--recompute", "full", "--sequence-parallel", "off",
                             "--micro-batch", "2", "--top", "50")
        for plan in variants(answer):
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
        deep = (*USUAL, "--pipeline", "8", "--batch", "64", "--top", "100")
        schedules = lambda answer: {plan["recipe"]["schedule"] for plan in variants(answer)}
        self.assertEqual(schedules(self.answer(*deep)), {"1f1b"})
        self.assertGreater(len(schedules(self.answer(*deep, "--schedule", "any"))), 1)

    def test_interleaved_needs_chunks(self):
        self.refused(*USUAL, "--schedule", "interleaved", saying="--interleave")
        self.answer(*USUAL, "--schedule", "interleaved", "--interleave", "2", "--pipeline", "4")

    def test_every_recompute_that_saves_memory_is_tried(self):
        for attention in ("unfused", "flash"):  # whose output Megatron-LM copies
            answer = self.answer(*USUAL, "--data", "8", "--tensor", "2", "--pipeline", "1",
                                 "--context", "1", "--micro-batch", "1", "--zero", "1",
                                 "--attention", attention, "--sequence-parallel", "on")
            needed = {plan["recipe"]["recompute"]: plan["worst_stage_bytes"]
                      for plan in variants(answer)}
            self.assertEqual(set(needed), {"none", "selective", "full"})
            self.assertLess(needed["selective"], needed["none"])
            self.assertLess(needed["full"], needed["selective"])

    def test_electricity_in_an_unknown_price_is_unknown(self):
        asked = ("plan", "gpt2", "--gpu", "V100-32GB", "--gpus", "8", "--tokens", "1B")
        run_of = self.answer(*asked)["run"]
        self.assertIsNone(run_of["gpu_cost_dollars"])
        self.assertIsNone(run_of["energy_cost_dollars"])
        self.assertEqual(self.answer(*asked, "--price", "$1/h")["run"]["energy_cost_dollars"], 0)
        self.assertGreater(
            self.answer(*asked, "--electricity", "$0.10/kWh")["run"]["energy_cost_dollars"], 0)
        failed = run(*asked, "--assert", "run.energy_cost_dollars < 5")
        self.assertEqual(failed.returncode, ASSERT_FAILED)
        self.assertIn("run.energy_cost_dollars < 5 (it is null", failed.stderr)

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

    def test_an_unknown_price_is_no_price_of_nothing(self):
        unpriced = ("plan", "gpt2", "--gpu", "MI300X", "--gpus", "8", "--tokens", "1B")
        run_of = self.answer(*unpriced)["run"]
        for part in (run_of, run_of["with_failures"]):
            self.assertIsNone(part["cost_dollars"])
            self.assertIsNone(part["gpu_cost_dollars"])
        self.assertNotIn("on_demand", [rental["terms"] for rental in run_of["rentals"]])
        for text in (run(*unpriced).stdout, run(*unpriced, "--deadline", "1d").stdout):
            self.assertIn("unknown", text)
            self.assertNotIn("$0", text)
        free = self.answer(*unpriced, "--price", "$0/h")["run"]  # known: it costs nothing
        self.assertEqual((free["gpu_cost_dollars"], free["cost_dollars"]), (0, 0))
        self.assertEqual(free["rentals"][0]["cost_dollars"], 0)

    def test_an_unknown_power_is_no_power_of_nothing(self):
        unknown = ("plan", "gpt2", "--gpu", "TPU-v5p", "--gpus", "8", "--tokens", "1B", "--price",
                   "$1/h")
        run_of = self.answer(*unknown)["run"]
        for part in (run_of, run_of["with_failures"]):
            self.assertIsNone(part["energy_joules"])
            self.assertGreater(part["cost_dollars"], 0)
        self.assertIsNone(run_of["carbon_grams"])
        paid = self.answer(*unknown, "--electricity", "$0.1/kWh")["run"]
        self.assertIsNone(paid["cost_dollars"])
        self.assertGreater(paid["gpu_cost_dollars"], 0)
        self.refused("plan", "gpt2", "--gpu", "TPU-v5p,H100", "--gpus", "8", "--by", "energy",
                     saying="--by energy")

    def test_options_without_effect_are_refused(self):
        self.refused(*USUAL, "--verbose", "--json", saying="--verbose has no effect")
        unpriced = ("plan", "gpt2", "--gpu", "V100-SXM2-32GB", "--gpus", "8")
        self.refused(*unpriced, "--term", "2d", saying="--term has no effect")
        self.refused(*unpriced, "--reclaim", "2d", saying="--reclaim has no effect")
        self.answer(*unpriced, "--term", "2d", "--reserved-price", "$1/h")
        self.refused(*unpriced, "--provider", "AWS", saying="--provider has no effect")
        self.refused(*unpriced, "--provider", "AWS", "--price", "$1/h", saying="--provider has no effect")
        self.answer("plan", "gpt2", "--gpu", "V100-32GB,H100", "--gpus", "8", "--provider", "AWS")
        self.refused("plan", "gpt2", "--gpu", "H100", "--gpus", "8,16,8", saying="--gpus: 8 is named twice")

    def test_what_would_fit_names_a_provider_where_a_price_is_known(self):
        found = self.answer("plan", "llama-3-8b", "--gpu", "RTX4090", "--gpus", "1", "--provider", "AWS",
                            "--what-if", code=INFEASIBLE)
        named = {change["gpu"]: "--provider AWS" in change["command"] for change in found["what_fits"]}
        self.assertEqual((named["RTX4090"], named["B100"]), (True, False))
        for change in found["what_fits"]:
            self.assertEqual(run(*shlex.split(change["command"])[1:], "--quick").returncode, DONE)

    def test_a_model_of_many_layers_takes_bounded_work(self):
        for layers, gpus in ((131072, 8), (131072, 1024), (10**9, 64)):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump({"layers": layers, "hidden_size": 64, "attention_heads": 4,
                           "ffn_size": 256, "vocabulary_size": 32000}, file)
                file.flush()
                answer = read_json(run("plan", file.name, "--gpu", "H100", "--gpus", gpus,
                                       "--json").stdout)
            # Layouts that were looked at one by one: 2.2 million of GPT-3 on 1024 GPUs.
            search = answer["search"]
            self.assertLess(search["candidates"] - search["dominated"], 30_000_000)
            self.assertLessEqual(answer["parallelism"]["pipeline"], 4096)

    def test_failures_lengthen_the_run_as_daly_says(self):
        run = self.answer(*USUAL, "--tokens", "1T", "--node-mtbf", "100d", "--restart", "30min",
                          "--checkpoint-bandwidth", "1GB/s", "--grid", "400g/kWh")["run"]
        failures = run["failures"]
        mtbf, write, interval, restart = (failures[key] for key in (
            "job_mtbf_s", "checkpoint_write_s", "checkpoint_interval_s", "restart_s"))
        self.assertAlmostEqual(mtbf, 50 * 86400)  # 2 nodes
        self.assertAlmostEqual(write, failures["checkpoint_bytes"] / 1e9, 2)
        self.assertAlmostEqual(restart, 1800 + write)
        # Weights of 2 bytes, master copies and two moments of 4.
        self.assertEqual(failures["checkpoint_bytes"], 8030261248 * 14)
        self.assertAlmostEqual(interval / math.sqrt(2 * write * mtbf), 1, 1)
        whole = run["time_s"] / interval * mtbf * math.exp(restart / mtbf) * math.expm1(
            (interval + write) / mtbf)
        self.assertAlmostEqual(run["with_failures"]["time_s"] / whole, 1)
        self.assertAlmostEqual(failures["interruptions"] / (whole / mtbf), 1)
        parts = sum(failures[key] for key in ("work_s", "checkpoints_s", "rework_s", "restarts_s"))
        self.assertAlmostEqual(parts / whole, 1)
        self.assertAlmostEqual(failures["effective_training_time"], run["time_s"] / whole)
        self.assertAlmostEqual(
            run["carbon_grams"] / (run["with_failures"]["energy_joules"] / 3.6e6 * 400), 1)

    def test_failures_are_those_of_llama_3(self):
        # 419 interruptions in 54 days of 16384 GPUs; effective training time above 90 %.
        run = self.answer("plan", "llama-3.1-405b", "--gpu", "H100", "--gpus", "16384", "--batch",
                          "2048", "--sequence", "8192", "--data", "128", "--tensor", "8",
                          "--pipeline", "16", "--context", "1", "--tokens", "15.6T")["run"]
        failures, whole = run["failures"], run["with_failures"]
        self.assertAlmostEqual(failures["interruptions"] / (whole["time_s"] / 86400), 419 / 54)
        self.assertGreater(failures["effective_training_time"], 0.9)

    def test_a_run_that_never_ends_is_no_plan(self):
        answer = self.answer(*USUAL, "--node-mtbf", "1ms", code=INFEASIBLE)
        self.assertTrue(answer["fits"])
        self.assertIsNone(answer["run"]["with_failures"]["time_s"])
        self.assertEqual(answer["run"]["failures"]["effective_training_time"], 0)
        self.assertIn("never ends", run(*USUAL, "--node-mtbf", "1ms").stdout)

    def test_terms_of_rental(self):
        run = self.answer(*USUAL, "--tokens", "1T", "--price", "$4/h", "--reserved-price", "$3/h",
                          "--spot-price", "$1/h", "--term", "30d", "--reclaim", "2d")["run"]
        on_demand, reserved, spot = run["rentals"]
        self.assertEqual([one["terms"] for one in run["rentals"]], ["on_demand", "reserved", "spot"])
        self.assertAlmostEqual(on_demand["cost_dollars"] / run["with_failures"]["cost_dollars"], 1)
        terms = math.ceil(reserved["time_s"] / (30 * 86400))
        self.assertAlmostEqual(reserved["cost_dollars"], terms * 30 * 24 * 16 * 3)
        self.assertGreater(spot["interruptions"], on_demand["interruptions"])
        self.assertGreater(spot["time_s"], on_demand["time_s"])
        self.assertAlmostEqual(spot["cost_dollars"] / (spot["gpu_time_s"] / 3600), 1)

    def test_where_nothing_fits_the_closest_miss_and_what_to_change(self):
        small = ("plan", "llama-3-70b", "--gpu", "A100-40GB", "--gpus", "8")
        answer = self.answer(*small, code=INFEASIBLE)
        self.assertFalse(answer["fits"])
        self.assertEqual(answer["reason"], "memory")
        self.assertEqual(answer["plans"], [])
        self.assertIsNone(answer["run"])
        self.assertIsNone(answer["help"])
        self.assertGreater(answer["rejected"]["needed_bytes"],
                           answer["rejected"]["available_bytes"])
        self.assertGreater(len(answer["repairs"]), 0)
        text = run(*small)
        self.assertEqual(text.returncode, INFEASIBLE)
        for words in ("Nothing fits", "closest miss", "the fullest stage needs", "What to change",
                      "other hardware", "gpuplan plan llama-3-70b --gpu A100-40GB"):
            self.assertIn(words, text.stdout)

    def proposals(self, *arguments):
        """What is proposed where nothing fits, each asked as it is printed."""
        proposed = self.answer(*arguments, code=INFEASIBLE)["what_fits"]
        for one in proposed:
            name, *words = shlex.split(one["command"])
            self.assertEqual(name, "gpuplan")
            asked = self.answer(*words)
            self.assertTrue(asked["fits"], one["command"])
            if one["searched_all"]:
                self.assertEqual(asked["step_time_s"], one["step_time_s"])
                self.assertEqual(asked["fits_probability"], one["fits_probability"])
            else:
                self.assertLessEqual(asked["step_time_s"], one["step_time_s"])
            self.assertGreaterEqual(one["fits_probability"], 0.9 - 1e-9)
        return proposed

    def test_what_is_proposed_fits_when_it_is_asked(self):
        proposed = self.proposals("plan", "llama-3-8b", "--gpu", "RTX4090", "--gpus", "2",
                                  "--batch", "16", "--tokens", "10M")
        options = [one["options"] for one in proposed]
        for known in ("--offload all", "--precision pure_bf16 --offload optimizer",
                      "--adapter-rank 16"):
            self.assertIn(known, options)
        costs = ["nothing", "numerics", "training", "hardware"]
        order = [costs.index(one["costs"]) for one in proposed]
        self.assertEqual(order, sorted(order))
        for cost in costs[:3]:
            speeds = [one["tokens_per_s"] for one in proposed if one["costs"] == cost]
            self.assertEqual(speeds, sorted(speeds, reverse=True))

    def test_proposals_leave_out_what_has_no_effect_on_them(self):
        asked = ("plan", "qwen3-32b", "--gpu", "L4", "--gpus", "2", "--host-memory", "64GB")
        for one in self.answer(*asked, code=INFEASIBLE)["what_fits"]:
            command = shlex.split(one["command"])[1:]
            self.assertEqual("--host-memory" in command, one["recipe"]["offload"] != "none",
                             command)
            self.assertEqual(run(*command).returncode, DONE, command)

    def test_proposals_of_one_layout_fit_when_they_are_asked(self):
        proposed = self.proposals("fit", "llama-3-8b", "--gpu", "H100", "--data", "8",
                                  "--batch", "64", "--micro-batch", "4")
        self.assertIn("--zero 1", " ".join(one["options"] for one in proposed)
                      .replace("--zero 2", "--zero 1").replace("--zero 3", "--zero 1"))
        self.assertIn("hardware", [one["costs"] for one in proposed])

    def test_proposals_keep_what_was_typed(self):
        proposed = self.proposals("plan", "llama-3-8b", "--gpu", "A100-40GB", "--gpus", "8",
                                  "--zero", "0", "--tensor", "1", "--pipeline", "1", "--context",
                                  "1", "--risk", "0.05", "--by", "cost", "--price", "$2/h")
        self.assertGreater(len(proposed), 0)
        for one in proposed:
            for words in ("--risk 0.05", "--by cost"):
                self.assertIn(words, one["command"])
        self.assertIn("--zero any", [one["options"] for one in proposed])

    def test_where_nothing_would_do_nothing_is_proposed(self):
        hopeless = ("plan", "llama-3-8b", "--gpu", "RTX4090", "--gpus", "1", "--memory", "700MB",
                    "--batch", "1")
        proposed = self.answer(*hopeless, code=INFEASIBLE)["what_fits"]
        self.assertEqual({one["costs"] for one in proposed}, {"hardware"})

    def test_part_of_a_node_is_proposed_where_it_is_enough(self):
        asked = ("plan", "llama-3.1-8b", "--gpu", "H100", "--gpus")
        same = [one for one in self.answer(*asked, "2", code=INFEASIBLE)["clusters_that_fit"]
                if one["gpu"] == "H100-SXM5-80GB"]
        self.assertEqual([one["gpus"] for one in same], [4])
        self.answer(*asked, "4")

    def test_a_step_under_a_power_limit_is_extrapolated(self):
        asked = ("plan", "llama-3.1-8b", "--gpu", "H100", "--gpus", "8", "--top", "1")
        for limit, grade in (("140W", "extrapolated"), ("400W", "extrapolated"),
                             ("700W", "validated"), ("900W", "validated")):
            with self.subTest(limit=limit):
                answer = self.answer(*asked, "--power-limit", limit)
                self.assertEqual(answer["error_basis"]["step_time"]["grade"], grade)
                said = "no run was measured under a power limit"
                text = " ".join(run(*asked, "--power-limit", limit).stdout.split())
                self.assertEqual(said in text, grade == "extrapolated")

    def test_the_fewest_gpus_that_fit_are_the_fewest(self):
        small = ("plan", "llama-3-70b", "--gpu", "A100-40GB", "--batch", "1024", "--gpus")
        fewest, *others = self.answer(*small, "8", code=INFEASIBLE)["clusters_that_fit"]
        self.assertEqual(fewest["gpu"], "A100-SXM4-40GB")
        self.answer(*small, fewest["gpus"])
        self.answer(*small, fewest["gpus"] - 8, code=INFEASIBLE)
        self.assertGreater(len(others), 0)
        for other in others:
            self.assertEqual(other["gpus"], 8)
            self.answer("plan", "llama-3-70b", "--gpu", other["gpu"], "--gpus", "8")

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

    def test_what_a_run_costs_stays_finite(self):
        for option, value in (("--grid", "1e308g/kWh"), ("--grid", "-1g/kWh"),
                              ("--price", "$1e300/h"), ("--electricity", "$1e300/kWh"),
                              ("--tokens", "1e300"), ("--restart", "1e300s"),
                              ("--node-mtbf", "1e300s"), ("--reclaim", "1e300s")):
            self.refused(*USUAL, option, value, saying=option)
        most = run(*USUAL, "--tokens", "1e30", "--grid", "1000kg/kWh", "--price", "$1M/h",
                   "--node-mtbf", "1d")
        self.assertNotIn("inf", most.stdout.replace("infiniband", "").replace("InfiniBand", ""))

    def test_what_only_several_gpus_give_an_effect_is_refused_on_one(self):
        alone = ("gpt2", "--gpu", "H100", "--gpus", "1")
        several = ("gpt2", "--gpu", "H100", "--gpus", "8")
        for option, value in (("--reduce-dtype", "bf16"), ("--nvlink-domain", "4"),
                              ("--overlap-data", "off"), ("--context-exchange", "all_to_all"),
                              ("--communicator", "1GB"), ("--zero-buckets", "1GB")):
            for subcommand in "plan", "fit", "scale":
                self.refused(subcommand, *alone, option, value, saying=option + " has no effect: ")
            for subcommand in "plan", "scale":
                self.assertEqual(run(subcommand, *several, option, value).returncode, DONE)
        self.assertEqual(run("plan", "gpt2", "--gpu", "H100", "--gpus", "1,8", "--reduce-dtype",
                             "bf16").returncode, DONE)
        self.assertEqual(run("plan", *alone, "--schedule", "1f1b").returncode, DONE)

    def test_what_changes_an_answer_of_one_gpu_is_taken(self):
        def answered(*added):
            inputs = self.answer("plan", "gpt2", "--gpu", "H100", "--gpus", "1", *added)
            del inputs["inputs"]
            return inputs
        for common, option, value in (
                (("--tokens", "1B"), "--gpus-per-node", "4"),
                (("--offload", "optimizer", "--zero", "1"), "--nvlink-domain", "4"),
                (("--sample-size", "1MB", "--storage", "10MB/s"), "--nvlink-domain", "4")):
            self.assertNotEqual(answered(*common), answered(*common, option, value), option)

    def test_a_power_limit_is_one_that_the_gpu_can_be_set_to(self):
        least = "must be >= 140 W, a fifth of what H100-SXM5-80GB draws at most (700 W), not 1 W"
        for subcommand in "plan", "fit", "scale":
            asked = (subcommand, "gpt2", "--gpu", "H100", "--gpus", "8", "--power-limit")
            self.refused(*asked, "1W", saying="--power-limit " + least)
            for limit, said in (("5kW", True), ("700W", False), ("140W", False)):
                text = " ".join(run(*asked, limit).stdout.split())
                self.assertEqual("is above the board's 700 W: no effect" in text, said, limit)
        inputs = self.answer("fit", "gpt2", "--gpu", "H100")["inputs"]
        inputs["recipe"]["power_limit_w"] = 1
        self.assertIn("recipe: power_limit_w " + least,
                      run("evaluate", stdin=json.dumps(inputs)).stdout)

    def test_no_power_limit_is_null_and_0_is_refused(self):
        allowed = "must be 1.0 to 1000000.0 W, not 0W"
        for subcommand in "plan", "fit", "scale":
            self.refused(subcommand, "gpt2", "--gpu", "H100", "--gpus", "8", "--power-limit", "0W",
                         saying=("--power-limit", allowed))
        unlimited = self.answer("fit", "gpt2", "--gpu", "H100")["inputs"]
        self.assertIsNone(unlimited["recipe"]["power_limit_w"])
        self.assertEqual(self.answer("fit", "gpt2", "--gpu", "H100", "--power-limit", "300W")
                         ["inputs"]["recipe"]["power_limit_w"], 300)
        done = run("evaluate", stdin=json.dumps(unlimited))
        self.assertEqual(program.read_json(done.stdout)["inputs"], unlimited)
        unlimited["recipe"]["power_limit_w"] = 0
        done = run("evaluate", stdin=json.dumps(unlimited))
        self.assertIn("recipe: power_limit_w must be 1.0 to 1000000.0, not 0", done.stdout)

    def test_adapters_of_a_hybrid_model_are_refused_for_what_is_not_modelled(self):
        counts = json.loads((program.DATA / "layered_counts.json").read_text())["models"]
        shape = next(one["config"] for one in counts if one["name"] == "Qwen3.5-9B")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as model:
            json.dump(shape, model)
            model.flush()
            asked = (model.name, "--gpu", "H100", "--gpus", "8")
            for subcommand in "plan", "fit":
                done = run(subcommand, *asked, "--task", "lora")
                self.assertEqual(done.returncode, INFEASIBLE)
                text = " ".join(done.stdout.split())
                self.assertIn("low-rank adapters (LoRA) are not modelled of models with recurrent "
                              "mixers (state-space or linear-attention layers)", text)
                self.assertIn("training of all weights is", text)
                self.assertNotIn("context parallelism", text)
                self.assertNotIn("at least as wide", text)
            rejected = self.answer("plan", *asked, "--task", "lora", code=INFEASIBLE)["search"]["rejected"]
            self.assertEqual(list(rejected), ["adapted_model"])
            self.assertEqual(run("plan", *asked, "--task", "sft", "--quick").returncode, DONE)

    def test_csv_has_the_same_columns_of_every_answer(self):
        layouts = ("plan", "llama-3.2-1b", "--gpu", "H100", "--gpus", "8", "--quick", "--csv")
        titles = {run(*layouts, *more).stdout.splitlines()[0]
                  for more in ((), ("--pipeline", "2", "--layer-split", "7,9"), ("--task", "lora"),
                               ("--batch", "8", "--data", "8", "--zero", "3"))}
        self.assertEqual(len(titles), 1)
        self.assertIn("recipe.layer_split", titles.pop())
        clusters = ("plan", "llama-3-70b", "--gpu", "H100", "--quick", "--csv", "--gpus")
        titles = {run(*clusters, gpus).stdout.splitlines()[0] for gpus in ("1,2", "2,64", "32,64")}
        self.assertEqual(len(titles), 1)

    def test_an_option_without_effect_is_refused(self):
        for option, value in (("--expert-imbalance", "2"), ("--dispatcher", "deep_ep"),
                              ("--expert-capacity-factor", "1.5"),
                              ("--adapter-place", "attention_and_ffn"),
                              ("--encoder-sequence", "512")):
            self.refused(*USUAL, option, value, saying=(option, "has no effect"))
            self.refused("fit", "llama-3-8b", "--gpu", "H100", option, value, saying=option)
        self.refused(*USUAL, "--recompute-every", "4", "--recompute", "none",
                     saying="--recompute-every")
        self.answer(*USUAL, "--recompute-every", "4")  # full recomputation is among what is tried
        self.answer(*USUAL, "--group-order", "pipeline_then_data", "--data", "4", "--tensor", "1")

    def test_bf16_means_mixed_and_the_echo_says_so(self):
        recipe = self.answer(*USUAL, "--precision", "bf16")["inputs"]["recipe"]
        self.assertEqual((recipe["precision"], recipe["gradient_dtype"]), ("mixed_bf16", "fp32"))

    def test_the_same_question_has_the_same_answer(self):
        self.assertEqual(run(*USUAL, "--json").stdout, run(*USUAL, "--json").stdout)

    def test_more_gpus_are_never_slower(self):
        times = [one["step_time_s"] for one in self.answer(
            "plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8,16,32,64", "--batch",
            "512")["offers"]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(times[-1], self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus",
                                                "64", "--batch", "512")["step_time_s"])


class Help(program.ProgramTest):
    """What would help, held against the program itself."""

    def step(self, *arguments):
        fixed = ("--data", "16", "--tensor", "1", "--pipeline", "1", "--context", "1", "--zero", "2",
                 "--micro-batch", "2", "--recompute", "none", "--batch", "512", "--risk", "1")
        return self.answer(*USUAL, *fixed, *arguments)

    def test_elasticities_are_the_slopes_of_the_step(self):
        rate = lambda gbit: self.step("--fabric", f"{gbit}Gb/s")
        usual = rate(20)
        help = usual["help"]
        slope = help["elasticities"]["bandwidth_of_the_fabric"]
        self.assertLess(slope, -0.01)
        change = (rate(20.02)["step_time_s"] / rate(19.98)["step_time_s"] - 1) / 0.002
        self.assertAlmostEqual(slope, change, delta=2e-3)
        for value in help["elasticities"].values():
            self.assertTrue(-1 <= value <= 1e-9)
        self.assertGreaterEqual(sum(help["elasticities"].values()), -1 - 1e-6)
        twice = rate(40)["step_time_s"]
        self.assertGreaterEqual(help["twice"]["speedup"], usual["step_time_s"] / twice - 1e-9)

    def test_more_memory_lets_the_next_plan_fit(self):
        tight = (*USUAL, "--memory", "40GiB")
        answer = self.answer(*tight)
        gain = answer["help"]["more_memory"]
        more = self.answer(*USUAL, "--memory", f"{gain['needed_bytes']}B")
        self.assertAlmostEqual(more["step_time_s"] / gain["step_time_s"], 1)
        self.assertAlmostEqual(gain["speedup"], answer["step_time_s"] / gain["step_time_s"])
        self.assertGreater(gain["speedup"], 1)

    def test_no_restriction_finds_a_faster_plan(self):
        """What is searched in a part of the layouts is searched in all of them, too: stages of
        uneven layers, which may fit where equal ones do not, among them."""
        wide = (("qwen3-30b-a3b", "MI300X", "16", "256", "2048"),
                ("qwen3-30b-a3b", "B200", "8", "384", "8192"))
        parts = (("--interleave", "6"), ("--interleave", "3"), ("--pipeline", "4"),
                 ("--pipeline", "4", "--interleave", "2"), ("--micro-batch", "4"),
                 ("--pipeline", "4", "--micro-batch", "4"), ("--risk", "0.05"))
        for model, gpu, gpus, batch, sequence in wide:
            job = ("plan", model, "--gpu", gpu, "--gpus", gpus, "--batch", batch, "--sequence",
                   sequence, "--fabric", "80GB/s", "--quick")
            best = self.answer(*job)["tokens_per_s"]
            for part in parts:
                with self.subTest(job=job, part=part):
                    found = self.answer(*job, *part)["tokens_per_s"]
                    self.assertLessEqual(found, best * (1 + 1e-6))

    def test_uneven_stages_may_fit_where_no_equal_ones_do(self):
        """The last of four stages has the head, the first keeps most micro-batches: with the same
        layers one of them does not fit."""
        job = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "4", "--tensor", "1", "--data", "1",
               "--pipeline", "4", "--batch", "64", "--recompute", "none", "--micro-batch", "1",
               "--memory")
        for memory in ("66GB", "64GB", "62GB"):
            equal = (*job, memory, "--layer-split", "8,8,8,8", "--quick")
            self.assertFalse(self.answer(*equal, code=INFEASIBLE)["fits"])
            answer = self.answer(*job, memory, "--quick")
            self.assertEqual(sum(answer["plans"][0]["recipe"]["layer_split"]), 32)
            self.assertGreaterEqual(answer["fits_probability"], 0.9)
            self.assertIn("none fits with equal stages",
                          " ".join(run(*job, memory, "--quick").stdout.split()))
        self.assertFalse(self.answer(*job, "40GB", "--quick", code=INFEASIBLE)["plans"])

    def test_a_faster_fabric_plans_no_slower_step(self):
        for job in (("qwen3-30b-a3b", "--gpus", "16", "--batch", "256"),
                    ("llama-3-70b", "--gpus", "32", "--batch", "1024")):
            speeds = [self.answer("plan", *job, "--gpu", "MI300X", "--fabric", f"{rate}GB/s",
                                  "--quick")["tokens_per_s"] for rate in (20, 80, 160, 320)]
            self.assertEqual(speeds, sorted(speeds), job)

    def test_uneven_stages_gain_what_they_say(self):
        job = ("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "64", "--batch", "512", "--data",
               "4", "--context", "1", "--expert", "1")
        shape = ("--tensor", "4", "--pipeline", "4", "--interleave", "1", "--micro-batch", "1",
                 "--zero", "1", "--recompute", "none", "--risk", "0.9")
        answer = self.answer(*job, *shape)
        layers = answer["recipe"]["layer_split"]
        self.assertEqual(sum(layers), 80)
        self.assertLess(layers[3], layers[1])  # the head takes the place of layers
        self.assertTrue(answer["pipeline_model_parallel_layout"].startswith("Et*"))
        split = ",".join(map(str, layers))
        again = self.answer(*job, *shape, "--layer-split", split)
        self.assertEqual(again["tokens_per_s"], answer["tokens_per_s"])
        equal = self.answer(*job, *shape, "--layer-split", "20,20,20,20")
        self.assertGreater(answer["tokens_per_s"], 1.002 * equal["tokens_per_s"])
        text = run(*job, *shape).stdout
        self.assertIn(f"--layer-split {split}", text.replace("\n", " "))
        self.assertIn("equal stages +", text.replace("\n", " "))
        quick = self.answer(*job, *shape, "--quick")
        self.assertGreater(quick["tokens_per_s"], 1.002 * equal["tokens_per_s"])

    def test_the_best_stages_are_those_of_all_splits(self):
        """Ten layers and a head as large as several of them: every split of four stages is asked."""
        config = json.loads((program.CONFIGS / "qwen3-0.6b.json").read_text())
        config |= {"num_hidden_layers": 10, "vocab_size": 256000}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(config, file)
            file.flush()
            job = (file.name, "--gpu", "H100", "--gpus", "8", "--batch", "64", "--sequence", "4096")
            answer = self.answer("plan", *job, "--pipeline", "4", "--interleave", "1", "--context", "1")
            cut, how = answer["parallelism"], answer["recipe"]
            self.assertTrue(how["layer_split"])
            requests = [json.dumps({"model": config, "cluster": {"gpu": "H100", "gpus": 8},
                                    "recipe": how | {"layer_split": list(split)}, "parallelism": cut})
                        for split in itertools.product(range(11), repeat=4)
                        if sum(split) == 10 and split[1] and split[2]]
            answers = run("evaluate", stdin="\n".join(requests)).stdout.splitlines()
            best = min(json.loads(one)["step_time_s"] for one in answers)
            self.assertAlmostEqual(answer["step_time_s"] / best, 1, 9)

    def test_a_change_gains_what_it_says(self):
        answer = self.step()
        changes = {one["change"]: one["speedup"] for one in answer["help"]["changes"]}
        self.assertEqual(list(changes.values()), sorted(changes.values(), reverse=True))
        self.assertAlmostEqual(
            changes["precision fp8"],
            self.step("--precision", "fp8")["tokens_per_s"] / answer["tokens_per_s"])


class Offers(program.ProgramTest):
    def test_a_deadline_takes_the_fewest_gpus_that_keep_it(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "1T", "--batch", "1024")
        answer = self.answer(*asked, "--deadline", "14d")
        offers = answer["offers"]
        fewest = offers[answer["choices"]["fewest_gpus"]]
        self.assertEqual(fewest["fault"], "none")
        self.assertLessEqual(fewest["time_s"], 14 * 86400)
        for one in offers:
            self.assertEqual(one["fault"], "none" if one["time_s"] <= 14 * 86400 else "late")
            self.assertEqual(one["keeps_limits"], one["deadline_probability"] >= 0.9)
            if one["gpus"] < fewest["gpus"]:
                self.assertFalse(one["keeps_limits"])
        alone = self.answer(*asked, "--gpus", fewest["gpus"] - 8, "--deadline", "14d",
                            code=INFEASIBLE)
        self.assertLess(alone["deadline_probability"], 0.9)

    def test_an_offer_that_may_be_late_is_not_the_fewest(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "1T", "--gpus", "32,40,64")
        whole = {one["gpus"]: one["time_s"] for one in self.answer(*asked)["offers"]}
        tight = ("--deadline", f"{1.001 * whole[40] / 3600}h")
        answer = self.answer(*asked, *tight)
        chance = {one["gpus"]: one["deadline_probability"] for one in answer["offers"]}
        self.assertTrue(0.3 < chance[40] < 0.9 < chance[64], chance)
        for choice in ("fewest_gpus", "cheapest", "fastest"):
            self.assertEqual(answer["offers"][answer["choices"][choice]]["gpus"], 64)
        self.assertRegex(run(*asked, *tight).stdout, r"\n +40 .*\s+may be late")
        bold = self.answer(*asked, *tight, "--level", str(chance[40] - 0.01))
        self.assertEqual(bold["offers"][bold["choices"]["fewest_gpus"]]["gpus"], 40)
        # Where none is sure, the mean decides which is shown, and the answer says so.
        alone = ("plan", *asked[1:-1], "40", *tight)
        answer = self.answer(*alone, code=INFEASIBLE)
        self.assertEqual((answer["keeps_limits"], answer["offers"][0]["keeps_limits"]), (False,) * 2)
        self.assertEqual(answer["offers"][0]["fault"], "none")
        self.assertIsNone(answer["choices"]["fewest_gpus"])
        done = run(*alone)
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("No offer keeps the deadline with a probability of 90 %", done.stdout)
        done = run(*alone, "--emit", "megatron")
        self.assertEqual((done.returncode, done.stdout), (INFEASIBLE, ""))
        self.assertIn("no offer keeps the limits, so there is no launch", done.stderr)

    def test_the_level_decides_of_a_deadline_that_the_mean_misses(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "1T", "--gpus", "40")
        whole = self.answer(*asked)["offers"][0]["time_s"]
        tight = (*asked, "--deadline", f"{0.999 * whole}s")
        chance = self.answer(*tight, code=INFEASIBLE)["deadline_probability"]
        for level, code in ((chance - 0.01, DONE), (chance + 0.01, INFEASIBLE)):
            answer = self.answer(*tight, "--level", f"{level:.4f}", code=code)
            self.assertEqual(answer["keeps_limits"], code == DONE)
            self.assertEqual(answer["offers"][0]["keeps_limits"], code == DONE)
            self.assertEqual("late" in run(*tight, "--level", f"{level:.4f}").stdout.split(),
                             code != DONE)

    def test_experts_that_need_more_gpus_say_how_many(self):
        job = ("mixtral-8x7b-v0.1", "--gpu", "H100")
        self.assertIn("EP 8 needs 8 GPUs or a multiple of them, and there are 4.",
                      run("plan", *job, "--gpus", 4, "--expert", 8).stdout)
        text = " ".join(run("fit", *job, "--data", 2, "--expert", 8).stdout.split())
        self.assertIn("each pipeline stage needs 8 GPUs or a multiple of them", text)

    def test_fsdp2_has_its_own_stages(self):
        job = ("llama-3.2-1b", "--gpu", "H100", "--framework", "fsdp2")
        done = run("fit", *job, "--data", 8, "--zero", 1)
        self.assertEqual(done.returncode, INFEASIBLE)
        text = " ".join(done.stdout.split())
        self.assertIn("ZeRO 1 is not among what it has: 0 (nothing sharded), 2 (weights gathered "
                      "once a step) and 3", text)
        for stage in (0, 2, 3):
            self.assertEqual(run("fit", *job, "--data", 8, "--zero", stage).returncode, DONE)
        answer = self.answer("plan", *job, "--gpus", 8, "--top", 20)
        self.assertNotIn(1, [one["recipe"]["zero"] for one in variants(answer)])
        self.assertIn("sharding", answer["search"]["rejected"])

    def test_the_command_of_an_offer_gives_its_numbers(self):
        asked = (("llama-3-8b", "--gpu", "H100", "--tokens", "1T", "--deadline", "21d"),
                 ("llama-3-8b", "--gpu", "H100,A100-80GB", "--gpus", "24,112", "--price", "$2/h,$1/h"),
                 ("llama-3.2-1b", "--gpu", "H100", "--task", "sft", "--gpus", "8,24,36"),
                 ("llama-3.2-1b", "--gpu", "A100-80GB", "--task", "dpo", "--samples", "20M",
                  "--deadline", "2d"))
        same = ("gpu", "gpus", "global_batch_size", "step_time_s", "mfu", "time_s", "cost_dollars")
        batches = set()
        for words in asked:
            offers = self.answer("plan", *words)["offers"]
            self.assertGreater(len(offers), 1, words)
            for offer in [one for one in offers if one["fits"]][:6]:
                name, *command = shlex.split(offer["command"])
                self.assertEqual(name, "gpuplan")
                done = run(*command, "--json")
                [alone] = program.read_json(done.stdout)["offers"]
                self.assertEqual({key: offer[key] for key in same},
                                 {key: alone[key] for key in same}, offer["command"])
                self.assertEqual(offer["global_batch_size"] % offer["gpus"], 0)
                batches.add(offer["global_batch_size"])
            text = run("plan", *words).stdout
            self.assertIn("\nThe next one alone: gpuplan plan " + words[0], text)
        self.assertGreater(len(batches), 3)

    def test_the_cheapest_type_by_a_deadline(self):
        answer = self.answer("plan", "llama-3-8b", "--gpu", "H100,H200", "--gpus", "64,128",
                             "--tokens", "1T", "--price", "$2/h,$9/h", "--deadline", "30d")
        offers, choices = answer["offers"], answer["choices"]
        self.assertEqual([one["gpus"] for one in offers], [64, 128, 64, 128])
        costs = [one["cost_dollars"] for one in offers]
        self.assertEqual(choices["cheapest"], costs.index(min(costs)))
        self.assertEqual(choices["shown"], choices["cheapest"])
        times = [one["time_s"] for one in offers]
        self.assertEqual(choices["fastest"], times.index(min(times)))

    def test_a_budget_takes_the_fastest(self):
        answer = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "1T", "--price",
                             "$2/h", "--budget", "$55k")
        offers, choices = answer["offers"], answer["choices"]
        self.assertEqual(choices["shown"], choices["fastest"])
        self.assertLessEqual(offers[choices["shown"]]["cost_dollars"], 55e3)
        self.assertIn("dear", {one["fault"] for one in offers})

    def test_no_offer_keeps_impossible_limits(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8,16", "--tokens", "15T")
        answer = self.answer(*asked, "--deadline", "1d", "--budget", "$1", code=INFEASIBLE)
        self.assertTrue(answer["fits"])
        self.assertFalse(answer["keeps_limits"])
        self.assertEqual({one["fault"] for one in answer["offers"]}, {"late_and_dear"})
        done = run(*asked, "--deadline", "1d")
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("No offer meets the limits.  The fastest", done.stdout)

    def test_what_each_of_two_limits_would_take_is_said(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8,64,512", "--tokens", "1T")
        limits = ("--deadline", "30d", "--budget", "$1000")
        answer = self.answer(*asked, *limits, code=INFEASIBLE)
        share = [max(one["time_s"] / (30 * 86400), one["cost_dollars"] / 1000)
                 for one in answer["offers"]]
        self.assertEqual(answer["choices"]["shown"], share.index(min(share)))
        text = run(*asked, *limits).stdout
        in_time = [one for one in answer["offers"] if one["time_s"] <= 30 * 86400]
        self.assertTrue(in_time)
        in_time = min(in_time, key=lambda one: one["cost_dollars"])
        cheapest = min(answer["offers"], key=lambda one: one["cost_dollars"])
        self.assertIn("No offer meets both limits.\nThe deadline alone is kept by "
                      f"{in_time['gpus']} H100", text)
        self.assertIn(f"No offer keeps the budget; the cheapest is {cheapest['gpus']} H100", text)

    def test_the_cheapest_comes_closest_to_a_budget(self):
        answer = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16,256",
                             "--budget", "$100", code=INFEASIBLE)
        costs = [one["cost_dollars"] for one in answer["offers"]]
        self.assertEqual(answer["offers"][answer["choices"]["shown"]]["cost_dollars"], min(costs))

    def test_the_host_that_is_too_small_is_what_stops_it(self):
        answer = self.answer(*USUAL, "--offload", "optimizer", "--host-memory", "1GB",
                             code=INFEASIBLE)
        self.assertEqual(answer["reason"], "host_memory")

    def test_a_negative_number_is_no_choice(self):
        self.assertEqual(run(*USUAL, "--zero=-1").returncode, USAGE)

    def test_by_cost_needs_fewer_gpu_hours_than_by_time(self):
        bold = (*USUAL, "--price", "$2/h", "--risk", "1")
        by_time = self.answer(*bold)["run"]["with_failures"]
        by_cost = self.answer(*bold, "--by", "cost")["run"]["with_failures"]
        self.assertLess(by_cost["cost_dollars"], by_time["cost_dollars"])
        self.assertGreater(by_cost["time_s"], by_time["time_s"])

    def test_what_cannot_be_asked(self):
        for arguments, words in ((("--gpus", "8,x"), "--gpus"), ((), "--gpus is required"),
                                 (("--gpus", "8", "--deadline", "0s"), "--deadline"),
                                 (("--gpus", "8", "--deadline", "30"), "--deadline"),
                                 (("--gpus", "8", "--budget", "1e6"), ("--budget", "$")),
                                 (("--gpus", "8", "--by", "price"), "--by"),
                                 (("--gpus", "8", "--price", "$1/h,$2/h"), "--price")):
            self.refused("plan", "gpt2", "--gpu", "H100", *arguments, saying=words)
        self.refused("plan", "gpt2", "--gpu", "H100,h100-80gb", "--gpus", "8", saying="twice")
        self.refused("plan", "gpt2", "--gpu", "MI300X", "--gpus", "8", "--budget", "$5",
                     saying=("--budget", "--price"))
        self.refused("plan", "gpt2", "--gpu", "MI300X,TPU-v6e", "--gpus", "8", "--by", "cost",
                     saying=("--by cost", "--price"))
        self.refused("plan", "gpt2", "--gpu", "H100", "--gpus", "8", "--price", "$3",
                     saying=("'/h' is missing", "$3/h"))

    def test_a_type_without_a_price_stays_in_a_comparison(self):
        told = self.answer("plan", "gpt2", "--gpu", "H100,MI300X", "--gpus", "8", "--by", "cost")
        priced, unknown = told["offers"]
        self.assertGreater(priced["cost_dollars"], 0)
        self.assertIsNone(unknown["cost_dollars"])
        self.assertEqual(told["choices"]["cheapest"], 0)

    def test_what_does_not_fit_says_why(self):
        wide = run("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8", "--tp", "16")
        self.assertEqual(wide.returncode, 4)
        self.assertIn("tensor 16 needs 16 GPUs, and there are 8", wide.stdout)
        full = run("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "8", "--task", "sft")
        self.assertEqual(full.returncode, 4)
        self.assertNotIn("A step takes", full.stdout)
        unsure = run("plan", "llama-3-8b", "--gpu", "RTX4090", "--gpus", "1", "--task", "lora",
                     "--samples", "50000", "--epochs", "1", "--sequence", "1024")
        self.assertEqual(unsure.returncode, 4)
        self.assertIn("predicted to fit with a probability of", unsure.stdout)
        self.assertIn("--risk", unsure.stdout.split("by what it costs", 1)[1].splitlines()[4:6][-1])

    def test_a_front_of_which_none_beats_another(self):
        front = self.answer(*USUAL, "--front")["front"]["plans"]
        self.assertGreater(len(front), 3)
        measures = [(one["step_time_s"], one["worst_stage_bytes"],
                     one["step_time_s"] * one["gpus_used"]) for one in front]
        for a in measures:
            for b in measures:
                self.assertFalse(a != b and all(x <= y for x, y in zip(a, b)), (a, b))


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

    def test_nothing_holds_of_what_is_not_known(self):
        unpriced = ("plan", "gpt2", "--gpu", "MI300X", "--gpus", "8", "--tokens", "1B")
        for key in ("run.cost_dollars", "run.gpu_cost_dollars", "run.with_failures.cost_dollars",
                    "inputs.run.gpu_price_dollars_per_s", "offers[0].cost_dollars"):
            for comparison in ("< 5", ">= 0", "== 0", "!= 5", "!= null"):
                done = run(*unpriced, "--assert", f"{key} {comparison}")
                self.assertEqual(done.returncode, ASSERT_FAILED, (key, comparison))
                self.assertEqual(done.stderr, f"gpuplan: --assert failed: {key} {comparison} "
                                              "(it is null: unknown or unbounded)\n")
            self.assertEqual(run(*unpriced, "--assert", f"{key} == null").returncode, DONE)
        self.assertEqual(run(*unpriced, "--price", "$1/h", "--assert",
                             "run.cost_dollars > 0").returncode, DONE)

    def test_what_cannot_be_read_is_refused(self):
        for text, words in (("mfu", "KEY OP VALUE"), ("mfu >", "KEY OP VALUE"),
                            ("mfu => 1", "KEY OP VALUE"), ("mfuu > 1", "did you mean mfu?"),
                            ("memory > 1", "object"), ("mfu > fast", "no number"),
                            ("mfu > nan", "no number"), ("mfu < inf", "no number"),
                            ("memory.stages[99].total_bytes > 1", "stages"),
                            ("memory.stages[x] > 1", "stages"), ("step_time_s < 1GiB", "no number"),
                            ("mfu > 40 GB", "give the plain number, in the unit of the field"),
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
        # This search takes minutes: it is watched until it says so, however slow the machine is.
        model = program.config("llama-3-8b") | {"num_hidden_layers": 131072}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(model, file)
            file.flush()
            shown = program.run_on_terminal("plan", file.name, "--gpu", "H100", "--gpus",
                                            "1000000000", "--what-if", until=r"searching, \d+ s ")
            off = subprocess.Popen([program.PROGRAM, "plan", file.name, "--gpu", "H100", "--gpus",
                                    "1000000000", "--what-if"], stderr=subprocess.PIPE, text=True,
                                   stdout=subprocess.DEVNULL,
                                   env=os.environ | {"GPUPLAN_PROGRESS": "1"})
            lines = [off.stderr.readline() for _ in "12"]
            off.kill()
            off.communicate()
        self.assertRegex(shown, r"\A\rgpuplan: searching, [1-9]\d* s \Z")
        self.assertRegex(lines[0], r"\Agpuplan: searching, [1-9]\d* s so far\n\Z")
        self.assertRegex(lines[1], r"\Agpuplan: searching, [2-9]\d* s so far\n\Z")
        self.assertEqual(run(*USUAL).stderr, "")


program.main()
