"""gpuplan calibrate, and plans made with what it writes, from outside."""
import json
import pathlib
import random
import re
import tempfile

import program
from program import DONE, INFEASIBLE, INTERNAL, USAGE, run


def sweep(ranks, nodes, latency_us, rate, device="NVIDIA H100"):
    """An all-reduce as nccl-tests prints it, exactly latency + bytes / rate."""
    lines = ["# nThread 1 nGpus 1"]
    for rank in range(ranks):
        lines.append(f"#  Rank {rank:2} Group  0 Pid 9 on host{rank // (ranks // nodes)} device  0 "
                     f"[0x1b] {device}")
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


PROBE = program.DATA / "probe" / "synthetic_two_h100.json"

NVBANDWIDTH = json.dumps({"nvbandwidth": {"Driver Version": "570", "testcases": [
    {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["55.0", "54.0"]],
     "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"},
    {"name": "host_to_device_bidirectional_memcpy_ce", "status": "Passed",
     "bandwidth_matrix": [["42.0", "41.0"]],
     "bandwidth_description": "memcpy CE CPU(row) <-> GPU(column) bandwidth (GB/s)"},
    {"name": "device_to_host_bidirectional_memcpy_ce", "status": "Passed",
     "bandwidth_matrix": [["40.0", "43.0"]],
     "bandwidth_description": "memcpy CE CPU(row) <-> GPU(column) bandwidth (GB/s)"},
    {"name": "device_to_device_memcpy_write_ce", "status": "Passed",
     "bandwidth_matrix": [["N/A", "390.0"], ["380.0", "N/A"]],
     "bandwidth_description": "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)"}]}})

NVIDIA_SMI = ("index, name, memory.total [MiB], memory.used [MiB], power.draw [W]\n"
              "0, NVIDIA H100 80GB HBM3, 81559 MiB, 1000 MiB, 100.00 W\n"
              "0, NVIDIA H100 80GB HBM3, 81559 MiB, 70000 MiB, 600.00 W\n")

