#!/usr/bin/env python3
"""Fail if a public function of the library has no row in the registry, or a row has no function.

    check_registry.py include [--list]

A public function is a function at namespace scope in a header of include/gpuplan, outside detail
and outside the headers and names below; --list prints them.  A row names its function and the
header that declares it: the same name may stand in two headers.
"""
import pathlib
import re
import sys

# Headers whose functions compute nothing that a reader would look up.
NO_FORMULAS = {
    "registry/*": "the registry itself",
    "report/*": "prints",
    "infinite_math.hpp": "asks the compiler for infinity and NaN",
    "require.hpp": "refuses inputs",
    "ceiling.hpp": "rounds",
    "text/*": "reads and compares texts",
    "units/quantity.hpp": "arithmetic of quantities, as of numbers",
    "units/chrono.hpp": "conversion to and from std::chrono",
    "units/format.hpp": "prints",
    "units/parse*.hpp": "reads",
    "hardware/driver_name.hpp": "reads a name and looks it up",
    "model/huggingface*.hpp": "reads",
    "model/transformer_json.hpp": "reads and prints",
    "model/recipe_names.hpp": "names of values",
    "model/field.hpp": "rows of tables of fields",
    "model/attention_shape.hpp": "widths and maps, of which layer_parameters has rows",
    "accuracy/error_class.hpp": "names what errors depend on",
    "accuracy/run_class.hpp": "names what runs have in common",
    "accuracy/error_band.hpp": "looks a measured quantile up in a table",
    "plan/estimate_band.hpp": "looks a measured quantile up in a table",
    "plan/memory_share.hpp": "looks a measured quantile up in a table",
    "trace/*": "reads",
    "launch/*": "reads and writes launches",
    "api/*": "reads requests and writes answers",
    "compute/layer_kernels.hpp": "counts of kernels",
    "calibrate/*least_squares.hpp": "solves, with Eigen, which the registry does without",
    "calibrate/collective_fit.hpp": "fits a formula that has a row, with Eigen",
    "calibrate/fit_quality.hpp": "order statistics, and Student's t, which has a row, around a fit",
    "calibrate/formats/*": "reads",
    "calibrate/probe_profile*.hpp": "fits with Eigen, and gathers what was fitted",
    "calibrate/probe_report*.hpp": "reads and prints",
    "calibrate/device_limits.hpp": "compares measured numbers with those of the catalogue",
    "calibrate/link_limits.hpp": "compares measured rates with those of the catalogue",
    "calibrate/profile*.hpp": "reads, and puts what was measured in its place",
    "calibrate/gemm_fit*.hpp": "fits a formula that has a row, with Eigen",
    "calibrate/step_factors.hpp": "factors, put into a cluster",
    "calibrate/step_belief*.hpp": "a belief, read and printed, and a quantile of its bounds",
    "calibrate/step_prediction.hpp": "evaluate, and its differences",
    "calibrate/step_fit.hpp": "fits with Eigen, which the registry does without",
    "calibrate/framework_memory_fit.hpp": "the mean of what the footprint leaves of measured peaks",
    "calibrate/plateau_fit.hpp": "the median of rates",
    "calibrate/optimus_fit*.hpp": "fits formulas that have rows, with Eigen",
    "calibrate/pollux_fit*.hpp": "fits formulas that have rows, with Eigen",
    "calibrate/scaling_fit.hpp": "fits formulas that have rows, with Eigen",
    "plan/levers.hpp": "changes fields of a recipe and of a space",
    "plan/node_software.hpp": "a profile, with a node's own times in it",
    "placement/gpu_node.hpp": "what is free and what is taken",
    "placement/gpu_node.hpp": "a choice among GPUs",
    "placement/gpu_slice.hpp": "a table, and what is free of a GPU",
    "placement/pool_table*.hpp": "reads",
    "placement/objective.hpp": "needs Eigen, which registry/ does without: worked in its test",
    "placement/utilization.hpp": "needs Eigen, which registry/ does without: worked in its test",
    "queue/erlang_large.hpp": "values of erlang.hpp and continuous_erlang.hpp, by Boost.Math",
}

