#pragma once
/// \file
/// Answers as JSON: base units named at the end of each key (_bytes, _s, _flop, _per_s), counts
/// plain, and null where a value is unknown, infinite or not a number.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
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

/// A number as JSON can say it: whole where it is, null where it is infinite or not a number.
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

inline report_json json_of(const stage_footprint& stage) {
  report_json object{{"stage", stage.stage}};
  for (const stage_term& term : stage_terms)
    object[std::string(term.name) + "_bytes"] = json_number(term.of(stage));
  object["peak_moment"] = name_of(stage.peak_moment());
  object["states_bytes"] = json_number(stage.states.total());
  object["allocator_peak_bytes"] = json_number(stage.allocator_peak());
  object["total_bytes"] = json_number(stage.total());
  return object;
}

/// Every stage; none, and null, of a footprint that was not computed.
inline report_json json_of(const footprint& memory) {
  report_json stages = report_json::array();
  if (memory.model.layers == 0)
    return {{"worst_stage", nullptr}, {"worst_stage_bytes", nullptr}, {"stages", stages}};
  for (int i = 0; i < memory.stages(); ++i) stages.push_back(json_of(memory.stage(i)));
  const int worst = memory.worst();
  return {{"worst_stage", worst},
          {"worst_stage_bytes", stages[static_cast<std::size_t>(worst)]["total_bytes"]},
          {"stages", stages}};
}

/// The terms; their sum is the step's time.
inline report_json json_of(const step_time& step) {
  report_json object = report_json::object();
  for (const step_term term : step_terms)
    object[std::string(name_of(term)) + "_s"] = json_number(step[term]);
  return object;
}

inline report_json json_of(const reject& refusal) {
  if (!refusal) return nullptr;
  const std::string_view unit = refusal.reason == reject_reason::memory ? "_bytes" : "";
  return {{"reason", name_of(refusal.reason)},
          {"rule", describe(refusal.reason)},
          {"needed" + std::string(unit), json_number(refusal.needed)},
          {"available" + std::string(unit), json_number(refusal.available)}};
}

inline report_json json_of(const parallelism& cut) {
  return {{"data", cut.data},
          {"tensor", cut.tensor},
          {"pipeline", cut.pipeline},
          {"context", cut.context},
          {"expert", cut.expert},
          {"interleave", cut.interleave},
          {"micro_batch_size", cut.micro_batch_size},
          {"expert_tensor", cut.expert_tensor_ranks()},
          {"shard_group", cut.shards()}};
}

/// By names that recipe_names.hpp reads back; gradient_dtype as the precision resolves it.
inline report_json json_of(const recipe& how) {
  report_json split = report_json::array();
  for (int i = 0; i < how.split.stages(); ++i) split.push_back(how.split.layers(i));
  const number_format gradient = gradient_storage(how.gradient, how.precision);
  return {{"sequence_length", how.sequence_length},
          {"encoder_sequence_length", how.encoder_sequence_length},
          {"global_batch_size", how.global_batch_size},
          {"precision", spelled(precision_names, how.precision)},
          {"optimizer", spelled(optimizer_names, how.optimizer)},
          {"gradient_dtype", spelled(number_format_names, gradient)},
          {"zero", static_cast<int>(how.zero)},
          {"recompute", spelled(recompute_names, how.recompute)},
          {"recompute_every", how.recompute_every},
          {"sequence_parallel", how.sequence_parallel},
          {"attention", spelled(attention_names, how.attention)},
          {"dropout", how.dropout},
          {"schedule", spelled(schedule_names, how.schedule)},
          {"layer_split", split}};
}

inline report_json json_of(const interconnect& link) {
  return {{"latency_s", json_number(link.latency)},
          {"bandwidth_bytes_per_s", json_number(link.bandwidth)}};
}

/// fits, reason, binding, mfu, step_time_s, step_terms, memory and what follows from them.  Where
/// the layout breaks a rule, time and memory are null and `rejected` says which.
inline report_json json_of(const estimate& answer) {
  const bool costed = answer.costed();
  const auto known = [&](auto quantity) {
    return costed ? json_number(quantity) : report_json(nullptr);
  };
  report_json object{{"fits", answer.fits()}, {"reason", nullptr}, {"binding", nullptr}};
  if (answer.refusal) object["reason"] = name_of(answer.refusal.reason);
  if (costed) object["binding"] = name_of(answer.time.binding());
  object["rejected"] = json_of(answer.refusal);
  object["mfu"] = known(answer.model_flop_utilization());
  object["step_time_s"] = known(answer.time.total());
  object["step_terms"] = costed ? json_of(answer.time) : report_json(nullptr);
  object["tokens_per_step"] = known(answer.tokens_per_step);
  object["tokens_per_s"] = known(answer.throughput());
  object["model_flop"] = known(answer.model_flop);
  object["peak_flop_per_s"] = json_number(answer.peak);
  object["gpus_used"] = answer.gpus;
  object["memory"] = json_of(answer.memory);
  return object;
}

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

inline report_json json_of(const fact& one) {
  report_json object{{"field", one.field},
                     {"value", json_number(one.value)},
                     {"status", name_of(one.status)},
                     {"source", one.source}};
  if (!one.note.empty()) object["note"] = one.note;
  return object;
}

}  // namespace gpuplan