MEMORY = json.dumps({"allocated_bytes.all.current": 1e9, "allocated_bytes.all.peak": 6e10,
                     "reserved_bytes.all.current": 6.2e10, "reserved_bytes.all.peak": 6.3e10,
                     "active_bytes.all.current": 1e9, "active_bytes.all.peak": 6e10,
                     "num_alloc_retries": 0, "num_ooms": 0})


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

    def test_a_probe_becomes_a_profile(self):
        profile = self.file("profile.json")
        answer = self.answer("calibrate", PROBE, "-o", profile)
        written = answer["profile"]
        self.assertEqual(written, json.loads(pathlib.Path(profile).read_text()))
        self.assertEqual((written["version"], written["gpu"]), (4, "H100-SXM5-80GB"))
        # The constants that the report was computed from, with 0.5 % of noise.
        for found, exact in ((written["memory_bandwidth_bytes_per_s"], 2.8e12),
                             (written["products_flop_per_s"]["bf16"], 7e14),
                             (written["host"]["bandwidth_bytes_per_s"], 52e9),
                             (written["host"]["latency_s"], 8e-6),
                             (written["scale_up"]["bandwidth_bytes_per_s"], 360e9),
                             (written["scale_up"]["latency_s"], 1.5e-6),
                             (written["memory_bytes"], 81000 * 2 ** 20),
                             (written["cuda_context_bytes"], 480e6),
                             (written["communicator_bytes"], 700e6)):
            self.assertLess(abs(found / exact - 1), 0.01, (found, exact))
        source = written["sources"][0]
        self.assertEqual(source["device"], "NVIDIA H100 80GB HBM3, driver synthetic")
        self.assertEqual(source["time_utc"], "2026-01-01T00:00:00Z")
        log = answer["logs"][0]
        self.assertEqual((log["kind"], len(log["devices"]), len(log["sweeps"])), ("probe", 2, 1))
        product = log["devices"][0]["products"]["bf16"]
        low, high = product["rate_bounds_flop_per_s"]
        self.assertLess(low, product["rate_flop_per_s"])
        self.assertLess(product["rate_flop_per_s"], high)
        self.assertLess(high / low, 1.02)
        self.assertLess(product["median_error"], 0.01)
        partial = self.answer("calibrate", PROBE.parent / "synthetic_partial.json")
        self.assertNotIn("gpu", partial["profile"])
        self.assertNotIn("products_flop_per_s", partial["profile"])
        self.assertEqual(partial["logs"][0]["status"], "partial")

    def test_measurements_of_another_gpu_are_refused(self):
        profile = self.file("p.json")
        self.answer("calibrate", PROBE, "-o", profile)
        log = self.file("nccl.txt", sweep(8, 1, 14.0, 200e9, "NVIDIA H100 80GB HBM3"))
        text = NVBANDWIDTH.replace('"Driver', '"GPU Device list": ["0: NVIDIA H100 (00:1b)"], "Driver')
        pairs = self.file("pairs.json", text)
        relabelled = self.file("q.json")
        for measured in (profile, PROBE, log, pairs):
            for gpu, name in (("H200", "H200-SXM-141GB"), ("H100-PCIe", "H100-PCIe-80GB")):
                self.refused("calibrate", measured, "--gpu", gpu, "-o", relabelled,
                             saying=(pathlib.Path(measured).name + ": is of ", "H100",
                                     f"not of {name}, as --gpu says"))
            self.assertFalse(pathlib.Path(relabelled).exists())
            # The same board, whatever its spelling.
            for gpu in ("H100", "h100 sxm5 80gb"):
                self.answer("calibrate", measured, "--gpu", gpu)
        # Devices that the catalogue does not know are what is said of them.
        own = self.file("own.json", PROBE.read_text().replace("NVIDIA H100 80GB HBM3", "Board 7"))
        other = self.file("other.txt", sweep(8, 1, 14.0, 200e9, "Board 7"))
        answer = self.answer("calibrate", own, other, "--gpu", "H200")
        self.assertEqual(answer["profile"]["gpu"], "H200-SXM-141GB")
        # Files that contradict each other, in any order; names as a user may write them do not.
        t4 = self.file("t4.txt", sweep(8, 1, 14.0, 5e9, "Tesla T4"))
        for files in ((PROBE, t4), (t4, PROBE), (profile, t4)):
            self.refused("calibrate", *files, saying=("t4.txt: is of Tesla T4, and",
                                                      "of H100-SXM5-80GB; the GPU must be the same"))
        spelled = self.file("s.json", pathlib.Path(profile).read_text().replace("H100-SXM5-80GB",
                                                                                "h100"))
        self.assertEqual(self.answer("calibrate", spelled, PROBE)["profile"]["gpu"],
                         "H100-SXM5-80GB")

    def test_logs_of_other_tests_and_wrong_results_are_refused(self):
        good = sweep(8, 1, 14.0, 200e9)
        def named(test, text=good):
            return self.file("named.txt", f"# Collective test starting: {test}\n" + text)
        for test in ("sendrecv_perf", "hypercube_perf", "gather_perf", "scatter_perf",
                     "sendrecv_perf_mpi"):
            self.refused("calibrate", named(test), "--force",
                         saying=(f"is of the test {test.removesuffix('_mpi')}", "all_reduce_perf"))
        # The name decides, not the rates.
        said = self.answer("calibrate", named("all_gather_perf_mpi"))["logs"][0]["collective"]
        self.assertEqual(said, "all-gather")
        wrong = good.replace(" 0 ", " 4 ", 1)
        failed = good + "# Out of bounds values : 3 FAILED\n"
        for text, words in ((wrong.replace("nThread 1 4 nGpus", "nThread 1 nGpus"), "wrong"),
                            (failed, "3 values of its results are wrong")):
            self.refused("calibrate", self.file("wrong.txt", text), "--force", saying=words)
        self.answer("calibrate", self.file("right.txt", good + "# Out of bounds values : 0 OK\n"))
        self.refused("calibrate", self.file("two.txt", good + good),
                     saying=("two.txt: line 38: another log", "a file of its own"))

    def test_numbers_that_a_gpu_cannot_have_are_refused(self):
        head = '{"schema": "gpuplan-profile", "version": 4, "gpu": "H100-SXM5-80GB", '
        for fields, words in (
                ('"memory_bytes": 1e15', ("memory_bytes is 9.313e+05 GiB", "0.7911 to 87.02 GiB")),
                ('"memory_bytes": 80', ("memory_bytes is",)),
                ('"memory_bandwidth_bytes_per_s": 1e3', ("33.5 to 3417 GB/s", "0.01 to 1.02 times")),
                ('"memory_bandwidth_bytes_per_s": 5e12', ("is 5000 GB/s", "1.02 times")),
                ('"products_flop_per_s": {"bf16": 2e15}', ("products_flop_per_s.bf16 is 2000",)),
                ('"fabrik": {}', ("fabrik is not a known field; did you mean fabric?",)),
                ('"fabric": {"latency_s": 0, "bandwith": 1}', ("fabric: bandwith",)),
                ('"runs": {"mark": []}', ("mark is not a known field; did you mean marks?",))):
            path = self.file("pm.json", head + fields + "}")
            for command in (("plan", "llama-3-8b", "--gpus", "8"), ("fit", "llama-3.2-1b")):
                said = self.refused(*command, "--gpu", "H100", "--profile", path, saying=words)
                self.assertIn("pm.json", said)
                self.assertNotIn("cluster_profile", said)
        # What is typed stands above the profile.
        path = self.file("pm.json", head + '"memory_bytes": 1e15}')
        self.answer("fit", "llama-3.2-1b", "--gpu", "H100", "--memory", "70GiB", "--profile", path)
        # calibrate leaves them out, and says so.
        text = PROBE.read_text().replace("84934656000", "849346560000")
        self.assertNotEqual(text, PROBE.read_text())
        path = self.file("large.json", text.replace('"NVIDIA H100', '"Board'))
        answer = self.answer("calibrate", path, "--gpu", "H100")
        self.assertEqual(answer["left_out"], ["memory"])
        self.assertNotIn("memory_bytes", answer["profile"])
        self.assertIn("memory is not used: it is above the datasheet of H100",
                      run("calibrate", path, "--gpu", "H100").stdout)

    def test_gpus_of_nvidia_smi_are_counted_without_an_index(self):
        head = "timestamp, name, memory.used [MiB]\n"
        times = "".join(f"2026/01/01 00:00:0{i}.000, X, {i} MiB\n" for i in range(3) for _ in "ab")
        two = self.file("two.csv", head + times)
        log = self.answer("calibrate", two)["logs"][0]
        self.assertEqual((log["gpu_count"], [gpu["samples"] for gpu in log["gpus"]]), (2, [3, 3]))
        self.assertIn("2 GPUs seen by nvidia-smi", run("calibrate", two).stdout)
        # One GPU at two times, or two that are stamped one after the other.
        apart = "2026/01/01 00:00:00.000, X, 1 MiB\n2026/01/01 00:00:00.004, X, 2 MiB\n"
        for text in ("name, memory.used [MiB]\nX, 1 MiB\nX, 2 MiB\n", head + apart):
            bare = self.file("bare.csv", text)
            self.assertIsNone(self.answer("calibrate", bare)["logs"][0]["gpu_count"])
            self.assertIn("2 rows, of GPUs that nothing tells apart",
                          " ".join(run("calibrate", bare).stdout.split()))

    def test_a_profile_that_cannot_be_written_is_one_line(self):
        done = run("calibrate", PROBE, "-o", "/nowhere/at/all.json")
        self.assertEqual(done.returncode, INTERNAL)
        self.assertEqual(done.stderr,
                         "gpuplan: cannot write /nowhere/at/all.json: No such file or directory\n")

    def test_files_of_every_kind_are_known_by_what_is_in_them(self):
        first = self.file("first.json")
        self.answer("calibrate", PROBE, "-o", first)
        files = [first, self.file("a", sweep(8, 1, 14.0, 200e9)), self.file("b", NVBANDWIDTH),
                 self.file("c", NVIDIA_SMI), self.file("d", MEMORY), self.file("e", TRAINING)]
        answer = self.answer("calibrate", *files)
        self.assertEqual([log["kind"] for log in answer["logs"]],
                         ["profile", "nccl-tests", "nvbandwidth", "nvidia-smi", "pytorch-memory",
                          "megatron"])
        profile = answer["profile"]
        # The later file counts: nvbandwidth's pairs over nccl-tests' ring over the probe's.
        self.assertEqual(profile["scale_up"]["bandwidth_bytes_per_s"], 380e9)
        self.assertEqual(profile["host"]["bandwidth_bytes_per_s"], 40e9)
        self.assertEqual(profile["gpu"], "H100-SXM5-80GB")
        self.assertEqual(len(profile["sources"]), 3)
        smi, memory = answer["logs"][3:5]
        self.assertEqual(smi["gpus"][0]["max_power_w"], 600)
        self.assertEqual(memory["max_reserved_bytes"], 63e9)
        reordered = self.answer("calibrate", files[2], files[1])["profile"]
        self.assertAlmostEqual(reordered["scale_up"]["bandwidth_bytes_per_s"] / 350e9, 1, 2)

    def test_plans_say_what_a_profile_moves(self):
        profile = self.file("profile.json")
        self.answer("calibrate", PROBE, "-o", profile)
        cluster = ("--gpu", "H100", "--gpus", "16")
        asked = ("plan", "llama-3-8b", *cluster)
        self.assertIsNone(self.answer(*asked)["calibration"])
        answer = self.answer(*asked, "--profile", profile)
        moved = answer["calibration"]
        self.assertEqual(moved["profile"], profile)
        self.assertEqual(moved["measured"]["step_time_s"], answer["step_time_s"])
        self.assertEqual(moved["measured"]["mfu"], answer["mfu"])
        # Before: the same layout without the profile.
        inputs = answer["inputs"]
        request = {"model": inputs["model"], "cluster": inputs["cluster"],
                   "recipe": answer["recipe"], "parallelism": answer["parallelism"]}
        plain = json.loads(run("evaluate", stdin=json.dumps(request) + "\n").stdout)
        self.assertNotIn("calibration", plain)
        self.assertEqual(plain["step_time_s"], moved["datasheet"]["step_time_s"])
        self.assertEqual(plain["mfu"], moved["datasheet"]["mfu"])
        self.assertNotEqual(plain["step_time_s"], answer["step_time_s"])
        constants = {one["name"]: one for one in moved["constants"]}
        for name in ("memory_bandwidth", "products_bf16", "scale_up_latency", "scale_up_bandwidth",
                     "host_bandwidth", "memory", "cuda_context", "communicator"):
            one = constants[name]
            self.assertAlmostEqual(one["measured"] / one["datasheet"], one["ratio"])
        self.assertEqual(constants["cuda_context"]["unit"], "B")
        self.assertNotIn("fabric_bandwidth", constants)
        # And evaluate and fit with the profile say the same.
        measured = json.loads(run("evaluate", "--profile", profile,
                                  stdin=json.dumps(request) + "\n").stdout)
        self.assertEqual(measured["step_time_s"], answer["step_time_s"])
        choice = moved.pop("datasheet_choice")
        self.assertEqual(choice["same"], choice["recipe"] == answer["recipe"] and
                         choice["parallelism"] == answer["parallelism"])
        self.assertEqual(choice["datasheet"]["step_time_s"], self.answer(*asked)["step_time_s"])
        # It may be faster, as measured, where it is less sure to fit than plan asks.
        chosen = {**request, "recipe": choice["recipe"], "parallelism": choice["parallelism"]}
        [other] = [json.loads(line) for line in
                   run("evaluate", "--profile", profile,
                       stdin=json.dumps(chosen) + "\n").stdout.splitlines()]
        self.assertEqual(other["step_time_s"], choice["measured"]["step_time_s"])
        self.assertTrue(other["step_time_s"] >= answer["step_time_s"] or
                        other["fits_probability"] < 0.9)
        self.assertEqual(measured["calibration"], moved)
        fit = self.answer("fit", "llama-3.2-1b", "--gpu", "H100", "--profile", profile)
        self.assertEqual(fit["calibration"]["measured"]["mfu"], fit["mfu"])
        self.assertLess(fit["calibration"]["measured"]["needed_bytes"],
                        fit["calibration"]["datasheet"]["needed_bytes"])  # a smaller context
        scale = self.answer("scale", "llama-3.2-1b", *cluster, "--profile", profile)
        self.assertEqual(scale["calibration"]["measured"]["step_time_s"],
                         scale["points"][-1]["step_time_s"])
        self.assertIn("Datasheets alone would choose", run(*asked, "--profile", profile).stdout)
        for command in (asked, ("fit", "llama-3.2-1b", "--gpu", "H100"),
                        ("scale", "llama-3.2-1b", *cluster)):
            done = run(*command, "--profile", profile)
            self.assertEqual((done.returncode, done.stderr), (DONE, ""), done.stderr)
            for words in ("in the place of datasheets", "Step", "MFU", "memory bandwidth",
                          "products bf16", "TFLOP/s"):
                self.assertIn(words, done.stdout)

    def test_options_stand_above_a_profile_and_other_types_are_without_it(self):
        profile = self.file("profile.json")
        self.answer("calibrate", PROBE, "-o", profile)
        fit = ("fit", "llama-3.2-1b", "--gpu", "H100", "--profile", profile)
        constants = {one["name"] for one in self.answer(
            *fit, "--memory", "70GiB", "--cuda-context", "1GB")["calibration"]["constants"]}
        self.assertNotIn("memory", constants)
        self.assertNotIn("cuda_context", constants)
        # Nothing fits: GPUs of other types are tried, by their datasheets.
        answer = self.answer("plan", "gpt3-175b", "--gpu", "H100", "--gpus", "1", "--profile",
                             profile, code=program.INFEASIBLE)
        self.assertTrue(answer["clusters_that_fit"])

    def test_numbers_that_chance_has_changed_are_answered_or_refused(self):
        chance = random.Random(1)
        text = PROBE.read_text()
        numbers = list(re.finditer(r"(?<=: )[0-9][-+.0-9e]*", text))
        for _ in range(40):
            changed = text
            for number in sorted(chance.sample(numbers, 3), key=lambda n: -n.start()):
                value = chance.choice(("0", "1e-300", "1e300", "-1", "null", "1e18", "3", "\"x\""))
                changed = changed[:number.start()] + value + changed[number.end():]
            done = run("calibrate", self.file("changed.json", changed), "--json")
            self.assertIn(done.returncode, (DONE, USAGE), done.stderr)
            self.assertEqual(done.stderr.count("\n"), int(done.returncode == USAGE), done.stderr)
            if done.returncode == USAGE:
                self.assertIn("changed.json", done.stderr)
            else:
                self.assertIn("profile", program.read_json(done.stdout))

    def test_what_of_a_probe_is_applied_is_said(self):
        said = run("calibrate", PROBE, env={"COLUMNS": "400"}).stdout
        self.assertIn("  applied: memory bandwidth, memory size, products, host link, CUDA context, "
                      "NCCL's buffers, all-reduce of the most ranks\n", said)
        self.assertNotIn("of the datasheet", said)
        partial = run("calibrate", PROBE.parent / "synthetic_partial.json").stdout
        self.assertIn("  applied: memory bandwidth, memory size\n  not applied: launch times\n",
                      partial)

    def test_rates_that_a_datasheet_makes_implausible_are_warned_of(self):
        text = re.sub(r'"rate_Bps": ([0-9.]+)', lambda rate: f'"rate_Bps": {float(rate[1]) / 5}',
                      PROBE.read_text())
        said = run("calibrate", self.file("slow.json", text)).stdout
        self.assertEqual(said.count("warning: memory at 17 % of the datasheet of H100-SXM5-80GB"),
                         2, said)
        self.assertEqual(said.count("of the datasheet"), 2)

    def test_what_a_device_cannot_do_is_left_out(self):
        text = PROBE.read_text().replace('"bf16"', '"fp32"')
        fast = self.file("fast.json", text)
        answer = self.answer("calibrate", fast)
        self.assertEqual(answer["left_out"], ["products_fp32"])
        self.assertNotIn("products_flop_per_s", answer["profile"])
        self.assertIn("memory_bandwidth_bytes_per_s", answer["profile"])
        self.assertIn("products_fp32 is not used", run("calibrate", fast).stdout)

    def measured(self, times):
        """A sweep of 8 ranks on one node, with a time in microseconds for each size."""
        text = sweep(8, 1, 1, 1e9)
        rows = [f" {size} {size // 4} float sum -1 {time} 1 1 0 {time} 1 1 0"
                for size, time in times]
        return self.file("sweep.txt", "\n".join(text.splitlines()[:9] + rows) + "\n")

    def test_links_that_no_times_tell_are_refused(self):
        sizes = [2 ** power for power in range(3, 31)]
        one_size = [(2 ** 20, 10 + 0.1 * i) for i in range(5)]
        for times, words in ((one_size, "fewer than 3 different sizes"),
                             (one_size + [(2 ** 21, 11)], "fewer than 3 different sizes"),
                             ([(size, 10) for size in sizes], "times do not grow with the size"),
                             ([(size, 100 - 3 * i) for i, size in enumerate(sizes)],
                              "times do not grow with the size"),
                             ([(size, 10 + i % 3) for i, size in enumerate(sizes)],
                              "times do not grow with the size")):
            for force in ((), ("--force",)):
                profile = self.file("none.json")
                said = self.refused("calibrate", self.measured(times), *force, "-o", profile)
                self.assertIn(words, said)
                self.assertFalse(pathlib.Path(profile).exists())

    def test_options_say_what_files_do_not_and_no_more(self):
        log = self.file("inside.txt", sweep(8, 1, 14.0, 250e9))
        self.refused("calibrate", log, "--nodes", "2",
                     saying="its header lists 1, and --nodes says 2; leave --nodes away")
        self.refused("calibrate", log, "--ranks", "16",
                     saying="its header lists 8, and --ranks says 16")
        self.answer("calibrate", log, "--ranks", "8", "--nodes", "1")
        for option, value in (("--ranks", "8"), ("--nodes", "2"), ("--model", "llama-3-8b"),
                              ("--layout", "tensor=2")):
            self.refused("calibrate", PROBE, option, value, saying=option + " has no effect")

    def test_links_beyond_their_wires_are_refused_or_forced(self):
        inside = self.file("inside.txt", sweep(8, 1, 14.0, 500e9))  # a ring of 875 GB/s
        across = self.file("across.txt", sweep(16, 2, 60.0, 4e12))
        copies = self.file("copies.json", NVBANDWIDTH.replace('"42.0", "41.0"', '"900.0", "900.0"')
                           .replace('"40.0", "43.0"', '"900.0", "900.0"'))
        for log, link in ((inside, "scale_up"), (across, "fabric"), (copies, "host")):
            said = self.refused("calibrate", log, "--gpu", "H100")
            for words in (f"{link}: ", "above the", "links of H100-SXM5-80GB can signal", "--force"):
                self.assertIn(words, said)
            answer = self.answer("calibrate", log, "--gpu", "H100", "--force")
            self.assertGreater(answer["profile"][link]["bandwidth_bytes_per_s"], 8e11)
            self.assertEqual(answer["forced"], [link])
            self.assertIn("taken by --force", run("calibrate", log, "--gpu", "H100", "--force").stdout)
        # Of a device that is not named the fastest of the catalogue is the bound.
        self.assertEqual(self.answer("calibrate", inside)["forced"], [])
        self.refused("calibrate", self.file("any.txt", sweep(8, 1, 14.0, 2e12)),
                     saying="any link of the catalogue")
        self.answer("calibrate", self.file("most.txt", sweep(8, 1, 14.0, 250e9)), "--gpu", "H100")

    def test_a_profile_with_links_beyond_their_wires_is_refused_unless_it_was_forced(self):
        path = self.file("edited.json", json.dumps(
            {"schema": "gpuplan-profile", "version": 4,
             "fabric": {"latency_s": 1e-6, "bandwidth_bytes_per_s": 1e17}}))
        layout = ("llama-3-8b", "--gpu", "H100", "--data", "16", "--zero", "1")
        asked = (("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "16"), ("fit", *layout),
                 ("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "16"), ("evaluate",))
        for question in asked:
            self.refused(*question, "--profile", path,
                         saying=(f"{path}: fabric: 100000000 GB/s is above the ", "can signal", "--force"))
        forced = self.file("forced.json")
        made = self.answer("calibrate", path, "--force", "-o", forced)
        self.assertEqual(made["profile"]["forced"], ["fabric"])
        run_of = run("fit", *layout, "--profile", forced)
        self.assertIn(run_of.returncode, (DONE, INFEASIBLE), run_of.stderr)
        # A link that is measured anew is no longer forced.
        again = self.answer("calibrate", forced, self.file("new.txt", sweep(16, 2, 60.0, 160e9)))
        self.assertEqual(again["forced"], [])
        self.assertNotIn("forced", again["profile"])

    def test_poor_fits_are_refused_or_marked(self):
        times = self.measured([(2 ** power, (10 + 2 ** power / 1e5) * (30 if power % 2 else 1))
                               for power in range(3, 31)])
        self.refused("calibrate", times, saying=("misses the times by", "more than 50.0 %"))
        answer = self.answer("calibrate", times, "--force")
        self.assertEqual(answer["logs"][0]["fault"], "poor")
        self.assertTrue(answer["profile"]["sources"][0]["what"].endswith(", a poor fit"))
        self.assertIn("a poor fit", run("calibrate", times, "--force").stdout)
        good = self.answer("calibrate", self.file("good.txt", sweep(8, 1, 14.0, 200e9)))
        self.assertIsNone(good["logs"][0]["fault"])

    def test_fits_that_miss_many_times_far_are_refused_or_marked(self):
        slow = self.measured([(2 ** power, (10 + 2 ** power / 1e5) * (100 if power % 5 in (0, 3) else 1))
                              for power in range(10, 30)])
        self.refused("calibrate", slow, saying=("one time in ten", "beyond 90.0 %", "--force"))
        answer = self.answer("calibrate", slow, "--force")
        self.assertEqual(answer["logs"][0]["fault"], "poor")
        self.assertLess(answer["logs"][0]["median_error"], 0.5)
        clamped = self.measured([(2 ** power, max(0.01, 2 ** power / 1e5 - 1))
                                 for power in range(14, 30)])
        self.refused("calibrate", clamped, saying="one time in ten")

    def test_a_latency_that_no_time_tells_is_said(self):
        large = self.measured([(2 ** power, (2 ** power - 2 ** 22) / 1e5) for power in range(24, 31)])
        answer = self.answer("calibrate", large)
        self.assertEqual(answer["logs"][0]["latency_s"], 0)
        said = run("calibrate", large).stdout
        self.assertIn("no latency told", said)
        self.assertNotIn("0.00 us", said)

    def test_flat_curves_of_a_probe_are_not_used(self):
        report = json.loads(PROBE.read_text())
        for rows in [one["rows"] for one in report["collectives"]]:
            for row in rows:
                row["time_s"] = rows[0]["time_s"]
        flat = self.file("flat.json", json.dumps(report))
        answer = self.answer("calibrate", flat)
        self.assertEqual({one["fault"] for one in answer["logs"][0]["sweeps"]}, {"flat"})
        self.assertNotIn("scale_up", answer["profile"])
        self.assertIn("not used: times do not grow", run("calibrate", flat).stdout)

    def test_one_of_a_kind_is_singular(self):
        report = json.loads(NVBANDWIDTH)
        del report["nvbandwidth"]["testcases"][1:]
        text = run("calibrate", self.file("b", json.dumps(report)), self.file("c", NVIDIA_SMI),
                   self.file("e", TRAINING.splitlines()[0] + "\n")).stdout
        for words in (": 1 test of nvbandwidth\n", ": 1 GPU seen by nvidia-smi;",
                      ": 1 iteration of "):
            self.assertIn(words, text)
        self.assertNotRegex(text, r"\b1 [a-z]+s\b")

    def test_a_log_too_short_to_leave_out_its_warm_up_says_so(self):
        said = "too few to leave out those that warm up"
        whole = [line for line in TRAINING.splitlines() if "elapsed time" in line]
        for lines, used in ((1, 1), (6, 6), (7, 4)):
            log = self.file("few.log", "\n".join(whole[:lines]) + "\n")
            [told] = self.answer("calibrate", log)["logs"]
            self.assertEqual((told["iterations"], told["lines_used"]), (lines, used))
            self.assertEqual(said in " ".join(run("calibrate", log).stdout.split()), lines <= 6)
        log = self.file("nemo.log", 6 * "iteration 1 | train_step_timing in s: 2\n")
        self.assertEqual(self.answer("calibrate", log)["logs"][0]["lines_used"], 6)
        self.assertIn(said, " ".join(run("calibrate", log).stdout.split()))

    def test_training_logs_are_summed_up(self):
        answer = self.answer("calibrate", self.file("train.log", TRAINING))
        self.assertEqual(answer["logs"][0]["iterations"], 9)
        self.assertEqual(answer["logs"][0]["lines_used"], 6)
        self.assertAlmostEqual(answer["logs"][0]["step_time_s"], 1.007)
        self.assertEqual(answer["logs"][0]["max_allocated_bytes"], 2048 * 2 ** 20)
        self.assertIsNone(answer["profile"])
        # A profile of nothing is not written.
        path = self.file("profile.json")
        self.refused("calibrate", self.file("train.log", TRAINING), "-o", path,
                     saying=("--output", "--model and --layout"))
        self.assertFalse(pathlib.Path(path).exists())

    def test_the_trainers_state_is_a_run(self):
        step = 1.05 * self.step_of("--data", "8", "--framework", "fsdp")["step_time_s"]
        ended = {"epoch": 1.0, "step": 200, "train_runtime": 200 * step,
                 "train_steps_per_second": round(1 / step, 3)}
        state = {"best_metric": None, "global_step": 200,
                 "log_history": [{"loss": float("nan"), "step": 10}, ended]}
        job = (*self.JOB[:5], self.ROW + ",framework=fsdp")
        answer = self.answer("calibrate", self.file("trainer_state.json", json.dumps(state)), *job)
        self.assertEqual(answer["logs"][0]["software"], "Hugging Face Trainer")
        self.assertAlmostEqual(answer["runs"]["runs"][0]["step_time_s"] / step, 1, 6)
        del ended["train_runtime"], ended["train_steps_per_second"]
        self.refused("calibrate", self.file("before_the_end.json", json.dumps(state)), *job,
                     saying=("before_the_end.json", "train_steps_per_second", "training ends"))

    def step_of(self, *layout, profile=()):
        """The step of llama-3-8b on 8 H100 in batches of 64, by the program itself."""
        return self.answer("fit", "llama-3-8b", "--gpu", "H100", "--global-batch-size", "64",
                           "--sequence-length", "4096", "--recompute", "full", "--zero", "1", *layout, *profile)

    def steps(self, *, slower=1.06, rows=None):
        """A table of three runs that all take so much longer than the model says."""
        layouts = (("8", "1"), ("4", "2"), ("2", "4"))
        lines = ["# own runs", "name,data,tensor,seconds"]
        for i, (data, tensor) in enumerate(layouts):
            step = self.step_of("--data", data, "--tensor", tensor)["step_time_s"]
            lines.append(f"run {i},{data},{tensor},{slower * step:.4f}")
        return "\n".join(lines + list(rows or [])) + "\n"

    ROW = "data=8,sequence_length=4096,recompute=full,zero=1,global_batch_size=64"
    JOB = ("--model", "llama-3-8b", "--gpu", "H100", "--layout", ROW)

    def test_steps_of_runs_move_plans_and_bound_them(self):
        profile = self.file("profile.json")
        answer = self.answer("calibrate", self.file("steps.csv", self.steps()), *self.JOB, "-o",
                             profile)
        runs = answer["runs"]
        self.assertEqual([one["name"].split("/")[-1] for one in runs["runs"]],
                         ["steps.csv:3 (run 0)", "steps.csv:4 (run 1)", "steps.csv:5 (run 2)"])
        for one in runs["runs"]:
            self.assertAlmostEqual(one["step_time_s"] / one["model_step_time_s"], 1.06, 3)
            self.assertLess(abs(one["fitted_step_time_s"] / one["step_time_s"] - 1), 0.02)
            self.assertLess(abs(one["deviations"]), 2)
        for factor in runs["factors"]:
            low, high = factor["bounds"]
            before_low, before_high = factor["bounds_before"]
            self.assertLess(low, factor["factor"])
            self.assertLess(factor["factor"], high)
            self.assertLessEqual(high / low, before_high / before_low * (1 + 1e-9))
        self.assertEqual(answer["profile"]["version"], 4)
        self.assertEqual(answer["profile"]["runs"]["step_times"], 3)
        self.assertEqual(answer["profile"]["gpu"], "H100-SXM5-80GB")
        # All commands plan with it, and say the band.
        before = self.step_of("--data", "8")
        after = self.step_of("--data", "8", profile=("--profile", profile))
        self.assertAlmostEqual(after["step_time_s"] / before["step_time_s"], 1.06, 1)
        self.assertGreater(after["step_time_s"], 1.03 * before["step_time_s"])
        low, high = after["calibration"]["step_time_bounds_s"]
        self.assertLess(low, after["step_time_s"])
        self.assertLess(after["step_time_s"], high)
        self.assertLess(high / low, 1.4)
        inputs = after["inputs"]
        request = json.dumps({key: inputs[key] for key in
                              ("model", "cluster", "recipe", "parallelism")}) + "\n"
        evaluated = json.loads(run("evaluate", "--profile", profile, stdin=request).stdout)
        self.assertEqual(evaluated["step_time_s"], after["step_time_s"])
        cluster = ("--gpu", "H100", "--gpus", "16")
        for command in (("plan", "llama-3-8b", *cluster), ("scale", "llama-3.2-1b", *cluster)):
            moved = self.answer(*command, "--profile", profile)["calibration"]
            low, high = moved["step_time_bounds_s"]
            self.assertLess(low, moved["measured"]["step_time_s"])
            self.assertLess(moved["measured"]["step_time_s"], high)
        said = run("fit", "llama-3-8b", "--gpu", "H100", "--profile", profile).stdout
        self.assertIn("By its runs a step takes ", said)

    def test_more_runs_narrow_the_band(self):
        lines = self.steps().splitlines()
        def width(rows):
            profile = self.file("profile.json")
            table = "\n".join(lines[:2] + lines[2:2 + rows]) + "\n"
            self.answer("calibrate", self.file("steps.csv", table), *self.JOB, "-o", profile)
            low, high = self.step_of("--data", "8", profile=("--profile", profile))[
                "calibration"]["step_time_bounds_s"]
            return high / low
        self.assertLess(width(3), width(1))

    def test_runs_stand_beside_a_probe_and_other_runs(self):
        steps = self.file("steps.csv", self.steps())
        both = self.answer("calibrate", PROBE, steps, *self.JOB)
        self.assertIn("memory_bandwidth_bytes_per_s", both["profile"])
        self.assertEqual(both["profile"]["runs"]["step_times"], 3)
        # The model's steps are those of the probe's rates, in either order of the files.
        turned = self.answer("calibrate", steps, PROBE, *self.JOB)
        self.assertEqual(turned["profile"]["runs"], both["profile"]["runs"])
        alone = self.answer("calibrate", steps, *self.JOB)
        self.assertNotEqual(alone["runs"]["runs"][0]["model_step_time_s"],
                            both["runs"]["runs"][0]["model_step_time_s"])
        # Runs after runs: what was believed goes on.
        first = self.file("first.json")
        self.answer("calibrate", PROBE, steps, *self.JOB, "-o", first)
        others = self.file("others.csv", self.steps(slower=1.061))
        again = self.answer("calibrate", first, others, *self.JOB)
        self.assertEqual(again["profile"]["runs"]["step_times"], 6)
        self.assertEqual(again["runs"]["factors"][0]["bounds_before"],
                         both["runs"]["factors"][0]["bounds"])

    def test_runs_of_two_profiles_count_together(self):
        lines = self.steps().splitlines()
        one, two = self.file("one.json"), self.file("two.json")
        self.answer("calibrate", self.file("one.csv", "\n".join(lines[:3]) + "\n"), *self.JOB, "-o", one)
        rest = self.file("two.csv", "\n".join(lines[:2] + lines[3:]) + "\n")
        self.answer("calibrate", rest, *self.JOB, "-o", two)
        logs = self.answer("calibrate", one, rest, *self.JOB)["profile"]["runs"]
        for order in ((one, two), (two, one)):
            both = self.answer("calibrate", *order)["profile"]
            self.assertEqual(both["runs"]["step_times"], 3)
            self.assertEqual(len(both["runs"]["marks"]), 3)
            for name, log in both["runs"]["log_factors"].items():
                self.assertAlmostEqual(log, logs["log_factors"][name], 2)
        # The same runs again count once.
        both = self.file("both.json")
        self.answer("calibrate", one, two, "-o", both)
        for order in ((both, one), (one, both), (both, both)):
            again = self.answer("calibrate", *order)["profile"]
            self.assertEqual(again, json.loads(pathlib.Path(both).read_text()) | {
                "sources": again["sources"]})
            self.assertEqual(len(again["sources"]), 2)
        third = self.file("third.json")
        self.answer("calibrate", self.file("three.csv", "\n".join(lines[:4]) + "\n"), *self.JOB, "-o",
                    third)
        self.refused("calibrate", two, third, saying=("third.json: 1 of its 2 runs", "count twice"))

    def test_factors_of_runs_stand_beside_the_rates_of_a_probe(self):
        steps = self.file("steps.csv", self.steps())
        runs, rates = self.file("runs.json"), self.file("rates.json")
        self.answer("calibrate", steps, *self.JOB, "-o", runs)
        self.answer("calibrate", PROBE, "--gpu", "H100", "-o", rates)
        fitted = self.answer("calibrate", PROBE, steps, *self.JOB)["profile"]
        answers = [self.answer("calibrate", *order, "-o", self.file("both.json"))
                   for order in ((rates, runs), (runs, rates), (runs, PROBE))]
        for answer in answers:
            both = answer["profile"]
            self.assertEqual(both["memory_bandwidth_bytes_per_s"],
                             fitted["memory_bandwidth_bytes_per_s"])
            self.assertEqual(both["runs"]["step_times"], 3)
            for name, log in both["runs"]["log_factors"].items():
                self.assertLess(abs(log - fitted["runs"]["log_factors"][name]), 0.05, name)
            moved = [log for log in answer["logs"] if "moved_factors" in log]
            self.assertEqual(len(moved), 1)
        # The steps that were measured stay what they were.
        step = self.step_of("--data", "8", profile=("--profile", self.file("both.json")))["step_time_s"]
        alone = self.step_of("--data", "8", profile=("--profile", runs))["step_time_s"]
        self.assertLess(abs(step / alone - 1), 0.02)
        said = run("calibrate", runs, rates).stdout
        self.assertIn("fitted beside other rates", said)

    def test_peaks_of_memory_are_kept_as_memory_beside_the_model(self):
        needed = self.step_of("--data", "8")["memory"]["worst_stage_bytes"]
        table = f"data,peak_memory_bytes\n8,{needed + 4e9:.0f}\n8,{needed + 4e9:.0f}\n"
        profile = self.file("profile.json")
        answer = self.answer("calibrate", self.file("peaks.csv", table), *self.JOB, "-o", profile)
        memory = answer["runs"]["framework_memory"]
        self.assertEqual(memory["peaks"], 1)  # equal jobs count as one
        self.assertGreater(memory["extra_bytes"], 1e9)
        self.assertLess(memory["extra_bytes"], 4e9)
        self.assertLess(memory["bounds_bytes"][0], memory["extra_bytes"])
        self.assertNotIn("step_times", answer["profile"]["runs"])
        after = self.step_of("--data", "8", profile=("--profile", profile))
        self.assertAlmostEqual((after["memory"]["worst_stage_bytes"] - needed) /
                               memory["extra_bytes"], 1, 6)
        self.assertIsNone(after["calibration"]["step_time_bounds_s"])

    def test_peaks_of_memory_narrow_its_range(self):
        peaks = []
        for data, tensor in (("8", "1"), ("4", "2"), ("2", "4"), ("1", "8")):
            memory = self.step_of("--data", data, "--tensor", tensor)["memory"]
            peaks.append(f"{data},{tensor},{memory['worst_stage_bytes'] + 1e9:.0f}")

        def after(rows, *more):
            path = self.file("peaks.csv", "\n".join(["data,tensor,peak_memory_bytes", *rows]) + "\n")
            profile = self.file("profile.json")
            self.answer("calibrate", path, *self.JOB, "-o", profile)
            return self.step_of("--data", "8", *more, profile=("--profile", profile))

        def width(answer):
            memory = answer["memory"]
            return memory["worst_stage_high_bytes"] / memory["worst_stage_low_bytes"]

        one, all_of_them, before = after(peaks[:1]), after(peaks), self.step_of("--data", "8")
        self.assertLess(width(all_of_them), width(one))
        self.assertLess(width(all_of_them), width(before))
        self.assertEqual(all_of_them["error_basis"]["memory"]["grade"], "calibrated")
        # Peaks of one kind of job tell nothing of another: of another precision, say.
        other = after(peaks, "--precision", "mixed_fp8")
        self.assertNotEqual(other["error_basis"]["memory"]["grade"], "calibrated")

    def test_steps_of_another_precision_are_not_calibrated(self):
        profile = self.file("profile.json")
        self.answer("calibrate", self.file("steps.csv", self.steps()), *self.JOB, "-o", profile)
        for precision, calibrated in (("mixed_bf16", True), ("mixed_fp8", False)):
            answer = self.step_of("--data", "8", "--precision", precision,
                                  profile=("--profile", profile))
            self.assertEqual(answer["error_basis"]["step_time"]["grade"] == "calibrated", calibrated)

    def test_runs_tell_of_jobs_whose_constants_are_theirs(self):
        steps = self.file("steps.csv", self.steps())
        profile = self.file("profile.json")
        made = self.answer("calibrate", steps, *self.JOB, "-o", profile)["profile"]
        self.assertEqual(made["runs"]["classes"],
                         ["dense transformer_engine mixed_bf16 flash short 8 or fewer"])

        def grade(model, *job):
            return json.loads(run("fit", model, "--gpu", "H100", "--data", "8", "--zero", "1",
                                  "--profile", profile, "--json", *job).stdout)["error_basis"][
                                      "step_time"]["grade"]
        self.assertEqual(grade("llama-3.1-8b", "--sequence-length", "8192"), "calibrated")
        for other in (("llama-3.1-8b", "--sequence-length", "8193"),
                      ("llama-3.1-8b", "--attention", "unfused"),
                      ("llama-3.1-8b", "--precision", "mixed_fp8"),
                      ("deepseek-v3", "--expert", "8")):
            self.assertNotEqual(grade(*other), "calibrated", other)

        # Another scaling of FP8 has other rates, too.
        scaled = "data=8,sequence_length=4096,recompute=full,zero=1,global_batch_size=64,precision=mixed_fp8"
        self.answer("calibrate", self.file("fp8.csv", self.steps(slower=0.8)), "--model", "llama-3-8b",
                    "--gpu", "H100", "--layout", scaled, "-o", profile)
        fp8 = ("llama-3.1-8b", "--precision", "mixed_fp8", "--fp8-recipe")
        self.assertEqual(grade(*fp8, "tensorwise"), "calibrated")
        self.assertNotEqual(grade(*fp8, "blockwise"), "calibrated")

    def test_products_of_one_format_tell_nothing_of_another(self):
        profile = self.file("rates.json", json.dumps(
            {"schema": "gpuplan-profile", "version": 4, "products_flop_per_s": {"bf16": 4e14}}))

        def grade(precision, *more):
            return json.loads(run("fit", "llama-3-8b", "--gpu", "MI300X", "--data", "8", "--zero", "1",
                                  "--precision", precision, *more, "--json").stdout)["error_basis"][
                                      "step_time"]["grade"]
        for precision in ("mixed_bf16", "mixed_fp8"):
            self.assertEqual(grade(precision), "extrapolated")
        self.assertEqual(grade("mixed_bf16", "--profile", profile), "validated")
        self.assertEqual(grade("mixed_fp8", "--profile", profile), "extrapolated")

    def test_less_memory_than_the_model_counts_is_said(self):
        needed = self.step_of("--data", "8")["memory"]["worst_stage_bytes"]
        peaks = self.file("peaks.csv", f"data,peak_memory_bytes\n8,{needed - 9e9:.0f}\n")
        self.assertIn("counts more than was seen", run("calibrate", peaks, *self.JOB).stdout)

    def test_odd_factors_and_runs_given_again_are_said(self):
        slow = self.file("slow.csv", self.steps(slower=1.5))
        said = run("calibrate", slow, *self.JOB, "--force").stdout
        self.assertIn("unusual: ", said)
        answer = self.answer("calibrate", slow, *self.JOB, "--force")
        self.assertTrue(any(one["unusual"] for one in answer["runs"]["factors"]))
        steps, first = self.file("steps.csv", self.steps()), self.file("first.json")
        known = self.answer("calibrate", steps, *self.JOB, "-o", first)["profile"]
        again = self.answer("calibrate", first, steps, *self.JOB)
        self.assertEqual(again["profile"]["runs"], known["runs"])
        self.assertEqual([one["of"] for one in again["runs"]["repeated"]], 3 * [None])
        self.assertIn("as runs that the profile has; counted once",
                      run("calibrate", first, steps, *self.JOB).stdout)
        # A profile of before runs had marks does not know them.
        del known["runs"]["marks"]
        old = self.file("old.json", json.dumps(known))
        self.assertIn("count again", run("calibrate", old, steps, *self.JOB).stdout)
        answer = self.answer("calibrate", steps, *self.JOB)
        self.assertFalse(any(one["unusual"] for one in answer["runs"]["factors"]))

    def test_a_run_alone_contradicts_no_other(self):
        slow = self.file("slow.csv", self.steps(slower=9).splitlines()[1] + "\n" +
                         self.steps(slower=9).splitlines()[2] + "\n")
        said = self.refused("calibrate", slow, *self.JOB)
        self.assertNotIn("other runs", said)

    def test_a_batch_that_a_log_contradicts_is_refused(self):
        log = self.file("train.log", "".join(
            f" iteration {i}/ 9 | elapsed time per iteration (ms): 4100.0 | global batch size: 32 |\n"
            for i in range(1, 9)))
        self.refused("calibrate", log, *self.JOB, saying=("32", "--layout says 64"))

    def test_a_layout_that_a_log_contradicts_is_refused_by_line(self):
        head = ("using world size: 8, data-parallel size: 8, context-parallel size: 1, "
                "tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n")
        lines = "".join(
            f" iteration {i}/ 9 | elapsed time per iteration (ms): 4100.0 | global batch size: 64 |\n"
            for i in range(1, 9))
        log = self.file("train.log", "\n" + head + lines)
        asked = ("calibrate", log, "--model", "llama-3-8b", "--gpu", "H100", "--layout")
        rest = " sequence_length=4096 recompute=full zero=1"
        self.answer(*asked, "data=8 tensor=1" + rest)
        # What nobody says is as the log has it.
        self.assertEqual(self.answer(*asked, rest)["profile"]["runs"],
                         self.answer(*asked, "data=8" + rest)["profile"]["runs"])
        self.refused(*asked, "data=4 tensor=2" + rest,
                     saying=("train.log:2: states data-parallel size 8", "--layout says data=4"))
        self.refused(*asked, "data=8 tensor=2" + rest,
                     saying=("train.log:2: states tensor-model-parallel size 1", "tensor=2"))
        self.refused(*asked, "data=8 gpus=16" + rest, saying=("states world size 8", "gpus=16"))
        mesh = self.file("titan.log", "Building device mesh with parallelism: pp=1, dp_replicate=2, "
                         "dp_shard=4, cp=1, tp=1\n" + "".join(
                             f"step: {i} loss: 3.0 memory: 40.00GiB(50%) tps: 9,000\n"
                             for i in range(1, 9)))
        self.refused("calibrate", mesh, *self.JOB[:-1], "data=8 pipeline=2 global_batch_size=64" + rest,
                     saying=("titan.log:1: states pp 1", "pipeline=2"))

    def test_names_of_runs_are_printed_as_they_are(self):
        step = 1.05 * self.step_of("--data", "8")["step_time_s"]
        table = self.file("steps.csv", f"name,data,seconds\n\u8bad\u7ec3-\u00e9\x1b,8,{step:.4f}\n")
        said = run("calibrate", table, *self.JOB).stdout
        self.assertIn("(\u8bad\u7ec3-\u00e9\\u001b)", said)

    def test_garbled_logs_are_refused_in_one_line(self):
        log = self.file("train.log", 30 * " iteration x/ 9 | elapsed time per iteration (ms): fast |\n")
        self.refused("calibrate", log, *self.JOB, saying="no iteration")
        log = self.file("nemo.log", 5 * "iteration 1 | train_step_timing in s: nan\n")
        self.refused("calibrate", log, *self.JOB, saying=("NeMo", "train_step_timing in s", "> 0"))

    def test_factors_without_their_runs_are_refused(self):
        profile = self.file("profile.json")
        self.answer("calibrate", self.file("steps.csv", self.steps()), *self.JOB, "-o", profile)
        text = json.loads(pathlib.Path(profile).read_text())
        del text["runs"]["step_times"]
        self.refused("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--profile",
                     self.file("cut.json", json.dumps(text)), saying="step_times is missing")

    def test_runs_of_one_job_count_once(self):
        lines = self.steps().splitlines()
        step = 1.06 * self.step_of("--data", "8", "--tensor", "1")["step_time_s"]
        more = [f"again,8,1,{step * (1 + (i % 2 * 2 - 1) * 1e-3 * i):.4f}" for i in range(1, 21)]
        many = self.answer("calibrate", self.file("copies.csv", "\n".join(lines + more) + "\n"),
                           *self.JOB)
        self.assertEqual(many["profile"]["runs"]["step_times"], 3)
        self.assertEqual(many["runs"]["repeated"], [])
        self.assertIn("20 of the same job", many["runs"]["runs"][0]["name"])

    def test_a_row_told_twice_counts_once_and_is_named(self):
        lines = self.steps().splitlines()
        steps = self.file("steps.csv", self.steps())
        copies = self.file("copies.csv", "\n".join(lines + 20 * [lines[2]]) + "\n")
        once = self.answer("calibrate", steps, *self.JOB)
        many = self.answer("calibrate", copies, *self.JOB)
        for answer in (once, many):
            del answer["profile"]["sources"]
        self.assertEqual(many["profile"], once["profile"])
        self.assertEqual(len(many["runs"]["repeated"]), 20)
        self.assertIn("steps.csv:3", steps + many["runs"]["repeated"][0]["of"].replace("copies", "steps"))
        said = run("calibrate", copies, *self.JOB, env={"COLUMNS": "1000"}).stdout
        self.assertRegex(said, r"repeated: \S+copies.csv:6 \(run 0\), .* and 17 more, the same job")
        # A log that is given twice, and once more under another name.
        log = "".join(f" iteration {i}/ 9 | elapsed time per iteration (ms): 4100.0 | global batch size: "
                      "64 |\n" for i in range(1, 9))
        first, copy = self.file("train.log", log), self.file("copy.log", log)
        answer = self.answer("calibrate", first, first, copy, *self.JOB)
        self.assertEqual(answer["profile"]["runs"]["step_times"], 1)
        self.assertEqual([one["of"] for one in answer["runs"]["repeated"]], [first, first])

    def test_programs_that_see_one_run_count_as_one_peak(self):
        memory = self.step_of("--data", "8")["memory"]["stages"][0]
        row = [f"{memory[key] + 1e9:.0f}" for key in ("device_bytes", "reserved_bytes", "allocated_bytes")]
        def fitted(columns):
            table = f"data,{','.join(columns)}\n8,{','.join(row[:len(columns)])}\n"
            return self.answer("calibrate", self.file("peaks.csv", table), *self.JOB)["runs"][
                "framework_memory"]
        columns = ("peak_memory_bytes", "max_reserved_bytes", "max_allocated_bytes")
        self.assertEqual(fitted(columns[:1]), fitted(columns))
        for one, other in zip(columns, ("device_bytes", "reserved_bytes", "allocated_bytes")):
            self.assertEqual(fitted((one,)), fitted((other,)))

    def test_peaks_after_peaks_count_together(self):
        def peaks(name, *layouts):
            rows = []
            for data, tensor in layouts:
                memory = self.step_of("--data", data, "--tensor", tensor)["memory"]
                rows.append(f"{data},{tensor},{memory['worst_stage_bytes'] + 1e9:.0f}\n")
            return self.file(name, "data,tensor,peak_memory_bytes\n" + "".join(rows))
        one, two = peaks("one.csv", ("8", "1"), ("4", "2")), peaks("two.csv", ("2", "4"), ("1", "8"))
        first = self.file("first.json")
        self.answer("calibrate", one, *self.JOB, "-o", first)
        after = self.answer("calibrate", first, two, *self.JOB)["runs"]["framework_memory"]
        both = self.answer("calibrate", one, two, *self.JOB)["runs"]["framework_memory"]
        self.assertEqual((after["peaks"], both["peaks"]), (4, 4))
        self.assertAlmostEqual(after["extra_bytes"] / both["extra_bytes"], 1, 1)
        self.assertLess(after["bounds_bytes"][1] - after["bounds_bytes"][0],
                        1.1 * (both["bounds_bytes"][1] - both["bounds_bytes"][0]))

    def test_columns_in_other_units_are_taken_or_contradict(self):
        step = 1.05 * self.step_of("--data", "8")["step_time_s"]
        tokens = 64 * 4096 / step
        def table(columns, *values):
            row = ",".join(value if isinstance(value, str) else f"{value:.6g}" for value in values)
            return self.file("steps.csv", f"data,{columns}\n8,{row}\n")
        for columns, values in (("seconds", (step,)), ("milliseconds", (1e3 * step,)),
                                ("step time (ms)", (1e3 * step,)), ("samples_per_s", (64 / step,)),
                                ("tokens_per_s", (tokens,)), ("tokens_per_s_of_gpu", (tokens / 8,)),
                                ("seconds", (f"{1e3 * step:.3f} ms",)),
                                ("seconds,tokens_per_s", (step, 1.005 * tokens)),
                                ("milliseconds,seconds", (1e3 * step, ""))):
            with self.subTest(columns=columns):
                runs = self.answer("calibrate", table(columns, *values), *self.JOB)["runs"]["runs"]
                self.assertAlmostEqual(runs[0]["step_time_s"] / step, 1, 4)
        for columns, values in (("seconds,milliseconds", (step, 1100 * step)),
                                ("seconds,tokens_per_s", (step, tokens / 8)),
                                ("tokens_per_s,samples_per_s", (tokens, 128 / step)),
                                ("step_time_ms,tokens_per_s_of_gpu", (1e3 * step, tokens))):
            with self.subTest(columns=columns):
                self.refused("calibrate", table(columns, *values), *self.JOB,
                             saying=("steps.csv:2", *columns.split(","), "contradict each other"))
        self.refused("calibrate", table("tokens_per_s,tokens_per_second", tokens, tokens), *self.JOB,
                     saying="tell the same")
        for inner, outer in (("max_allocated_bytes", "max_reserved_bytes"),
                             ("max_reserved_bytes", "peak_memory"),
                             ("max_allocated_bytes", "peak_memory_bytes")):
            self.refused("calibrate", table(f"{outer},{inner}", "60GiB", "61GiB"), *self.JOB,
                         saying=("steps.csv:2", inner, outer))

    def test_a_table_of_one_column_is_one_of_runs(self):
        step = self.step_of("--data", "8", "--tensor", "1")["step_time_s"]
        path = self.file("seconds.csv", f"seconds\n{1.05 * step:.4f}\n")
        self.assertEqual(run("calibrate", path, *self.JOB).returncode, DONE)

    def test_what_is_told_twice_is_refused(self):
        for columns, row in (("data,seconds,step_time_s", "8,4.1,3.9"),
                             ("data,seconds,global_batch_size,batch", "8,4.1,64,128"),
                             ("data,peak_memory,peak_memory_bytes", "8,60GiB,6e10"),
                             ("data,device_bytes,peak_memory_bytes", "8,60GiB,6e10")):
            path = self.file("twice.csv", f"{columns}\n{row}\n")
            self.refused("calibrate", path, *self.JOB, saying="tell the same")
        path = self.file("steps.csv", self.steps())
        self.refused("calibrate", path, "--model", "llama-3-8b", "--gpu", "H100", "--layout",
                     "data=8 data=4", saying=("--layout", "told twice"))

    def test_a_peak_that_no_gpu_holds_is_refused_by_name(self):
        path = self.file("peaks.csv", "name,data,peak_memory\nlarge,8,300GiB\n")
        self.refused("calibrate", path, *self.JOB, saying=("large", "300.00 GiB"))

    def test_peaks_below_the_weights_are_refused_by_name(self):
        path = self.file("peaks.csv", "name,data,peak_memory\nsmall,8,1GiB\n")
        for force in ((), ("--force",)):
            self.refused("calibrate", path, *self.JOB, *force,
                         saying=("peaks.csv:2 (small)", "1.00 GiB", "weights alone"))

    def test_peaks_of_one_job_that_contradict_each_other_are_named(self):
        for column in ("device_bytes", "reserved_bytes", "allocated_bytes"):
            path = self.file("peaks.csv", f"name,data,{column}\na,8,40GiB\nb,4,40GiB\nc,8,78GiB\n")
            said = self.refused("calibrate", path, *self.JOB)
            for words in ("peaks.csv:4 (c)", "78.00 GiB", "contradicts", "40.00 GiB",
                          "of the same job in", "peaks.csv:2 (a)", "--force"):
                self.assertIn(words, said)
            answer = self.answer("calibrate", path, *self.JOB, "--force")
            self.assertEqual(answer["runs"]["framework_memory"]["peaks"], 2)
        close = self.file("close.csv", "data,device_bytes\n8,60GiB\n8,66GiB\n")
        self.answer("calibrate", close, *self.JOB)
        # Two programs that see one run differ by what they see.
        both = self.file("both.csv", "data,device_bytes,allocated_bytes\n8,70GiB,40GiB\n")
        self.answer("calibrate", both, *self.JOB)

    def test_ranges_are_calibrated_for_jobs_like_the_runs(self):
        profile = self.file("profile.json")
        self.answer("calibrate", self.file("steps.csv", self.steps()), *self.JOB, "-o", profile)
        def basis(*job):
            done = run("fit", *job, "--gpu", "H100", "--zero", "1", "--profile", profile, "--json")
            self.assertIn(done.returncode, (DONE, INFEASIBLE), done.stderr)
            return json.loads(done.stdout)["error_basis"]["step_time"]
        alike = basis("llama-3-8b", "--data", "8", "--recompute", "full")
        self.assertEqual((alike["grade"], alike["runs"]), ("calibrated", 3))
        for other in (("mixtral-8x7b", "--data", "16", "--expert", "8", "--pipeline", "4"),
                      ("llama-3-8b", "--data", "1024", "--gpus", "1024"),
                      ("llama-3-8b", "--data", "8", "--framework", "megatron_deepspeed"),
                      ("llama-3-8b", "--data", "8", "--adapter-rank", "16")):
            self.assertNotEqual(basis(*other)["grade"], "calibrated", other)

    def test_logs_of_training_are_runs_of_the_job_that_is_told(self):
        step = self.step_of("--data", "8")["step_time_s"]
        tokens = 64 * 4096 / 8 / step
        for name, text in (
                ("titan.log", "".join(f"[rank0]:step: {i}  loss: 7.1  memory: 60.10GiB(75.0%)  "
                                      f"tps: {tokens / (9 if i < 4 else 1.05):,.0f}  mfu: 40%\n"
                                      for i in range(1, 20))),
                ("nemo.log", "".join(f"iteration {i} | train_step_timing in s: {1.05 * step:.5f}\n"
                                     for i in range(5))),
                ("pipeline.log", f"steps: 10 loss: 4.6 iter time (s): {1.05 * step:.5f} samples/sec: 1\n"),
                ("timer.log", f"[2026-01-01 00:00:00,000] [INFO] CurrSamplesPerSec={64 / step / 1.05:.6f}, "
                              "MaxMemAllocated=60.5GB\n"),
                ("trainer.log", f"{{'train_runtime': 90.1, 'train_samples_per_second': 1.0, "
                                f"'train_steps_per_second': {1 / step / 1.05:.6f}, 'epoch': 1.0}}\n"),
                ("metrics.log", "***** train metrics *****\n  train_runtime            = 0:06:50.00\n"
                                f"  train_samples_per_second =     15.6\n  train_steps_per_second   = "
                                f"{1 / step / 1.05:10.6f}\n"),
                ("megatron.log", "".join(f" iteration {i}/ 9 | elapsed time per iteration (ms): "
                                         f"{1050 * step:.3f} | global batch size: 64 |\n"
                                         for i in range(1, 9))),
                ("cut.log", "".join(f"[2026-01-01 12:00:0{i}] iteration {i}/ 9 | elapsed time per "
                                    f"iteration (ms): {1050 * step:.3f} | global batch size: 64 |\n"
                                    for i in range(1, 9)))):
            with self.subTest(name=name):
                path = self.file(name, text)
                answer = self.answer("calibrate", path, *self.JOB)
                runs = answer["runs"]["runs"]
                self.assertEqual(len(runs), 1)
                self.assertAlmostEqual(runs[0]["step_time_s"] / step, 1.05, 3)
                self.assertEqual("framework_memory" in answer["runs"],
                                 name in ("titan.log", "timer.log"))
                # Without a job it is summed up.
                self.assertIsNone(self.answer("calibrate", path)["runs"])
                self.assertIn("takes nothing from it without --model",
                              run("calibrate", path, env={"COLUMNS": "400"}).stdout)

    def test_runs_that_contradict_each_other_are_named(self):
        def table(name, row):
            return self.file(name, self.steps(rows=[row]))
        step = 1.06 * self.step_of("--data", "8")["step_time_s"]
        batches = "".join(f"8,{batch},{step * batch / 64 * (1.6 if batch == 160 else 1):.3f}\n"
                          for batch in (32, 64, 96, 128, 160, 192, 256, 320))
        for bad, words in (
                (table("twice.csv", f"again,8,1,{1.3 * step:.4f}"),
                 ("twice.csv:6 (again)", "contradicts", "twice.csv:3 (run 0)", "the same job")),
                (table("ms.csv", f"milliseconds,1,8,{1000 * step:.4f}"),
                 ("ms.csv:6 (milliseconds)", "in seconds?")),
                (self.file("odd.csv", "data,global_batch_size,seconds\n" + batches),
                 ("odd.csv:6", "contradicts the other runs")),
                (self.file("far.csv", self.steps(slower=3)), ("far.csv:5", "far from the model's")),
                (self.file("one.csv", f"data,seconds\n8,{2.2 * step:.3f}\n"),
                 ("one.csv:2", "--force"))):
            with self.subTest(words=words):
                profile = self.file(f"{words[0][:3]}.json")
                said = self.refused("calibrate", bad, *self.JOB, "-o", profile)
                for word in (*words, "--force"):
                    self.assertIn(word, said)
                self.assertFalse(pathlib.Path(profile).exists())
                self.answer("calibrate", bad, *self.JOB, "--force", "-o", profile)
                self.step_of("--data", "8", profile=("--profile", profile))

    def test_runs_that_cannot_be_read_are_refused_in_one_line(self):
        good = "data,tensor,seconds\n8,1,4.1\n"
        for text, job, words in (
                (good, (), ("steps.csv:2", "no model", "--model")),
                (good, self.JOB[:2], ("steps.csv:2", "no GPU", "--gpu")),
                (good, ("--model", "llama-3-8c", *self.JOB[2:]),
                 ("steps.csv:2: --model must be", "llama-3-8b")),
                ("model,data,seconds\nllama-3-8c,8,4\n", self.JOB[2:],
                 ("steps.csv:2: column model must be", "llama-3-8b")),
                (good.replace("tensor", "tensr"), self.JOB, ("steps.csv:1", "tensr", "tensor?")),
                (good.replace(",", ";"), self.JOB, ("separated by semicolons", "commas")),
                (good.replace(",", "\t"), self.JOB, ("separated by tabs", "commas")),
                (good.replace("seconds", "time"), self.JOB,
                 ("no column of what was measured", "step_time_s", "peak_memory_bytes")),
                (good.replace("4.1", "fast"), self.JOB, ("steps.csv:2", "seconds 'fast'", "> 0")),
                (good.replace("4.1", "nan"), self.JOB, ("steps.csv:2", "seconds")),
                (good.replace("4.1", "0"), self.JOB, ("steps.csv:2", "> 0")),
                (good.replace("4.1", ""), self.JOB, ("steps.csv:2", "neither a step time nor")),
                (good.replace("8,1", "8,3"), self.JOB, ("steps.csv:2", "tensor = 3")),
                (good.replace("8,1", "8,x"), self.JOB, ("steps.csv:2", "--tensor")),
                (good + "8,1\n", self.JOB, ("line 3", "fewer fields")),
                (good.replace("tensor", "data"), self.JOB, ("line 1", "data is twice")),
                ("data,seconds\n", self.JOB, ("has no row",)),
                ("data,peak_memory\n8,71\n8,big\n", self.JOB, ("steps.csv:3", "big", "71GiB")),
                (good, (*self.JOB[:-1], "tensor"), ("--layout", "name=value")),
                (good, (*self.JOB[:-1], "tensr=1"), ("--layout", "tensr", "tensor?")),
                ("gpu,seconds\nH100,4\nA100,4\n", self.JOB[:2], ("steps.csv:3", "A100"))):
            with self.subTest(text=text, job=job):
                said = self.refused("calibrate", self.file("steps.csv", text), *job)
                for word in words:
                    self.assertIn(word, said)

    def test_profiles_with_garbled_runs_are_refused(self):
        profile = self.file("profile.json")
        self.answer("calibrate", self.file("steps.csv", self.steps()), *self.JOB, "-o", profile)
        text = pathlib.Path(profile).read_text()
        chance = random.Random(2)
        numbers = list(re.finditer(r"-?[0-9][-+.0-9e]*(?=[,\n])", text))
        for _ in range(30):
            number = chance.choice(numbers)
            value = chance.choice(("0", "1e-300", "1e300", "-1", "null", "3", "\"x\"", "[]"))
            changed = self.file("changed.json", text[:number.start()] + value + text[number.end():])
            done = run("fit", "llama-3-8b", "--gpu", "H100", "--profile", changed, "--json")
            self.assertIn(done.returncode, (DONE, USAGE, program.INFEASIBLE), done.stderr)
            self.assertEqual(done.stderr.count("\n"), int(done.returncode == USAGE), done.stderr)
            if done.returncode == USAGE:
                self.assertIn("changed.json", done.stderr)
            else:
                self.assertNotIn("NaN", done.stdout)

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
        fast = self.file("fast.json", '{"schema": "gpuplan-profile", "version": 2, '
                         '"memory_bandwidth_bytes_per_s": 9e12}')
        other = self.file("other.json", '{"schema": "gpuplan-profile", "version": 2, "gpu": "T4"}')
        plan = ("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "8", "--profile")
        for command, words in (
                (("calibrate",), "LOG"),
                (("calibrate", "/no/such"), "no such file"),
                (("calibrate", self.file("notes.txt", "hello\n")), "nothing else that gpuplan can read"),
                (("calibrate", headless), "--ranks"),
                (("calibrate", headless, "--ranks", "8", "--nodes", "3"), "cannot be spread evenly"),
                (("calibrate", odd, "--ranks", "8", "--nodes", "1"), "collective"),
                (("calibrate", short, "--ranks", "9", "--nodes", "1"), "fewer than 3"),
                (("calibrate", headless, "--gpu", "H1000"), "--gpu"),
                ((*plan, fast), "1.02 times"),
                (("calibrate", PROBE, other), "the same in both"),
                (("calibrate", self.file("empty.txt", "\n")), "is empty"),
                (("calibrate", self.file("none.json", "{}")), "an unknown kind"),
                (("calibrate", self.file("bad.json", "{\n5")), "line 2"),
                (("calibrate", self.file("later.json", '{"schema": "probe/2"}')), "probe/1"),
                (("evaluate", "--profile", broken), "version"),
                ((*plan, broken), "version"), ((*plan, headless), "is not JSON"),
                ((*plan, "/no/such"), "no such file")):
            with self.subTest(command=command):
                done = run(*command)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(words, done.stderr)


program.main()