# Names that are no formula wherever they stand.
NO_FORMULA = {
    "match_candidates": "a list to choose from",
    "require_valid": "refuses inputs",
    "name_of": "the name of a value", "title_of": "the name of a value",
    "title_of_step_term": "the name of a value", "sentence_of": "words of a refusal",
    "default_precision": "a default", "default_sequence": "a default",
    "default_nvlink_domain": "a default", "default_gpus_per_node": "a default",
    "default_fabric": "a default", "is_of_provider": "a choice of prices",
    "is_stale": "a choice of prices", "last_month_of": "a date",
    "lowest_current_price": "a choice of prices", "of_one_list": "a choice of prices",
    "price_beside": "a choice of prices",
    "with_memory": "the same device with another value of a field",
    "host_memory_needed": "a term of stages, of all ranks of a host",
    "recurrent_groups": "a width", "recurrent_heads": "a width",
    "recurrent_inputs": "a width", "recurrent_width": "a width",
    "product_share_of_usual": "a ratio of two shares",
    "recurrent_parameters": "one of two formulas that have rows",
    "visit_recurrent_maps": "maps, of which the rows of parameters have the sum",
    "without_recurrence": "the same model with another value of a field",
    "all_windowed": "the same model with other values of fields",
    "none_windowed": "the same model with other values of fields",
    "as_last_layer": "the same model with other values of fields",
    "has_two_head_sizes": "a comparison", "absorbs_latents": "a comparison",
    "has_unmeasured_layers": "a comparison",
    "mapped_key_width": "a width", "core_key_width": "a width", "index_norms": "a width",
    "visit_index_maps": "maps, of which the row of parameters has the sum",
    "index_weights_of": "a term of parameters_of_layer",
    "expert_weights_of": "a term of parameters_of_layer",
    "expert_latent_weights_of": "a term of parameters_of_layer",
    "mean_over_windows": "a mean",
    "describe": "the name of a value",
    "defined_for": "whether an algorithm takes so many ranks",
    "formats_of": "a table of names",
    "nccl_constants_of": "a table of constants",
    "lone_collective_on": "nccl_expected or pairwise_all_to_all, which have rows",
    "profile_of": "a table of constants", "profile_as": "profile_of in another scalar",
    "within": "a comparison",
    "gradient_storage": "a table of names", "gradient_reduction": "a table of names",
    "sizes_of": "counts rows",
    "rule_of": "a row of a table",
    "protocol_of": "a comparison", "is_power_limited": "a comparison",
    "offered_gpus_up_to": "a sum over a trace", "is_final": "a comparison",
    "one_size_of": "a look-up",
    "rarer_phase_share": "a part of hyperexponential_of_moments",
    "folds_model": "a comparison", "runs_both_ways": "a comparison",
    "copies_embedding": "a comparison", "folded_layers_of": "layers_of_stage, which has a row, twice",
    "latent_shares_of": "one of two counts",
    "trains_table": "a comparison", "trained_tables_on_rank": "counts tables",
    "micro_batches_of_schedule": "a table of bounds",
    "bubble_share_of": "bubble_share from a bound on, which has a row",
    "find_accelerator": "look-up", "find_fabric": "look-up", "find_model": "look-up",
    "find_convnet": "look-up", "find_other": "look-up", "lowest_price": "look-up",
    "find_multiprocessor": "look-up", "uneven_pipeline_of": "a search", "fewest_gpus": "a search",
    "pipeline_layout_of": "a spelling",
    "cluster_of": "makes a description", "node_of": "makes a description",
    "workspace_of": "makes a description", "links_of": "makes a description",
    "resized": "makes a description", "convolution": "makes a description",
    "pooling": "makes a description", "normalization_of": "makes a description",
    "residual_add": "makes a description", "dense": "makes a description",
    "attention_parameters": "a part of parameters_of_layer",
    "ffn_weights_of": "a part of parameters_of_layer",
    "convolved_channels": "a part of state_space_parameters",
    "layered_cache": "a sum over groups of layers", "layered_cache_per_token": "the same",
    "memory_of_layer": "gathers terms with rows", "memory_of_layers": "gathers terms with rows",
    "memory_of_ends": "gathers terms with rows", "stage_clock_of": "gathers terms with rows",
    "state_rates_of": "gathers terms with rows",
    "sum_over": "a sum", "largest_of": "a maximum",
    "best_run": "a procedure over search", "best_gpu_count": "a choice among runs",
    "improved": "makes a description",
    "exponential_service": "makes a description", "wait_law_of": "makes a description",
    "mean_service": "a moment of a law", "moment_below": "a moment of a law",
    "truncated_moment": "a moment of a law",
    "best_improvement": "a choice among improved_step_time",
    "least_improvement": "the inverse of improved_step_time",
    "sensitivity_of": "derivatives of step_time_of",
    "quantized_value_of": "a table of bytes", "attention_unit_of": "reads a table of rates",
    "operator_rates_of": "a table of rates, and usual ones", "each_rate": "a list of fields",
    "measures_of": "gathers terms with rows", "dominates": "a comparison",
    "next_with_memory": "a procedure over search",
    "what_fits": "a procedure over search",
    "find_pool_policy": "look-up", "simulate": "a simulation",
    "find_sharing_policy": "look-up", "simulate_sharing": "a simulation",
    "summary_of": "counts and means of what was simulated", "order_statistic": "sorts",
    "replicate": "a simulation", "saturated_run": "a simulation", "draw": "a random number",
    "drawn_jobs": "makes a description", "fill_with_poisson_jobs": "random numbers",
    "batch_means": "confidence_interval of means",
    "knows_sizes": "a property of a name", "mean_response": "functions with rows, by name",
    "dispersion_curve": "dispersion of several windows",
    "arrival_profile_of": "counts over time", "daily_profile": "arrival_profile_of by the hour",
    "weekly_profile": "arrival_profile_of by the hour",
    "variation_interval": "a procedure: draws a sample again and again",
    "fit_service": "a choice among laws with rows",
    "gpu_mix_of": "gathers moments", "service_moments_of": "gathers moments",
    "duration_doubts_of": "counts", "durations_of": "makes a description",
    "gang_classes": "gathers jobs by size", "saturation_of": "makes a description",
    "needs_mix": "a property of a policy",
    "candidate_of": "the scores of policies, by name",
    "pack": "a procedure", "capacity_violation": "a maximum of shares_of",
    "excess_of": "functions with rows, by name", "check_rule": "a maximum over jobs",
    "span_excess": "a difference of levels",
    "divisible_sizes": "a property of sizes", "holds": "a comparison",
    "order_jobs": "a procedure", "filter_nodes": "a procedure",
    "scale_of": "a maximum", "gang_room": "a comparison",
    "defragment": "a procedure", "replay": "a procedure",
    "refusal_of": "a comparison", "replay_waiting": "a procedure", "replay_leaving": "a procedure",
    "run_framework": "a procedure",
    "step_demand_of": "gathers terms with rows", "sharing_load_of": "sums", "packing_pays": "a comparison with packed_speed",
    "better_offer": "a comparison",
    "with_head_dim": "makes a description", "parameters_beside_layers": "a part of parameters_of",
    "has_equal_pieces": "a comparison", "link_across_nodes": "a part of group_link",
    "step_links_of": "rank_links_of, of a fabric that is shared", "overlap_field": "a row of a table",
    "kernel_rates_of": "rates of a device, each with a formula of its own",
    "largest_share": "a division, rounded up",
    "fractional_micro_batches_of": "a division; rounded up it is micro_batches_of",
    "footprint_of": "memory_footprint without its checks",
    "measured_stage_of": "gathers terms with rows", "find_fullest": "a maximum over stages",
    "evaluate_within": "evaluate without its checks", "job_terms_of": "gathers terms with rows",
    "miss_of": "gathers terms with rows", "exposed_time_of": "a sweep over intervals",
    "search": "a procedure over evaluate", "repairs_of": "a procedure over evaluate",
    "evaluate_mixed": "evaluate of each part, by throughput_of_mixed",
    "adapted_maps_of": "a list of shapes", "adapters_on_rank": "adapter_parameters of layers",
    "adapts_with_pytorch": "a comparison", "recipe_of_adapters": "makes a description",
    "recipe_of_trained_tables": "makes a description", "largest_matrix": "a maximum",
    "keeps_fp8_weights": "a comparison", "divides_weights": "a comparison",
    "returns_unused_gradients": "a comparison",
    "weight_shapes_of": "a list of shapes", "read_by_adapters": "sums terms with rows",
    "stored_value_bytes": "a choice of bytes_per_activation",
    "stream_bytes": "norm_input_bytes of a whole stream",
    "recomputed_parts_of": "gathers terms with rows",
    "frozen_weights_on_rank": "sums what bytes_per_frozen_weight gives",
    "dequantizes": "a comparison", "unpacks": "a comparison",
    "position_fault": "a comparison", "default_for": "a minimum", "with_defaults": "makes a description",
    "rounded_batch": "a division, rounded up",
    "fusion_chains_of_layer": "a table of counts, summed by layer_fusion_saving",
    "adapters_time": "product_pass_time of each adapter",
    "frozen_products_time": "gathers terms with rows",
}

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|'
                     r"'(?:\\.|[^'\\\n])'|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
