/// \file
/// Reading of what explain compares.

#include "explain/side.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <gpuplan/calibrate/formats/memory_snapshot.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_items.hpp>
#include <gpuplan/text/json_text.hpp>

#include "program.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::string_view allowed_bytes = "bytes from 0 to 1e18";
constexpr std::string_view allowed_seconds = "seconds from 0 to 1e15";
constexpr std::string_view allowed_step = "seconds from 1e-9 to 1e15";

bytes size_in(const json_fields& fields, std::string_view field) {
  return bytes{fields.number(field, 0, 1e18, allowed_bytes)};
}

seconds time_in(const json_fields& fields, std::string_view field) {
  return seconds{fields.number(field, 0, 1e15, allowed_seconds)};
}

/// The time of a whole step, which is never nothing.
seconds step_in(const json_fields& fields) {
  return seconds{fields.number("step_time_s", 1e-9, 1e15, allowed_step)};
}

std::optional<bytes> size_if_there(const json_fields& fields, std::string_view field) {
  if (!fields.has(field)) return std::nullopt;
  return size_in(fields, field);
}

/// The terms of a step and, where they do not make its time, what is left of it.
time_terms step_terms_of(const json_fields& terms, seconds total) {
  time_terms named;
  seconds sum{};
  const auto add = [&](std::string_view name, const std::string& field) {
    if (!terms.has(field)) return;
    named.push_back({std::string(name), time_in(terms, field)});
    sum += named.back().value;
  };
  for (const step_term term : step_terms)
    add(gpuplan::name_of(term), std::string(gpuplan::name_of(term)) + "_s");
  constexpr double rounding = 1e-9;
  const seconds rest = total - sum;
  if (rest > rounding * total || -rest > rounding * total) named.push_back({"rest", rest});
  return named;
}

/// A stage as its terms say, with what they say of it at its peak.
stage_footprint stage_of(const json_fields& fields) {
  stage_footprint stage;
  for (const stage_term& term : stage_terms)
    if (const auto size = size_if_there(fields, std::string(term.name) + "_bytes"))
      term.of(stage) = *size;
  // What the backward pass has yet to make of the gradients is in no term: it is what the terms at
  // the peak have more than the allocator holds then.
  const auto held = size_if_there(fields, "allocated_bytes");
  const std::string_view peak = fields.text_or("peak_moment", "");
  for (const moment when : moments) {
    if (gpuplan::name_of(when) != peak || !held) continue;
    const bytes more =
        when == moment::optimizer_step ? stage.states.gradients : stage.at(when) - *held;
    stage.gradients_to_come = std::clamp(more, bytes{0}, stage.states.gradients);
  }
  return stage;
}

side_memory memory_of(const json_fields& fields, int place) {
  side_memory memory{.stage = place,
                     .peak_moment = std::string(fields.text_or("peak_moment", "")),
                     .allocated = size_if_there(fields, "allocated_bytes"),
                     .reserved = size_if_there(fields, "reserved_bytes"),
                     .device = size_if_there(fields, "device_bytes")};
  const bytes total = size_in(fields, "total_bytes");
  const stage_footprint stage = stage_of(fields);
  bytes sum{};
  for (const stage_term& term : stage_terms) {
    memory.terms.push_back({std::string(term.name), share_of_total(stage, term)});
    sum += memory.terms.back().value;
  }
  // Bytes are rounded up, term by term and in sums.
  const bytes rounding = static_cast<double>(stage_terms.size() + 1) * units::byte;
  const bytes rest = total - sum;
  if (rest > rounding || -rest > rounding) memory.terms.push_back({"rest", rest});
  return memory;
}

