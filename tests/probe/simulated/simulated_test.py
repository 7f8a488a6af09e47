#!/usr/bin/env python3
"""What gpuplan-probe makes of GPUs whose constants are known, because they are simulated.

    simulated_test.py GPUPLAN_PROBE FOLDER_OF_LIBRARIES
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARIES = sys.argv.pop(1), sys.argv.pop(1)

# As in device.hpp.
MEMORY_RATE, KERNEL_TIME, L2 = 0.9 * 300e9, 2e-6, 2**20
HOST_RATE, COPY_TIME = 25e9, 8e-6
PRODUCT_RATE = 0.8 * 121e12


def run(words, environment):
    """The exit status, the report and what was said beside it.  Time is simulated, but for what the
    probe rests and warms: 600 seconds are never too few, however slow this machine is."""
    around = {**os.environ, "LD_LIBRARY_PATH": LIBRARIES, **environment}
    ended = subprocess.run([PROGRAM, "--seconds", "600", *words], env=around, capture_output=True,
                           text=True, timeout=600)
    return ended.returncode, json.loads(ended.stdout) if ended.stdout else None, ended.stderr


ALL_AT_ONCE = concurrent.futures.ThreadPoolExecutor(max_workers=8)


def probe(*words, **environment):
    """Starts a probe; .result() waits for it."""
    return ALL_AT_ONCE.submit(run, words, environment)


ONE_DEVICE = probe()
TWO_DEVICES = probe("--sections", "collectives", SIMULATED_DEVICES="2")
FAILS = probe("--sections", "launch,hbm", SIMULATED_FAULT="cudaGraphLaunch")
CRASHES = probe("--sections", "launch,gemm", SIMULATED_CRASH="cublasLtCreate")
NO_NARROW_PRODUCTS = probe("--sections", "gemm", SIMULATED_FAULT="narrow products")
NO_REDUCE_SCATTER = probe("--sections", "collectives", "--device", "0", "--device", "1",
                          SIMULATED_DEVICES="3", SIMULATED_FAULT="ncclReduceScatter")
NO_LARGE_ALL_REDUCE = probe("--sections", "collectives", SIMULATED_DEVICES="2",
                            SIMULATED_FAULT="large all-reduce")
LAST_TWO = probe("--sections", "collectives", "--device", "2", "--device", "1",
                 SIMULATED_DEVICES="3")
# 10 s for the section, which takes less than one of them, and a context that takes 11.
SLOW_START = probe("--sections", "launch", "--seconds", "225", SIMULATED_FAULT="slow start")
HINDERED = probe("--sections", "launch", CUDA_LAUNCH_BLOCKING="1", NVIDIA_TF32_OVERRIDE="0")
CRASHES_LATE = probe("--sections", "launch", SIMULATED_CRASH="the end")
WRONG_COPY = probe("--sections", "hbm", SIMULATED_FAULT="wrong copy")
WRONG_TRIAD = probe("--sections", "hbm", SIMULATED_FAULT="wrong triad")
WRONG_PRODUCT = probe("--sections", "gemm", SIMULATED_FAULT="wrong product")
TRANSPOSED = probe("--sections", "gemm", SIMULATED_FAULT="transposed")
BUSY = probe("--sections", "launch", SIMULATED_FAULT="busy")
BUSY_TOO = probe("--busy", "--sections", "launch", SIMULATED_FAULT="busy")
SLICED = probe("--sections", "hbm", SIMULATED_FAULT="sliced")
NOT_THERE = probe("--device", "1")


def median(row):
    return row["time_s"]["median"]


class OneDevice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.status, cls.report, cls.said = ONE_DEVICE.result()
        cls.device = cls.report["devices"][0]

    def test_complete_but_for_what_has_no_room(self):
        self.assertEqual((self.status, self.report["problems"]), (0, []))
        self.assertEqual(self.report["status"], "ok")
        self.assertIn("device 0: gemm: no room: bf16 ", self.report["warnings"][0])
        self.assertIn("one device: no collectives", self.report["warnings"])
        self.assertNotIn("simulated:", self.said)

    def test_identity(self):
        self.assertEqual(self.device["name"], "NVIDIA L4")
        self.assertEqual((self.device["sm_count"], self.device["l2_bytes"]), (58, L2))
        self.assertEqual(self.report["software"], {"driver": "580.00", "cublas": "13.0.1"})
        self.assertEqual(self.device["memory"]["context_bytes"], 300 * 2**20)
        self.assertFalse(self.device["busy"])

    def test_memory_beyond_the_cache(self):
        arrays = {"copy": 2, "triad": 3}
        rows = self.device["hbm"]
        self.assertEqual({row["op"] for row in rows}, set(arrays))
        self.assertEqual([row["bytes"] / 2**20 for row in rows], 2 * [8, 16, 32, 64])
        for row in rows:
            self.assertGreaterEqual(row["bytes"], 8 * L2)
            moved = arrays[row["op"]] * row["bytes"]
            self.assertAlmostEqual(row["rate_Bps"] / (moved / median(row)), 1)
            expected = moved / (KERNEL_TIME + moved / MEMORY_RATE)
            self.assertAlmostEqual(row["rate_Bps"] / expected, 1, 3, row)

    def test_copies_of_the_host(self):
        kinds = set()
        for row in self.device["host_copy"]:
            kinds.add((row["dir"], row["duplex"]))
            self.assertTrue(row["pinned"])
            self.assertAlmostEqual(median(row) / (COPY_TIME + row["bytes"] / HOST_RATE), 1, 3, row)
            self.assertTrue(not row["duplex"] or row["bytes"] >= 2**24)
        self.assertEqual(kinds, {(way, both) for way in ("h2d", "d2h") for both in (False, True)})

    def test_products(self):
        sizes = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8_e4m3": 1, "int8": 1}
        self.assertEqual({row["dtype"] for row in self.device["gemm"]}, set(sizes))
        for row in self.device["gemm"]:
            flop = 2 * row["m"] * row["n"] * row["k"]
            expected = KERNEL_TIME + flop / (PRODUCT_RATE * 2 / sizes[row["dtype"]])
            self.assertAlmostEqual(median(row) / expected, 1, 3, row)

    def test_products_of_few_rows_are_there(self):
        shapes = {(row["dtype"], row["m"], row["n"]) for row in self.device["gemm"]}
        self.assertIn(("fp8_e4m3", 8, 8192), shapes)

    def test_launch(self):
        launch = self.device["launch"]
        for what in ("async_s", "sync_s", "graph1_s", "graph20_s", "event_s"):
            self.assertGreater(launch[what]["median"], 0)
            self.assertEqual(launch[what]["n"], 15)


class TwoDevices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.status, cls.report, cls.said = TWO_DEVICES.result()

    def test_complete(self):
        self.assertEqual((self.status, self.report["problems"]), (0, []), self.said)
        self.assertNotIn("simulated:", self.said)
        self.assertEqual([device["index"] for device in self.report["devices"]], [0, 1])

    def test_memory_of_a_communicator_in_use(self):
        for device in self.report["devices"]:
            self.assertEqual(device["memory"]["nccl_bytes"], 24 * 2**20)

    def test_logs_of_libraries_are_no_part_of_a_report(self):
        self.assertIn("a line of its log", self.said)

    def test_collectives(self):
        sweeps = self.report["collectives"]
        self.assertEqual([sweep["op"] for sweep in sweeps],
                         ["all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                          "send_receive"])
        for sweep in sweeps:
            self.assertEqual((sweep["n"], sweep["lib"]), (2, "nccl 2.27.7"))
            self.assertGreaterEqual(len(sweep["rows"]), 4)
            for row in sweep["rows"]:
                self.assertGreater(median(row), 0)


class Faults(unittest.TestCase):
    def reasons(self, report, section):
        return [problem["reason"] for problem in report["problems"]
                if problem["section"] == section]

    def test_a_section_that_fails_keeps_what_it_has_and_loses_no_other(self):
        status, report, _ = FAILS.result()
        device = report["devices"][0]
        self.assertEqual((status, report["status"]), (2, "partial"))
        self.assertEqual(self.reasons(report, "launch"), ["cudaGraphLaunch: a simulated fault"])
        self.assertIsNotNone(device["launch"]["async_s"])
        self.assertIsNone(device["launch"]["graph1_s"])
        self.assertEqual(len(device["hbm"]), 8)

    def test_nor_does_one_that_ends_its_process(self):
        status, report, _ = CRASHES.result()
        self.assertEqual(status, 2)
        self.assertIn("ended by signal", self.reasons(report, "gemm")[0])
        self.assertIsNotNone(report["devices"][0]["launch"]["async_s"])

    def test_one_that_ends_badly_after_its_last_report_is_complete(self):
        status, report, _ = CRASHES_LATE.result()
        self.assertEqual((status, report["problems"]), (0, []))
        self.assertIn("launch: complete, but its process ended by signal", report["warnings"][-1])

    def test_products_of_a_format_that_fail_take_no_other_format_with_them(self):
        status, report, _ = NO_NARROW_PRODUCTS.result()
        self.assertEqual(status, 2)
        reasons = self.reasons(report, "gemm")
        self.assertEqual(len(reasons), 1)
        self.assertIn("cublasLtMatmulAlgoGetHeuristic: a simulated fault: fp8", reasons[0])
        self.assertEqual({row["dtype"] for row in report["devices"][0]["gemm"]},
                         {"bf16", "fp16", "tf32", "fp32"})

    def test_nor_does_a_collective_that_fails(self):
        status, report, _ = NO_REDUCE_SCATTER.result()
        self.assertEqual(status, 2)
        self.assertEqual(self.reasons(report, "collectives"),
                         ["a collective: a simulated fault: reduce-scatter"])
        self.assertEqual([sweep["op"] for sweep in report["collectives"]],
                         ["all_reduce", "all_gather", "all_to_all", "send_receive"])
        self.assertEqual({sweep["n"] for sweep in report["collectives"]}, {2})

    def test_what_was_measured_before_a_failure_stays(self):
        status, report, _ = NO_LARGE_ALL_REDUCE.result()
        self.assertEqual(status, 2)
        self.assertEqual(self.reasons(report, "collectives"),
                         ["a collective: a simulated fault: all-reduce"])
        sweep = report["collectives"][0]
        self.assertEqual(sweep["op"], "all_reduce")
        self.assertEqual([row["bytes"] for row in sweep["rows"]], [2**i for i in range(3, 23)])

    def test_collectives_that_cannot_be_are_missing(self):
        status, report, _ = LAST_TWO.result()
        self.assertEqual(status, 2)
        self.assertIn("left out", self.reasons(report, "collectives")[0])

    def test_a_context_is_not_on_the_time_of_a_section(self):
        status, report, said = SLOW_START.result()
        self.assertEqual((status, report["problems"]), (0, []), said)

    def test_variables_that_change_what_is_measured_are_not_heeded(self):
        status, report, said = HINDERED.result()
        self.assertEqual((status, report["problems"]), (0, []), said)
        self.assertIn("CUDA_LAUNCH_BLOCKING is ignored", report["warnings"][0])
        self.assertIn("NVIDIA_TF32_OVERRIDE is ignored", report["warnings"][1])

    def test_what_there_is_when_it_is_stopped_is_in_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "probe.json")
            running = subprocess.Popen(
                [PROGRAM, "--sections", "launch,gemm", "-o", output],
                env={**os.environ, "LD_LIBRARY_PATH": LIBRARIES}, stderr=subprocess.PIPE, text=True)
            with running:
                for line in running.stderr:
                    if "launch: " in line:
                        break
                running.terminate()
            with open(output, encoding="utf-8") as file:
                report = json.load(file)
        self.assertEqual(report["status"], "partial")
        self.assertIsNotNone(report["devices"][0]["launch"]["async_s"])

    def test_wrong_results_are_no_measurements(self):
        for started, section, wrong in ((WRONG_COPY, "hbm", "copy"), (WRONG_TRIAD, "hbm", "triad")):
            status, report, _ = started.result()
            self.assertEqual(status, 2)
            self.assertEqual(self.reasons(report, section),
                             ["the kernel writes a wrong number: " + wrong])
            self.assertEqual({row["op"] for row in report["devices"][0]["hbm"]},
                             {"copy", "triad"} - {wrong})
        status, report, _ = WRONG_PRODUCT.result()
        self.assertEqual(status, 2)
        self.assertIn("a wrong element", self.reasons(report, "gemm")[0])
        self.assertEqual(report["devices"][0]["gemm"], [])

    def test_a_square_product_that_is_stored_transposed_is_wrong(self):
        _, report, _ = TRANSPOSED.result()
        self.assertIn("a wrong element: ", self.reasons(report, "gemm")[0])
        shapes = [(row["m"], row["n"]) for row in report["devices"][0]["gemm"]]
        self.assertTrue(shapes)
        self.assertFalse([m for m, n in shapes if m == n])

    def test_a_busy_device_is_left_alone(self):
        status, report, _ = BUSY.result()
        self.assertEqual(status, 2)
        self.assertTrue(report["devices"][0]["busy"])
        self.assertIsNone(report["devices"][0]["memory"]["context_bytes"])
        self.assertIsNone(report["devices"][0]["launch"]["async_s"])

    def test_unless_it_is_asked_for(self):
        _, report, _ = BUSY_TOO.result()
        self.assertIsNotNone(report["devices"][0]["memory"]["context_bytes"])
        self.assertIsNotNone(report["devices"][0]["launch"]["async_s"])

    def test_the_context_of_a_slice_is_unknown(self):
        status, report, said = SLICED.result()
        device = report["devices"][0]
        self.assertEqual(status, 0, said)
        self.assertIsNone(device["memory"]["context_bytes"])
        self.assertEqual(len(device["hbm"]), 8)
        self.assertIn("a slice of a GPU", report["warnings"][0])

    def test_a_device_that_is_not_there(self):
        status, _, said = NOT_THERE.result()
        self.assertEqual((status, said), (2, "gpuplan-probe: --device 1: there is 1\n"))


if __name__ == "__main__":
    unittest.main()
