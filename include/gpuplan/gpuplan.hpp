#pragma once
/// \file
/// Every header that needs the standard library alone, but for units/chrono.hpp.

#include <gpuplan/require.hpp>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/hockney.hpp>

#include <gpuplan/compute/training_flop.hpp>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/lookup.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/hardware/scale_up.hpp>

#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/model_states.hpp>

#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>

#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/run.hpp>

#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/quantity.hpp>
#include <gpuplan/units/units.hpp>
