"""gpuplan calibrate, and plans made with what it writes, from outside."""
import json
import pathlib
import tempfile

import program
from program import DONE, USAGE, run


def sweep(ranks, nodes, latency_us, rate):
    """An all-reduce as nccl-tests prints it, exactly latency + bytes / rate."""
    lines = ["# nThread 1 nGpus 1"]
    for rank in range(ranks):
        lines.append(f"#  Rank {rank:2} Group  0 Pid 9 on host{rank // (ranks // nodes)} device  0 "
                     "[0x1b] NVIDIA H100")
    for power in range(3, 31):
        size = 2 ** power
        time = latency_us + size / rate * 1e6
        figures = f"{time:.4f} {size / time / 1e3:.3f} {size / time / 1e3 * 2 * (ranks - 1) / ranks:.3f} 0"
        lines.append(f" {size} {size // 4} float sum -1 {figures} {figures}")
    return "\n".join(lines) + "\n"


TRAINING = "".join(
    f" iteration {i}/ 100 | elapsed time per iteration (ms): {1000 + i} | global batch size: 8 |\n"
    for i in range(1, 10)) + "[Rank 0] (after 9 iterations) memory (MB) | allocated: 1000.0 | " \
    "max allocated: 2048.0 | max reserved: 3000.0\n"


class Calibrate(program.ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text=""):
        path = pathlib.Path(self.folder.name) / name
        if text:
            path.write_text(text)
        return str(path)

    def test_links_come_back_and_plans_are_made_with_them(self):
        inside = self.file("inside.txt", sweep(8, 1, 14.0, 200e9))
        across = self.file("across.txt", sweep(16, 2, 60.0, 160e9))
        profile = self.file("profile.json")
        answer = self.answer("calibrate", inside, across, "--gpu", "H100", "-o", profile)
        written = json.loads(pathlib.Path(profile).read_text())
        self.assertEqual(written, answer["profile"])
        self.assertAlmostEqual(written["scale_up"]["latency_s"] / (14e-6 / 14), 1, 2)
        self.assertAlmostEqual(written["scale_up"]["bandwidth_bytes_per_s"] / (200e9 * 14 / 8), 1, 2)
        self.assertAlmostEqual(written["fabric"]["latency_s"] / (60e-6 / 30), 1, 2)
        # Eight ports of a node share the rings.
        self.assertAlmostEqual(written["fabric"]["bandwidth_bytes_per_s"] / (160e9 * 30 / 16 / 8),
                               1, 2)
        asked = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64")
        plain, measured = self.answer(*asked), self.answer(*asked, "--profile", profile)
        self.assertNotEqual(plain["step_time_s"], measured["step_time_s"])
        done = run("plan", "llama-3-8b", "--gpu", "A100-80GB", "--gpus", "64", "--profile", profile)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("--profile is of H100", done.stderr)

    def test_training_logs_are_summed_up(self):
        answer = self.answer("calibrate", self.file("train.log", TRAINING))
        self.assertEqual(answer["logs"][0]["iterations"], 9)
        self.assertAlmostEqual(answer["logs"][0]["step_time_s"], 1.007)
        self.assertEqual(answer["logs"][0]["max_allocated_bytes"], 2048 * 2 ** 20)
        self.assertNotIn("fabric", answer["profile"])

    def test_people_read_what_was_found(self):
        done = run("calibrate", self.file("inside.txt", sweep(8, 1, 14.0, 200e9)))
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        for words in ("all-reduce of 8 ranks on one node, 28 sizes", "350.0 GB/s a GPU",
                      "gpuplan-profile"):
            self.assertIn(words, done.stdout)

    def test_what_cannot_be_used_is_refused_in_one_line(self):
        row = " 2 float sum -1 1.0 0.01 0.01 0 1.0 0.01 0.01 0\n"
        headless = self.file("headless.txt", "8" + row + "16" + row + "32" + row)
        short = self.file("short.txt", "8" + row)
        odd = self.file("odd.txt", "8" + row.replace("0.01 0 ", "0.03 0 "))
        broken = self.file("broken.json", '{"schema": "gpuplan-profile", "version": 9}')
        plan = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8", "--profile")
        for command, words in (
                (("calibrate",), "LOG"),
                (("calibrate", "/no/such"), "no such file"),
                (("calibrate", self.file("notes.txt", "hello\n")), "neither"),
                (("calibrate", headless), "--ranks"),
                (("calibrate", headless, "--ranks", "8", "--nodes", "3"), "not as many"),
                (("calibrate", odd, "--ranks", "8", "--nodes", "1"), "collective"),
                (("calibrate", short, "--ranks", "9", "--nodes", "1"), "fewer than 3"),
                (("calibrate", headless, "--gpu", "H1000"), "--gpu"),
                ((*plan, broken), "version"), ((*plan, headless), "JSON object"),
                ((*plan, "/no/such"), "no such file")):
            with self.subTest(command=command):
                done = run(*command)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(words, done.stderr)


program.main()
