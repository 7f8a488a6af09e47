"""gpuplan catalog, from outside."""
import csv
import io
import json
import re

import program
from program import DONE, run

STATUSES = {"verified", "derived", "recalled"}


class Catalog(program.ProgramTest):
    def test_csv_has_a_row_for_each_entry_or_number(self):
        read = lambda *words: list(csv.DictReader(io.StringIO(run("catalog", *words,
                                                                  "--csv").stdout)))
        names = [one["name"] for one in self.answer("catalog", "accelerators")["accelerators"]]
        self.assertEqual([row["name"] for row in read("accelerators")], names)
        self.assertEqual({row["kind"] for row in read()},
                         set(self.answer("catalog")) - {"schema_version", "inputs"})
        facts = self.answer("catalog", "H100-SXM5-80GB")["facts"]
        self.assertEqual([row["field"] for row in read("H100-SXM5-80GB")],
                         [one["field"] for one in facts])
        self.assertEqual(read("models", "llama-3-8b")[0]["transformer.layers"], "32")
        self.refused("catalog", "--csv", "--json", saying="--csv")

    def test_a_format_that_a_device_lacks_is_null_and_an_empty_cell(self):
        read = lambda kind: {row["name"]: row for row in csv.DictReader(
            io.StringIO(run("catalog", kind, "--csv").stdout))}
        listed = {one["name"]: one for one in self.answer("catalog", "accelerators")["accelerators"]}
        rows = read("accelerators")
        for name in "P100-SXM2-16GB", "V100-SXM2-32GB", "T4":
            self.assertIsNone(listed[name]["peak_bf16_flop_per_s"])
            self.assertEqual(rows[name]["peak_bf16_flop_per_s"], "")
        self.assertEqual(float(rows["H100-SXM5-80GB"]["peak_bf16_flop_per_s"]), 989.4e12)
        self.assertEqual(read("fabrics")["NVSwitch"]["achievable_bytes_per_s"], "")

    def test_lines_are_no_wider_than_asked(self):
        for words in ((), ("accelerators",), ("H100-SXM5-80GB",), ("MI300X",), ("models",)):
            for line in run("catalog", *words, env={"COLUMNS": "80"}).stdout.splitlines():
                if not re.search(r"\S{40}", line):
                    self.assertLessEqual(len(line), 80, line)

    def test_lists(self):
        answer = self.answer("catalog")
        self.assertGreaterEqual(len(answer["accelerators"]), 43)
        self.assertGreaterEqual(len(answer["fabrics"]), 22)
        self.assertGreaterEqual(len(answer["models"]), 27)
        cores = {one["compute_capability"]: one["cores"] for one in answer["multiprocessors"]}
        self.assertEqual((cores[8.0], cores[9.0]), (64, 128))
        self.assertEqual(list(self.answer("catalog", "fabrics")), ["schema_version", "fabrics", "inputs"])
        text = run("catalogue")
        self.assertEqual(text.returncode, DONE)
        for words in ("Accelerator", "Fabric", "Model", "H100-SXM5-80GB", "InfiniBand NDR 4x",
                      "llama-3-8b", "Shared + L1", "192 KiB", "Family of config.json"):
            self.assertIn(words, text.stdout)

    def test_every_number_of_every_entry_has_source_and_status(self):
        for kind in ("accelerators", "fabrics"):
            for row in self.answer("catalog", kind)[kind]:
                entry = self.answer("catalog", kind, row["name"])
                self.assertEqual((entry["kind"], entry["name"]), (kind, row["name"]))
                self.assertGreaterEqual(len(entry["facts"]), 1, row["name"])
                for fact in entry["facts"] + entry["measurements"] + entry["prices"]:
                    self.assertIn(fact["status"], STATUSES)
                    self.assertTrue(fact["source"])

    def test_values_have_their_units(self):
        units = {fact["field"]: (fact["value"], fact["unit"])
                 for fact in self.answer("catalog", "H100-SXM5-80GB")["facts"]}
        self.assertAlmostEqual(units["memory"][0] / 2**30, 79.11, 2)
        self.assertEqual(units["memory"][1], "bytes")
        self.assertEqual(units["label_memory"], (80 * 2**30, "bytes"))
        self.assertEqual(units["memory_bandwidth"], (3.35e12, "bytes_per_s"))
        self.assertEqual(units["thermal_design_power"], (700, "watts"))
        self.assertEqual(units["scale_up.links"], (18, ""))

    def test_memory_of_a_driver_is_told_from_one_that_is_derived(self):
        rows = {row["name"]: row for row in self.answer("catalog", "accelerators")["accelerators"]}
        for name, origin in (("H200-SXM-141GB", "driver"), ("H800-SXM5-80GB", "derived")):
            facts = {fact["field"]: fact for fact in self.answer("catalog", name)["facts"]}
            self.assertEqual(rows[name]["memory_from"], origin)
            self.assertEqual(facts["memory"]["status"],
                             {"driver": "verified", "derived": "derived"}[origin])
            self.assertEqual(facts["memory"]["value"], rows[name]["memory_bytes"])
            self.assertLess(rows[name]["memory_bytes"], rows[name]["label_memory_bytes"])

    def test_one_entry_for_people(self):
        done = run("catalog", "accelerators", "h100")
        self.assertEqual(done.returncode, DONE)
        for words in ("H100-SXM5-80GB", "peak.bf16", "989.4 TFLOP/s", "verified", "[1] "):
            self.assertIn(words, done.stdout)

    def test_a_name_alone_is_enough(self):
        self.assertEqual(self.answer("catalog", "MI300X")["kind"], "accelerators")
        self.assertEqual(self.answer("catalog", "ndr")["name"], "InfiniBand NDR 4x")
        self.assertEqual(self.answer("catalog", "gpt2")["kind"], "models")

    def test_every_model_of_the_list_can_be_shown_and_planned(self):
        names = [row["name"] for row in self.answer("catalog", "models")["models"]]
        lines = "".join(json.dumps({"model": name}) + "\n" for name in names)
        done = run("evaluate", stdin=lines)
        self.assertEqual(done.returncode, DONE, done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), len(names))
        self.answer("catalog", "models", names[0])

    def test_devices_without_operator_laws_are_known_and_refused(self):
        shown = self.answer("catalog", "wse-2")
        self.assertEqual(shown["kind"], "others")
        self.assertIn("layer by layer", shown["note"])
        units = {fact["field"]: fact["unit"] for fact in shown["facts"]}
        self.assertEqual(units["memory_bandwidth"], "bytes_per_s")
        self.assertIn("Alveo U250", run("catalog", "accelerators").stdout)
        for name, why in (("WSE-3", "layer by layer"), ("u280", "design")):
            self.refused("plan", "gpt2", "--gpu", name, "--gpus", "8",
                         saying=("cannot be planned with", why))

    def test_trainium_is_planned_with_derived_rates(self):
        row = {one["name"]: one for one in self.answer("catalog", "accelerators")["accelerators"]}
        self.assertEqual(row["Trainium2"]["vendor"], "Amazon")
        self.assertEqual(run("plan", "gpt2", "--gpu", "trn2", "--gpus", "16").returncode, DONE)

    def test_families_of_configs_say_what_is_made_of_them(self):
        rows = {one["name"]: one for one in self.answer("catalog", "families")["families"]}
        self.assertEqual(rows["llama"], {"name": "llama", "planned": True, "unlike": None,
                                         "holds_language_model": False})
        self.assertEqual((rows["jamba"]["planned"], rows["jamba"]["unlike"]),
                         (False, "state-space layers"))
        self.assertEqual((rows["llava"]["planned"], rows["llava"]["holds_language_model"]),
                         (None, True))
        self.assertRegex(run("catalog", "families").stdout, "jamba +counted +state-space layers")
        self.refused("catalog", "families", "llama", saying="NAME must be left out")

    def test_unknown_names_are_refused_with_a_hint(self):
        self.refused("catalog", "accelerators", "H101", saying="did you mean H100")
        self.refused("catalog", "acelerators", "H100", saying="accelerators")
        self.refused("catalog", "fabrics", "H100", saying="fabrics")
        self.refused("catalog", "nothing at all")
        self.refused("catalog", "foo", saying=(
            'catalog: KIND must be accelerators, fabrics, models, families or multiprocessors, or one of '
            'their names, not the string "foo"', "gpuplan catalog lists them"))
        self.refused("catalog", "h100x", saying=("KIND must be", "did you mean H100?"))

    def test_csv_of_an_entry_has_the_same_columns_of_every_entry(self):
        titles = {run("catalog", name, "--csv").stdout.splitlines()[0]
                  for name in ("H100", "MI300X", "NDR", "A100-40GB")}
        self.assertEqual(titles, {"field,value,status,source,unit,note"})


program.main()
