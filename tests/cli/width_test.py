"""Text of every subcommand is at most 80 columns wide, but for what is pasted."""
import pathlib
import re
import tempfile
import unicodedata

import program
from program import run

ROOT = program.DATA.parent.parent
NODES, JOBS, DAY, TRACE = (str(ROOT / "docs" / "data" / name)
                           for name in ("nodes.csv", "jobs.csv", "day.csv", "trace.csv"))
SUBCOMMANDS = ("plan", "fit", "model", "evaluate", "scale", "queue", "place", "calibrate", "catalog",
               "formula", "explain", "collective", "completion")
H100 = ("--gpu", "H100")
POOL = ("plan", "llama-3-8b", *H100, "--tokens", "20G")
RATES = ("queue", "--arrivals", "4/h", "--service", "10h")
TRACED = ("queue", "--trace", TRACE)
PLACED = ("place", "--nodes", NODES, "--jobs")
COMMANDS = (
    *((name, "--help") for name in SUBCOMMANDS), ("--help",), ("--help-all",),
    ("plan", "llama-3-8b", *H100, "--gpus", "64", "--tokens", "15T"),
    ("plan", "llama-3-8b", *H100, "--gpus", "64", "--verbose", "--quick"),
    ("plan", "llama-3-8b", *H100, "--gpus", "64", "--front"),
    ("plan", "llama-3-8b", *H100, "--gpus", "8", "--task", "lora"),
    ("plan", "mixtral-8x7b", *H100, "--gpus", "64", "--quick"),
    ("plan", "deepseek-v3", "--gpu", "H800", "--gpus", "2048", "--quick"),
    ("plan", "llama-3-70b", *H100, "--gpus", "128", "--risk", "1", "--top", "2", "--quick"),
    ("plan", "llama-3-70b", *H100, "--gpus", "8"),
    ("plan", "llama-3-8b", "--gpu", "H100,H200,A100-80GB", "--gpus", "64,128", "--tokens", "1T",
     "--deadline", "30d", "--budget", "$2M", "--quick"),
    (*POOL, "--arrivals", "3/h", "--service", "12h", "--gpus-per-job", "1:50%,8:40%,32:10%",
     "--pool-gpus", "512"),
    (*POOL, "--arrivals", "3/h", "--service", "12h", "--pool-gpus", "64", "--deadline", "2d"),
    (*POOL, "--arrivals", "9/h", "--service", "12h", "--pool-gpus", "64"),
    (*POOL, "--pool", TRACE, "--pool-gpus", "56", "--policy", "easy"),
    ("fit", "llama-3-8b", *H100, "--data", "8", "--zero", "3"),
    ("fit", "llama-3-8b", *H100, "--data", "8", "--zero", "1", "--sequence", "4096"),
    ("fit", "mixtral-8x7b", *H100, "--data", "8", "--pipeline", "4", "--expert", "8"),
    ("fit", "deepseek-v3", "--gpu", "H800", "--data", "128", "--pipeline", "16", "--expert", "64",
     "--schedule", "dualpipe", "--batch", "15360", "--precision", "fp8", "--zero", "1"),
    *(("model", name) for name in ("gpt2", "llama-3-8b", "mixtral-8x7b", "deepseek-v3",
                                   "resnet-50")),
    ("scale", "llama-3-8b", *H100, "--gpus", "64"), ("scale", "mixtral-8x7b", *H100, "--gpus", "64"),
    *((*RATES, "--gpus", gpus) for gpus in ("64", "30")),
    (*RATES, "--gpus", "48", "--target-p95", "1h"),
    (*RATES, "--gpus", "64", "--service-scv", "4", "--arrival-scv", "2"),
    (*RATES, "--gpus", "200", "--gpus-per-job", "1:70%,8:30%"),
    (*RATES, "--gpus", "64", "--gpus-per-job", "1:70%,8:30%"),
    (*TRACED, "--gpus", "56"), (*TRACED, "--gpus", "56", "--target-mean-wait", "30min"),
    (*TRACED, "--gpus", "56", "--policy", "easy,fcfs,tiresias"),
    (*PLACED, JOBS), (*PLACED, JOBS, "--policy", "all"), (*PLACED, JOBS, "--policy", "framework"),
    (*PLACED, DAY, "--wait", "in-turn", "--policy", "first-fit,gpu-packing,fgd", "--node-columns",
     "power=watts", "--aims", "utilization=0.4,energy=0.6"),
    (*PLACED, DAY, "--wait", "whoever-fits", "--policy", "first-fit,worst-fit", "--columns",
     "job=part_of,data=data,deadline=due", "--locality", "0.8", "--max-nodes", "1"),
    ("calibrate", str(program.DATA / "probe" / "synthetic_two_h100.json")),
    ("catalog",), ("catalog", "accelerators", "H200"), ("catalog", "fabrics", "InfiniBand NDR 4x"),
    ("catalog", "models", "deepseek-v3"), ("catalog", "multiprocessors"),
    ("formula",), ("formula", "noise", "scale"), ("formula", "ring_all_reduce"),
    ("formula", "erlang_c", "servers=5", "offered=4"),
    ("formula", "activation_memory"), ("formula", "update_passes_of"),
    ("collective", "all-reduce", "--bytes", "1GB", *H100, "--gpus", "64"))
# A command, an example of one, or a request, is one line to be pasted.
PASTED = re.compile(r"(\s*\d+)?\s*(Example +|The next one alone: )?(gpuplan |source |\{)")


def width_of(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line
               if not unicodedata.combining(c))


class Width(program.ProgramTest):
    def wide_lines(self, text, width):
        """Lines of more columns, without commands and single words."""
        return [line for line in text.splitlines()
                if width_of(line) > width and len(line.split()) > 1 and not PASTED.match(line)]

    def test_no_line_is_wider_than_80_columns(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                done = run(*command, env={"COLUMNS": ""})
                self.assertIn(done.returncode, (program.DONE, program.INFEASIBLE), done.stderr)
                self.assertEqual(self.wide_lines(done.stdout, 80), [])

    def test_explanations_are_not_wider(self):
        answer = run("fit", "llama-3-8b", *H100, "--data", "8", "--zero", "3", "--json").stdout
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "answer.json"
            path.write_text(answer)
            for measured in sorted((program.DATA / "explain").iterdir()):
                done = run("explain", path, measured, env={"COLUMNS": ""})
                self.assertEqual(done.returncode, program.DONE, done.stderr)
                self.assertEqual(self.wide_lines(done.stdout, 80), [], measured.name)

    def test_help_says_the_same_in_any_width(self):
        for name in SUBCOMMANDS:
            wide, narrow = (run(name, "--help", env={"COLUMNS": width}).stdout
                            for width in ("10000", "80"))
            self.assertEqual(wide.split(), narrow.split(), name)


program.main()
