#!/usr/bin/env python3
"""Write the catalog headers from hardware.json, operator_rates.json and fabrics.json in tests/data.

    make_hardware_catalog.py SOURCE_TREE            write them
    make_hardware_catalog.py SOURCE_TREE --check    fail if they are not what would be written

Both need clang-format; --check passes over the headers without it, since a test holds the values
against the same files.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys

UNITS = {
    "bytes": [("GiB", 2**30), ("MiB", 2**20), ("GB", 1e9), ("MB", 1e6), ("byte", 1)],
    "rate": [("GB", 1e9), ("MB", 1e6), ("byte", 1)],
    "flop": [("TFLOP", 1e12), ("GFLOP", 1e9), ("FLOP", 1)],
    "time": [("us", 1e-6), ("ns", 1e-9), ("second", 1)],
    "power": [("watt", 1)],
}
RATES = {"rate", "flop"}
FORMATS = ["fp64", "fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp4", "int8"]
LINK = {"latency": "time", "signalling": "rate", "advertised": "rate", "achievable": "rate"}
OPERATORS = {
    **dict.fromkeys(["product_memory", "elementwise_memory", "permutation_memory",
                     "grouped_memory", "product_steady"], None),
    **dict.fromkeys(["product_start", "quantization_start", "grouped_start",
                     "group_start"], "time"),
    **dict.fromkeys([f"attention.{name}" for name in (
        "forward_64", "forward_128", "forward_256", "forward_512", "backward_128",
        "backward_192")], "flop"),
    "attention.half_length": None, "attention.start": "time",
    **dict.fromkeys([f"collectives.{name}" for name in (
        "gather", "all_reduce", "all_to_all")], "rate"),
    "collectives.small_share": None,
    **dict.fromkeys([f"collectives.{name}" for name in (
        "base", "hop", "simple_base", "simple_hop")], "time"),
    "collectives.exchange_small_share": None,
    "collectives.exchange_base": "time", "collectives.exchange_simple_base": "time",
    "collectives.own_copy": "rate",
    "dispatchers.deep_ep_dispatch": "rate", "dispatchers.deep_ep_combine": "rate",
    "dispatchers.deep_ep_start": "time", "dispatchers.deep_ep_token": "time",
    "dispatchers.port_share": None,
    "dispatchers.hybrid_dispatch": "rate", "dispatchers.hybrid_combine": "rate",
    "dispatchers.hybrid_start": "time",
}
FIELDS = {
    "memory": "bytes", "label_memory": "bytes", "memory_bandwidth": "rate", "achieved_memory_bandwidth": "rate",
    **{f"peak.{name}": "flop" for name in FORMATS},
    **{f"achieved.{name}": "flop" for name in FORMATS},
    **{f"sustained.{name}": "flop" for name in FORMATS},
    **{f"attention.{name}": None for name in ("triton", "flash_2", "fused")},
    **{f"operators.{name}": unit for name, unit in OPERATORS.items()},
    "streaming_multiprocessors": None, "l2": "bytes", "thermal_design_power": "power",
    "scale_up.links": None, "scale_up.domain": None,
    **{f"scale_up.{to}.{name}": unit for to in ("all_peers", "one_peer")
       for name, unit in LINK.items()},
    **{f"host.{name}": unit for name, unit in LINK.items()},
    **{f"port.{name}": unit for name, unit in LINK.items()},
    "accelerators": None, "small_message_hop": "time", "medium_message_hop": "time",
    "adapter_latency": "time",
}
VENDORS = {"NVIDIA": "nvidia", "AMD": "amd", "Intel": "intel", "Google": "google",
           "Amazon": "amazon"}
WRITTEN = "Written by tools/make_hardware_catalog.py from tests/data/{}."


def number(value):
    """The shortest text that C++ reads as this value."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def quantity(value, unit):
    """A value in base units as code: 2039 * units::GB / units::second."""
    if unit is None:
        return number(value)
    rounded = [(name, size, float(f"{value / size:.12g}")) for name, size in UNITS[unit]]
    near = [(name, count) for name, size, count in rounded
            if abs(count * size - value) <= 1e-15 * value]
    name, count = min(near, key=lambda choice: (choice[1] < 1, len(number(choice[1]))))
    return f"{number(count)} * units::{name}" + (" / units::second" if unit in RATES else "")


