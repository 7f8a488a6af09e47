"""gpuplan scale, from outside."""
import csv
import io

import program
from program import DONE, INFEASIBLE, run

USUAL = ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "64")


class Scale(program.ProgramTest):
    def points(self, answer):
        return [point for point in answer["points"] if point["fits"]]

    def test_sizes_are_powers_of_two_and_the_last_and_the_fewest_that_fit(self):
        answer = self.answer("scale", "llama-3-70b", "--gpu", "H100", "--gpus", "96",
                             "--fixed-batch", "96")
        sizes = [point["gpus"] for point in answer["points"]]
        fewest = answer["smallest_gpus_that_fit"]
        self.assertEqual(sorted({1, 2, 4, 8, 16, 32, 64, 96, fewest}), sizes)
        for point in answer["points"]:
            self.assertEqual(point["fits"], point["gpus"] >= fewest)
            self.assertEqual(point["regime"] == "does_not_fit", not point["fits"])

    def test_each_point_is_the_best_plan_of_its_size(self):
        answer = self.answer(*USUAL, "--fixed-batch", "1024")
        for point in self.points(answer):
            plan = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus", point["gpus"],
                               "--batch", "1024", "--top", "1")
            self.assertEqual(point["step_time_s"], plan["step_time_s"])
            self.assertEqual(point["mfu"], plan["mfu"])
            messages = sum(plan["step_terms"][f"{term}_s"] for term in
                           ("tensor", "context", "expert", "gather", "pipeline", "data"))
            self.assertAlmostEqual(point["communication_share"], messages / plan["step_time_s"])

    def test_strong_scaling_keeps_the_batch(self):
        answer = self.answer(*USUAL, "--fixed-batch", "512")
        self.assertEqual(answer["scaling"], "strong")
        points = self.points(answer)
        first = points[0]
        self.assertEqual(first["efficiency"], 1)
        for point in points:
            self.assertEqual(point["global_batch_size"], 512)
            ideal = first["step_time_s"] * first["gpus"] / point["gpus"]
            self.assertAlmostEqual(point["efficiency"], ideal / point["step_time_s"])
        times = [point["step_time_s"] for point in points]
        self.assertEqual(times, sorted(times, reverse=True))
        last = points[-1]
        n = last["gpus"] / first["gpus"]
        serial = (1 / last["speedup"] - 1 / n) / (1 - 1 / n)
        self.assertAlmostEqual(last["serial_part"], serial)

    def test_weak_scaling_keeps_the_work_of_a_gpu(self):
        answer = self.answer(*USUAL, "--batch-per-gpu", "8")
        self.assertEqual(answer["scaling"], "weak")
        first = self.points(answer)[0]
        for point in self.points(answer):
            self.assertEqual(point["global_batch_size"], 8 * point["gpus"])
            self.assertAlmostEqual(point["efficiency"],
                                   first["step_time_s"] / point["step_time_s"])

    def test_regimes_are_what_comes_out(self):
        regimes = lambda *asked: [one["regime"] for one in self.answer(
            "scale", "llama-3-8b", "--gpu", "H100", *asked)["regimes"]]
        self.assertEqual(regimes("--gpus", "512", "--fixed-batch", "1024"),
                         ["does_not_fit", "near_linear", "batch_starved"])
        # A fabric a hundred times slower ends the same curve long before; equal work does not help
        # against it, and a batch too small for the GPUs is another matter.
        slow = ("--gpus", "256", "--fabric", "4Gb/s")
        self.assertIn("communication_bound", regimes(*slow, "--fixed-batch", "1024"))
        self.assertIn("communication_bound", regimes(*slow, "--batch-per-gpu", "4"))
        starved = self.answer("scale", "gpt2", "--gpu", "H100", "--gpus", "256", "--fixed-batch",
                              "64", "--sequence", "1024")
        self.assertEqual(starved["points"][-1]["regime"], "batch_starved")

    def test_near_linear_is_at_least_90_percent_of_the_best(self):
        answer = self.answer("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "1024")
        points = self.points(answer)
        best = max(point["tokens_per_s_of_gpu"] for point in points)
        for point in points:
            self.assertEqual(point["regime"] == "near_linear",
                             point["tokens_per_s_of_gpu"] >= 0.9 * best)
            if point["gpus"] == answer["most_efficient_gpus"]:
                self.assertEqual(point["tokens_per_s_of_gpu"], best)

    def test_csv_has_what_json_has(self):
        rows = list(csv.DictReader(io.StringIO(run(*USUAL, "--csv").stdout)))
        points = self.answer(*USUAL)["points"]
        self.assertEqual(len(rows), len(points))
        for row, point in zip(rows, points):
            self.assertEqual(int(row["gpus"]), point["gpus"])
            self.assertEqual(row["regime"], point["regime"])
            if point["fits"]:
                self.assertEqual(float(row["step_time_s"]), point["step_time_s"])
                self.assertNotEqual(row["layout"], "")
            else:
                self.assertEqual(row["step_time_s"], "")

    def test_text_for_people(self):
        done = run(*USUAL)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        for words in ("Strong scaling: 1024 sequences a step", "Efficiency", "near-linear",
                      "does not fit", "GiB needed"):
            self.assertIn(words, done.stdout)
        self.assertTrue(done.stdout.isascii())
        self.assertIn("Weak scaling: 4 sequences a step for each GPU",
                      run(*USUAL, "--batch-per-gpu", "4").stdout)

    def test_where_nothing_fits(self):
        small = ("scale", "llama-3.1-405b", "--gpu", "A100-40GB", "--gpus", "8")
        answer = self.answer(*small, code=INFEASIBLE)
        self.assertFalse(answer["fits"])
        self.assertIsNone(answer["smallest_gpus_that_fit"])
        self.assertEqual(answer["reason"], "memory")
        for point in answer["points"]:
            self.assertEqual(point["reason"], "memory")
            self.assertEqual(point["rejected"]["needed_bytes"], point["needed_bytes"])
            self.assertGreater(point["needed_bytes"], point["rejected"]["available_bytes"])
        done = run(*small)
        self.assertEqual(done.returncode, INFEASIBLE)
        text = " ".join(done.stdout.split())
        for words in ("On 8 GPUs the closest layout does not: the fullest stage needs", "the GPU has 39.49 GiB",
                      "gpuplan plan with --gpus 8 says what to change"):
            self.assertIn(words, text)
        answer = self.answer(*USUAL)
        self.assertIsNone(answer["reason"])
        self.assertEqual({point["reason"] for point in answer["points"]}, {None, "memory"})

    def test_a_rule_that_no_layout_keeps_is_named(self):
        odd = ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "4", "--tensor", "3")
        answer = self.answer(*odd, code=INFEASIBLE)
        self.assertEqual([point["reason"] for point in answer["points"]],
                         ["gpus", "gpus", "attention_heads"])
        self.assertEqual(answer["reason"], "attention_heads")
        self.assertIsNone(answer["points"][2]["rejected"])  # of no one layout
        self.assertIn("tensor must divide the attention heads", " ".join(run(*odd).stdout.split()))

    def test_what_cannot_be_asked(self):
        for arguments, words in ((("--fixed-batch", "8", "--batch-per-gpu", "8"), "not both"),
                                 (("--csv", "--json"), "not both"), (("--batch", "8"), "--batch"),
                                 (("--fixed-batch", "0"), "--fixed-batch"),
                                 (("--batch-per-gpu", "1e9"), "--batch-per-gpu"),
                                 (("--batch-per-gpu", "x"), "--batch-per-gpu")):
            self.refused(*USUAL, *arguments, saying=words)
        self.refused("scale", "gpt2", "--gpu", "H100", saying="--gpus")

    def test_assert(self):
        self.assertEqual(run(*USUAL, "--assert", "points[6].efficiency > 0.9").returncode, DONE)
        self.assertEqual(run(*USUAL, "--assert", "points[6].efficiency > 2").returncode, 3)


program.main()
