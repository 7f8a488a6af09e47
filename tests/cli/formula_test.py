"""gpuplan formula, from outside: names, inputs with units, streams, and the pages made of it."""
import json
import random
import re
import shlex

import program
from program import DONE, USAGE, run

DOCS = program.DATA.parent.parent / "docs"


class FormulaTest(program.ProgramTest):
    def stream(self, *requests, code=None):
        lines = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n"
                        for one in requests)
        done = run("formula", "--json-lines", stdin=lines)
        answers = [program.read_json(line) for line in done.stdout.splitlines()]
        bad = any("error" in answer for answer in answers)
        self.assertEqual(done.returncode, (USAGE if bad else DONE) if code is None else code)
        self.assertEqual(done.stderr, "")
        return answers

    def value(self, *words):
        answer = self.answer("formula", *words)
        return answer["value"], answer["unit"]


class Lists(FormulaTest):
    def test_every_formula_by_room(self):
        formulas = self.answer("formula")["formulas"]
        self.assertGreaterEqual(len(formulas), 438)
        self.assertEqual(len({one["name"] for one in formulas}), len(formulas))
        self.assertLess({"units", "memory", "queue"}, {one["room"] for one in formulas})
        text = run("formula")
        self.assertEqual(text.returncode, DONE)
        for words in ("erlang_c", "comm/all_gather:cost_of", "the probability that a job waits"):
            self.assertIn(words, text.stdout)

    def test_every_formula_can_be_shown(self):
        names = [one["name"] for one in self.answer("formula")["formulas"]]
        for name in names[::29]:
            self.assertEqual(self.answer("formula", name)["name"], name)

    def test_search(self):
        names = [one["name"] for one in self.answer("formula", "--search", "Erlang load")["formulas"]]
        self.assertIn("erlang_c", names)
        self.assertNotIn("max_batch", names)
        self.assertEqual(self.answer("formula", "erlang", "load")["formulas"],
                         self.answer("formula", "--search", "erlang load")["formulas"])
        self.assertEqual(self.answer("formula", "--search", "erlang", "load")["formulas"],
                         self.answer("formula", "--search", "erlang load")["formulas"])
        self.refused("formula", "--search", "erlang", "zeppelin",
                     saying="no formula has all of these words")
        self.assertIn("roofline", [one["name"] for one in self.answer("formula", "C1")["formulas"]])
        self.refused("formula", "erlang", "zeppelin", saying="no formula has all of these words")

    def test_one_formula(self):
        done = run("formula", "Erlang-C")
        self.assertEqual(done.returncode, DONE)
        for words in ("c B / (c - a + a B)", "offered_load", "erlang", "1 to 1e6", "M/M/c", "Gross",
                      "gpuplan/queue/erlang.hpp", "gpuplan formula erlang_c servers=3"):
            self.assertIn(words, done.stdout)
        self.assertIn("right 0.277 h", run("formula", "wait").stdout)
        [printed] = self.answer("formula", "wait")["printed_elsewhere"]
        self.assertEqual(printed["right"], "0.277 h")

    def test_quotients_that_are_whole_are_not_rounded_up_by_doubles(self):
        for inputs, value in (
                (("prefetch_depth", "reading_of_a_batch=0.1s", "preprocessing=0.2s", "transfer=0s",
                  "compute=0.3s"), 1),
                (("workers_needed", "preprocessing_of_a_sample_by_one_worker=0.07s",
                  "samples_a_second_that_the_gpu_could_train_on=100/s"), 7)):
            self.assertEqual(self.answer("formula", *inputs)["value"], value)

    def test_a_formula_is_no_table_of_its_symbols(self):
        for name, text in (("fed_utilization", "min(1, R_pipeline / R_GPU)"),
                           ("sliding_output", "floor((n + 2 p - k) / s) + 1"),
                           ("reserved_break_even", "c_r / c_d")):
            self.assertEqual(self.answer("formula", name)["text"], text)
            self.assertIn("\n  " + text + "\n", run("formula", name).stdout)

    def test_one_name_in_several_headers(self):
        names = [one["name"] for one in self.answer("formula", "cost_of")["formulas"]]
        self.assertEqual(len(names), 6)
        self.refused("formula", "cost_of", "ranks=8", saying="comm/all_reduce:cost_of")
        for name in ("comm/all_reduce:cost_of", "all_reduce:cost_of", "comm/all_reduce.hpp:cost_of"):
            self.assertEqual(self.value(name, "ranks=8"), (14, "count"))