def text(words):
    return json.dumps(words, ensure_ascii=False)


def initialiser(facts, prefix, wrap=lambda name, code: code):
    """The facts below a prefix as designated initialisers, in the order of the fields."""
    parts = []
    for field, unit in FIELDS.items():
        name = field.removeprefix(prefix)
        if field in facts and field.startswith(prefix) and "." not in name:
            parts.append(f".{name} = " + wrap(name, quantity(facts[field]["value"], unit)))
    return parts


def link(facts, prefix):
    one_way = lambda name, code: code if name == "latency" else f"per_direction({code})"
    return "{" + ", ".join(initialiser(facts, prefix, one_way)) + "}"


def is_port(facts, prefix, port):
    """Whether the facts below a prefix are the link of this fabric."""
    return all(facts.get(prefix + name, {}).get("value") == port.get("port." + name, {}).get("value")
               for name in LINK)


def operator_parts(facts):
    """The rates of operators, by group."""
    inside = initialiser(facts, "operators.")
    for group in ("attention", "collectives", "dispatchers"):
        if rates := initialiser(facts, f"operators.{group}."):
            inside.append(f".{group} = {{" + ", ".join(rates) + "}")
    return [".operators = {" + ", ".join(inside) + "}"] if inside else []


def with_operator_rates(entry, rates):
    """The entry with the rates that benchmarks/operators fitted or derived.  A best product that
    somebody measured on a device stays, where the fit rests on a relative."""
    fitted = rates["devices"].get(entry["name"], {"derived_from": "", "facts": {}})
    facts = dict(entry["facts"])
    for field, one in fitted["facts"].items():
        if fitted["derived_from"] and field.startswith("achieved.") and field in facts:
            continue
        facts[field] = one
    return {**entry, "operators_from": operators_from(fitted, rates),
            "facts": {field: facts[field] for field in FIELDS if field in facts} |
            {field: one for field, one in facts.items() if field not in FIELDS}}


def operators_from(fitted, rates):
    """How near a device the rates of operators were measured: on it, on a relative, on others."""
    if not fitted["facts"]:
        return None
    if not fitted["derived_from"]:
        return "measured"
    return "relative" if fitted["derived_from"] in rates["devices"] else "derived"


def with_driver_memory(entry, accelerators):
    """The entry with the memory that its driver shows.  Where no print of it was found: its label
    times the least that a driver shows of the label of its generation, or of its vendor where no
    other of its generation is known."""
    if "memory" in entry["facts"]:
        return entry
    share = lambda one: one["facts"]["memory"]["value"] / one["facts"]["label_memory"]["value"]
    known = [one for one in accelerators if "memory" in one["facts"]]
    for key in ("generation", "vendor"):
        if relatives := [one for one in known if one[key] == entry[key]]:
            break
    least = min(relatives, key=share)
    label = entry["facts"]["label_memory"]["value"]
    fact = {"value": math.floor(label * share(least) / 2**20) * 2**20, "status": "derived",
            "source": "driver_share",
            "note": f"{share(least):.4f} of the label, as {least['name']}"}
    return {**entry, "facts": {"memory": fact, **entry["facts"]}}


