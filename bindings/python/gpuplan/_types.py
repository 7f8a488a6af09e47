"""Types of answers and of options. Made by tools/make_python_types.py: do not edit."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypedDict, Union

from . import _kinds
from ._results import Result

Word = Union[str, float, SupportsIndex, "os.PathLike[str]"]
Option = Union[Word, Sequence[Word], None]
Flag = Union[bool, None]


class PlanResult(_kinds.OfPlan):
    """The best ways to train a model on a cluster.

    rows(): a row for each plan, the best first.

    fits, reason, binding, rejected, mfu, step_time_s, step_terms, tokens_per_s, memory: the
        plan shown, as evaluate answers; recipe and parallelism are its own
    mfu_all_scores: the same with all scores, as PaLM, nanotron and torchtitan count: the
        larger, and what many papers print
    step_time_low_s, step_time_high_s: between which the measured time is in nine of ten jobs of
        the same class (--level)
    fits_probability: that the fullest stage needs no more than capacity_bytes; the layout may
        be predicted to fit and still not be sure to
    error_basis: on what both rest: level, and of step_time and memory the grade (calibrated,
        validated, related, extrapolated), runs and sources of the class
    tokens_per_step: work, and its rate on the whole cluster
    model_flop: of one step, nothing recomputed
    peak_flop_per_s: of one GPU, at the precision asked for
    gpus_used: by the layout
    recipe
    parallelism
    pipeline_model_parallel_layout: the stages of the plan shown, as Megatron-LM spells them,
        where its layer_split is not equal; else null
    run: time_s, cost_dollars, ... without failures; with_failures, with time_low_s,
        time_high_s, cost_low_dollars and cost_high_dollars; failures with checkpoints and
        effective training time; carbon_grams; rentals by terms
    deadline_probability, budget_probability: that the run keeps the limit, here and of each of
        offers; null without one, or without a price
    risks: the best plan at a lower and at a higher risk; the available_bytes of a refused
        layout are those that the risk leaves; null with --quick
    calibration: with --profile: the answer by the profile beside that by the datasheets
    plans: the best layouts; variants of each differ in recipe, chunks or micro-batch alone; of
        each fits_probability and what its step and memory are between, as of evaluate:
        step_time_low_s, step_time_high_s, worst_stage_low_bytes, worst_stage_high_bytes
    help: elasticities by resource and their method, twice, more_memory, changes; null where
        nothing fits, and with --quick
    repairs, clusters_that_fit: where nothing fits; null with --quick
    what_fits: where nothing fits (null with --quick): commands that do, in the order of what
        they cost: costs (risk, nothing but time, numerics, training, hardware), options that
        differ, command, gpu, gpus, fits_probability, worst_stage_bytes, host_memory_bytes of a
        node, step_time_s, searched_all, tokens_per_s, run_cost_dollars (null where not known),
        recipe, parallelism
    keeps_limits, offers, choices: each cluster asked for, with its fault (by the mean),
        keeps_limits (the deadline with the probability of --level; choices are of these alone),
        its global_batch_size, the command that asks it alone (null of one cluster),
        fits_probability, error_basis, the price of a GPU on demand (gpu_price_dollars_per_s;
        gpu_price_provider, gpu_price_date and gpu_price_source where a list has it: costs of
        offers compare where these are the same), and the ends of the ranges of step, time and
        cost (step_time_low_s, cost_high_dollars, ...); places in that list; in a pool fastest
        is done first
    completion: null without --pool or --arrivals. sizes: a row for each, gpus, wait_s, the
        mean, wait_low_s, wait_high_s, quantiles of the wait of one job, between which it is in
        nine of ten (--level), and above which the mean is where few jobs wait long,
        wait_mean_low_s, wait_mean_high_s, the range of the mean, and error_basis, on what that
        range rests, as in queue (null where errors were not measured), wait_probability, run_s
        (with failures), run_low_s, run_high_s, done_s, done_low_s, done_high_s, cost_dollars,
        cost_low_dollars, cost_high_dollars (null without a price), and reason, why it is not
        done; times without end are null. first_done and cheapest: rows of these that keep the
        limits, or null. basis, what waits rest on: origin (formula or simulation), policy,
        pool_gpus, offered_gpus, capacity_gpus that the policy can keep busy (by formula),
        stable, reason, error_factor of mean waits (by formula), jobs and times (of a trace),
        how
    front: null without --front
    search, inputs: layouts by what became of them; all that was understood, with the recipe and
        the layout of the best plan: a request of evaluate with the same step and memory, which
        leaves what plan says of the search and the run aside; inputs.run has tokens, and
        samples and epochs where these were counted from a data set, else null
    task: null without --task; else its name, description and defaults: each field of
        inputs.recipe that it set, the value and its source
    """
    __slots__ = ()
    fits: bool
    reason: str | None
    binding: str | None
    rejected: Result | None
    mfu: float | None
    mfu_all_scores: float | None
    step_time_s: float | None
    step_time_low_s: float | None
    step_time_high_s: float | None
    fits_probability: float | None
    error_basis: Result | None
    step_terms: Result | None
    tokens_per_step: float | None
    tokens_per_s: float | None
    model_flop: float | None
    peak_flop_per_s: float | None
    gpus_used: float | None
    memory: Result | None
    recipe: Result | None
    parallelism: Result | None
    pipeline_model_parallel_layout: str | None
    run: Result | None
    deadline_probability: float | None
    budget_probability: float | None
    risks: list[Result] | None
    calibration: Any
    plans: list[Result]
    help: Result | None
    repairs: list[Result] | None
    what_fits: list[Result] | None
    clusters_that_fit: list[Result] | None
    keeps_limits: bool
    offers: list[Result]
    choices: Result
    completion: Result | None
    front: Result | None
    search: Result
    task: Result | None
    inputs: Result


class FitResult(_kinds.OfFit):
    """Whether a layout fits, and what to change where it does not.

    rows(): one row.

    fits: whether the layout is possible and fits into memory
    reason: why not, as a name; null where it fits
    binding: the term that takes the most time
    rejected: null where it fits; else reason, rule in words, and needed and available, or
        needed_bytes and available_bytes
    mfu: model FLOP utilisation, without the scores that a causal mask hides, as Megatron-LM
        counts
    mfu_all_scores: the same with all scores, as PaLM, nanotron and torchtitan count: the
        larger, and what many papers print
    step_time_s: time of one optimizer step
    step_time_low_s, step_time_high_s: between which the measured time is in nine of ten jobs of
        the same class (--level)
    fits_probability: that the fullest stage needs no more than capacity_bytes; the layout may
        be predicted to fit and still not be sure to
    error_basis: on what both rest: level, and of step_time and memory the grade (calibrated,
        validated, related, extrapolated), runs and sources of the class
    step_terms: its terms, which sum up to it: products_s, attention_s, elementwise_s,
        recompute_s, reference_s, ends_s, launch_s, tensor_s, context_s, expert_s, gather_s,
        pipeline_s, bubble_s, stragglers_s, data_s, optimizer_s, offload_s, input_s
    tokens_per_step, tokens_per_s: work, and its rate on the whole cluster
    model_flop: of one step, nothing recomputed
    peak_flop_per_s: of one GPU, at the precision asked for
    gpus_used: by the layout
    memory: worst_stage, worst_stage_bytes; of that stage allocated_bytes, reserved_bytes and
        device_bytes; capacity_bytes of a GPU, capacity_from and label_bytes; host_memory_bytes
        that what is offloaded takes of a node, 0 where nothing is; stages, numbered from 0,
        where text and pages count from 1; ranges as of the step: worst_stage_low_bytes,
        worst_stage_high_bytes, allocated_low_bytes, allocated_high_bytes, reserved_low_bytes,
        reserved_high_bytes, device_low_bytes, device_high_bytes
    free_bytes: of the GPU's memory; below 0 where it does not fit
    largest_micro_batch: that is predicted to fit
    safe_micro_batch: that fits with a probability of 90 %, or as --risk and --headroom say
    accumulation: steps, micro_batch_size and effective_batch with that micro-batch
    repairs: what would make it fit: changes, in_words, fits, needed_bytes, step_time_s, recipe,
        parallelism
    what_fits, task: as of plan
    calibration: with --profile: the answer by the profile beside that by the datasheets
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    """
    __slots__ = ()
    fits: bool
    reason: str | None
    binding: str | None
    rejected: Result | None
    mfu: float | None
    mfu_all_scores: float | None
    step_time_s: float | None
    step_time_low_s: float | None
    step_time_high_s: float | None
    fits_probability: float | None
    error_basis: Result | None
    step_terms: Result | None
    tokens_per_step: float | None
    tokens_per_s: float | None
    model_flop: float | None
    peak_flop_per_s: float | None
    gpus_used: float | None
    memory: Result | None
    free_bytes: float | None
    largest_micro_batch: float | None
    safe_micro_batch: float | None
    accumulation: Result | None
    repairs: list[Result] | None
    what_fits: list[Result] | None
    calibration: Any
    task: Result | None
    inputs: Result


class ModelResult(_kinds.OfModel):
    """Parameters, FLOPs and KV cache of a model.

    rows(): a row for each component: its parameters.

    parameters, active_parameters, non_embedding_parameters, trained_parameters,
        multi_token_prediction_parameters: counts
    components: parameters by part of the model
    training_flop_per_token: by convention of counting
    head_forward_flop_per_token, layer: of the forward pass
    kv_cache_bytes_per_token, kv_cache_bytes_per_sequence: of 16-bit keys and values
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    layers
    multiply_adds_of_image
    forward_flop_of_image
    training_flop_of_image
    activation_bytes_of_image
    """
    __slots__ = ()
    parameters: float | None
    active_parameters: float | None
    non_embedding_parameters: float | None
    trained_parameters: float | None
    multi_token_prediction_parameters: float | None
    components: Result
    training_flop_per_token: Result
    head_forward_flop_per_token: float | None
    layer: Result
    kv_cache_bytes_per_token: float | None
    kv_cache_bytes_per_sequence: float | None
    inputs: Result
    layers: float | None
    multiply_adds_of_image: float | None
    forward_flop_of_image: float | None
    training_flop_of_image: float | None
    activation_bytes_of_image: Result


class EvaluateResult(_kinds.OfEvaluate):
    """Memory, time and MFU of one layout.

    rows(): one row.

    line: of the request, from 1
    fits: whether the layout is possible and fits into memory
    reason: why not, as a name; null where it fits
    binding: the term that takes the most time
    rejected: null where it fits; else reason, rule in words, and needed and available, or
        needed_bytes and available_bytes
    mfu: model FLOP utilisation, without the scores that a causal mask hides, as Megatron-LM
        counts
    mfu_all_scores: the same with all scores, as PaLM, nanotron and torchtitan count: the
        larger, and what many papers print
    step_time_s: time of one optimizer step
    step_time_low_s, step_time_high_s: between which the measured time is in nine of ten jobs of
        the same class (--level)
    fits_probability: that the fullest stage needs no more than capacity_bytes; the layout may
        be predicted to fit and still not be sure to
    error_basis: on what both rest: level, and of step_time and memory the grade (calibrated,
        validated, related, extrapolated), runs and sources of the class
    step_terms: its terms, which sum up to it: products_s, attention_s, elementwise_s,
        recompute_s, reference_s, ends_s, launch_s, tensor_s, context_s, expert_s, gather_s,
        pipeline_s, bubble_s, stragglers_s, data_s, optimizer_s, offload_s, input_s
    tokens_per_step, tokens_per_s: work, and its rate on the whole cluster
    model_flop: of one step, nothing recomputed
    peak_flop_per_s: of one GPU, at the precision asked for
    gpus_used: by the layout
    memory: worst_stage, worst_stage_bytes; of that stage allocated_bytes, reserved_bytes and
        device_bytes; capacity_bytes of a GPU, capacity_from and label_bytes; host_memory_bytes
        that what is offloaded takes of a node, 0 where nothing is; stages, numbered from 0,
        where text and pages count from 1; ranges as of the step: worst_stage_low_bytes,
        worst_stage_high_bytes, allocated_low_bytes, allocated_high_bytes, reserved_low_bytes,
        reserved_high_bytes, device_low_bytes, device_high_bytes
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    mixed: of a pool of several kinds: part and gpu that all wait for, mean_step_time_s,
        idle_share, proportional_step_time_s
    """
    __slots__ = ()
    line: float | None
    fits: bool
    reason: str | None
    binding: str | None
    rejected: Result | None
    mfu: float | None
    mfu_all_scores: float | None
    step_time_s: float | None
    step_time_low_s: float | None
    step_time_high_s: float | None
    fits_probability: float | None
    error_basis: Result | None
    step_terms: Result | None
    tokens_per_step: float | None
    tokens_per_s: float | None
    model_flop: float | None
    peak_flop_per_s: float | None
    gpus_used: float | None
    memory: Result | None
    inputs: Result
    mixed: Result


class ScaleResult(_kinds.OfScale):
    """What more GPUs buy.

    rows(): a row for each size.

    scaling: strong or weak
    fits, smallest_gpus_that_fit, most_efficient_gpus: of the sizes tried
    reason: why nothing fits on the largest size, as of evaluate; null where a size fits
    points: a row for each size: gpus, global_batch_size, fits, regime, step_time_s,
        step_time_low_s, step_time_high_s, fits_probability, tokens_per_s, tokens_per_s_of_gpu,
        speedup, efficiency, serial_part (Karp and Flatt's), mfu, communication_share,
        waiting_share, binding, gpus_used, needed_bytes, recipe, parallelism; where it does not
        fit, reason, of the layout that comes closest, else of most layouts, and rejected, of
        that which comes closest, as of evaluate
    regimes: regime, from_gpus, to_gpus
    risks: the best plan of the largest size at a lower and at a higher risk, as of plan; empty
        where nothing fits there
    calibration: with --profile: the answer by the profile beside that by the datasheets
    task: as of plan
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    """
    __slots__ = ()
    scaling: str
    fits: bool
    smallest_gpus_that_fit: float | None
    most_efficient_gpus: float | None
    reason: str | None
    points: list[Result]
    regimes: list[Result]
    risks: list[Result] | None
    calibration: Any
    task: Result | None
    inputs: Result


class QueueResult(_kinds.OfQueue):
    """How long jobs wait.

    rows(): a row for each policy.

    stable: whether work is done as fast as it comes; null of a trace too short for a rate that
        lasts
    reason, gpus, offered_gpus, utilization, capacity_gpus, least_stable_gpus: whether work is
        done as fast as it comes
    wait, model, validity: that of the model marked
    error_basis: on what that range rests: level, and of mean_wait the grade, runs and sources,
        as in plan --json; null where there is no range
    models: every model, with its wait
    needed_gpus, targets: the fewest GPUs that keep each target
    sizes, policies, policy_jobs, notes: other numbers of GPUs, each with its wait and
        error_basis; other policies, what to know
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    jobs_that_never_start: of a trace, those that ask for more GPUs than there are: then stable
        is false; waits and utilization leave them out
    trace, assumptions: of a trace: its rows by what became of them; which assumptions fail on
        it
    """
    __slots__ = ()
    stable: bool | None
    reason: str | None
    gpus: float | None
    offered_gpus: float | None
    utilization: float | None
    capacity_gpus: float | None
    least_stable_gpus: float | None
    wait: Result | None
    model: str | None
    validity: str | None
    error_basis: Result | None
    models: list[Result]
    needed_gpus: float | None
    targets: list[Result]
    sizes: list[Result]
    policies: list[Result]
    policy_jobs: float | None
    notes: list[str]
    inputs: Result
    jobs_that_never_start: float | None
    trace: Result
    assumptions: list[Result]


class PlaceResult(_kinds.OfPlace):
    """Which node each job gets.

    rows(): a row for each policy.

    best, policies: what each policy makes of the jobs; the one with the best score of the aims,
        else that which places the most GPUs
    faulty_rows
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    node_names
    """
    __slots__ = ()
    best: str
    policies: list[Result]
    faulty_rows: Result
    inputs: Result
    node_names: Any


class CalibrateResult(_kinds.OfCalibrate):
    """A profile of measured rates and links.

    rows(): a row for each log.

    logs
    runs
    left_out
    forced
    profile
    """
    __slots__ = ()
    logs: list[Result]
    runs: Result | None
    left_out: list[Any]
    forced: list[Any]
    profile: Result | None


class FormulaResult(_kinds.OfFormula):
    """A formula with its value, looked up, or several that were found.

    rows(): one row; of one looked up a row for each symbol, of several a row for each.

    formula
    value
    unit
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    name
    room
    header
    meaning
    text
    latex
    symbols
    validity
    source
    errata
    printed_elsewhere
    examples
    formulas
    """
    __slots__ = ()
    formula: str
    value: float | None
    unit: str
    inputs: Result
    name: str
    room: str
    header: str
    meaning: str
    text: str
    latex: str
    symbols: list[Result]
    validity: str | None
    source: str | None
    errata: str
    printed_elsewhere: list[Result]
    examples: list[Result]
    formulas: list[Result]


class CatalogResult(_kinds.OfCatalog):
    """Known GPUs, fabrics and models.

    rows(): a row for each entry; of one entry a row for each fact.

    accelerators
    fabrics
    models
    families
    multiprocessors
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    kind
    name
    note
    facts
    measurements
    prices
    """
    __slots__ = ()
    accelerators: list[Result]
    fabrics: list[Result]
    models: list[Result]
    families: list[Result]
    multiprocessors: list[Result]
    inputs: Result
    kind: str
    name: str
    note: str
    facts: list[Result]
    measurements: list[Result]
    prices: list[Result]


class ExplainResult(_kinds.OfExplain):
    """Why two answers differ.

    rows(): a row for each term of the step, then of the memory.

    summary: what the first lines of the text say
    step_time: a_s, b_s, difference_s, and terms: for each term the same three and share of the
        whole difference, the largest first; null where one of both has no time
    memory: stage_a, stage_b, peak_moment_a, peak_moment_b; figures (allocated, reserved,
        device) that both have; a_bytes, b_bytes, difference_bytes and terms likewise
    changed_inputs: input by its path, a and b, of two answers
    profile: where B is one: steps, device, kernels, kernels_elsewhere; terms with busy_s and,
        of it, shown_s; idle_s, unclassified_s, unclassified_kernels
    memory_trace: where B is a snapshot of memory: device, events, allocated_bytes,
        reserved_at_peak_bytes, reserved_bytes; functions that took what lived at the peak,
        other_functions_bytes beyond the first 100
    within_range: whether the measured step_time, allocated_memory, reserved_memory,
        device_memory lie in the ranges of A; null where A gives none, or B has none
    inputs: file, kind, refusal and profile (of the cluster, that an answer was made with) of a
        and b
    """
    __slots__ = ()
    summary: list[str]
    step_time: Result | None
    memory: Result | None
    changed_inputs: list[Result]
    profile: Result | None
    memory_trace: Result | None
    within_range: Result
    inputs: Result


class CollectiveResult(_kinds.OfCollective):
    """How long one collective takes on its own.

    rows(): one row.

    collective, message_bytes, gpus, nodes: what was asked; GPUs that NVLink joins are one node
    time_s, time_low_s, time_high_s: of the collective on its own, and between which it is
        measured in nine of ten sizes (--level)
    bus_bandwidth_bytes_per_s, algorithm_bandwidth_bytes_per_s: as nccl-tests define them
    algorithm, protocol: what NCCL takes; null of an all-to-all
    error_basis: on what the range rests: level, and of time the grade, runs and sources, as in
        plan --json
    inputs: how the request was understood, names and defaults resolved: itself a request with
        the same answer
    """
    __slots__ = ()
    collective: str
    message_bytes: float | None
    gpus: float | None
    nodes: float | None
    time_s: float | None
    time_low_s: float | None
    time_high_s: float | None
    bus_bandwidth_bytes_per_s: float | None
    algorithm_bandwidth_bytes_per_s: float | None
    algorithm: str | None
    protocol: str | None
    error_basis: Result | None
    inputs: Result


class PlanOptions(TypedDict, total=False):
    """Options of plan, by their long names."""
    gpus_per_node: Option
    nvlink_domain: Option
    fabric: Option
    latency: Option
    memory: Option
    slowest: Option
    host_memory: Option
    host_update: Option
    sample_size: Option
    storage: Option
    preprocessing: Option
    loader_workers: Option
    profile: Option
    task: Option
    sequence: Option
    sequence_length: Option
    seq: Option
    seq_length: Option
    encoder_sequence: Option
    encoder_sequence_length: Option
    batch: Option
    global_batch_size: Option
    gbs: Option
    precision: Option
    optimizer: Option
    gradients: Option
    gradient_dtype: Option
    zero: Option
    recompute: Option
    recompute_every: Option
    sequence_parallel: Option
    attention: Option
    dropout: Option
    schedule: Option
    layer_split: Option
    loss: Option
    weights: Option
    gradients_live: Option
    framework: Option
    data: Option
    dp: Option
    data_parallel: Option
    tensor: Option
    tp: Option
    tensor_parallel: Option
    pipeline: Option
    pp: Option
    pipeline_parallel: Option
    context: Option
    cp: Option
    context_parallel: Option
    expert: Option
    ep: Option
    expert_parallel: Option
    interleave: Option
    vpp: Option
    virtual_pipeline: Option
    micro_batch: Option
    micro_batch_size: Option
    mbs: Option
    reduce_dtype: Option
    replicated_logits: Option
    adam_moments: Option
    activation_storage: Option
    interleave_group: Option
    expert_imbalance: Option
    expert_capacity_factor: Option
    dispatcher: Option
    shared_expert_overlap: Option
    expert_fusion: Option
    latent_rotary_fusion: Option
    overlap_data: Option
    overlap_tensor: Option
    overlap_pipeline: Option
    overlap_expert: Option
    cuda_graphs: Option
    recompute_modules: Option
    fp8_recipe: Option
    gradient_accumulation_fusion: Option
    power_limit: Option
    adapter_rank: Option
    lora_rank: Option
    adapter_place: Option
    adapter_maps: Option
    base_weights: Option
    base_weights_block: Option
    double_quantization: Option
    trained_beside_adapters: Option
    reference_model: Option
    sequences_per_sample: Option
    offload: Option
    offload_activations: Option
    offloaded_activations: Option
    expert_tensor: Option
    etp: Option
    shard_group: Option
    context_exchange: Option
    group_order: Option
    cublas: Option
    transformer_engine: Option
    cuda_context: Option
    communicator: Option
    fragmentation: Option
    variable_lengths: Option
    update_temporary: Option
    zero_buckets: Option
    tokens: Option
    samples: Option
    epochs: Option
    price: Option
    reserved_price: Option
    spot_price: Option
    provider: Option
    term: Option
    reclaim: Option
    electricity: Option
    pue: Option
    grid: Option
    node_mtbf: Option
    checkpoint_bandwidth: Option
    restart: Option
    pool: Option
    pool_columns: Option
    pool_where: Option
    pool_bad_rows: Option
    arrivals: Option
    service: Option
    service_scv: Option
    gpus_per_job: Option
    pool_gpus: Option
    policy: Option
    by: Option
    deadline: Option
    budget: Option
    top: Option
    front: Flag
    what_if: Flag
    quick: Flag
    verbose: Flag
    risk: Option
    headroom: Option
    level: Option
    assert_: Option
    emit: Option


class FitOptions(TypedDict, total=False):
    """Options of fit, by their long names."""
    from_: Option
    gpus_per_node: Option
    nvlink_domain: Option
    fabric: Option
    latency: Option
    memory: Option
    slowest: Option
    host_memory: Option
    host_update: Option
    sample_size: Option
    storage: Option
    preprocessing: Option
    loader_workers: Option
    profile: Option
    task: Option
    sequence: Option
    sequence_length: Option
    seq: Option
    seq_length: Option
    encoder_sequence: Option
    encoder_sequence_length: Option
    batch: Option
    global_batch_size: Option
    gbs: Option
    precision: Option
    optimizer: Option
    gradients: Option
    gradient_dtype: Option
    zero: Option
    recompute: Option
    recompute_every: Option
    sequence_parallel: Option
    attention: Option
    dropout: Option
    schedule: Option
    layer_split: Option
    loss: Option
    weights: Option
    gradients_live: Option
    framework: Option
    data: Option
    dp: Option
    data_parallel: Option
    tensor: Option
    tp: Option
    tensor_parallel: Option
    pipeline: Option
    pp: Option
    pipeline_parallel: Option
    context: Option
    cp: Option
    context_parallel: Option
    expert: Option
    ep: Option
    expert_parallel: Option
    interleave: Option
    vpp: Option
    virtual_pipeline: Option
    micro_batch: Option
    micro_batch_size: Option
    mbs: Option
    reduce_dtype: Option
    replicated_logits: Option
    adam_moments: Option
    activation_storage: Option
    interleave_group: Option
    expert_imbalance: Option
    expert_capacity_factor: Option
    dispatcher: Option
    shared_expert_overlap: Option
    expert_fusion: Option
    latent_rotary_fusion: Option
    overlap_data: Option
    overlap_tensor: Option
    overlap_pipeline: Option
    overlap_expert: Option
    cuda_graphs: Option
    recompute_modules: Option
    fp8_recipe: Option
    gradient_accumulation_fusion: Option
    power_limit: Option
    adapter_rank: Option
    lora_rank: Option
    adapter_place: Option
    adapter_maps: Option
    base_weights: Option
    base_weights_block: Option
    double_quantization: Option
    trained_beside_adapters: Option
    reference_model: Option
    sequences_per_sample: Option
    offload: Option
    offload_activations: Option
    offloaded_activations: Option
    expert_tensor: Option
    etp: Option
    shard_group: Option
    context_exchange: Option
    group_order: Option
    cublas: Option
    transformer_engine: Option
    cuda_context: Option
    communicator: Option
    fragmentation: Option
    variable_lengths: Option
    update_temporary: Option
    zero_buckets: Option
    risk: Option
    headroom: Option
    level: Option
    assert_: Option
    emit: Option


class ModelOptions(TypedDict, total=False):
    """Options of model, by their long names."""
    sequence: Option
    sequence_length: Option
    seq: Option
    seq_length: Option
    encoder_sequence: Option
    encoder_sequence_length: Option
    assert_: Option


class EvaluateOptions(TypedDict, total=False):
    """Options of evaluate, by their long names."""
    profile: Option
    level: Option


class ScaleOptions(TypedDict, total=False):
    """Options of scale, by their long names."""
    gpus_per_node: Option
    nvlink_domain: Option
    fabric: Option
    latency: Option
    memory: Option
    slowest: Option
    host_memory: Option
    host_update: Option
    sample_size: Option
    storage: Option
    preprocessing: Option
    loader_workers: Option
    profile: Option
    task: Option
    sequence: Option
    sequence_length: Option
    seq: Option
    seq_length: Option
    encoder_sequence: Option
    encoder_sequence_length: Option
    precision: Option
    optimizer: Option
    gradients: Option
    gradient_dtype: Option
    zero: Option
    recompute: Option
    recompute_every: Option
    sequence_parallel: Option
    attention: Option
    dropout: Option
    schedule: Option
    layer_split: Option
    loss: Option
    weights: Option
    gradients_live: Option
    framework: Option
    data: Option
    dp: Option
    data_parallel: Option
    tensor: Option
    tp: Option
    tensor_parallel: Option
    pipeline: Option
    pp: Option
    pipeline_parallel: Option
    context: Option
    cp: Option
    context_parallel: Option
    expert: Option
    ep: Option
    expert_parallel: Option
    interleave: Option
    vpp: Option
    virtual_pipeline: Option
    micro_batch: Option
    micro_batch_size: Option
    mbs: Option
    reduce_dtype: Option
    replicated_logits: Option
    adam_moments: Option
    activation_storage: Option
    interleave_group: Option
    expert_imbalance: Option
    expert_capacity_factor: Option
    dispatcher: Option
    shared_expert_overlap: Option
    expert_fusion: Option
    latent_rotary_fusion: Option
    overlap_data: Option
    overlap_tensor: Option
    overlap_pipeline: Option
    overlap_expert: Option
    cuda_graphs: Option
    recompute_modules: Option
    fp8_recipe: Option
    gradient_accumulation_fusion: Option
    power_limit: Option
    adapter_rank: Option
    lora_rank: Option
    adapter_place: Option
    adapter_maps: Option
    base_weights: Option
    base_weights_block: Option
    double_quantization: Option
    trained_beside_adapters: Option
    reference_model: Option
    sequences_per_sample: Option
    offload: Option
    offload_activations: Option
    offloaded_activations: Option
    expert_tensor: Option
    etp: Option
    shard_group: Option
    context_exchange: Option
    group_order: Option
    fixed_batch: Option
    batch_per_gpu: Option
    cublas: Option
    transformer_engine: Option
    cuda_context: Option
    communicator: Option
    fragmentation: Option
    variable_lengths: Option
    update_temporary: Option
    zero_buckets: Option
    risk: Option
    headroom: Option
    level: Option
    assert_: Option


class QueueOptions(TypedDict, total=False):
    """Options of queue, by their long names."""
    arrivals: Option
    service: Option
    gpus_per_job: Option
    arrival_scv: Option
    service_scv: Option
    distribution: Option
    sacct: Option
    columns: Option
    where: Option
    bad_rows: Option
    gpus: Option
    target_mean_wait: Option
    target_p50: Option
    target_p90: Option
    target_p95: Option
    target_p99: Option
    target_wait_probability: Option
    what_if: Option
    policy: Option
    parallel_part: Option
    speed_up: Option
    round: Option
    restart_time: Option
    turn: Option
    switch_time: Option
    idle_share: Option
    sample: Option
    level: Option
    assert_: Option


class PlaceOptions(TypedDict, total=False):
    """Options of place, by their long names."""
    policy: Option
    order: Option
    leave: Flag
    wait: Option
    aims: Option
    weights: Option
    gamma: Option
    windows: Option
    locality: Option
    max_nodes: Option
    ties: Option
    seed: Option
    gang: Option
    migrations: Option
    improve: Option
    patience: Option
    ageing: Option
    match_weights: Option
    columns: Option
    node_columns: Option
    bad_rows: Option
    list: Flag
    matrix: Flag
    assert_: Option


class CalibrateOptions(TypedDict, total=False):
    """Options of calibrate, by their long names."""
    gpu: Option
    layout: Option
    ranks: Option
    nodes: Option
    force: Flag
    assert_: Option


class ExplainOptions(TypedDict, total=False):
    """Options of explain, by their long names."""
    stage: Option
    device: Option
    assert_: Option


class CollectiveOptions(TypedDict, total=False):
    """Options of collective, by their long names."""
    bytes: Option
    gpus_per_node: Option
    nvlink_domain: Option
    fabric: Option
    latency: Option
    level: Option
    assert_: Option