/// The parts of a request that decide time and memory; of a plan those of the layout it chose.
nlohmann::json inputs_of(const nlohmann::json& answer) {
  nlohmann::json parts = nlohmann::json::object();
  constexpr std::array names{"model", "cluster", "recipe", "parallelism", "workspace"};
  const auto inputs = answer.find("inputs");
  for (const char* name : names) {
    if (answer.contains(name))
      parts[name] = answer[name];
    else if (inputs != answer.end() && inputs->is_object() && inputs->contains(name))
      parts[name] = (*inputs)[name];
  }
  if (const auto measured = answer.find("calibration");
      measured != answer.end() && measured->is_object() && measured->contains("profile"))
    parts["profile"] = (*measured)["profile"];
  return parts;
}

/// The ranges of an answer; older ones have none.
void take_ranges(side& read, const json_fields& answer) {
  if (!answer.has("error_basis") || !answer.has("step_time_low_s")) return;
  const double level =
      json_fields{answer.value().at("error_basis"), answer.where() + ": error_basis"}.number(
          "level", 0, 1, "a share from 0 to 1");
  read.step_range = {.low = time_in(answer, "step_time_low_s"),
                     .high = time_in(answer, "step_time_high_s"),
                     .level = level};
  const json_fields memory{answer.value().at("memory"), answer.where() + ": memory"};
  const auto range_of = [&](const std::string& figure) -> std::optional<said_range<bytes>> {
    if (!memory.has(figure + "_low_bytes")) return std::nullopt;
    return said_range<bytes>{.low = size_in(memory, figure + "_low_bytes"),
                             .high = size_in(memory, figure + "_high_bytes"),
                             .level = level};
  };
  read.allocated_range = range_of("allocated");
  read.reserved_range = range_of("reserved");
  read.device_range = range_of("device");
}

/// The profile that an answer was made with, and the rates that it has.
void take_profile(side& read, const nlohmann::json& answer) {
  const auto measured = answer.find("calibration");
  if (measured == answer.end() || !measured->is_object()) return;
  const json_fields fields{*measured, read.file + ": calibration"};
  read.measured_by = fields.text_or("profile", "");
  if (const nlohmann::json* constants = fields.array("constants")) read.measured_rates = *constants;
}

/// "tensor = 12 ...": why an answer is none, or does not fit.
std::string refusal_in(const json_fields& answer) {
  if (answer.flag_or("fits", true)) return {};
  std::string why{answer.text_or("reason", "it does not fit")};
  if (answer.has("rejected")) {
    const json_fields rejected{answer.value().at("rejected"), answer.where() + ": rejected"};
    why = rejected.text_or("rule", why);
  }
  return why;
}

side read_answer(const std::string& name, std::string_view text) {
  const nlohmann::json whole = parse_json(text, name);
  const json_fields answer{whole, name};
  if (answer.has("error")) {
    const nlohmann::json& error = whole.at("error");
    const bool is_said = error.is_object() && error.contains("what");
    answer.refuse("holds no answer: " + shown(is_said ? error["what"] : error));
  }
  const int schema = answer.integer("schema_version", 0);
  if (schema != report_schema_version)
    answer.refuse("has the schema " + std::to_string(schema) + "; this program reads " +
                  std::to_string(report_schema_version));
  if (!answer.names("step_time_s") || !answer.names("memory"))
    answer.refuse("has no step_time_s and memory; give an answer of evaluate, plan or fit");
  side read{.file = name, .refusal = refusal_in(answer), .inputs = inputs_of(whole)};
  take_profile(read, whole);
  if (answer.has("step_time_s")) {
    read.step = step_in(answer);
    if (!answer.has("step_terms")) answer.refuse("step_terms", "is missing");
    read.step_terms = step_terms_of({whole.at("step_terms"), name + ": step_terms"}, *read.step);
  }
  if (!answer.has("memory")) return read;
  take_ranges(read, answer);
  const json_fields memory{whole.at("memory"), name + ": memory"};
  if (const nlohmann::json* stages = memory.array("stages"))
    for (const nlohmann::json& stage : *stages) {
      const int place = static_cast<int>(read.stages.size());
      read.stages.push_back(
          memory_of({stage, name + ": memory.stages[" + std::to_string(place) + "]"}, place));
    }
  read.fullest = static_cast<std::size_t>(memory.integer_or("worst_stage", 0, 0));
  if (read.fullest >= (std::max)(read.stages.size(), std::size_t{1}))
    memory.refuse("worst_stage", "must be one of the stages");
  return read;
}