def accelerator_entry(entry, fabrics):
    facts = entry["facts"]
    parts = []
    for name in ("memory", "label_memory", "memory_bandwidth", "achieved_memory_bandwidth"):
        if name in facts:
            parts.append(f".{name} = " + quantity(facts[name]["value"], FIELDS[name]))
        if name == "memory":
            origin = "derived" if facts[name]["status"] == "derived" else "driver"
            parts.append(f".memory_from = memory_origin::{origin}")
    for group in ("peak", "achieved", "sustained", "attention"):
        if inside := initialiser(facts, group + "."):
            parts.append(f".{group} = {{" + ", ".join(inside) + "}")
    parts += operator_parts(facts)
    if entry["operators_from"]:
        parts.append(f".operators_from = operator_origin::{entry['operators_from']}")
    for name in ("streaming_multiprocessors", "l2", "thermal_design_power"):
        if name in facts:
            parts.append(f".{name} = " + quantity(facts[name]["value"], FIELDS[name]))
    if entry["wiring"] != "none":
        inside = [f".joined = wiring::{entry['wiring']}"]
        if "scale_up.links" in facts:
            inside.append(f".links = {facts['scale_up.links']['value']}")
        if "scale_up.domain" in facts:
            inside.append(f".domain = {facts['scale_up.domain']['value']}")
        shared = entry["shares_links_of"]
        if shared and not is_port(facts, "scale_up.all_peers.", fabrics[shared]["facts"]):
            sys.exit(f"{entry['name']}: its links are not those of {shared}")
        inside.append(".all_peers = " +
                      (f"{shared}.port" if shared else link(facts, "scale_up.all_peers.")))
        if entry["wiring"] == "direct":
            inside.append(".one_peer = " + link(facts, "scale_up.one_peer."))
        parts.append(".scale_up = {" + ", ".join(inside) + "}")
    if not is_port(facts, "host.", fabrics[entry["host_of"]]["facts"]):
        sys.exit(f"{entry['name']}: its host link is not {entry['host_of']}")
    parts.append(f".host = {entry['host_of']}.port")
    unknown = set(facts) - set(FIELDS)
    if unknown:
        sys.exit(f"{entry['name']}: no such field: {', '.join(sorted(unknown))}")
    note = f"  {entry['note']}" if entry["note"] else ""
    return (comment(f"{entry['vendor']} {entry['name']} ({entry['year']['value']}).{note}") +
            f"inline constexpr accelerator {entry['id']}{{" + ", ".join(parts) + "};\n")


def comment(words, width=96):
    """A doc comment, broken into lines."""
    lines, line = [], ""
    for word in words.split(" "):
        if len(line) + 1 + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "".join(f"/// {one}\n" for one in lines + [line])


def fabric_entry(entry):
    facts = entry["facts"]
    parts = [".port = " + link(facts, "port.")]
    for name in ("accelerators", "small_message_hop", "medium_message_hop", "adapter_latency"):
        if name in facts:
            parts.append(f".{name} = " + quantity(facts[name]["value"], FIELDS[name]))
    return (comment(f"{entry['name']}.") + f"inline constexpr network_fabric {entry['id']}{{" +
            ", ".join(parts) + "};\n")


def header(about, includes, body):
    groups = ["".join(f"#include <{one}>\n" for one in group) for group in includes]
    return ("#pragma once\n/// \\file\n" + about + "\n" + "\n".join(groups) +
            "\nnamespace gpuplan::catalog {\n\n" + body + "\n}  // namespace gpuplan::catalog\n")


def table(kind, rows):
    return f"inline constexpr std::array {kind}{{\n" + ",\n".join(rows) + "};\n"


def aliases(kind, doc, pairs):
    return doc + table(kind, [f"alias{{{text(a)}, {text(b)}}}" for a, b in pairs.items()])


def finder(name, row, entries, names, doc):
    return (doc + f"constexpr const {row}* {name}(std::string_view typed) {{\n"
            f"  return find_named(typed, {entries}, {names});\n}}\n")


def fact_rows(kind, facts):
    rows = []
    for field, one in facts.items():
        note = f", {text(one['note'])}" if "note" in one else ""
        rows.append(f"fact{{{text(field)}, {number(one['value'])}, {kind}_sources::{one['source']}, "
                    f"fact_status::{one['status']}{note}}}")
    return rows


def sources(kind, document):
    used = "".join(f"inline constexpr std::string_view {key} =\n{text(words)};\n"
                   for key, words in document["sources"].items())
    return f"namespace {kind}_sources {{\n\n{used}\n}}  // namespace {kind}_sources\n\n"


def facts_header(document, entries, kind, about, with_year):
    body = sources(kind, document)
    for entry in entries:
        facts = {"year": entry["year"], **entry["facts"]} if with_year else entry["facts"]
        body += table(f"{entry['id']}_facts", fact_rows(kind, facts)) + "\n"
    body += f"/// The facts of every entry, in the order of catalog::{kind}s.\n"
    body += table(f"{kind}_facts", [
        f"entry_facts{{{text(one['name'])}, {one['id']}_facts, {text(one.get('note', ''))}}}"
        for one in entries])
    body += "\n/// What was measured, beside the one figure that each field holds.\n"
    body += table(f"{kind}_measurements", [
        f"measurement{{{text(m['of'])}, {text(m['what'])}, {number(m['share'])}, "
        f"{kind}_sources::{m['source']}, fact_status::{m['status']}}}" for m in document["measurements"]])
    return header(about, [["array", "string_view"], ["gpuplan/hardware/fact.hpp"]], body)


