"""--html of plan, scale and queue, from outside and without a browser (tests/browser has one)."""
import html.parser
import pathlib
import re
import tempfile
import xml.etree.ElementTree

import program
from program import DONE, INFEASIBLE, INTERNAL, read_json, run

PLAN = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16", "--pipeline", "1")
SCALE = ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "16")
QUEUE = ("queue", "--arrivals", "4/h", "--service", "10h", "--gpus", "64", "--policy", "fcfs,ps")
VOID = {"meta"}


class Page(html.parser.HTMLParser):
    """Its tables by id, of each cell the number behind it or else its text; its tags in balance."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.row, self.cell, self.title = [], {}, None, None, ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.rows = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self.row = []
        elif tag == "td":
            self.cell = ""
        elif tag == "data":
            self.cell = float(attributes["value"])

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, text):
        if self.open[-1:] == ["title"] and "svg" not in self.open:
            self.title += text
        if self.open[-1:] == ["td"]:
            self.cell += text

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag == "td":
            self.row.append(self.cell)
        elif tag == "tr" and self.row:
            self.rows.append(self.row)


class Html(program.ProgramTest):
    def made(self, *command, code=DONE):
        """The page of a command as text and as tables, and the JSON of the same command."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            done = run(*command, "--json", "--html", path)
            self.assertEqual((done.returncode, done.stderr), (code, ""))
            text = path.read_text()
        pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
        for picture in pictures:
            xml.etree.ElementTree.fromstring(picture)
        self.assertNotRegex(text, r"<script|<link|<img|@import|\"-?(nan|inf)")
        return Page(text), pictures, read_json(done.stdout)

    def test_a_plan(self):
        page, pictures, answer = self.made(*PLAN)
        self.assertEqual(len(pictures), 2 * 6)  # layouts, memory, step, map, front and roofline
        self.assertEqual([row[1] for row in page.tables["layouts-table"]],
                         [plan["step_time_s"] for plan in answer["plans"]])
        self.assertEqual([row[2] for row in page.tables["step-table"][:-1]],
                         list(answer["step_terms"].values()))
        self.assertIn("GEMM", [row[0] for row in page.tables["step-table"]])
        for row, stage in zip(page.tables["memory-table"], answer["memory"]["stages"],
                              strict=True):
            total, low, high, _ = row[-4:]
            self.assertLessEqual(abs(total - stage["total_bytes"]), 1)
            ends = [answer["memory"][f"worst_stage_{end}_bytes"] / answer["memory"]["worst_stage_bytes"]
                    for end in ("low", "high")]
            for end, factor in zip((low, high), ends):
                self.assertAlmostEqual(end / total, factor, 6)
            self.assertEqual(int(row[0]), stage["stage"] + 1, "pages count stages as text does")
        self.assertIsNone(answer["front"], "a page does not change the answer")

    def test_a_page_says_what_the_host_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            asked = ("plan", "llama-3.2-1b", "--gpu", "H100", "--gpus", 8, "--offload", "optimizer")
            run(*asked, "--html", path)
            self.assertIn("Host memory for what is offloaded: ", path.read_text())
            run(*asked[:-2], "--html", path)
            self.assertNotIn("Host memory", path.read_text())

    def test_a_page_says_how_it_was_made(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            run(*PLAN, "--html", path, env={"SOURCE_DATE_EPOCH": "1700000000"})
            facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", path.read_text()))
            self.assertEqual(facts["Made by"],
                             run("--version").stdout.strip() + ", 2023-11-14")
            self.assertEqual(facts["Command"], "gpuplan " + " ".join(PLAN))
            for words in ("20 per parameter", "prices of"):
                self.assertIn(words, facts["Assumed"])
            self.assertIn("a GPU hour", facts["Cost"])
            run(*PLAN, "--html", path, env={"SOURCE_DATE_EPOCH": "soon"})
            self.assertRegex(path.read_text(), r"<dd>gpuplan [\d.]+, 20\d\d-\d\d-\d\d</dd>")

    def test_what_does_not_fit_says_why(self):
        page, _, answer = self.made("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "1",
                                    code=INFEASIBLE)
        self.assertEqual(sum(row[0] for row in page.tables["rejected-table"]),
                         sum(answer["search"]["rejected"].values()))
        self.assertEqual(page.tables["map-table"][0][2], "none")
        self.assertIn("memory", page.tables["map-table"][0][3])

    def test_a_scaling_curve(self):
        page, pictures, answer = self.made(*SCALE)
        self.assertEqual(len(pictures), 2 * 2)
        self.assertEqual([row[2] or None for row in page.tables["throughput-table"]],
                         [point["tokens_per_s"] for point in answer["points"]])

    def test_a_queue(self):
        page, _, answer = self.made(*QUEUE)
        sizes = sorted(answer["sizes"], key=lambda size: size["utilization"])
        self.assertEqual([row[3] for row in page.tables["wait-table"]],
                         [size["wait"]["mean_s"] or "unbounded" for size in sizes])
        asked = [row[3] for row in page.tables["policies-table"] if row[1] == 64]
        self.assertEqual(asked, [policy["mean_wait_s"] for policy in answer["policies"]])

    def test_a_hostile_name_is_letters(self):
        hostile = "<script>alert(1)<img src=x>&\"'"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / hostile
            path.write_bytes((program.CONFIGS / "llama-3-8b.json").read_bytes())
            page, _, _ = self.made("plan", path, *PLAN[2:])
        self.assertIn(hostile, page.title)

    def test_a_page_that_cannot_be_written_is_one_line(self):
        for command in (PLAN, SCALE, QUEUE):
            for path, why in (("/nowhere/at/all.html", "No such file or directory"),
                              ("/", "Is a directory"), ("/dev/full", "No space left on device")):
                done = run(*command, "--html", path)
                self.assertEqual((done.returncode, done.stdout), (INTERNAL, ""), done.stderr)
                self.assertEqual(done.stderr, f"gpuplan: cannot write {path}: {why}\n")


if __name__ == "__main__":
    program.main()
