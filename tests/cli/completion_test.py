"""gpuplan plan in a pool that others use, from outside: wait, run and cost."""
import csv
import io
import pathlib
import shlex
import tempfile

import program
from program import DONE, INFEASIBLE, run

USUAL = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "1T")
RANDOM = ("--arrivals", "4/h", "--service", "10h", "--pool-gpus", "96")
MIX = ("--gpus-per-job", "1:95%,8:5%")


class Completion(program.ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trace(self, *rows):
        path = pathlib.Path(self.folder.name) / "pool.csv"
        lines = ["submit_s,gpus,duration_s", *(",".join(map(str, row)) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        return path

    def busy_until(self, seconds):
        """A pool of 16 GPUs that one job holds from 0 s on."""
        return ("--pool", self.trace((0, 16, seconds), (10000, 1, 1)), "--pool-gpus", "16")

    def completion(self, *asked, **more):
        return self.answer(*USUAL, *asked, **more)["completion"]

    def test_without_a_pool_nothing_is_said(self):
        self.assertIsNone(self.answer(*USUAL, "--gpus", "8", "--top", "1")["completion"])

    def test_sizes_are_nodes_doubled_and_all_nodes(self):
        sizes = [one["gpus"] for one in self.completion(*RANDOM, *MIX)["sizes"]]
        self.assertEqual(sizes, [8, 16, 32, 64, 96])
        sizes = [one["gpus"] for one in self.completion(
            "--arrivals", "1/h", "--service", "1h", "--pool-gpus", "19",
            "--gpus-per-node", "4")["sizes"]]
        self.assertEqual(sizes, [4, 8, 16])
        self.assertEqual([one["gpus"] for one in self.completion(
            *RANDOM, "--gpus", "64,16")["sizes"]], [16, 64])

    def test_each_size_is_its_best_plan(self):
        answer = self.completion(*RANDOM, *MIX)
        for one in answer["sizes"]:
            plan = self.answer(*USUAL, "--gpus", one["gpus"], "--top", "1")
            whole = plan["run"]["with_failures"]
            self.assertEqual(one["run_s"], whole["time_s"])
            self.assertEqual(one["run_low_s"], whole["time_low_s"])
            self.assertEqual(one["cost_dollars"], whole["cost_dollars"])
            self.assertIsNone(one["reason"])
            self.assertAlmostEqual(one["done_s"], one["wait_s"] + one["run_s"])
            self.assertAlmostEqual(one["done_low_s"], one["wait_low_s"] + one["run_low_s"])
            self.assertAlmostEqual(one["done_high_s"], one["wait_high_s"] + one["run_high_s"])

    def test_what_is_done_first_and_what_is_cheapest(self):
        answer = self.answer(*USUAL, *RANDOM, *MIX)
        of = answer["completion"]
        self.assertEqual(of["first_done"], min(of["sizes"], key=lambda one: one["done_s"]))
        self.assertEqual(of["cheapest"], min(of["sizes"], key=lambda one: one["cost_dollars"]))
        shown = answer["offers"][answer["choices"]["shown"]]
        self.assertEqual(shown["gpus"], of["first_done"]["gpus"])
        self.assertEqual(answer["inputs"]["cluster"]["gpus"], of["first_done"]["gpus"])
        cheap = self.answer(*USUAL, *RANDOM, *MIX, "--by", "cost")
        least = cheap["completion"]["cheapest"]
        self.assertEqual(least, min(cheap["completion"]["sizes"],
                                    key=lambda one: one["cost_dollars"]))
        self.assertEqual(cheap["inputs"]["cluster"]["gpus"], least["gpus"])
        # Plans by cost cost no more than plans by time.
        for by_cost, by_time in zip(cheap["completion"]["sizes"], of["sizes"]):
            self.assertLessEqual(by_cost["cost_dollars"], by_time["cost_dollars"] * (1 + 1e-9))

    def test_large_gangs_wait_longer_than_they_save(self):
        # An hour of training in a busy pool: the largest size runs least, and is done last.
        of = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "2G", "--arrivals",
                         "7/h", "--service", "10h", "--pool-gpus", "96")["completion"]
        runs = [one["run_s"] for one in of["sizes"]]
        self.assertEqual(runs, sorted(runs, reverse=True))
        self.assertEqual(max(of["sizes"], key=lambda one: one["done_s"])["gpus"], 96)
        self.assertLess(of["first_done"]["gpus"], 96)

    def test_waits_grow_with_size_and_with_load(self):
        for policy in "fcfs", "easy", "conservative":
            before = [0] * 5
            for rate in 1, 4, 7, 8:
                of = self.completion("--arrivals", f"{rate}/h", "--service", "10h",
                                     "--pool-gpus", "96", "--policy", policy)
                waits = [one["wait_s"] for one in of["sizes"]]
                self.assertEqual(waits, sorted(waits))
                shares = [one["wait_probability"] for one in of["sizes"]]
                self.assertEqual(shares, sorted(shares))
                for less, more in zip(before, waits):
                    self.assertGreaterEqual(more, less)
                self.assertGreater(waits[-1], before[-1])
                before = waits
                for one in of["sizes"]:
                    self.assertLessEqual(one["wait_low_s"], one["wait_high_s"])
        self.assertEqual(of["basis"]["origin"], "formula")
        self.assertEqual(of["basis"]["policy"], "conservative")
        self.assertAlmostEqual(of["basis"]["offered_gpus"], 80)
        self.assertGreater(of["basis"]["error_factor"], 1)

    def test_the_range_of_a_mean_wait_has_its_basis(self):
        of = self.completion(*RANDOM, *MIX)
        for one in of["sizes"]:
            basis = one["error_basis"]
            self.assertEqual(basis["level"], 0.9)
            self.assertEqual(set(basis["mean_wait"]), {"grade", "runs", "sources"})
            self.assertLess(one["wait_mean_low_s"], one["wait_s"])
            self.assertGreater(one["wait_mean_high_s"], one["wait_s"])
        pool = self.answer("queue", *RANDOM[:4], "--gpus", "96", *MIX)
        rows = {row["key"]: row for row in pool["models"]}
        mean = rows["random_gangs"]["wait"]
        self.assertEqual(rows["random_gangs"]["error_basis"], of["sizes"][0]["error_basis"])
        for end in "low", "high":
            self.assertAlmostEqual(of["sizes"][0][f"wait_mean_{end}_s"] / of["sizes"][0]["wait_s"],
                                   mean[f"mean_{end}_s"] / mean["mean_s"])
        text = " ".join(run(*USUAL, *RANDOM, *MIX).stdout.split())
        self.assertRegex(text, r"A mean is 0\.\d\d to 1\.\d\d times as long in nine of ten: judged by "
                               r"related jobs, \d+ runs of 1 source\.")
        for other in (("--policy", "easy"), self.busy_until(10000)):
            asked = other if other[0] != "--policy" else (*RANDOM, *MIX, *other)
            for one in self.completion(*asked)["sizes"]:
                for key in "wait_mean_low_s", "wait_mean_high_s", "error_basis":
                    self.assertIsNone(one[key])

    def test_a_whole_pool_is_waited_for_about_as_long_each_time(self):
        # 64 exponential servers with a load of 40, simulated: nine of ten wait 26 to 66 hours.
        of = self.completion("--arrivals", "4/h", "--service", "10h", "--pool-gpus", "64", "--gpus",
                             "64")["sizes"][0]
        self.assertAlmostEqual(of["wait_low_s"] / 3600, 26, delta=3)
        self.assertAlmostEqual(of["wait_high_s"] / 3600, 66, delta=3)

    def test_heavy_tails_have_the_errors_of_their_variability(self):
        pool = ("--arrivals", "4/h", "--service", "10h", "--gpus-per-job", "8", "--pool-gpus",
                "512", "--gpus")
        for variability, gpus, factor in ((10, "8", 2.1), (100, "8", 7.8), (200, "8", None),
                                          (10, "16", 1.15), (100, "16", 7.8)):
            basis = self.completion(*pool, gpus, "--service-scv", variability)["basis"]
            self.assertEqual(basis["error_factor"], factor)
            self.assertEqual("no known factor" in basis["how"], factor is None)

    def test_a_pool_that_is_overloaded_starts_nothing(self):
        asked = ("--arrivals", "4/h", "--service", "10h", "--pool-gpus", "32")
        of = self.completion(*asked, code=INFEASIBLE)
        for one in of["sizes"]:
            for key in "wait_s", "wait_low_s", "wait_high_s", "done_s", "done_high_s":
                self.assertIsNone(one[key])
            self.assertIn("keep 40 GPUs busy", one["reason"])
            self.assertGreater(one["run_s"], 0)
        self.assertIsNone(of["first_done"])
        self.assertIsNone(of["cheapest"])
        self.assertFalse(of["basis"]["stable"])
        self.assertIsNone(of["basis"]["error_factor"])
        done = run(*USUAL, *asked)
        self.assertEqual(done.returncode, INFEASIBLE)
        self.assertIn("No job ever starts in this pool.", done.stdout)
        self.assertNotIn("nan", done.stdout)
        # Nor does one behind jobs that never fit.
        of = self.completion("--arrivals", "0.1/h", "--service", "1h", "--pool-gpus", "32",
                             "--gpus-per-job", "1:99%,64:1%", code=INFEASIBLE)
        self.assertIn("64 GPUs never fit the 32", of["basis"]["reason"])

    def test_a_trace_is_replayed_with_the_job_in_it(self):
        # Free from 10000 s on; twenty times from 1000 s to 10000 s, evenly.
        of = self.completion(*self.busy_until(10000))
        for one in of["sizes"]:
            self.assertAlmostEqual(one["wait_s"], 4500)
            self.assertAlmostEqual(one["wait_low_s"], 225)
            self.assertAlmostEqual(one["wait_high_s"], 8325)
            self.assertEqual(one["wait_probability"], 1)
        self.assertEqual([one["gpus"] for one in of["sizes"]], [8, 16])
        basis = of["basis"]
        self.assertEqual((basis["origin"], basis["jobs"], basis["times"]), ("simulation", 2, 20))
        self.assertIsNone(basis["offered_gpus"])  # two jobs have no rate that lasts
        self.assertIsNone(basis["stable"])

    def test_a_trace_has_one_load(self):
        rows = [(10 * i, 1 + i % 4, 90) for i in range(200)]
        for gpus, code, stable in ((64, DONE, True), (16, INFEASIBLE, False)):
            queue = self.answer("queue", "--trace", self.trace(*rows), "--gpus", gpus, "--policy",
                                "fcfs", code=code)
            basis = self.completion("--pool", self.trace(*rows), "--pool-gpus", gpus)["basis"]
            self.assertAlmostEqual(basis["offered_gpus"], 22.5)
            self.assertEqual(basis["offered_gpus"], queue["offered_gpus"])
            self.assertEqual((basis["stable"], queue["stable"]), (stable, stable))

    def test_of_a_short_trace_nobody_knows_whether_the_pool_keeps_up(self):
        asked = ("--pool", self.trace((0, 1, 3600), (10, 1, 3600), (20, 4, 3600)), "--pool-gpus", "56")
        basis = self.completion(*asked)["basis"]
        self.assertEqual((basis["offered_gpus"], basis["stable"]), (None, None))
        self.assertEqual(basis["reason"], "the trace is too short for a rate that lasts")
        said = " ".join(run(*USUAL, *asked).stdout.split())
        self.assertIn("Whether the pool keeps up is not known: the trace is too short", said)
        self.assertIn("(3 jobs in 20 s)", said)
        self.assertNotIn("overloaded", said)

    def test_jobs_of_one_size_are_exact_for_a_job_of_that_size(self):
        pool = ("--arrivals", "3/h", "--service", "12h", "--gpus-per-job")
        queue = self.answer("queue", *pool, "8", "--gpus", "320", "--policy", "fcfs")
        for mix in "8", "8:50%,8:50%":
            for policy in "fcfs", "easy", "conservative":
                of = self.completion(*pool, mix, "--pool-gpus", "320", "--policy", policy, "--gpus",
                                     "8,16")
                eight, sixteen = of["sizes"]
                self.assertAlmostEqual(eight["wait_s"] / queue["wait"]["mean_s"], 1, 9)
                self.assertAlmostEqual(eight["wait_probability"] / queue["wait"]["probability"], 1, 9)
                self.assertIsNone(eight["error_basis"])
                self.assertEqual(sixteen["error_basis"] is None, policy != "fcfs")
                self.assertGreater(sixteen["wait_s"], eight["wait_s"])
                self.assertIn("exact for jobs of 8 GPUs on 40 servers (M/M/c); of other sizes by",
                              of["basis"]["how"])
                self.assertEqual(of["basis"]["error_factor"], 1.15)
                self.assertEqual(of["basis"]["capacity_gpus"], 320)
        alone = self.completion(*pool, "8", "--pool-gpus", "320", "--gpus", "8")["basis"]
        self.assertEqual(alone["how"], "exact for jobs of 8 GPUs on 40 servers (M/M/c)")
        self.assertEqual(alone["error_factor"], 1)

    def test_policies_of_a_trace(self):
        # A job of 16 GPUs waits for one of 8; behind it 8 GPUs are free for who is short enough.
        rows = (0, 8, 10 ** 7), (1, 16, 10), (10000, 1, 1)
        waits = lambda policy: [one["wait_s"] for one in self.completion(
            "--pool", self.trace(*rows), "--pool-gpus", "16", "--policy", policy)["sizes"]]
        in_order, shortest, first_fit = map(waits, ("fcfs", "sjf", "first-fit"))
        self.assertGreater(in_order[0], 9e6)
        self.assertEqual(shortest[0], in_order[0])  # the job runs for weeks
        self.assertEqual(first_fit[0], 0)
        self.assertGreater(first_fit[1], 9e6)
        self.assertEqual(waits("easy"), in_order)

    def test_a_deadline_counts_the_wait(self):
        pool = self.busy_until(10000)
        first = self.completion(*pool)["first_done"]
        likely = ("--level", "0.3")
        kept = self.answer(*USUAL, *pool, *likely, "--deadline", f"{first['done_s'] + 1}s")
        self.assertEqual(kept["completion"]["first_done"]["gpus"], first["gpus"])
        self.assertEqual([one["fault"] for one in kept["offers"]], ["late", "none"])
        missed = self.answer(*USUAL, *pool, "--deadline", f"{first['done_s'] - 1}s",
                             code=INFEASIBLE)
        self.assertEqual(missed["choices"]["shown"], 1)  # it comes closest
        self.assertIsNone(missed["completion"]["first_done"])
        self.assertLess(missed["deadline_probability"], kept["deadline_probability"])
        at_hand = self.answer(*USUAL, *likely, "--gpus", "16", "--deadline",
                              f"{first['done_s'] + 1}s")
        self.assertGreater(at_hand["deadline_probability"], kept["deadline_probability"])

    def test_a_size_keeps_a_deadline_by_its_probability(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "20G", "--arrivals", "4/h",
                 "--service", "10h", "--pool-gpus", "512", "--gpus-per-job", "8", "--quick")
        sizes = self.answer(*asked)["completion"]["sizes"]
        first = min(sizes, key=lambda one: one["done_s"])
        # Within the deadline in the mean alone: shown, and no size is done first.
        tight = (*asked, "--deadline", f"{1.01 * first['done_s']}s")
        answer = self.answer(*tight, code=INFEASIBLE)
        self.assertFalse(answer["keeps_limits"])
        self.assertIsNone(answer["completion"]["first_done"])
        shown = answer["offers"][answer["choices"]["shown"]]
        self.assertEqual((shown["gpus"], shown["fault"]), (first["gpus"], "none"))
        self.assertTrue(0.3 < shown["deadline_probability"] < 0.9)
        text = " ".join(run(*tight).stdout.split())
        self.assertRegex(text, rf" {first['gpus']} [^$]* \$[0-9,]+ [0-9]+ % may be late")
        self.assertIn("No size keeps the deadline with a probability of 90 %, which --level sets; "
                      f"in the mean {first['gpus']} GPUs would:", text)
        # Kept surely, it is done first, and its plan is explained.
        answer = self.answer(*asked, "--deadline", f"{2 * first['done_s']}s")
        for one in answer["offers"]:
            self.assertEqual(one["keeps_limits"], one["deadline_probability"] >= 0.9)
        self.assertEqual(answer["completion"]["first_done"]["gpus"], first["gpus"])
        self.assertEqual(answer["inputs"]["cluster"]["gpus"], first["gpus"])
        # By none, not even in the mean: the one that comes closest.
        text = run(*asked, "--deadline", "1h").stdout
        self.assertIn("No size keeps the limits.", text)
        self.assertRegex(text, "\n[0-9]+ GPUs come closest to the limits:\n")

    def test_long_waits_count_as_often_as_they_come(self):
        # Twenty waits from 0 s to 9000 s, before a run of minutes.
        job = ("plan", "llama-3-8b", "--gpu", "H100", "--tokens", "50M", *self.busy_until(10000))
        size = self.answer(*job)["completion"]["sizes"][-1]
        self.assertAlmostEqual(size["wait_s"], 4500)
        for share in (0.25, 0.75):
            deadline = f"{9000 * share + size['run_s']}s"
            answer = self.answer(*job, "--deadline", deadline, "--level", "0.15")
            chance = answer["offers"][-1]["deadline_probability"]
            self.assertAlmostEqual(chance, share, delta=0.06)

    def test_without_a_price_nothing_is_cheapest(self):
        asked = ("plan", "llama-3-8b", "--gpu", "H20", "--tokens", "1G", *RANDOM,
                 "--gpus", "64,96")
        of = self.answer(*asked)["completion"]
        for one in of["sizes"]:
            self.assertIsNone(one["cost_dollars"])
        self.assertIsNone(of["cheapest"])
        self.assertIsNotNone(of["first_done"])

    def test_a_size_on_which_nothing_fits(self):
        of = self.answer("plan", "llama-3-70b", "--gpu", "H100", "--tokens", "1G", *RANDOM)
        sizes = of["completion"]["sizes"]
        self.assertEqual(sizes[0]["reason"], "nothing fits")
        for key in "wait_s", "run_s", "done_s", "cost_dollars":
            self.assertIsNone(sizes[0][key])
        self.assertIsNotNone(sizes[-1]["done_s"])

    def test_for_people(self):
        done = run(*USUAL, *RANDOM, *MIX)
        self.assertEqual(done.returncode, DONE)
        text = done.stdout
        self.assertIn("Wait, run and cost in a pool of 96 GPUs, first come first served", text)
        self.assertIn("Done first in ", text)
        self.assertIn("Cheapest, done in ", text)
        self.assertIn("by the formula of gangs that come at random", text)
        self.assertEqual(text.count("Whole run"), 0)

    def test_waits_that_hardly_come(self):
        asked = (*USUAL, "--arrivals", "1/h", "--service", "1h", "--pool-gpus", "32", "--gpus",
                 "8")
        self.assertLess(self.answer(*asked)["completion"]["sizes"][0]["wait_s"], 1e-6)
        text = " ".join(run(*asked).stdout.split())
        self.assertIn("waits < 1 s in the mean,", text)
        size = self.answer(*asked)["completion"]["sizes"][0]
        self.assertGreater(size["wait_s"], size["wait_high_s"])
        self.assertIn("a mean wait lies above the waits of one job in nine of ten.", text)
        self.assertNotIn("a mean wait lies above", run(*USUAL, *RANDOM, *MIX, "--gpus", "64").stdout)

    def test_the_page_has_the_curve(self):
        page = pathlib.Path(self.folder.name) / "plan.html"
        run(*USUAL, *RANDOM, *MIX, "--html", page)
        text = page.read_text()
        for words in 'id="completion-wide', "Wait and run by size", "done first":
            self.assertTrue(words in text, words)
        # Where nothing starts there is a table, and no bar.
        run(*USUAL, "--arrivals", "9/h", "--service", "10h", "--pool-gpus", "32", "--html", page)
        self.assertTrue("never starts" in page.read_text())

    def test_csv_says_when_a_size_is_done(self):
        pool = (*USUAL, *self.busy_until(10000))
        keys = ("wait_s", "wait_low_s", "wait_high_s", "wait_probability", "done_s", "done_low_s",
                "done_high_s")
        for gpus in ((), ("--gpus", "16")):
            asked = (*pool, *gpus, "--quick")
            rows = list(csv.DictReader(io.StringIO(run(*asked, "--csv").stdout)))
            sizes = self.answer(*asked)["completion"]["sizes"]
            self.assertEqual(len(sizes), 1 if gpus else len(rows))
            for row, size in zip(rows, sizes):
                self.assertEqual([float(row[key]) for key in keys], [size[key] for key in keys])
                self.assertEqual(row["reason"], "")
            for row in rows[len(sizes):]:  # layouts whose end nobody looked for
                self.assertEqual((row["wait_s"], row["done_s"]), ("", ""))
        never = (*USUAL, "--arrivals", "4/h", "--service", "10h", "--pool-gpus", "32", "--quick")
        for row in csv.DictReader(io.StringIO(run(*never, "--csv").stdout)):
            self.assertEqual((row["wait_s"], row["done_s"]), ("", ""))
            self.assertIn("GPUs busy", row["reason"])
        alone = next(csv.DictReader(io.StringIO(run(*USUAL, "--gpus", "8", "--quick",
                                                    "--csv").stdout)))
        self.assertNotIn("wait_s", alone)

    def test_the_command_of_a_size_asks_of_the_pool(self):
        for pool in (self.busy_until(10000), (*RANDOM, *MIX, "--policy", "easy")):
            answer = self.answer(*USUAL, *pool, "--quick")
            for offer, size in zip(answer["offers"], answer["completion"]["sizes"]):
                command = shlex.split(offer["command"])[1:]
                for word in pool:
                    self.assertIn(str(word), command)
                [alone] = self.answer(*command)["completion"]["sizes"]
                self.assertEqual(alone["gpus"], size["gpus"])
                for key in ("wait_s", "wait_probability", "run_s", "done_s"):
                    self.assertAlmostEqual(alone[key], size[key], delta=1e-9 * size[key])

    def test_what_would_help_is_asked_without_the_pool(self):
        # Nothing fits on a GPU of the pool: commands that do name their GPUs, and no pool.
        answer = self.answer("plan", "llama-3-70b", "--gpu", "H100", "--arrivals", "1/h",
                             "--service", "1h", "--pool-gpus", "8", code=INFEASIBLE)
        commands = [one["command"] for one in answer["what_fits"]]
        self.assertTrue(commands)
        for command in commands:
            self.assertNotIn("--pool", command)
            self.assertNotIn("--arrivals", command)

    def test_what_is_refused(self):
        trace = self.trace((0, 1, 1))
        pool = ("--pool", trace, "--pool-gpus", "64")
        for asked, said in [
                (("--pool", trace, "--arrivals", "4/h"), "give --pool or --arrivals, not both"),
                (("--pool", trace), "--pool-gpus is required beside --pool"),
                (("--arrivals", "4/h", "--service", "1h"), "--pool-gpus is required beside"),
                (("--arrivals", "4/h", "--pool-gpus", "64"), "--service is required"),
                (("--service", "1h", "--gpus", "8"), "--service has no effect"),
                (("--pool-gpus", "64", "--gpus", "8"), "--pool-gpus has no effect"),
                (("--policy", "easy", "--gpus", "8"), "--policy has no effect"),
                ((*pool, "--service", "1h"), "--service is not for --pool"),
                ((*pool, "--gpus-per-job", "8"), "--gpus-per-job is not for --pool"),
                ((*RANDOM, "--pool-where", "vc=5"), "--pool-where goes with --pool"),
                ((*RANDOM, "--policy", "sjf"),
                 "--policy must be one of fcfs, easy, conservative beside --arrivals"),
                ((*pool, "--policy", "tiresias"), "--policy must be one of fcfs, easy, "),
                (("--pool", trace, "--pool-gpus", "4"), "fewer than a node has, 8"),
                ((*RANDOM, "--gpus", "128"), "--gpus 128 are more than the pool has"),
                ((*RANDOM, "--gpu", "H200"), "a pool goes with one --gpu"),
                ((*RANDOM, "--gpus-per-job", "97"),
                 "--pool-gpus 96 are fewer than one job takes (--gpus-per-job 97)"),
                ((*RANDOM, "--gpus-per-job", "1:0%,8:100%"),
                 "--gpus-per-job 1:0%: a share must be > 0"),
                (("--pool", "none.csv", "--pool-gpus", "64"), "there is no such file"),
                (("--arrivals", "1/h", "--service", "1h", "--pool-gpus", "1e9"), "--pool-gpus"),
                (("--arrivals", "1/h", "--service", "1h", "--pool-gpus", "64", "--gpus-per-job",
                  "1:50%"), "the shares make 50 %")]:
            with self.subTest(asked=asked):
                self.refused(*USUAL, *asked, saying=said)


program.main()