def others_header(document, from_hardware):
    """Devices that are known and not planned with, and who vouches for their numbers."""
    fields = {"memory": "bytes", "memory_bandwidth": "rate", "peak_16": "flop", "peak_8": "flop",
              "thermal_design_power": "power"}
    rows, facts = [], ""
    used = {}
    for one in document["others"]:
        known = "".join(f", .{field} = {quantity(one['facts'][field]['value'], unit)}"
                        for field, unit in fields.items() if field in one["facts"])
        rows.append(f"other_device{{.name = {text(one['name'])}, .vendor = {text(one['vendor'])}, "
                    f".year = {one['year']['value']}{known}, .why = {text(one['why'])}}}")
        all_facts = {"year": one["year"], **one["facts"]}
        used |= {fact["source"]: document["sources"][fact["source"]] for fact in all_facts.values()}
        facts += table(f"{one['id']}_facts", fact_rows("other", all_facts)) + "\n"
    body = sources("other", {"sources": used}) + facts
    body += "/// Every device that is known and not planned with.\n" + table("others", rows)
    body += "\n/// Their facts, in that order.\n"
    body += table("other_facts", [
        f"entry_facts{{{text(one['name'])}, {one['id']}_facts, {text(one['why'])}}}"
        for one in document["others"]])
    body += "\n" + aliases("other_aliases", "/// Other names of them.\n", document["other_aliases"])
    body += "\n" + finder("find_other", "other_device", "others", "other_aliases",
                          "/// The device of that name or alias that is not planned with, or "
                          "nullptr.\n")
    return header(
        "/// Devices that no law of operators fits, and where their numbers come from.\n"
        f"/// {from_hardware}\n",
        [["array", "string_view"],
         ["gpuplan/hardware/fact.hpp", "gpuplan/hardware/other_device.hpp",
          "gpuplan/text/lookup.hpp", "gpuplan/units/units.hpp"]], body)


