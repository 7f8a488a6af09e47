"""How far off answers can be, from outside: ranges, chances and the plans that they choose."""
import json
import pathlib
import re
import tempfile

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, USAGE, run

REQUEST = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 16},
           "recipe": {"sequence_length": 4096, "global_batch_size": 128, "zero": 1},
           "parallelism": {"data": 16}}
PLAN = ["plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16", "--batch", "128"]


class BandsTest(program.ProgramTest):
    def answer_of(self, *arguments, code=DONE, stdin=b""):
        done = run(*arguments, "--json", stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        return program.read_json(done.stdout)

    def evaluated(self, *arguments, **parts):
        line = json.dumps(REQUEST | parts).encode() + b"\n"
        done = run("evaluate", *arguments, stdin=line)
        self.assertEqual(done.returncode, DONE, done.stdout)
        return program.read_json(done.stdout)


class Ranges(BandsTest):
    def test_a_range_holds_what_is_predicted(self):
        answer = self.evaluated()
        memory = answer["memory"]
        self.assertLess(answer["step_time_low_s"], answer["step_time_s"])
        self.assertGreater(answer["step_time_high_s"], answer["step_time_s"])
        for key in ("worst_stage", "allocated", "reserved", "device"):
            self.assertLessEqual(memory[key + "_low_bytes"], memory[key + "_bytes"])
            self.assertGreaterEqual(memory[key + "_high_bytes"], memory[key + "_bytes"])
        self.assertGreater(answer["fits_probability"], 0)
        self.assertLess(answer["fits_probability"], 1)
        for part in ("step_time", "memory"):
            basis = answer["error_basis"][part]
            self.assertIn(basis["grade"], ("validated", "related", "extrapolated"))
            self.assertGreaterEqual(basis["runs"], basis["sources"])

    def test_a_level_widens_a_range(self):
        widths = [(answer["step_time_low_s"], answer["step_time_high_s"]) for answer in
                  (self.evaluated("--level", level) for level in ("0.5", "0.8", "0.9", "0.95"))]
        for (low, high), (wider_low, wider_high) in zip(widths, widths[1:]):
            self.assertLess(wider_low, low)
            self.assertGreater(wider_high, high)

    def test_a_device_that_nobody_measured_is_extrapolated(self):
        basis = self.evaluated(cluster={"gpu": "MI325X", "gpus": 16})["error_basis"]["step_time"]
        self.assertEqual(basis["grade"], "extrapolated")

    def test_what_was_not_costed_has_no_range(self):
        answer = self.evaluated(parallelism={"data": 16, "tensor": 5})
        for key in ("step_time_low_s", "step_time_high_s", "fits_probability", "error_basis"):
            self.assertIsNone(answer[key])
        self.assertIsNone(answer["memory"]["worst_stage_low_bytes"])

    def test_what_does_not_fit_has_little_chance_to(self):
        answer = self.evaluated(recipe=REQUEST["recipe"] | {"zero": 0, "sequence_length": 8192})
        self.assertFalse(answer["fits"])
        self.assertLess(answer["fits_probability"], 0.6)

    def test_a_run_has_ranges(self):
        run_of = self.answer_of(*PLAN, "--tokens", "10B")["run"]["with_failures"]
        self.assertLess(run_of["time_low_s"], run_of["time_s"])
        self.assertGreater(run_of["time_high_s"], run_of["time_s"])
        self.assertLess(run_of["cost_low_dollars"], run_of["cost_dollars"])
        self.assertGreater(run_of["cost_high_dollars"], run_of["cost_dollars"])

    def test_no_range_begins_below_the_operations_at_the_peak(self):
        # Of a step of launches, whose range is wide.
        asked = ["plan", "llama-3-8b", "--gpu", "H100", "--gpus", 8, "--tensor", 4, "--data", 2,
                 "--micro-batch", 1, "--sequence", 2048, "--batch", 8, "--pipeline", 1, "--tokens",
                 "1B", "--level", "0.999", "--quick"]
        answer = self.answer_of(*asked)
        self.assertAlmostEqual(answer["step_time_low_s"], answer["mfu"] * answer["step_time_s"])
        run_of = answer["run"]["with_failures"]
        self.assertAlmostEqual(run_of["time_low_s"] / run_of["time_s"], answer["mfu"])
        too_short = 0.99 * run_of["time_low_s"]
        late = self.answer_of(*asked, "--deadline", f"{too_short}s", code=INFEASIBLE)
        self.assertEqual(late["deadline_probability"], 0)

    def test_a_range_says_where_a_step_waits_for_launches(self):
        ask = ["fit", "llama-3-8b", "--gpu", "H100", "--gpus", 8, "--data", 8, "--zero", 1]
        def said(sequence):
            done = run(*ask, "--sequence", sequence, "--batch", 64)
            self.assertEqual(done.returncode, DONE, done.stderr)
            return " ".join(done.stdout.split())
        self.assertRegex(said(128), r"; launches take [1-9][0-9] % of it, and such steps are known")
        self.assertNotIn("launches take", said(2048))

    def test_a_cost_that_is_not_known_has_no_range(self):
        run_of = self.answer_of("plan", "gpt2", "--gpu", "MI300X", "--gpus", "8", "--tokens",
                                "1B")["run"]["with_failures"]
        self.assertIsNone(run_of["cost_low_dollars"])
        self.assertIsNone(run_of["cost_high_dollars"])


class Plans(BandsTest):
    def test_a_plan_is_sure_to_fit_unless_it_is_asked_otherwise(self):
        for arguments, least in (([], 0.9), (["--risk", "0.02"], 0.98), (["--risk", "0.5"], 0.5)):
            answer = self.answer_of(*PLAN, *arguments)
            for plan in answer["plans"]:
                self.assertGreaterEqual(plan["fits_probability"], least - 1e-9)
        self.assertIn(0.02, [one["risk"] for one in self.answer_of(*PLAN)["risks"]])

    def test_the_usual_risk_is_among_the_others(self):
        def risks(*arguments):
            return [one["risk"] for one in self.answer_of(*PLAN, *arguments)["risks"]]
        self.assertEqual(risks(), [0.02, 0.5])
        self.assertEqual(risks("--risk", "0.5"), [0.02, 0.1])
        for all_risks in (("--risk", "1"), ("--headroom", "5%")):
            self.assertEqual(risks(*all_risks), [0.02, 0.1, 0.5])
            self.assertIn("Safer or bolder: --risk 0.02 +", run(*PLAN, *all_risks).stdout)
        large = ("plan", "llama-3.1-405b", "--gpu", "H100", "--gpus", "128", "--risk", "0.5")
        self.assertRegex(run(*large).stdout, r"Safer or bolder: .*--risk 0\.1 \+[0-9.]+ % time")

    def test_each_plan_has_its_ranges(self):
        for more in ((), ("--level", "0.8")):
            answer = self.answer_of(*PLAN, *more)
            first = answer["plans"][0]
            for key in ("step_time_low_s", "step_time_high_s", "fits_probability"):
                self.assertEqual(first[key], answer[key])
            for end in ("low", "high"):
                self.assertEqual(first[f"worst_stage_{end}_bytes"],
                                 answer["memory"][f"worst_stage_{end}_bytes"])
            rows = answer["plans"] + answer["risks"] + answer["help"]["changes"]
            for row in rows + [one for plan in answer["plans"] for one in plan["variants"]]:
                self.assertLess(row["step_time_low_s"], row["step_time_s"])
                self.assertLess(row["step_time_s"], row["step_time_high_s"])
                self.assertLess(row["worst_stage_low_bytes"], row["worst_stage_bytes"])
                self.assertLess(row["worst_stage_bytes"], row["worst_stage_high_bytes"])
        wide, narrow = (self.answer_of(*PLAN, "--level", level)["plans"][0]
                        for level in ("0.9", "0.5"))
        self.assertLess(wide["step_time_low_s"], narrow["step_time_low_s"])

    def test_what_a_safer_choice_costs_is_said_of_the_largest_size(self):
        ask = ("llama-3-8b", "--gpu", "H100", "--gpus", "64")
        scaled = self.answer_of("scale", *ask)
        last = scaled["points"][-1]
        self.assertEqual([one["risk"] for one in scaled["risks"]], [0.02, 0.5])
        for one in scaled["risks"]:
            self.assertGreaterEqual(one["fits_probability"], 1 - one["risk"])
            self.assertEqual(one["same_plan"], (one["parallelism"], one["recipe"]) ==
                             (last["parallelism"], last["recipe"]))
            known = self.answer_of("scale", *ask, "--risk", one["risk"])["points"][-1]
            self.assertEqual(one["step_time_s"], known["step_time_s"])
        safe = scaled["risks"][0]
        words = f"--risk 0.02 +{100 * (safe['step_time_s'] / last['step_time_s'] - 1):.1f} % time"
        self.assertIn(f"Safer or bolder on 64 GPUs: {words}", run("scale", *ask).stdout)
        self.assertEqual(self.answer_of("scale", "llama-3.1-405b", "--gpu", "A10", "--gpus",
                                        "8", code=INFEASIBLE)["risks"], [])

    def test_a_size_that_may_not_fit_is_marked(self):
        ask = ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "64")
        self.assertIn(" %, risky", run(*ask, "--risk", "0.5").stdout)
        self.assertNotIn("risky", run(*ask).stdout)

    def test_a_share_may_be_a_percentage(self):
        for option, percent, share in (("--headroom", "5%", "0.05"), ("--level", "80%", "0.8"),
                                       ("--risk", "20%", "0.2")):
            with self.subTest(option=option):
                self.assertEqual(self.answer_of(*PLAN, option, percent),
                                 self.answer_of(*PLAN, option, share))

    def test_a_headroom_stays_free(self):
        answer = self.answer_of(*PLAN, "--headroom", "0.4")
        capacity = answer["memory"]["capacity_bytes"]
        for plan in answer["plans"]:
            self.assertLessEqual(plan["worst_stage_bytes"], 0.6 * capacity + 1)
        self.assertEqual(answer["inputs"]["searched"]["headroom"], 0.4)

    def test_a_miss_that_may_fit_names_the_risk_that_takes_it(self):
        ask = ("plan", "llama-3-70b", "--gpu", "A100-80GB", "--gpus", "1", "--task", "qlora")
        done = run(*ask, env={"COLUMNS": "200"})
        self.assertEqual(done.returncode, INFEASIBLE)
        found = re.search(r"fits with a probability of [0-9.]+ %; --risk (0\.[0-9]+) takes it",
                          done.stdout)
        self.assertEqual(run(*ask, "--risk", found[1]).returncode, DONE)
        less = f"{float(found[1]) - 0.02:g}"
        self.assertEqual(run(*ask, "--risk", less).returncode, INFEASIBLE)

    def test_certainty_costs_time(self):
        steps = [self.answer_of(*PLAN, "--risk", risk)["step_time_s"]
                 for risk in ("0.001", "0.1", "0.5", "1")]
        self.assertEqual(steps, sorted(steps, reverse=True))

    def test_a_limit_has_a_chance(self):
        answer = self.answer_of(*PLAN, "--tokens", "10B", "--deadline", "1000d", "--budget", "$1G")
        self.assertGreater(answer["deadline_probability"], 0.99)
        self.assertGreater(answer["budget_probability"], 0.99)
        run_of = answer["run"]["with_failures"]
        tight = self.answer_of(*PLAN, "--tokens", "10B", "--deadline", f"{run_of['time_s']}s",
                               code=program.INFEASIBLE)
        self.assertGreater(tight["deadline_probability"], 0.3)
        self.assertLess(tight["deadline_probability"], 0.7)
        self.assertIsNone(tight["budget_probability"])
        self.assertIsNone(self.answer_of(*PLAN)["deadline_probability"])

    def test_a_size_has_a_range(self):
        for point in self.answer_of("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "16",
                                    "--fixed-batch", "128")["points"]:
            if not point["fits"]:
                self.assertIsNone(point["step_time_low_s"])
                self.assertIsNone(point["error_basis"])
                self.assertLess(point["fits_probability"], 0.9)
                continue
            self.assertEqual(point["error_basis"]["level"], 0.9)
            self.assertIn(point["error_basis"]["step_time"]["grade"],
                          ("validated", "related", "extrapolated"))
            self.assertLess(point["step_time_low_s"], point["step_time_s"])
            self.assertGreaterEqual(point["fits_probability"], 0.9 - 1e-9)

    def test_what_would_make_it_fit_has_a_chance(self):
        large = ("plan", "llama-3-70b", "--gpu", "A100-40GB", "--gpus", "32", "--batch", "64")
        answer = self.answer_of(*large, code=4)
        self.assertLess(answer["fits_probability"], 0.9)
        self.assertTrue(answer["repairs"])
        for repair in answer["repairs"]:
            self.assertTrue(0 <= repair["fits_probability"] <= 1)
            if repair["fits"]:
                self.assertGreaterEqual(repair["fits_probability"], 0.9 - 1e-9)
        for cluster in answer["clusters_that_fit"]:
            self.assertGreaterEqual(cluster["fits_probability"], 0.9 - 1e-9)
        text = run(*large).stdout
        self.assertIn("in nine of ten", text)
        self.assertIn("Fits", text)

    def test_the_risk_line_is_of_what_is_wanted(self):
        self.assertIn("% time", run(*PLAN).stdout)
        for by, what in (("memory", "% memory"), ("gpu-hours", "% GPU time")):
            for line in run(*PLAN, "--by", by).stdout.splitlines():
                if line.startswith("Safer or bolder"):
                    self.assertIn(what, line)
        for one in self.answer_of(*PLAN)["risks"]:
            same = run(*PLAN).stdout.count(f"--risk {one['risk']} ") == 0
            self.assertEqual(one["same_plan"], same)

    def test_offers_say_how_likely_they_are_in_time(self):
        text = run("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8,16", "--tokens", "10B",
                   "--deadline", "2d", "--budget", "$1M").stdout
        self.assertIn("In time", text)
        self.assertIn("In budget", text)
        self.assertNotIn("In time", run(*PLAN, "--tokens", "10B").stdout)

    def test_rentals_have_ranges(self):
        for rental in self.answer_of(*PLAN, "--tokens", "10B")["run"]["rentals"]:
            self.assertLess(rental["cost_low_dollars"], rental["cost_dollars"])
            self.assertGreater(rental["time_high_s"], rental["time_s"])

    def test_offers_have_ranges(self):
        offers = self.answer_of("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8,16", "--tokens",
                                "10B")["offers"]
        self.assertEqual(len(offers), 2)
        for one in offers:
            self.assertEqual(one["error_basis"]["level"], 0.9)
            self.assertGreaterEqual(one["fits_probability"], 0.9 - 1e-9)
            ratios = set()
            for name, unit in (("step_time", "_s"), ("time", "_s"), ("cost", "_dollars")):
                low, value, high = (one[name + end + unit] for end in ("_low", "", "_high"))
                self.assertLess(low, value)
                self.assertLess(value, high)
                ratios.add((round(low / value, 9), round(high / value, 9)))
            self.assertEqual(len(ratios), 1)

    def test_pages_have_the_ranges_of_memory_and_cost(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "plan.html"
            run(*PLAN, "--tokens", "10B", "--deadline", "100d", "--html", str(page))
            text = page.read_text()
        for words in ("fits with a probability of", "Cost, from", "The deadline is kept",
                      "Whiskers: between what a GPU of the stage has in nine of ten"):
            self.assertIn(words, text)
        self.assertGreaterEqual(text.count('class="whisker"'), 3)

    def test_fit_says_which_micro_batch_is_sure(self):
        fit = ["fit", "llama-3.2-1b", "--gpu", "A100-40GB", "--sequence", "4096"]
        answer = self.answer_of(*fit)
        self.assertLessEqual(answer["safe_micro_batch"], answer["largest_micro_batch"])
        bold = self.answer_of(*fit, "--risk", "1")
        self.assertEqual(bold["safe_micro_batch"], bold["largest_micro_batch"])

    def test_fit_says_where_a_layout_is_not_sure_to_fit(self):
        fit = ["fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--zero", "1", "--recompute",
               "full"]
        self.assertIn("It fits.", run(*fit).stdout)
        risky = run(*fit, "--headroom", "0.5").stdout
        self.assertIn("It may fit", risky)
        self.assertIn("--headroom", risky)

    def test_reserved_memory_is_no_more_than_the_device_shows(self):
        for model in ("llama-3-8b", "mixtral-8x7b"):
            memory = self.evaluated(model=model)["memory"]
            for end in ("low", "high"):
                self.assertLessEqual(memory[f"reserved_{end}_bytes"],
                                     memory[f"device_{end}_bytes"] * 1.0000001)

    def test_an_assertion_reads_a_chance(self):
        self.assertEqual(run(*PLAN, "--assert", "fits_probability >= 0.9").returncode, DONE)
        self.assertEqual(run(*PLAN, "--assert", "fits_probability > 0.999").returncode,
                         ASSERT_FAILED)


class Waits(BandsTest):
    MIX = ["queue", "--arrivals", "4/h", "--service", "10h", "--gpus-per-job", "1:60%,8:40%",
           "--gpus", "192", "--policy", "fcfs"]
    ALIKE = ["queue", "--arrivals", "4/h", "--service", "10h", "--gpus", "48", "--policy", "fcfs"]

    def test_the_mean_wait_of_gangs_has_a_range(self):
        answer = self.answer_of(*self.MIX)
        wait = answer["wait"]
        self.assertLess(wait["mean_low_s"], wait["mean_s"])
        self.assertGreater(wait["mean_high_s"], wait["mean_s"])
        basis = answer["error_basis"]
        self.assertEqual((basis["level"], basis["mean_wait"]["grade"]), (0.9, "related"))
        self.assertGreaterEqual(basis["mean_wait"]["runs"], 30)
        self.assertEqual(basis["mean_wait"]["sources"], 1)
        [chosen] = [one for one in answer["models"] if one["chosen"]]
        self.assertEqual((chosen["wait"], chosen["error_basis"]), (wait, basis))
        [asked] = [one for one in answer["sizes"] if one["gpus"] == 192]
        self.assertEqual((asked["wait"], asked["error_basis"]), (wait, basis))

    def test_a_level_widens_the_range_of_a_wait(self):
        for option in ("--gpus", "--target-mean-wait"):
            asked = [*self.MIX]
            if option != "--gpus":
                asked[asked.index("--gpus"):] = [option, "30min"]
            ends = []
            for level in ("0.5", "80%", "0.9", "0.95"):
                rows = self.answer_of(*asked, "--level", level)["sizes"]
                row = next(one for one in rows if one["error_basis"])
                self.assertEqual(row["error_basis"]["level"], {"80%": 0.8}.get(level) or float(level))
                ends.append((row["wait"]["mean_low_s"], row["wait"]["mean_high_s"]))
            for (low, high), (wider_low, wider_high) in zip(ends, ends[1:]):
                self.assertLess(wider_low, low)
                self.assertGreater(wider_high, high)

    def test_a_wait_without_measured_errors_has_no_range(self):
        large = [*self.MIX, "--what-if", "16,20"]
        large[large.index("192")] = "20"  # of which jobs of 8 are over a third
        large[large.index("4/h")] = "0.2/h"
        for asked in (self.ALIKE, large):
            answer = self.answer_of(*asked)
            self.assertGreater(answer["wait"]["mean_s"], 0)
            for one in (answer, *answer["models"], *answer["sizes"]):
                self.assertIsNone(one["wait"]["mean_low_s"])
                self.assertIsNone(one["wait"]["mean_high_s"])
                self.assertIsNone(one["error_basis"])

    def test_the_mean_wait_of_a_trace_has_a_range_by_formula(self):
        trace = program.DATA.parent.parent / "docs" / "data" / "trace.csv"
        answer = self.answer_of("queue", "--trace", trace, "--gpus", "56", "--policy", "fcfs",
                                "--level", "0.8")
        models = {one["key"]: one for one in answer["models"]}
        self.assertEqual(answer["model"], "replay")
        self.assertIsNone(answer["error_basis"])
        for key, model in models.items():
            wait = model["wait"]
            if key != "random_gangs":
                self.assertEqual((wait["mean_low_s"], model["error_basis"]), (None, None))
        wait = models["random_gangs"]["wait"]
        self.assertLess(wait["mean_low_s"], wait["mean_s"])
        self.assertGreater(wait["mean_high_s"], wait["mean_s"])
        self.assertEqual(models["random_gangs"]["error_basis"]["level"], 0.8)

    def test_people_see_the_range_of_a_wait(self):
        said = " ".join(run(*self.MIX).stdout.split())
        self.assertRegex(said, r'The mean by the row "gangs" is .* to .* in nine of ten: judged by '
                               r"related jobs, 32 runs of 1 source\.")
        self.assertIn("in 50 % of such jobs", " ".join(run(*self.MIX, "--level", "0.5").stdout.split()))
        self.assertNotIn("nine of ten", run(*self.ALIKE).stdout)

    def test_tables_have_the_ranges_and_not_their_basis(self):
        asked = [*self.MIX[:-2]]
        header, *rows = run(*asked, "--csv").stdout.splitlines()
        self.assertIn("wait.mean_s,wait.mean_low_s,wait.mean_high_s", header)
        self.assertNotIn("error_basis", header)
        self.assertEqual(len(rows), len(self.answer_of(*asked)["sizes"]))


class Refusals(BandsTest):
    def test_shares_out_of_range(self):
        for option, value in (("--risk", "0"), ("--risk", "1.5"), ("--risk", "nan"),
                              ("--headroom", "1"), ("--headroom", "-0.1"), ("--level", "1"),
                              ("--level", "0"), ("--level", "many")):
            done = run(*PLAN, option, value)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(option, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_level_of_a_wait_out_of_range(self):
        for level in ("0", "1", "many", "nan"):
            for asked in (Waits.MIX, Waits.ALIKE, ["queue", "--trace", "/dev/null", "--gpus", "8"]):
                self.refused(*asked, "--level", level, saying="--level")

    def test_a_level_without_requests(self):
        self.assertEqual(run("evaluate", "--fields", "--level", "0.5").returncode, USAGE)


program.main()
