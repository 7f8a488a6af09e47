#pragma once
/// \file
/// Answers as JSON: base units named at the end of each key (_bytes, _s, _flop, _per_s), counts
/// plain, and null where a value is unknown, infinite or not a number.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Keys keep the order in which they are written.
using report_json = nlohmann::ordered_json;

/// What a program should check before it reads on; changes when a key changes its meaning.
inline constexpr int report_schema_version = 1;

/// A number in JSON: an integer if it is whole, null if it is infinite or not a number.
inline report_json json_number(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (std::abs(x) < 0x1p53 && x == std::trunc(x)) return static_cast<std::int64_t>(x);
  return x;
}

/// A quantity in its base unit.
template <dimension D>
report_json json_number(quantity<D, double> q) {
  return json_number(q.in_base_units());
}

/// Bytes are whole: a share of what ZeRO divides is rounded up, so that a sum may be less than its
/// terms by a byte for each of them, and what fits still does.
inline report_json json_number(bytes size) {
  return json_number(std::ceil(size.in_base_units()));
}

/// An object written field by field, in order; each key once.
class json_object {
 public:
  explicit json_object(std::size_t fields) { fields_.reserve(fields); }

  json_object& add(std::string_view key, report_json value) {
    fields_.base::emplace_back(std::string(key), std::move(value));
    return *this;
  }
  /// All fields of another object.
  json_object& add(report_json&& other) {
    for (auto& [key, value] : other.get_ref<report_json::object_t&>()) add(key, std::move(value));
    return *this;
  }
  [[nodiscard]] report_json take() { return report_json(std::move(fields_)); }

 private:
  using base = report_json::object_t::Container;  // whose fields are not looked up first
  report_json::object_t fields_;
};

/// The memory of a stage: each term, the sums, and the moment of its peak.
inline report_json json_of(const stage_footprint& stage) {
  json_object object{stage_terms.size() + 5};
  object.add("stage", stage.stage);
  for (const stage_term& term : stage_terms)
    object.add(std::string(term.name) + "_bytes", json_number(term.of(stage)));
  return object.add("peak_moment", name_of(stage.peak_moment()))
      .add("states_bytes", json_number(stage.states.total()))
      .add("allocator_peak_bytes", json_number(stage.allocator_peak()))
      .add("total_bytes", json_number(stage.total()))
      .take();
}

/// Every stage; none, and null, of a footprint that was not computed.
inline report_json json_of(const footprint& memory) {
  const bool known = memory.model.layers > 0;
  json_object object{3};
  object.add("worst_stage", nullptr).add("worst_stage_bytes", nullptr);
  report_json stages = report_json::array();
  for (int i = 0; known && i < memory.stages(); ++i) stages.push_back(json_of(memory.stage(i)));
  report_json answer = object.add("stages", std::move(stages)).take();
  if (!known) return answer;
  const stage_footprint worst = memory.worst_stage();
  answer["worst_stage"] = worst.stage;
  answer["worst_stage_bytes"] = json_number(worst.total());
  return answer;
}

/// The terms of a step, which add up to its time.
inline report_json json_of(const step_time& step) {
  json_object object{step_terms.size()};
  for (const step_term term : step_terms)
    object.add(std::string(name_of(term)) + "_s", json_number(step[term]));
  return object.take();
}

/// A refusal, or null if there is none.
inline report_json json_of(const reject& refusal) {
  if (!refusal) return nullptr;
  const std::string unit = refusal.in_bytes() ? "_bytes" : "";
  const auto number = [&](double x) {
    return refusal.in_bytes() ? json_number(bytes{x}) : json_number(x);
  };
  return json_object{4}
      .add("reason", name_of(refusal.reason))
      .add("rule", describe(refusal.reason))
      .add("needed" + unit, number(refusal.needed))
      .add("available" + unit, number(refusal.available))
      .take();
}

/// A layout: the ranks along each dimension, and its other choices.
inline report_json json_of(const parallelism& cut) {
  return json_object{11}
      .add("data", cut.data)
      .add("tensor", cut.tensor)
      .add("pipeline", cut.pipeline)
      .add("context", cut.context)
      .add("expert", cut.expert)
      .add("interleave", cut.interleave)
      .add("micro_batch_size", cut.micro_batch_size)
      .add("expert_tensor", cut.expert_tensor_ranks())
      .add("shard_group", cut.shards())
      .add("context_exchange", spelled(exchange_names, cut.exchange))
      .add("group_order", spelled(order_names, cut.order))
      .take();
}

