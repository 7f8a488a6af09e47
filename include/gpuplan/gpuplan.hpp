#pragma once
/// \file
/// Every header that needs the standard library alone, but for units/chrono.hpp.

#include <gpuplan/lookup.hpp>
#include <gpuplan/require.hpp>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/group_link.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/lower_bound.hpp>
#include <gpuplan/comm/reduce.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>

#include <gpuplan/compute/training_flop.hpp>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_amd.hpp>
#include <gpuplan/hardware/catalog_fabric_facts.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>
#include <gpuplan/hardware/catalog_google.hpp>
#include <gpuplan/hardware/catalog_intel.hpp>
#include <gpuplan/hardware/catalog_nvidia.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/hardware/price.hpp>
#include <gpuplan/hardware/scale_up.hpp>

#include <gpuplan/memory/accumulation.hpp>
#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/breakdown.hpp>
#include <gpuplan/memory/checkpointing.hpp>
#include <gpuplan/memory/coarse.hpp>
#include <gpuplan/memory/end_activations.hpp>
#include <gpuplan/memory/ffn_activations.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/fragmentation.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/input_buffer.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/memory/sequential_batches.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/memory/trainable.hpp>
#include <gpuplan/memory/workspace.hpp>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>

#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_time.hpp>

#include <gpuplan/units/block_format.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/loss_scale.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/parse.hpp>
#include <gpuplan/units/parse_fault.hpp>
#include <gpuplan/units/quantity.hpp>
#include <gpuplan/units/unit_symbols.hpp>
#include <gpuplan/units/units.hpp>