class Values(FormulaTest):
    def test_inputs_by_letter_and_by_word(self):
        for words in (("c=5", "a=4"), ("servers=5", "offered=4"), ("SERVERS=5", "offered-load=4"),
                      ("load=4", "serv=5")):
            value, unit = self.value("erlang_c", *words)
            self.assertAlmostEqual(value, 0.5541125541125541, places=12)
            self.assertEqual(unit, "1")

    def test_units(self):
        value, unit = self.value("ring_all_reduce", "ranks=8", "message=1GB", "start=5us",
                                 "bandwidth=300GB/s")
        self.assertAlmostEqual(value, 0.005903333333333333, places=15)
        self.assertEqual(unit, "s")
        self.assertEqual(self.value("ring_all_reduce", "ranks=8", "message=8Gbit", "alpha=0.005 ms",
                                    "W=2400Gb/s")[0], value)
        text = run("formula", "ring_all_reduce", "ranks=8", "message=1GB", "start=5us",
                   "bandwidth=300GB/s").stdout
        self.assertTrue(text.startswith("ring_all_reduce = 5.90333 ms\n"), text)
        for words in ("Patarasuk", "Beware", "300 GB/s"):
            self.assertIn(words, text)

    def test_an_input_takes_the_unit_that_is_printed_for_it(self):
        load = json.loads(run("formula", "erlang_c", "servers=5", "offered=4", "--json").stdout)
        unit = load["inputs"]["offered_load"]["unit"]
        self.assertEqual(self.value("erlang_c", "servers=5 count", "offered=4" + unit),
                         self.value("erlang_c", "servers=5", "offered=4"))
        self.refused("formula", "erlang_c", "servers=5", "offered=25%",
                     saying="erlang is wanted, as 4, 0.25 or 4erlang")

    def test_a_share_may_be_a_percentage(self):
        self.assertEqual(self.value("amdahl_speed_up", "p=90%", "n=10"),
                         self.value("amdahl_speed_up", "p=0.9", "n=10"))
        self.refused("formula", "amdahl_speed_up", "p=90%", "n=10%", saying="a count is wanted")

    def test_choices_by_name(self):
        self.assertEqual(self.value("bytes_per_parameter", "precision=mixed_fp16",
                                    "optimizer=adam"), (16, "B"))
        self.assertEqual(self.value("bus_factor", "collective=all-reduce", "ranks=8")[0], 1.75)
        self.refused("formula", "state_values", "optimizer=adamant", saying="one of sgd momentum")
        symbols = self.answer("formula", "state_values")["symbols"]
        self.assertEqual(symbols[0]["choices"][4], "adam")

    def test_terms(self):
        answer = self.answer("formula", "training_run", "D=300e9", "d=1.26e6", "t=1s", "gpus=1024",
                             "price=1USD/h", "power=400W")
        self.assertAlmostEqual(answer["terms"]["cost"]["value"], 67725.08, places=1)
        self.assertEqual(answer["terms"]["energy"]["unit"], "J")

    def test_wrong_inputs_are_one_line(self):
        ring = ("formula", "ring_all_reduce", "ranks=8", "start=5us", "bandwidth=300GB/s")
        for words, saying in (
                ((), "needs message (m) too"),
                (("message=1",), ("message (m)", "has no unit", "B is wanted", "80GiB")),
                (("message=1s",), ("measures something else", "B is wanted")),
                (("message=1gb",), "bits or bytes"),
                (("message=1GB", "m=2GB"), "given twice"),
                (("message=-1GB",), "must be >= 0 B"),
                (("message=1GB", "x=2"), ("has no input 'x'", "ranks (p)")),
                (("message",), "NAME=VALUE"),
                (("message=",), "does not begin with a number")):
            self.refused(*ring, *words, saying=saying)
        self.refused("formula", "erlang_c", "servers=2.5", "offered=1", saying="is not whole")
        self.refused("formula", "erlang_c", "servers=5s", "offered=1", saying="a count is wanted")
        self.refused("formula", "erlang_c", "servers=0", "offered=1",
                     saying="must be from 1 to 1e6")
        self.refused("formula", "erlang_c", "servers=1e30", "offered=1", saying="too large")
        self.refused("formula", "max_batch", "memory=1GB", "kept=0", "weights=0", "activations=0",
                     saying="activations_of_one_sample (k) must be > 0 B")
        self.refused("formula", "busy_time_of_layer", "T=1", "h=100", "t=1", "W=1GB/s", "X=1",
                     saying="must be >= 128, multiple of 128")
        self.refused("formula", "erlang_c", "servers=nan", "offered=1")
        self.refused("formula", "galore_values", "m=8", "n=4", "r=1", "s=2", saying="must be >= m")
        self.refused("formula", "best_offer", "cost=$1", saying="may be")

    def test_unknown_names(self):
        self.refused("formula", "erlang_d", "servers=1", saying="did you mean erlang_")
        self.refused("formula", "ring_al_reduce", saying="did you mean ring_all_reduce")
        self.refused("formula", "x" * 5000)
        self.refused("formula", "\udcff=1")

    def test_what_has_no_finite_value_says_so(self):
        answer = self.answer("formula", "wait", "jobs=8/h", "service=1h", "servers=8")
        self.assertIsNone(answer["value"])
        self.assertIn("infinite", answer["reason"])
        self.assertIn("wait = infinite",
                      run("formula", "wait", "jobs=8/h", "service=1h", "servers=8").stdout)


