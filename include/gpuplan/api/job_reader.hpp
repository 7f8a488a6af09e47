#pragma once
/// \file
/// Reads a request in JSON: model, cluster, recipe, layout, workspace.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/api/cluster_reader.hpp>
#include <gpuplan/api/field_reader.hpp>
#include <gpuplan/api/idle_choice.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/api/model_reader.hpp>
#include <gpuplan/api/power_limit.hpp>
#include <gpuplan/api/refusal.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/job_defaults.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {

/// The most kinds of GPU in one pool.
inline constexpr std::size_t most_kinds = 16;

namespace detail {

inline constexpr auto request_fields =
    std::to_array<named<int>>({{"model"}, {"cluster"}, {"recipe"}, {"parallelism"}, {"workspace"}});
/// What plan says in `inputs` beside the request: of the search and of the run, not of the job.
inline constexpr std::array<const char*, 5> plan_fields{"run", "searched", "by", "deadline_s",
                                                        "budget_dollars"};

/// The fields of an object within the request; none of one that is absent.
inline json_fields part_of(const json_fields& request, const char* name) {
  static const nlohmann::json empty = nlohmann::json::object();
  const nlohmann::json* found = find(request, name);
  return {found != nullptr ? *found : empty, name};
}

/// A model by its name in the catalogue, or by its description.
/// \throws invalid_input
inline transformer read_model(const json_fields& request) {
  const nlohmann::json* model = find(request, "model");
  if (model == nullptr) request.refuse("model", "is missing");
  if (!model->is_string()) return model_from_json(*model, "model");
  const std::string_view name = bounded_name(model->get_ref<const std::string&>());
  const transformer* known = catalog::find_model(name);
  if (known == nullptr)
    throw invalid_input{
        "model must be a name of the catalogue, a config.json object or the "
        "library's own fields, not " +
        shown(*model) + hint_of_model(name)};
  return *known;
}

/// The pool of a cluster, whose defaults it sets; what refuses it begins with `where`, "cluster[1]"
/// of the second of a list.
/// \throws invalid_input
inline cluster resolved_pool(cluster_request& asked, const std::string& where) {
  try {
    return cluster_of(asked);
  } catch (const invalid_input& refused) {
    constexpr std::string_view alone = "cluster: ";
    const std::string why = refused.what();
    if (!why.starts_with(alone)) throw;
    throw invalid_input{where + ": " + why.substr(alone.size())};
  }
}

/// A cluster, or a list of them that are one pool: the first in `asked`, the others beside it.
/// \throws invalid_input
inline void read_pool(job& asked, const json_fields& request, const measured_cluster& measured) {
  const auto resolve = [&](const json_fields& fields) {
    pool_part part{.asked = read_cluster(fields)};
    part.asked.measured = measured;
    if (part.asked.gpus == 0) part.asked.gpus = static_cast<int>(asked.parallelism.gpus());
    part.pool = resolved_pool(part.asked, fields.where());
    return part;
  };
  const nlohmann::json* found = find(request, "cluster");
  std::vector<pool_part> parts;
  if (found != nullptr && found->is_array()) {
    if (found->empty() || found->size() > most_kinds)
      request.refuse("cluster", "must be a cluster, or a list of 1 to " +
                                    std::to_string(most_kinds) + " of them");
    if (!measured.file.empty())
      request.refuse("cluster", "must be one cluster beside --profile, which is of one");
    for (const nlohmann::json& one : *found) {
      const json_fields fields{one, "cluster[" + std::to_string(parts.size()) + "]"};
      if (!fields.has("gpus")) fields.refuse("gpus", "is missing, as of each of a list");
      parts.push_back(resolve(fields));
    }
  } else {
    parts.push_back(resolve(part_of(request, "cluster")));
  }
  asked.asked = parts.front().asked;
  asked.pool = parts.front().pool;
  asked.others.assign(parts.begin() + 1, parts.end());
}

/// A recipe for a layout of a model.
/// \throws invalid_input
inline recipe read_recipe(const json_fields& fields, const parallelism& cut,
                          const transformer& model, precision usual) {
  recipe how{.sequence_length = default_sequence(model), .precision = usual};
  read_fields(fields, recipe_fields, how);
  if (!fields.has("global_batch_size")) how.global_batch_size = filling_batch(cut);
  if (fields.has("schedule") && same_name(fields.text("schedule"), "interleaved") &&
      cut.interleave < 2)
    fields.refuse("schedule", "'interleaved' needs a parallelism.interleave of 2 or more");
  return how;
}

/// What an object says of `beside`; the rest stays as it is.
/// \throws invalid_input
template <class Rows, class Owner>
Owner read_over(const json_fields& fields, const Rows& rows, Owner beside) {
  read_fields(fields, rows, beside);
  return beside;
}

/// The job of a request.
/// \throws invalid_input
inline job job_of(nlohmann::json request, const measured_cluster& measured) {
  if (request.is_object() && request.contains("searched"))
    for (const char* key : plan_fields) request.erase(key);
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);

  job asked;
  asked.model = read_model(fields);
  asked.parallelism = read_over(part_of(fields, "parallelism"), parallelism_fields, parallelism{});
  require_countable(asked.parallelism, asked.model);
  read_pool(asked, fields, measured);
  asked.recipe = read_recipe(part_of(fields, "recipe"), asked.parallelism, asked.model,
                             default_precision_of(asked));
  const json_fields beside = part_of(fields, "workspace");
  const workspace listed = workspace_of(asked.pool.gpu(), asked.recipe.framework);
  asked.listed_workspace = read_over(beside, workspace_fields, listed);
  asked.workspace = read_over(beside, workspace_fields, calibrated(listed, measured.profile));
  asked.model_echo = std::move(request["model"]);
  require_effects(asked, recompute_choice::fixed, choice_name::field);
  require_power_limit(asked, choice_name::field);
  return asked;
}

}  // namespace detail

/// Reads a request: {"model": ..., "cluster": ..., "recipe": ..., "parallelism": ...,
/// "workspace": ...}, of which all but the model may be absent.
///
///     request   as docs/json.md describes it; what job_writer.hpp writes is one
///     measured  what is known of the cluster beside datasheets; nothing unless given
///
/// Absent fields take defaults, unknown ones are refused.
///
/// \throws invalid_request of one line, which says where: a field that is unknown or not allowed, a
///         name of no catalogue, a layout of too many ranks, a choice that has no effect, or a
///         power limit that no GPU can be set to
inline job read_job(nlohmann::json request, const measured_cluster& measured = {}) {
  try {
    return detail::job_of(std::move(request), measured);
  } catch (const invalid_input& refused) {
    throw invalid_request{refused.what()};
  }
}

/// Likewise of a text, which must be JSON.
/// \throws invalid_request
inline job parse_job(std::string_view text, const measured_cluster& measured = {}) {
  try {
    return detail::job_of(parse_json(text, "request"), measured);
  } catch (const invalid_input& refused) {
    throw invalid_request{refused.what()};
  }
}

}  // namespace gpuplan::api
