#pragma once
/// \file
/// What the error of an answer depends on.

#include <array>
#include <cstdint>
#include <string_view>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// A predicted quantity whose errors were measured.
enum class prediction {
  step,              ///< seconds of one optimizer step
  allocated_memory,  ///< torch.cuda.max_memory_allocated
  reserved_memory,   ///< torch.cuda.max_memory_reserved
  device_memory,     ///< what nvidia-smi shows
  collective,        ///< of one collective alone
  wait               ///< mean wait of gangs that come at random, in order of arrival
};

/// What is trained.
enum class trained_kind {
  dense,          ///< every weight of a model whose layers are alike
  adapters,       ///< adapters beside frozen weights
  mixture,        ///< a mixture of experts
  encoder,        ///< a model with an encoder
  recurrent,      ///< layers with a state in place of keys and values; no such run was measured
  unmeasured,     ///< other layers of which no run was measured, as has_unmeasured_layers says
  with_reference  ///< whatever is trained beside a reference model; no such run was measured
};

/// Every kind, in the order of the enumeration.
inline constexpr std::array trained_kinds{trained_kind::dense,         trained_kind::adapters,
                                          trained_kind::mixture,       trained_kind::encoder,
                                          trained_kind::recurrent,     trained_kind::unmeasured,
                                          trained_kind::with_reference};

/// How much of a step its GPUs wait for kernel launches: the more, the larger the errors are, as
/// benchmarks/accuracy shows.
enum class launch_part {
  little,  ///< up to host_bound_share of the step
  some,    ///< up to most_launches
  most     ///< above it
};

/// A step in whose time kernel launches take a larger share than this is bound by its host.
inline constexpr double host_bound_share = 0.1;

/// Above this share of a step, launches decide its time.  With Transformer Engine, dense steps
/// below a quarter take up to 2.5 times what is predicted in nine of ten runs, those above up to 18
/// times; at 0.3, half the range of dense steps is 20.5 % in the median, and tests hold 20 %.
inline constexpr double most_launches = 0.25;

/// The part that launches are of a step, by their share of its time.
constexpr launch_part launch_part_of(double share) {
  return share > most_launches      ? launch_part::most
         : share > host_bound_share ? launch_part::some
                                    : launch_part::little;
}

/// The GPUs of most nodes: up to so many, no message need leave one.
inline constexpr std::int64_t gpus_of_small_jobs = 8;

/// What the error of an answer depends on.  Memory depends on neither the host nor the device.
struct error_class {
  prediction of = prediction::step;
  trained_kind kind = trained_kind::dense;
  framework software = framework::transformer_engine;
  launch_part launches = launch_part::little;
  bool many_gpus = false;  ///< more than gpus_of_small_jobs GPUs
  std::int64_t gpus = 0;   ///< 0: not said
  operator_origin device = operator_origin::measured;
  bool beyond_runs = false;  ///< the recipe has what no timed run had, as is_beyond_runs says

  friend constexpr bool operator==(const error_class&, const error_class&) = default;
};

/// A name for programs: "step".
constexpr std::string_view name_of(prediction of) {
  switch (of) {
    case prediction::step: return "step";
    case prediction::allocated_memory: return "allocated_memory";
    case prediction::reserved_memory: return "reserved_memory";
    case prediction::device_memory: return "device_memory";
    case prediction::collective: return "collective";
    case prediction::wait: return "wait";
  }
  return "unknown";
}

/// A name for programs: "mixture".
constexpr std::string_view name_of(trained_kind kind) {
  switch (kind) {
    case trained_kind::dense: return "dense";
    case trained_kind::adapters: return "adapters";
    case trained_kind::mixture: return "mixture";
    case trained_kind::encoder: return "encoder";
    case trained_kind::recurrent: return "recurrent";
    case trained_kind::unmeasured: return "unmeasured";
    case trained_kind::with_reference: return "with_reference";
  }
  return "unknown";
}

/// A name for programs: "some".
constexpr std::string_view name_of(launch_part launches) {
  switch (launches) {
    case launch_part::little: return "little";
    case launch_part::some: return "some";
    case launch_part::most: return "most";
  }
  return "unknown";
}

/// Whether layers have what no measured run had, and no mixer: an index of tokens, windowed heads
/// of their own, values narrower or wider than keys, experts on a narrower state, an activation
/// function that learns, windows that look both ways.
constexpr bool has_unmeasured_layers(const transformer& m) {
  return m.sparse.heads > 0 || has_two_head_sizes(m) || m.value_dim > 0 || m.keys_as_values ||
         m.moe.latent_size > 0 || m.activation_values > 0 ||
         (m.mask == attention_mask::full && m.windowed_layers() > 0);
}

/// What a recipe trains of a model: a reference model beside it first, then recurrent mixers, then
/// other layers that were not measured, then adapters, then a mixture, then an encoder.
constexpr trained_kind trained_kind_of(const transformer& m, const recipe& how) {
  if (how.runs_reference()) return trained_kind::with_reference;
  if (m.recurrent.layers > 0) return trained_kind::recurrent;
  if (has_unmeasured_layers(m)) return trained_kind::unmeasured;
  if (how.adapts()) return trained_kind::adapters;
  if (m.moe_layers() > 0) return trained_kind::mixture;
  return m.encoder_layers > 0 ? trained_kind::encoder : trained_kind::dense;
}

/// Whether steps were timed on the device, or on one of its kind.
constexpr bool has_timed_steps(operator_origin device) {
  return device == operator_origin::measured || device == operator_origin::relative;
}

}  // namespace gpuplan