/// By names that recipe_names.hpp reads back; gradient_dtype as the precision resolves it.
inline report_json json_of(const recipe& how) {
  report_json split = report_json::array();
  for (int i = 0; i < how.split.stages(); ++i) split.push_back(how.split.layers(i));
  const number_format gradient = gradient_storage(how.gradient, how.precision);
  return json_object{26}
      .add("sequence_length", how.sequence_length)
      .add("encoder_sequence_length", how.encoder_sequence_length)
      .add("global_batch_size", how.global_batch_size)
      .add("precision", spelled(precision_names, how.precision))
      .add("optimizer", spelled(optimizer_names, how.optimizer))
      .add("gradient_dtype", spelled(number_format_names, gradient))
      .add("zero", static_cast<int>(how.zero))
      .add("recompute", spelled(recompute_names, how.recompute))
      .add("recompute_every", how.recompute_every)
      .add("sequence_parallel", how.sequence_parallel)
      .add("attention", spelled(attention_names, how.attention))
      .add("dropout", how.dropout)
      .add("schedule", spelled(schedule_names, how.schedule))
      .add("layer_split", std::move(split))
      .add("loss", spelled(loss_names, how.loss))
      .add("weights", spelled(weight_storage_names, how.weights))
      .add("gradients_live", spelled(gradient_lifetime_names, how.gradients_live))
      .add("framework", spelled(framework_names, how.framework))
      .add("interleave_group", how.interleave_group)
      .add("expert_imbalance", how.expert_imbalance)
      .add("expert_dispatch", spelled(dispatch_names, how.dispatch))
      .add("expert_messages", spelled(expert_message_names, how.messages))
      .add("adapter_rank", how.adapters.rank)
      .add("adapter_place", spelled(adapter_place_names, how.adapters.place))
      .add("offload", spelled(offload_names, how.offload))
      .add("offloaded_activations", how.offloaded_activations)
      .take();
}

/// What is kept beside the model; the kernels' choices are not among it.
inline report_json json_of(const workspace& beside) {
  return json_object{6}
      .add("cublas_bytes", json_number(beside.cublas))
      .add("transformer_engine_bytes", json_number(beside.transformer_engine))
      .add("cuda_context_bytes", json_number(beside.cuda_context))
      .add("communicator_bytes", json_number(beside.communicator))
      .add("fragmentation", json_number(beside.fragmentation))
      .add("update_temporary_bytes", json_number(beside.update_temporary))
      .take();
}

/// A link: latency_s and bandwidth_bytes_per_s.
inline report_json json_of(const interconnect& link) {
  return {{"latency_s", json_number(link.latency)},
          {"bandwidth_bytes_per_s", json_number(link.bandwidth)}};
}

/// fits, reason, binding, mfu, step_time_s, step_terms, memory and what follows from them.  Where
/// the layout breaks a rule, time and memory are null and `rejected` says which.
inline report_json json_of(const estimate& answer) {
  const bool costed = answer.costed();
  const auto known = [&](report_json value) { return costed ? std::move(value) : report_json(); };
  return json_object{13}
      .add("fits", answer.fits())
      .add("reason",
           answer.refusal ? report_json(name_of(answer.refusal.reason)) : report_json(nullptr))
      .add("binding", known(name_of(answer.time.binding())))
      .add("rejected", json_of(answer.refusal))
      .add("mfu", known(json_number(answer.model_flop_utilization())))
      .add("step_time_s", known(json_number(answer.time.total())))
      .add("step_terms", known(json_of(answer.time)))
      .add("tokens_per_step", known(json_number(answer.tokens_per_step)))
      .add("tokens_per_s", known(json_number(answer.throughput())))
      .add("model_flop", known(json_number(answer.model_flop)))
      .add("peak_flop_per_s", json_number(answer.peak))
      .add("gpus_used", answer.gpus)
      .add("memory", json_of(answer.memory))
      .take();
}

/// Steps, time, cost and energy of a run without failures.
inline report_json json_of(const run_estimate& run) {
  return {{"steps", json_number(run.steps)},
          {"time_s", json_number(run.time)},
          {"gpu_time_s", json_number(run.gpu_time)},
          {"gpu_cost_dollars", json_number(run.gpu_cost)},
          {"energy_joules", json_number(run.energy)},
          {"energy_cost_dollars", json_number(run.energy_cost)},
          {"cost_dollars", json_number(run.cost())}};
}

/// "verified", "derived" or "recalled".
constexpr std::string_view name_of(fact_status status) {
  switch (status) {
    case fact_status::verified: return "verified";
    case fact_status::derived: return "derived";
    case fact_status::recalled: return "recalled";
  }
  return "unknown";
}

/// A number of the catalog with its source.
inline report_json json_of(const fact& one) {
  report_json object{{"field", one.field},
                     {"value", json_number(one.value)},
                     {"status", name_of(one.status)},
                     {"source", one.source}};
  if (!one.note.empty()) object["note"] = one.note;
  return object;
}

}  // namespace gpuplan