side read_profile(const std::string& name, std::string_view text, const side_hint& hint) {
  side read{.file = name, .kind = side_kind::profile};
  read.profile = read_torch_profile(text, name, {.layout = hint.layout, .device = hint.device});
  read.step = read.profile->time;
  for (const step_term term : step_terms)
    if (const auto shown = profiled_as(term))
      read.step_terms.push_back({std::string(gpuplan::name_of(*shown)), (*read.profile)[term]});
  read.step_terms.push_back({"idle", read.profile->idle});
  read.step_terms.push_back({"unclassified", read.profile->unclassified});
  return read;
}

side read_memory_trace(const std::string& name, std::string_view text, const side_hint& hint) {
  side read{.file = name, .kind = side_kind::memory_trace};
  read.peak = read_torch_memory_trace(text, name, hint.device);
  read.stages.push_back({.allocated = read.peak->allocated, .reserved = read.peak->reserved});
  return read;
}

side read_memory_statistics(const std::string& name, std::string_view text) {
  const memory_snapshot memory = read_memory_snapshot(text, name);
  side read{.file = name, .kind = side_kind::memory_statistics};
  read.stages.push_back({.allocated = memory.allocated.peak});
  if (memory.reserved.peak > bytes{0}) read.stages[0].reserved = memory.reserved.peak;
  return read;
}

/// A size that has several names, of which one may be given.
std::optional<bytes> size_by_names(const json_fields& fields,
                                   std::initializer_list<const char*> names) {
  const char* used = nullptr;
  for (const char* name : names) {
    if (!fields.has(name)) continue;
    if (used != nullptr)
      fields.refuse(name, "is " + std::string(used) + " by another name; give one of them");
    used = name;
  }
  return used != nullptr ? size_if_there(fields, used) : std::nullopt;
}

/// {"step_time_s": 2.9, "allocated_bytes": 5e10}, by the keys of an answer's figures too.
side read_measurement(const std::string& name, std::string_view text) {
  const nlohmann::json whole = parse_json(text, name);
  const json_fields fields{whole, name};
  struct known_field {
    std::string_view name;
  };
  constexpr std::array known{known_field{"step_time_s"},     known_field{"peak_memory_bytes"},
                             known_field{"allocated_bytes"}, known_field{"max_allocated_bytes"},
                             known_field{"reserved_bytes"},  known_field{"max_reserved_bytes"},
                             known_field{"device_bytes"}};
  fields.refuse_unknown(known);
  side read{.file = name, .kind = side_kind::measurement};
  if (fields.has("step_time_s")) read.step = step_in(fields);
  side_memory memory{.reserved = size_by_names(fields, {"reserved_bytes", "max_reserved_bytes"}),
                     .device = size_if_there(fields, "device_bytes")};
  memory.allocated =
      size_by_names(fields, {"allocated_bytes", "max_allocated_bytes", "peak_memory_bytes"});
  if (memory.allocated || memory.reserved || memory.device) read.stages.push_back(memory);
  if (!read.step && read.stages.empty()) fields.refuse("measures nothing");
  return read;
}

/// A field of the outermost object that tells what a file is.
struct telling_field {
  std::string_view field;
  side_kind kind;
};