def headers(tree):
    data = tree / "tests" / "data"
    hardware = json.loads((data / "hardware.json").read_text())
    network = json.loads((data / "fabrics.json").read_text())
    rates = json.loads((data / "operator_rates.json").read_text())
    accelerators = [with_operator_rates(with_driver_memory(one, hardware["accelerators"]), rates)
                    for one in hardware["accelerators"]]
    fabric_list = network["fabrics"]
    fabrics = {one["id"]: one for one in fabric_list}
    from_hardware, from_fabrics = (
        WRITTEN.format(name) for name in ("hardware.json", "fabrics.json"))
    out = {}

    body = "\n".join(fabric_entry(one) for one in fabric_list)
    body += "\n/// A fabric by the name people write.\nstruct fabric_entry {\n"
    body += "  std::string_view name;\n  const network_fabric* net;\n};\n\n"
    body += "/// Every fabric of the catalog.\n"
    body += table("fabrics", [f"fabric_entry{{{text(f['name'])}, &{f['id']}}}" for f in fabric_list])
    body += "\n" + aliases("fabric_aliases", "/// Short names, each of one fabric.\n",
                           network["aliases"])
    body += "\n" + finder(
        "find_fabric", "fabric_entry", "fabrics", "fabric_aliases",
        "/// The fabric of that name or alias, or nullptr.  closest_names(typed, catalog::fabrics) "
        "says what\n/// may have been meant.\n")
    out["catalog_fabrics.hpp"] = header(
        f"/// Buses and networks that join accelerators.  catalog_fabric_facts.hpp says where each\n"
        f"/// number comes from.  {from_fabrics}\n",
        [["array", "string_view"],
         ["gpuplan/hardware/fabric.hpp", "gpuplan/text/lookup.hpp", "gpuplan/units/link_rate.hpp",
          "gpuplan/units/units.hpp"]], body)
    out["catalog_fabric_facts.hpp"] = facts_header(
        network, fabric_list, "fabric",
        f"/// The provenance of catalog_fabrics.hpp, entry by entry and field by field.\n"
        f"/// {from_fabrics}\n", False)

    for vendor, name in VENDORS.items():
        body = "\n".join(accelerator_entry(one, fabrics) for one in accelerators
                         if one["vendor"] == vendor)
        out[f"catalog_{name}.hpp"] = header(
            f"/// Accelerators of {vendor}: dense peaks; fp64 is that of the vector units.\n"
            f"/// {from_hardware}\n",
            [["gpuplan/hardware/accelerator.hpp", "gpuplan/hardware/catalog_fabrics.hpp",
              "gpuplan/hardware/scale_up.hpp", "gpuplan/units/link_rate.hpp",
              "gpuplan/units/units.hpp"]], body)

    body = "/// An accelerator by the name people write.\nstruct accelerator_entry {\n"
    body += "  std::string_view name;\n  std::string_view vendor;\n"
    body += "  int year;  ///< of its release\n  const accelerator* gpu;\n};\n\n"
    body += "/// Every accelerator of the catalog, by vendor and year.\n"
    body += table("accelerators", [
        f"accelerator_entry{{{text(a['name'])}, {text(a['vendor'])}, {a['year']['value']}, "
        f"&{a['id']}}}" for a in accelerators])
    body += "\n" + aliases(
        "accelerator_aliases",
        "/// Short names.  One that leaves out the form means the SXM module; none leaves out the\n"
        "/// memory where the module is sold with two sizes: a100, v100 and gh200 mean nothing.\n",
        hardware["aliases"])
    body += "\n" + finder(
        "find_accelerator", "accelerator_entry", "accelerators", "accelerator_aliases",
        "/// The accelerator of that name or alias, or nullptr.  closest_names(typed, "
        "catalog::accelerators)\n/// says what may have been meant.\n")
    out["catalog.hpp"] = header(
        "/// Accelerators one can buy or rent, by name.  catalog_facts.hpp says where each number\n"
        f"/// comes from.  {from_hardware}\n",
        [["array", "string_view"],
         ["gpuplan/hardware/accelerator.hpp"] +
         [f"gpuplan/hardware/catalog_{name}.hpp" for name in sorted(VENDORS.values())] +
         ["gpuplan/text/lookup.hpp"]], body)
    out["catalog_facts.hpp"] = facts_header(
        hardware, accelerators, "accelerator",
        f"/// The provenance of catalog.hpp, entry by entry and field by field.\n"
        f"/// {from_hardware}\n", True)

    out["catalog_others.hpp"] = others_header(hardware, from_hardware)

    rows = [f"price{{{text(p['accelerator'])}, {text(p['provider'])}, price_kind::{p['kind']}, "
            f"{number(p['dollars_per_hour'])} * units::dollar / units::hour, {text(p['date'])}, "
            f"{text(p['source'])}, fact_status::{p['status']}, {text(p['note'])}}}"
            for p in hardware["prices"]]
    body = "/// What was asked for an hour of one accelerator, with its share of the host.\n"
    body += table("prices", rows)
    out["catalog_prices.hpp"] = header(
        "/// Prices of accelerators in clouds.  Prices age: each row has its date.\n"
        f"/// {from_hardware}\n",
        [["array"],
         ["gpuplan/hardware/fact.hpp", "gpuplan/hardware/price.hpp", "gpuplan/units/units.hpp"]],
        body)
    return out


def formatted(tree, name, code):
    path = tree / "include" / "gpuplan" / "hardware" / name
    run = subprocess.run(["clang-format", f"--assume-filename={path}"], input=code, text=True,
                         capture_output=True, check=True)
    return path, run.stdout


def main():
    tree = pathlib.Path(sys.argv[1]).resolve()
    check = sys.argv[2:] == ["--check"]
    if not shutil.which("clang-format"):
        print("no clang-format: the headers were not looked at")
        sys.exit(0 if check else 1)
    stale = []
    for name, code in headers(tree).items():
        path, wanted = formatted(tree, name, code)
        if not check:
            path.write_text(wanted)
        elif not path.exists() or path.read_text() != wanted:
            stale.append(f"{path.name}: tools/make_hardware_catalog.py would write something else")
    print("\n".join(stale) or "catalog ok")
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
