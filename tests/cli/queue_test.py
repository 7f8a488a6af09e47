"""gpuplan queue, from outside."""
import math

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, run

POOL = ("queue", "--arrivals", "4/h", "--service", "10h")
USUAL = (*POOL, "--gpus", "64")


def erlang_c(servers, load):
    """By another road than the library: in logarithms, term by term."""
    logs = [k * math.log(load) - math.lgamma(k + 1) for k in range(servers)]
    last = servers * math.log(load) - math.lgamma(servers + 1) - math.log(1 - load / servers)
    top = max(logs + [last])
    all_ways = sum(math.exp(x - top) for x in logs) + math.exp(last - top)
    return math.exp(last - top) / all_ways


def walk(value, path=""):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from walk(part, f"{path}.{key}")
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from walk(part, f"{path}[{i}]")
    else:
        yield path, value


class Numbers(program.ProgramTest):
    def test_a_pool_of_random_jobs_is_erlangs(self):
        answer = self.answer(*POOL, "--gpus", "48")
        waits = erlang_c(48, 40)
        self.assertAlmostEqual(answer["utilization"], 40 / 48)
        self.assertAlmostEqual(answer["wait"]["probability"] / waits, 1, 9)
        mean = waits / (48 / 36000 - 4 / 3600)
        self.assertAlmostEqual(answer["wait"]["mean_s"] / mean, 1, 9)
        self.assertAlmostEqual(
            answer["wait"]["p95_s"] / (mean / waits * math.log(waits / 0.05)), 1, 9)
        self.assertEqual((answer["model"], answer["validity"]), ("mmc", "exact"))

    def test_people_see_models_sizes_and_policies(self):
        done = run(*USUAL, "--target-mean-wait", "10min")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        for words in ("40 GPUs busy of 64", "Utilisation 62.5 %", "* M/M/c", "Erlang C", "M/D/c",
                      "Fewest GPUs", "mean wait of 10 min", "kept", "<- as asked",
                      "first come first served", "exact"):
            self.assertIn(words, done.stdout)

    def test_the_model_that_holds_is_chosen(self):
        for options, model, formula in (((), "mmc", "Erlang C"),
                                        (("--distribution", "deterministic"), "mdc", "Crommelin"),
                                        (("--service-scv", "4"), "mgc", "Kimura"),
                                        (("--arrival-scv", "2"), "ggc", "Whitt"),
                                        (("--service-scv", "2", "--arrival-scv", "0.5"), "ggc",
                                         "Whitt")):
            answer = self.answer(*USUAL, *options)
            [chosen] = [one for one in answer["models"] if one["chosen"]]
            self.assertEqual((chosen["key"], chosen["formula"]), (model, formula))
            self.assertEqual(chosen["wait"], answer["wait"])
            self.assertIn("mmc", [one["key"] for one in answer["models"]])

    def test_one_server_is_exact_under_every_policy(self):
        answer = self.answer("queue", "--arrivals", "0.8/h", "--service", "1h", "--gpus", "1")
        times = {one["policy"]: one["mean_response_s"] / 3600 for one in answer["policies"]}
        for policy, hours in (("fcfs", 5), ("ps", 5), ("las", 5), ("sjf", 2.8822),
                              ("psjf", 2.6589), ("srpt", 2.35277)):
            self.assertAlmostEqual(times[policy], hours, 4)

    def test_the_fewest_gpus_keep_the_target_and_one_less_does_not(self):
        for option, key, limit in (("--target-mean-wait", "mean_s", 600), ("--target-p95", "p95_s", 3600),
                                   ("--target-p99", "p99_s", 60)):
            answer = self.answer(*POOL, "--service-scv", "3", option, f"{limit}s")
            needed = answer["needed_gpus"]
            sizes = self.answer(*POOL, "--service-scv", "3", "--what-if", f"{needed - 1},{needed}")
            below, at = [size["wait"][key] for size in sizes["sizes"]]
            self.assertLessEqual(at, limit)
            self.assertGreater(below, limit)
        answer = self.answer(*POOL, "--target-wait-probability", "10%")
        self.assertLessEqual(erlang_c(answer["needed_gpus"], 40), 0.1)
        self.assertGreater(erlang_c(answer["needed_gpus"] - 1, 40), 0.1)
        self.assertEqual(answer["targets"][0]["limit"], 0.1)

    def test_gangs_take_whole_jobs_of_gpus(self):
        eight = self.answer("queue", "--arrivals", "4/h", "--service", "10h", "--gpus", "390",
                            "--gpus-per-job", "8")
        one = self.answer(*POOL, "--gpus", "48")
        self.assertEqual(eight["wait"], one["wait"])
        self.assertIn("6 of the 390", eight["notes"][0])

    def test_a_queue_that_grows_is_an_answer(self):
        for gpus in ("32", "40"):
            answer = self.answer(*POOL, "--gpus", gpus, code=INFEASIBLE)
            self.assertIs(answer["stable"], False)
            self.assertIn("40 GPUs busy", answer["reason"])
            self.assertEqual(answer["least_stable_gpus"], 41)
            self.assertIsNone(answer["wait"]["mean_s"])
            done = run(*POOL, "--gpus", gpus)
            self.assertEqual(done.returncode, INFEASIBLE)
            self.assertIn("grows without bound", done.stdout)
            for never in ("nan", "inf "):
                self.assertNotIn(never, done.stdout.lower())

    def test_what_is_infinite_is_null_and_what_is_known_is_a_number(self):
        for options in ((), ("--arrival-scv", "0"), ("--service-scv", "0", "--arrival-scv", "0"),
                        ("--service-scv", "1e6"), ("--arrival-scv", "1e6"),
                        ("--gpus-per-job", "64")):
            code = INFEASIBLE if "64" in options else DONE
            answer = self.answer(*USUAL, *options, code=code)
            for path, value in walk(answer["models"]):
                if path.endswith("_s"):
                    self.assertIsNotNone(value if code == DONE else 0, path)
                    self.assertGreaterEqual(value or 0, 0, path)

    def test_asserts(self):
        self.assertEqual(run(*USUAL, "--assert", "wait.mean_s < 1s").returncode, DONE)
        self.assertEqual(run(*USUAL, "--assert", "wait.mean_s < 1ms").returncode, ASSERT_FAILED)

    def test_bad_numbers_are_refused(self):
        for arguments, words in (
                ((), "--arrivals"), (("--arrivals", "4/h"), "--service"),
                (("--arrivals", "4", "--service", "10h", "--gpus", "64"), "has no unit"),
                (("--arrivals", "4h", "--service", "10h", "--gpus", "64"), "measures something else"),
                (("--arrivals", "-4/h", "--service", "10h", "--gpus", "64"), "--arrivals"),
                (("--arrivals", "0/h", "--service", "10h", "--gpus", "64"), "--arrivals"),
                (("--arrivals", "nan/h", "--service", "10h", "--gpus", "64"), "--arrivals"),
                (("--arrivals", "4/m", "--service", "10h", "--gpus", "64"), "minutes or millions"),
                (("--arrivals", "1e300/h", "--service", "10h", "--gpus", "64"), "--arrivals"),
                (("--arrivals", "1e-300/h", "--service", "10h", "--gpus", "64"), "--arrivals"),
                (("--arrivals", "1e9/s", "--service", "10y", "--gpus", "64"), "busy"),
                (("--arrivals", "4/h", "--service", "10", "--gpus", "64"), "has no unit"),
                (("--arrivals", "4/h", "--service", "0s", "--gpus", "64"), "--service"),
                (("--arrivals", "4/h", "--service", "inf", "--gpus", "64"), "--service"),
                (("--arrivals", "4/h", "--service", "10GB", "--gpus", "64"), "--service"),
                (("--arrivals", "4/h", "--service", "10h"), "--gpus")):
            self.refused("queue", *arguments, saying=words)

    def test_bad_options_are_refused(self):
        for arguments, words in (
                (("--gpus", "0"), "--gpus"), (("--gpus", "-3"), "--gpus"),
                (("--gpus", "6.5"), "--gpus"), (("--gpus", "1e9"), "--gpus"),
                (("--gpus", ""), "--gpus"), (("--gpus", "64", "--gpus", "32"), "--gpus"),
                (("--gpus", "64", "--gpus-per-job", "65"), "--gpus-per-job"),
                (("--gpus", "64", "--gpus-per-job", "0"), "--gpus-per-job"),
                (("--gpus", "64", "--service-scv", "-1"), "--service-scv"),
                (("--gpus", "64", "--service-scv", "1e9"), "--service-scv"),
                (("--gpus", "64", "--arrival-scv", "x"), "--arrival-scv"),
                (("--gpus", "64", "--distribution", "lognormall", "--service-scv", "2"),
                 "did you mean lognormal"),
                (("--gpus", "64", "--distribution", "lognormal"), "needs --service-scv"),
                (("--gpus", "64", "--distribution", "exponential", "--service-scv", "2"), "of 1"),
                (("--gpus", "64", "--distribution", "erlang", "--service-scv", "0.3"), "1/k"),
                (("--gpus", "64", "--distribution", "erlang", "--service-scv", "0"), "1/k"),
                (("--gpus", "64", "--distribution", "uniform", "--service-scv", "0.5"), "1/3"),
                (("--gpus", "64", "--distribution", "weibull", "--service-scv", "0"), "weibull"),
                (("--gpus", "64", "--distribution", "hyperexponential", "--service-scv", "1"), "above 1"),
                (("--gpus", "64", "--target-mean-wait", "10"), "has no unit"),
                (("--gpus", "64", "--target-mean-wait", "0s"), "--target-mean-wait"),
                (("--gpus", "64", "--target-p95", "1GB"), "--target-p95"),
                (("--gpus", "64", "--target-p97", "1h"), "--target-p97"),
                (("--gpus", "64", "--target-wait-probability", "1.5"), "--target-wait-probability"),
                (("--gpus", "64", "--target-wait-probability", "0"), "--target-wait-probability"),
                (("--gpus", "64", "--target-wait-probability", "200%"), "--target-wait-probability"),
                (("--gpus", "64", "--what-if", "32,,64"), "--what-if"),
                (("--gpus", "64", "--what-if", "big"), "--what-if"),
                (("--gpus", "64", "--what-if", "0"), "--what-if"),
                (("--gpus", "64", "--policy", "fifo"), "--policy"),
                (("--gpus", "64", "--policy", "fcf"), "did you mean fcfs"),
                (("--gpus", "64", "--assert", "wait.mean > 1"), "mean_s"),
                (("--gpus", "64", "extra"), "extra")):
            self.refused(*POOL, *arguments, saying=words)


program.main()
