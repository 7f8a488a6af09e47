"""Pages in a browser: pages_test.py GPUPLAN [GPUPLAN_ACCURACY].

Each page is opened in widths from a telephone's to a screen's, in light, in dark and for paper.
Nothing may be missing, overlap or stick out; nothing may be asked of a network or said to the
console; and the numbers of its tables are those of the same command with --json.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

PROGRAM = sys.argv[1]
ACCURACY = sys.argv[2] if len(sys.argv) > 2 and os.path.isfile(sys.argv[2]) else None
SKIPPED = 77
HOSTILE = "</title><script>alert(1)</script><img src=x>&\"'\u202eabc"

# What is wrong with what a page shows, as a list of sentences.
LOOK = r"""
(() => {
  const faults = [];
  const box = element => element.getBoundingClientRect();
  const shown = element => box(element).width > 0;
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) faults.push(`the page is ${wide} px wider than the window`);
  // Of a text its letters alone: the halo around them may touch others.
  const letters = text => {
    const b = text.getBBox(), to = text.getScreenCTM();
    const left = b.x * to.a + to.e, top = b.y * to.d + to.f;
    const width = b.width * to.a, height = b.height * to.d;
    return {left, top, width, height, right: left + width, bottom: top + height};
  };
  const sections = [...document.querySelectorAll('section')];
  for (const section of sections) {
    const name = section.querySelector('h2').id;
    const all = [...section.querySelectorAll('svg')];
    const pictures = all.filter(shown);
    if (all.length && pictures.length !== 1)
      faults.push(`${name}: ${pictures.length} of its pictures are shown`);
    if (!section.querySelector('table') || !shown(section.querySelector('table')))
      faults.push(`${name}: has no table`);
    for (const picture of pictures) {
      const frame = box(picture);
      if (frame.left < -0.5 || frame.right > window.innerWidth + 0.5)
        faults.push(`${name}: sticks out of the window`);
      for (const id of picture.getAttribute('aria-labelledby').split(' '))
        if (!document.getElementById(id)) faults.push(`${name}: there is no ${id}`);
      const texts = [...picture.querySelectorAll('text')].map(t => [t.textContent, letters(t)]);
      if (!texts.length) faults.push(`${name}: has no text`);
      const size = 12 * frame.width / picture.viewBox.baseVal.width;
      if (size < 9 || size > 20) faults.push(`${name}: letters of ${size} px`);
      texts.forEach(([text, a], i) => {
        if (a.width === 0) faults.push(`${name}: '${text}' is not seen`);
        if (a.left < frame.left - 0.5 || a.right > frame.right + 0.5 ||
            a.top < frame.top - 0.5 || a.bottom > frame.bottom + 0.5)
          faults.push(`${name}: '${text}' sticks out of its picture`);
        for (const [other, b] of texts.slice(i + 1)) {
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (across > 0.5 && down > 2.5) faults.push(`${name}: '${text}' lies over '${other}'`);
        }
        if (/\b(nan|inf|undefined)\b/i.test(text)) faults.push(`${name}: says '${text}'`);
      });
    }
  }
  return faults;
})()
"""

# How well the texts of pictures stand out from the page, the least of all.
CONTRAST = r"""
(() => {
  const light = text => {
    const parts = text.match(/[\d.]+/g).slice(0, 3).map(x => x / 255)
      .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  let least = 21;
  for (const text of document.querySelectorAll('text:not(.dark):not(.bright), p, h1, h2, th, td')) {
    const style = getComputedStyle(text);
    const ink = light(text.tagName === 'text' ? style.fill : style.color);
    least = Math.min(least, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
  }
  return least;
})()
"""

# Of each table its rows, of each cell the number behind it or else its text.
TABLES = r"""
(() => Object.fromEntries([...document.querySelectorAll('table')].map(table => [table.id,
  [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => {
    const data = cell.querySelector('data');
    return data ? Number(data.value) : cell.textContent;
  }))])))()
"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.chromium = browser.Browser()
        cls.chromium.__enter__()
        cls.page = cls.chromium.page()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()
        cls.folder.cleanup()

    def made(self, name, *arguments, code=0, program=PROGRAM):
        """The path of the page of a command, and its JSON."""
        path = pathlib.Path(self.folder.name) / f"{name}.html"
        done = subprocess.run([program, *arguments, "--json", "--html", path],
                              capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr, b"")
        return path, json.loads(done.stdout)

    def tables(self, path, widths=(320, 719, 720, 1400)):
        """The tables of a page that looks right everywhere."""
        seen = [(width, "light", "screen") for width in widths]
        seen += [(1000, "dark", "screen"), (700, "dark", "print")]
        for width, scheme, media in seen:
            with self.subTest(page=path.name, width=width, scheme=scheme, media=media):
                self.page.look(width, scheme=scheme, media=media)
                requests, complaints = self.page.open(path.as_uri())
                self.assertEqual(requests, [])
                self.assertEqual(complaints, [])
                self.assertEqual(self.page.evaluate(LOOK), [])
                self.assertGreaterEqual(self.page.evaluate(CONTRAST), 4.5)
                if folder := os.environ.get("GPUPLAN_PICTURES"):
                    self.page.picture(f"{folder}/{path.stem}-{width}-{scheme}-{media}.png")
        self.assertEqual(self.page.evaluate("document.querySelectorAll('script, img').length"), 0)
        return self.page.evaluate(TABLES)

    def check_best(self, tables, answer):
        """What a page says of the plan that is shown."""
        for row, plan in zip(tables["layouts-table"], answer["plans"], strict=True):
            _, step, low, high, mfu, memory, fits, gpus, binding, _ = row
            self.assertEqual([step, mfu], [plan["step_time_s"], plan["mfu"]])
            self.assertTrue(low <= step <= high)
            self.assertLessEqual(abs(memory - plan["worst_stage_bytes"]), 1)
            self.assertEqual(fits, plan["fits_probability"])
            self.assertEqual(gpus, plan["gpus_used"])
            titles = dict(zip(answer["step_terms"], (row[0] for row in tables["step-table"])))
            self.assertEqual(binding, titles[plan["binding"] + "_s"])
        best = tables["layouts-table"][0]
        self.assertEqual(best[2:4], [answer["step_time_low_s"], answer["step_time_high_s"]])
        *terms, total = tables["step-table"]
        self.assertEqual([row[2] for row in terms], list(answer["step_terms"].values()))
        self.assertEqual(total[2], answer["step_time_s"])
        run = {row[0]: row[1] for row in tables["run-table"]}
        self.assertEqual(run["Time"], answer["run"]["with_failures"]["time_s"])
        whole = answer["run"]["with_failures"]
        self.assertEqual([run["Time, from"], run["Time, to"]],
                         [whole["time_low_s"], whole["time_high_s"]])
        self.assertEqual(run["Time without failures"], answer["run"]["time_s"])
        self.assertEqual(run["Energy"], answer["run"]["with_failures"]["energy_joules"])
        self.assertEqual(run["CO2e"], answer["run"]["carbon_grams"])
        if "Cost" in run:
            self.assertEqual(run["Cost"], answer["run"]["with_failures"]["cost_dollars"])

    def check_memory(self, tables, answer):
        # A page counts stages from 1, as text does, and JSON from 0.
        stages = {stage["stage"] + 1: stage for stage in answer["memory"]["stages"]}
        rows = tables["memory-table"]
        self.assertIn(answer["memory"]["worst_stage"] + 1, [int(row[0]) for row in rows])
        for name, *parts, total, low, high, _ in rows:
            stage = stages[int(name)]
            self.assertLessEqual(low, total)
            self.assertLessEqual(total, high)
            self.assertLessEqual(abs(total - stage["total_bytes"]), 1)
            self.assertAlmostEqual(sum(parts) / total, 1, 9)
            self.assertLessEqual(abs(parts[5] - stage["fragmentation_bytes"]), 1)
        self.assertEqual(len(rows), min(len(stages), 24))

    def test_that_faults_are_seen(self):
        def faults_of(drawn, style="", after=""):
            path = pathlib.Path(self.folder.name) / "faulty.html"
            path.write_text(
                f"<!DOCTYPE html><title>t</title><style>body{{margin:0}}{style}</style><section>"
                f"<h2 id=a>A</h2><svg viewBox='0 0 300 100' width=300 aria-labelledby='a'>{drawn}"
                f"</svg><table><tbody><tr><td>1</td></tr></tbody></table></section>{after}")
            self.page.look(320)
            self.noise = self.page.open(path.as_uri())
            return " ".join(self.page.evaluate(LOOK))

        def text(x, words):
            return f"<text x={x} y=50 font-size=12 font-family=sans-serif>{words}</text>"

        self.assertEqual(faults_of(text(10, "one") + text(100, "two")), "")
        self.assertEqual(self.noise, ([], []))
        self.assertIn("lies over", faults_of(text(10, "one") + text(20, "two")))
        self.assertIn("sticks out", faults_of(text(290, "outside")))
        self.assertIn("has no text", faults_of(""))
        self.assertIn("says 'nan'", faults_of(text(10, "nan")))
        self.assertIn("wider than", faults_of(text(10, "one"), after="<p style='width:500px'>x"))
        self.assertIn("0 of its pictures", faults_of(text(10, "one"), "svg{display:none}"))
        self.assertIn("has no table", faults_of(text(10, "one"), "table{display:none}"))
        self.assertIn("letters of", faults_of(text(10, "one"), "svg{width:150px}"))
        faults_of(text(10, "one"), after="<img src='gone.png'><script>console.log(1)</script>")
        self.assertTrue(any(url.endswith("gone.png") for url in self.noise[0]))
        self.assertGreaterEqual(len(self.noise[1]), 1)
        faults_of(text(10, "one"), "body{background:#fff}text{fill:#ccc}")
        self.assertLess(self.page.evaluate(CONTRAST), 4.5)

    def test_a_plan(self):
        path, answer = self.made("plan", "plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64",
                                 "--pipeline", "any", "--front")
        tables = self.tables(path)
        self.check_best(tables, answer)
        self.check_memory(tables, answer)
        for row, plan in zip(tables["front-table"], answer["front"]["plans"], strict=True):
            self.assertEqual(row[1], plan["step_time_s"])
            self.assertLessEqual(abs(row[2] - plan["worst_stage_bytes"]), 1)
            self.assertEqual(row[3], plan["gpus_used"])
        self.assertEqual(sum(row[0] for row in tables["rejected-table"]),
                         sum(answer["search"]["rejected"].values()))
        best = answer["parallelism"]
        cells = {tuple(row[:2]): row[2] for row in tables["map-table"]}
        self.assertEqual(cells[str(best["tensor"]), str(best["pipeline"])], answer["step_time_s"])
        self.assertEqual(min(x for x in cells.values() if x != "none"), answer["step_time_s"])
        for tensor, pipeline in (("2", "4"), ("8", "32")):
            one = subprocess.run([PROGRAM, "plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64",
                                  "--tensor", tensor, "--pipeline", pipeline, "--json"],
                                 capture_output=True)
            step = json.loads(one.stdout)["step_time_s"]
            self.assertEqual(cells[tensor, pipeline], "none" if one.returncode else step)
        for name, shape, intensity, rate, share, time in tables["roofline-table"]:
            self.assertGreater(share, 0, name)
            self.assertLessEqual(share, 1, name)

    def test_a_deep_pipeline(self):
        path, answer = self.made("deep", "plan", "gpt3-175b", "--gpu", "A100-80GB", "--gpus", "768",
                                 "--pipeline", "48", "--tensor", "8")
        tables = self.tables(path, widths=(320, 1400))
        self.check_memory(tables, answer)
        self.assertEqual(len(answer["memory"]["stages"]), 48)

    def test_nothing_that_fits(self):
        path, answer = self.made("misfit", "plan", "llama-3-70b", "--gpu", "H100", "--gpus", "2",
                                 code=4)
        tables = self.tables(path, widths=(320, 1400))
        self.check_memory(tables, answer)
        self.assertEqual({row[2] for row in tables["map-table"]}, {"none"})

    def test_several_clusters(self):
        path, answer = self.made("clusters", "plan", "llama-3-8b", "--gpu", "H100,A100-80GB",
                                 "--gpus", "8,16,64", "--tokens", "1T")
        tables = self.tables(path)
        self.check_best(tables, answer)
        for row, offer in zip(tables["clusters-table"], answer["offers"], strict=True):
            self.assertEqual(row[0], f"{offer['gpus']} x {offer['gpu']}")
            self.assertEqual(row[1:4], [offer["step_time_s"], offer["mfu"], offer["time_s"]])
            known = offer["cost_dollars"] is not None
            self.assertEqual(row[4], offer["cost_dollars"] if known else "unknown")

    def test_a_hostile_name(self):
        path = pathlib.Path(self.folder.name) / HOSTILE.replace("/", "")
        config = pathlib.Path(__file__).resolve().parent.parent / "data/configs/llama-3-8b.json"
        path.write_bytes(config.read_bytes())
        page, _ = self.made("hostile", "plan", str(path), "--gpu", "H100", "--gpus", "8")
        self.tables(page, widths=(320,))
        self.assertIn("<script>alert(1)<script>", self.page.evaluate("document.title"))
        self.assertNotIn("\u202e", self.page.evaluate("document.body.textContent"))

    def test_scaling(self):
        for kind in ("--fixed-batch", "--batch-per-gpu"):
            path, answer = self.made("scale" + kind, "scale", "llama-3-8b", "--gpu", "H100",
                                     "--gpus", "256", kind, "512" if "fixed" in kind else "2")
            tables = self.tables(path)
            for row, point in zip(tables["throughput-table"], answer["points"], strict=True):
                self.assertEqual(row[0], point["gpus"])
                if point["fits"]:
                    self.assertEqual(row[1:7], [point[key] for key in (
                        "step_time_s", "tokens_per_s", "efficiency", "mfu", "communication_share",
                        "waiting_share")])
                self.assertEqual(row[7], point["regime"].replace("_", "-")
                                 if point["fits"] else "does not fit")

    def check_sizes(self, tables, answer):
        sizes = sorted(answer["sizes"], key=lambda size: -size["gpus"])
        for row, size in zip(tables["wait-table"], sizes, strict=True):
            wait = size["wait"]
            load = "unknown" if size["utilization"] is None else size["utilization"]
            self.assertEqual(row[:3], [size["gpus"], load, wait["probability"]])
            unknown = {"mean_low_s": "not measured", "mean_high_s": "not measured"}
            for shown, key in zip(row[3:], ("mean_s", "mean_low_s", "mean_high_s", "p50_s",
                                            "p90_s", "p95_s", "p99_s"), strict=True):
                self.assertEqual(shown, unknown.get(key, "unbounded") if wait[key] is None
                                 else wait[key])

    def test_a_queue(self):
        for name, more in (("queue", ()), ("queue-loaded", ("--service-scv", "9")),
                           ("queue-mix", ("--gpus-per-job", "1:60%,8:40%"))):
            gpus = "192" if "mix" in name else "46"
            path, answer = self.made(name, "queue", "--arrivals", "4/h", "--service", "10h",
                                     "--gpus", gpus, "--target-mean-wait", "10min", *more)
            tables = self.tables(path)
            self.check_sizes(tables, answer)
            asked = [row for row in tables["policies-table"] if row[1] == int(gpus)]
            for row, policy in zip(asked, answer["policies"], strict=True):
                self.assertEqual(row[3:6], [policy[key] for key in (
                    "mean_wait_s", "mean_wait_most_s", "mean_response_s")])
            self.assertEqual(tables["targets-table"][0][1], answer["targets"][0]["gpus"])

    def test_a_trace(self):
        trace = pathlib.Path(self.folder.name) / "jobs.csv"
        rows = ["submit_s,gpus,duration_s"]
        rows += [f"{600 * i},{1 + 7 * (i % 5 == 0)},{3600 + 97 * (i % 37) ** 2}" for i in range(300)]
        trace.write_text("\n".join(rows))
        path, answer = self.made("trace", "queue", "--trace", str(trace), "--gpus", "40")
        self.check_sizes(self.tables(path, widths=(320, 1400)), answer)

    @unittest.skipUnless(ACCURACY, "no gpuplan_accuracy is given")
    def test_accuracy(self):
        path, answer = self.made("accuracy", program=ACCURACY)
        tables = self.tables(path, widths=(320, 1400))
        for section in answer["speed"]["sections"]:
            runs = [run for run in answer["speed"]["runs"] if run["section"] == section]
            self.assertTrue(runs, section)
            table = tables[section.replace("_", "-") + "-table"]
            for row, run in zip(table, runs, strict=True):
                self.assertEqual(row[:4], [run["id"], run["family"], run["measured_s"],
                                           run["predicted_s"]])
        for row, run in zip(tables["memory-table"], answer["measured"]["runs"], strict=True):
            self.assertEqual(row[2:4], [run["peak_measured_bytes"], run["peak_predicted_bytes"]])


if __name__ == "__main__":
    if not browser.found():
        print("skipped: no chromium is installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + [a for a in sys.argv[2:] if a != ACCURACY], verbosity=1)