constexpr std::array telling_fields{
    telling_field{"schema_version", side_kind::answer},
    telling_field{"error", side_kind::answer},
    telling_field{"traceEvents", side_kind::profile},
    telling_field{"segments", side_kind::memory_trace},
    telling_field{"device_traces", side_kind::memory_trace},
    telling_field{"allocated_bytes.all.peak", side_kind::memory_statistics},
    telling_field{"peak_memory_bytes", side_kind::measurement},
    telling_field{"step_time_s", side_kind::measurement},
    telling_field{"allocated_bytes", side_kind::measurement},
    telling_field{"max_allocated_bytes", side_kind::measurement},
    telling_field{"max_reserved_bytes", side_kind::measurement},
    telling_field{"reserved_bytes", side_kind::measurement},
    telling_field{"device_bytes", side_kind::measurement}};

std::optional<side_kind> told_by(std::string_view field) {
  for (const telling_field& row : telling_fields)
    if (row.field == field) return row.kind;
  return std::nullopt;
}

/// Of a bare list, by the first of its objects: events of a trace have a phase.
side_kind kind_of_list(std::string_view text) {
  const std::string_view begin = text.substr(0, 1 << 12);
  return begin.find("\"ph\"") != begin.npos ? side_kind::profile : side_kind::memory_trace;
}

side_kind kind_of(const std::string& name, std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == text.npos) throw bad_usage{name + ": is empty"};
  if (text[begin] == '[') return kind_of_list(text);
  if (text.find("PyTorch CUDA memory summary") != text.npos && text[begin] != '{')
    return side_kind::memory_statistics;
  if (text[begin] != '{')
    throw bad_usage{name + ": is not JSON; give an answer of gpuplan, a profile or a snapshot"};
  const std::vector<std::string> fields =
      outer_json_fields(text, [](std::string_view field) { return told_by(field).has_value(); });
  if (const auto kind = fields.empty() ? std::nullopt : told_by(fields.back())) return *kind;
  if (fields.empty() || text.find('}') == text.npos) static_cast<void>(parse_json(text, name));
  throw bad_usage{name +
                  ": is JSON of an unknown kind: neither an answer of gpuplan, a profile or "
                  "memory of PyTorch, nor a measurement with step_time_s or allocated_bytes"};
}

}  // namespace

std::string_view name_of(side_kind kind) {
  switch (kind) {
    case side_kind::answer: return "answer";
    case side_kind::profile: return "profile";
    case side_kind::memory_trace: return "memory_trace";
    case side_kind::memory_statistics: return "memory_statistics";
    case side_kind::measurement: return "measurement";
  }
  return "unknown";
}

std::optional<profiled_layout> layout_of(const side& answer) {
  const auto parts = answer.inputs.find("parallelism");
  if (parts == answer.inputs.end()) return std::nullopt;
  const json_fields fields{*parts, answer.file + ": parallelism"};
  profiled_layout layout;
  layout.cut = {.data = fields.integer_or("data", 1),
                .tensor = fields.integer_or("tensor", 1),
                .pipeline = fields.integer_or("pipeline", 1),
                .context = fields.integer_or("context", 1),
                .expert = fields.integer_or("expert", 1),
                .shard_group = fields.integer_or("shard_group", 0, 0)};
  const auto recipe = answer.inputs.find("recipe");
  if (recipe == answer.inputs.end()) return layout;
  const int zero = json_fields{*recipe, answer.file + ": recipe"}.integer_or("zero", 0, 0);
  if (zero == static_cast<int>(zero_stage::parameters)) layout.zero = zero_stage::parameters;
  return layout;
}

side read_side(const std::string& path, const side_hint& hint) {
  const std::string name = name_of_table(path);
  const std::string text = text_or_pickle(path);
  switch (kind_of(name, text)) {
    case side_kind::answer: return read_answer(name, text);
    case side_kind::profile: return read_profile(name, text, hint);
    case side_kind::memory_trace: return read_memory_trace(name, text, hint);
    case side_kind::memory_statistics: return read_memory_statistics(name, text);
    case side_kind::measurement: return read_measurement(name, text);
  }
  return {};
}

}  // namespace gpuplan::cli