ROW = re.compile(r'row\{\s*\.call =\s*"([\w./]+): (\w+)\(')


def without_template(head):
    """A declaration without its template parameters, attributes and requires-clauses."""
    head = re.sub(r"\[\[.*?\]\]", "", head)
    while found := re.match(r"\s*template\s*<", head):
        depth, end = 1, found.end()
        while depth and end < len(head):
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[end:]
    return re.sub(r"^\s*requires\b.*?(?=\b(?:constexpr|inline|static)\b)", "", head,
                  flags=re.DOTALL)


def function_of(head):
    """The name of the free function that a declaration declares, or None."""
    before = without_template(head).split("(")[0]
    if "(" not in head or "=" in before or "operator" in before:
        return None
    if re.match(r"\s*(using|static_assert|friend|class|struct|enum|concept)\b", before):
        return None
    name = re.search(r"([\w:~]+)\s*$", before)
    return name[1] if name and ":" not in name[1] else None


def functions_in(text):
    """Names of functions at namespace scope, but for those in detail."""
    scopes, statement = [], ""
    for character in IGNORED.sub(" ", text):
        at_namespace = None not in scopes
        if character in ";{" and at_namespace and "detail" not in "::".join(filter(None, scopes)):
            if name := function_of(statement):
                yield name
        if character == "{":
            found = NAMESPACE.search(statement)
            scopes.append((found[1] or "") if found and at_namespace else None)
        elif character == "}" and scopes:
            scopes.pop()
        statement = "" if character in ";{}" else statement + character


def public_functions(root):
    """(header, function) of every function that needs a row."""
    for path in sorted(root.rglob("*.hpp")):
        header = path.relative_to(root)
        if any(header.match(pattern) for pattern in NO_FORMULAS):
            continue
        for name in sorted(set(functions_in(path.read_text())) - NO_FORMULA.keys()):
            yield header.as_posix(), name


def rows(root):
    """(header, function) of every row."""
    for path in sorted((root / "registry").glob("*_formulas.hpp")):
        yield from ROW.findall(path.read_text())


def main():
    root = pathlib.Path(sys.argv[1]) / "gpuplan"
    functions, named = list(public_functions(root)), list(rows(root))
    if "--list" in sys.argv[2:]:
        print("\n".join(f"{header}: {name}" for header, name in functions))
        return
    faults = [f"{header}: {name} has no row in registry/"
              for header, name in functions if (header, name) not in named]
    faults += [f"registry: {name} of {header} is no public function"
               for header, name in named if (header, name) not in functions]
    faults += [f"registry: {name} of {header} has {named.count((header, name))} rows"
               for header, name in sorted(set(named)) if named.count((header, name)) > 1]
    print("\n".join(faults) or f"registry ok, {len(named)} rows")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