class Streams(FormulaTest):
    def test_a_bad_line_stops_nothing(self):
        good = {"formula": "erlang_c", "inputs": {"servers": 5, "a": "4"}}
        answers = self.stream(
            good, "", "nonsense", "[]", {"formula": "erlang_d", "inputs": {}}, {"inputs": {}},
            {"formula": "erlang_c", "inputs": {"c": 5}},
            {"formula": "erlang_c", "inputs": {"c": [5], "a": 4}},
            {"formula": "erlang_c", "inputs": [5, 4]}, {"formula": "erlang_c", "input": {}},
            {"formula": "wait", "inputs": {"jobs": "8/h", "service": 1, "servers": 8}}, good)
        self.assertEqual([answer["line"] for answer in answers], [1, *range(3, 13)])
        self.assertAlmostEqual(answers[0]["value"], 0.554112554, places=9)
        self.assertEqual(answers[0]["value"], answers[-1]["value"])
        for answer in answers[1:-1]:
            self.assertEqual(list(answer), ["line", "error"])
            self.assertEqual(list(answer["error"]), program.ERROR)
            self.assertNotIn("\n", answer["error"]["what"])
        self.assertIn("did you mean", answers[3]["error"]["what"])
        self.assertIn("has no unit", answers[-2]["error"]["what"])
        self.assertEqual([answer["error"]["where"] for answer in answers[1:-1]],
                         ["request", "request", "formula", "formula", "inputs.offered_load",
                          "inputs.c", "inputs", "input", "inputs.service"])
        self.assertIn("erlang_c", answers[3]["error"]["did_you_mean"])

    def test_a_refused_input_is_named_as_it_was_given(self):
        for inputs, where, allowed in (({"servers": 5, "a": -4}, "inputs.a", ">= 0"),
                                       ({"servers": 5, "offered_load": -4}, "inputs.offered_load",
                                        ">= 0"),
                                       ({"servers": 5, "a": 4, "zz": 1}, "inputs.zz", None),
                                       ({"servers": 5}, "inputs.offered_load", None)):
            [answer] = self.stream({"formula": "erlang_c", "inputs": inputs}, code=program.USAGE)
            self.assertEqual((answer["error"]["where"], answer["error"]["allowed"]),
                             (where, allowed))

    def test_whatever_a_line_holds_it_is_answered_in_one(self):
        chance = random.Random(7)
        good = json.dumps({"formula": "erlang_c", "inputs": {"servers": 5, "a": "4"}}).encode()
        lines = []
        for _ in range(400):
            line = bytearray(good)
            for _ in range(chance.randint(1, 4)):
                place = chance.randrange(len(line))
                line[place:place + chance.randint(0, 2)] = bytes(
                    chance.choice(b'{}[]":,09eE-+.\\ a\x00\xff\xc3') for _ in range(chance.randint(0, 2)))
            lines.append(bytes(line).replace(b"\n", b""))
        lines = [line for line in lines if line.strip(b" \t\r")]
        done = run("formula", "--json-lines", stdin=b"\n".join(lines) + b"\n")
        self.assertEqual(done.returncode, USAGE)
        answers = [program.read_json(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(lines))
        for answer in answers:
            self.assertTrue(("error" in answer) != ("value" in answer), answer)

    def test_infinite(self):
        [answer] = self.stream({"formula": "wait",
                                "inputs": {"jobs": "8/h", "service": "1h", "servers": 8}}, code=DONE)
        self.assertIsNone(answer["value"])
        self.assertIn("infinite", answer["reason"])

    def test_it_stands_alone(self):
        self.refused("formula", "--json-lines", "erlang_c", saying="takes no other words")
        self.assertEqual(self.stream(code=DONE), [])



class Pages(FormulaTest):
    def page(self, name):
        done = run("formula", "--markdown", name)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done.stdout

    def test_pages_are_not_stale(self):
        for name in ("reference", "errata"):
            self.assertEqual((DOCS / f"{name}.md").read_text(), self.page(name),
                             f"docs/{name}.md is stale: ./run docs")
        self.refused("formula", "--markdown", "novel", saying="reference or errata")
        for more in (("--json",), ("--search", "erlang"), ("erlang_c",)):
            self.refused("formula", "--markdown", "errata", *more, saying="--markdown")
        self.refused("formula", "--json", "--json-lines", saying="--json-lines")

    def test_every_link_of_a_page_has_its_place(self):
        pages = {name: (DOCS / f"{name}.md").read_text() for name in ("reference", "errata")}
        places = {}
        for name, text in pages.items():
            headings = [re.sub(r"<a id=.*?></a>|\\", "", line.lstrip("# "))
                        for line in text.splitlines() if re.match(r"#+ ", line)]
            places[f"{name}.md"] = (
                {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
                | set(re.findall(r'<a id="(.*?)">', text)))
        for name, text in pages.items():
            for page, place in re.findall(r"\]\(([\w.]*)(?:#([^)]*))?\)", text):
                if place:
                    self.assertIn(place, places[page or f"{name}.md"])

    def test_every_call_of_the_errata_prints_what_the_page_says(self):
        calls = re.findall(r"```console\n\$ gpuplan (.*)\n(.*)\n```", self.page("errata"))
        self.assertEqual(len(calls), 116)
        for call, shown in dict(calls).items():
            self.assertNotIn("$", call)
            done = run(*shlex.split(call))
            self.assertEqual(done.returncode, DONE, (call, done.stderr))
            if call.startswith("formula "):  # others print more than the figure that is right
                self.assertIn(shown, done.stdout, call)

    def test_every_worked_example_of_the_reference_gives_its_value(self):
        calls = re.findall(r"`gpuplan formula (\S+) (.*)` gives (\S+)", self.page("reference"))
        self.assertGreaterEqual(len(calls), 438)
        requests = [{"formula": name, "inputs": dict(word.split("=", 1) for word in words.split())}
                    for name, words, _ in calls]
        answers = self.stream(*requests, code=DONE)
        for answer, (_, _, shown) in zip(answers, calls, strict=True):
            if answer["value"] is None:
                self.assertEqual(shown, "infinite")
            elif answer["unit"] in ("1", "count"):
                self.assertAlmostEqual(float(shown) / (answer["value"] or 1),
                                       1 if answer["value"] else 0, places=5)

    def test_every_worked_example_comes_out_as_its_source_says(self):
        asked = [(one["name"], example) for one in self.answer("formula")["formulas"]
                 for example in one["examples"]]
        self.assertGreaterEqual(len(asked), 440)
        answers = self.stream(*[{"formula": name, "inputs": example["inputs"]}
                                for name, example in asked], code=DONE)
        for answer, (name, example) in zip(answers, asked, strict=True):
            self.assertEqual(answer["formula"], name)
            if example["expected"] is None:
                self.assertIn("infinite", answer["reason"])
            else:
                self.assertLessEqual(abs(answer["value"] - example["expected"]),
                                     example["tolerance"] * abs(example["expected"]), answer)


program.main()
