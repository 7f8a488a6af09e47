/// \file
/// Requests as JSON.

#include "request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/text/json_fields.hpp>

#include "cluster_fields.hpp"
#include "field_json.hpp"
#include "idle_choice.hpp"
#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

constexpr auto request_fields =
    std::to_array<named<int>>({{"model"}, {"cluster"}, {"recipe"}, {"parallelism"}, {"workspace"}});
/// What plan says in `inputs` beside the request: of the search and of the run, not of the job.
constexpr std::array<const char*, 5> plan_fields{"run", "searched", "by", "deadline_s",
                                                 "budget_dollars"};
constexpr auto link_fields = std::to_array<named<int>>({{"latency_s"}, {"bandwidth_bytes_per_s"}});

cluster_request read_cluster(const json_fields& fields) {
  cluster_request asked;
  read_fields(fields, cluster_fields, asked);
  asked.gpu = fields.text_or("gpu", default_gpu);
  const nlohmann::json* fabric = find(fields, "fabric");
  if (fabric == nullptr) return asked;
  if (fabric->is_string()) {
    asked.fabric = fabric->get_ref<const std::string&>();
    return asked;
  }
  const json_fields link{*fabric, fields.where() + ": fabric"};
  link.refuse_unknown(link_fields);
  asked.fabric.clear();
  asked.link = {.latency = number_of(link, "latency_s", 0, 1e3) * units::second,
                .bandwidth = number_of(link, "bandwidth_bytes_per_s", 1, 1e18) *
                             (units::byte / units::second)};
  return asked;
}

recipe read_recipe(const json_fields& fields, const parallelism& cut, const transformer& model,
                   precision usual) {
  recipe how{.sequence_length = default_sequence(model), .precision = usual};
  read_fields(fields, recipe_fields, how);
  if (!fields.has("global_batch_size")) how.global_batch_size = filling_batch(cut);
  if (fields.has("schedule") && same_name(fields.text("schedule"), "interleaved") &&
      cut.interleave < 2)
    fields.refuse("schedule", "'interleaved' needs a parallelism.interleave of 2 or more");
  return how;
}

constexpr std::size_t most_kinds = 16;

/// A cluster, or a list of them that are one pool: the first in `asked`, the others beside it.
void read_pool(job& asked, const json_fields& request, const measured_cluster& measured) {
  const auto resolve = [&](const json_fields& fields) {
    pool_part part{.asked = read_cluster(fields)};
    part.asked.measured = measured;
    if (part.asked.gpus == 0) part.asked.gpus = static_cast<int>(asked.parallelism.gpus());
    part.pool = cluster_of(part.asked);
    return part;
  };
  static const nlohmann::json empty = nlohmann::json::object();
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
    parts.push_back(resolve(json_fields{found != nullptr ? *found : empty, "cluster"}));
  }
  asked.asked = parts.front().asked;
  asked.pool = parts.front().pool;
  asked.others.assign(parts.begin() + 1, parts.end());
}

/// The precision that every GPU of a pool multiplies, as default_precision has it of each.
precision default_precision_of(const job& asked) {
  precision common = default_precision(asked.pool.gpu());
  for (const pool_part& part : asked.others)
    common = (std::min)(common, default_precision(part.pool.gpu()));
  return common;
}

/// What an object says of `beside`; the rest stays as it is.
template <class Rows, class Owner>
Owner read_over(const json_fields& fields, const Rows& rows, Owner beside) {
  read_fields(fields, rows, beside);
  return beside;
}

/// a x b x ..., refused above most_ranks.
std::int64_t bounded_product(std::initializer_list<int> factors, const char* what) {
  std::int64_t product = 1;
  for (const int factor : factors) {
    product *= factor;
    if (product > most_ranks)
      throw invalid_input{std::string(what) + " must be <= " + std::to_string(most_ranks)};
  }
  return product;
}

}  // namespace

void require_countable(const parallelism& cut, const transformer& m) {
  bounded_product({cut.data, cut.tensor, cut.pipeline, cut.context},
                  "parallelism: data x tensor x pipeline x context");
  bounded_product({cut.pipeline, cut.interleave}, "parallelism: pipeline x interleave");
  bounded_product({cut.expert, cut.expert_tensor_ranks()}, "parallelism: expert x expert_tensor");
  if (cut.pipeline > most_stages && cut.pipeline <= m.layers)
    throw invalid_input{"parallelism: pipeline must be <= " + std::to_string(most_stages)};
  const std::int64_t pieces = std::int64_t{cut.pipeline} * cut.interleave;
  if (cut.interleave > 1 && pieces > most_pieces &&
      pieces <= std::int64_t{m.layers} + 2 + m.multi_token_prediction_layers)
    throw invalid_input{"parallelism: pipeline x interleave must be <= " +
                        std::to_string(most_pieces)};
}

int filling_batch(const parallelism& cut) {
  return static_cast<int>(
      bounded_product({cut.data, cut.micro_batch_size, cut.pipeline},
                      "parallelism: data x micro_batch_size x pipeline, the batch where none is "
                      "given,"));
}

measured_cluster read_measured(const std::string& path) {
  return {path, read_profile(read_file(path, "profile"), path)};
}

namespace {

/// What feeds a node of so many hosts.
/// \throws invalid_input if a part of it has no effect, or lacks another
node_feed feed_of(const cluster_request& asked, double hosts) {
  if ((asked.stored_sample > bytes{0}) != (asked.storage > bytes_per_second{0}))
    throw invalid_input{
        "cluster: stored_sample_bytes and storage_bytes_per_s (--sample-size, --storage) need each "
        "other"};
  if (asked.loader_workers > 0 && asked.preprocessing == seconds{0})
    throw invalid_input{
        "cluster: loader_workers (--loader-workers) has no effect without preprocessing_s "
        "(--preprocessing)"};
  const double workers = asked.loader_workers > 0
                             ? asked.loader_workers
                             : static_cast<double>(usual_loader_workers) * asked.gpus_per_node;
  return {.stored_sample = asked.stored_sample,
          .storage = hosts * asked.storage,
          .preprocessing = asked.preprocessing,
          .workers = hosts * workers};
}

}  // namespace

cluster cluster_of(cluster_request& asked) {
  const catalog::accelerator_entry& entry = find_gpu(asked.gpu, "cluster: gpu");
  asked.gpu = entry.name;
  accelerator gpu = *entry.gpu;
  if (asked.memory > bytes{0}) gpu = with_memory(gpu, asked.memory);
  interconnect link = asked.link;
  if (asked.fabric.empty() && link.bandwidth == bytes_per_second{0})
    asked.fabric = default_fabric(gpu);
  if (!asked.fabric.empty()) {
    const catalog::fabric_entry& fabric = find_fabric(asked.fabric, "cluster: fabric");
    asked.fabric = fabric.name;
    if (!(planned_rate(fabric.net->port).per_direction() > bytes_per_second{0}))
      throw invalid_input{"cluster: fabric " + asked.fabric +
                          " has no rate of its own; name a link"};
    link = interconnect_of(*fabric.net);
  }
  if (asked.gpus_per_node == 0) asked.gpus_per_node = default_gpus_per_node(gpu);
  const int joined = asked.nvlink_domain > 0
                         ? asked.nvlink_domain
                         : default_nvlink_domain(gpu, asked.gpus, asked.gpus_per_node);
  node box = node_of(gpu, joined, link);
  const double hosts = static_cast<double>(joined) / asked.gpus_per_node;
  box.host_memory = hosts * asked.host_memory;
  box.host_update =
      hosts * (asked.host_update > bytes_per_second{0} ? asked.host_update : usual_host_update);
  box.feed = feed_of(asked, hosts);
  cluster pool = gpuplan::cluster_of(box, asked.gpus);
  pool.slowest = asked.slowest;
  if (asked.measured.file.empty()) return pool;
  cluster_profile measured = asked.measured.profile;
  if (!measured.gpu.empty() && measured.gpu != asked.gpu)
    throw invalid_input{"--profile is of " + measured.gpu + ", not of " + asked.gpu};
  if (asked.memory > bytes{0}) measured.memory = {};
  return calibrated(pool, measured);
}

report_json json_of(const cluster_request& asked) {
  json_object object{cluster_fields.size()};
  for (const field<cluster_request>& row : cluster_fields) {
    if (row.key == "gpu")
      object.add(row.key, asked.gpu);
    else if (row.key == "fabric")
      object.add(row.key,
                 asked.fabric.empty() ? gpuplan::json_of(asked.link) : report_json(asked.fabric));
    else if (!row.omitted_if_usual || row.value.get(asked) != row.value.get(cluster_request{}))
      object.add(row.key, json_of(row, asked));
  }
  return object.take();
}

job read_request(nlohmann::json request, const measured_cluster& measured) {
  static const nlohmann::json empty = nlohmann::json::object();
  if (request.is_object() && request.contains("searched"))
    for (const char* key : plan_fields) request.erase(key);
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);
  const auto part = [&](const char* name) {
    const nlohmann::json* found = find(fields, name);
    return json_fields{found != nullptr ? *found : empty, name};
  };

  job asked;
  const nlohmann::json* model = find(fields, "model");
  if (model == nullptr) fields.refuse("model", "is missing");
  if (model->is_string()) {
    const std::string_view name = bounded_name(model->get_ref<const std::string&>());
    const transformer* known = catalog::find_model(name);
    if (known == nullptr)
      throw invalid_input{
          "model must be a name of the catalogue, a config.json object or the "
          "library's own fields, not " +
          shown(*model) + hint_of_model(name)};
    asked.model = *known;
  } else {
    asked.model = model_from_json(*model, "model");
  }

  asked.parallelism = read_over(part("parallelism"), parallelism_fields, parallelism{});
  require_countable(asked.parallelism, asked.model);
  read_pool(asked, fields, measured);
  asked.recipe =
      read_recipe(part("recipe"), asked.parallelism, asked.model, default_precision_of(asked));
  const workspace listed = workspace_of(asked.pool.gpu(), asked.recipe.framework);
  asked.listed_workspace = read_over(part("workspace"), workspace_fields, listed);
  asked.workspace =
      read_over(part("workspace"), workspace_fields, calibrated(listed, measured.profile));
  asked.model_echo = std::move(request["model"]);
  require_effects(asked, recompute_choice::fixed, choice_name::field);
  return asked;
}

report_json json_of(const job& asked) {
  report_json pool = json_of(asked.asked);
  if (!asked.others.empty()) {
    pool = report_json::array({std::move(pool)});
    for (const pool_part& part : asked.others) pool.push_back(json_of(part.asked));
  }
  return json_object{5}
      .add("model", asked.model_echo)
      .add("cluster", std::move(pool))
      .add("recipe", gpuplan::json_of(asked.recipe))
      .add("parallelism", gpuplan::json_of(asked.parallelism))
      .add("workspace", gpuplan::json_of(asked.workspace))
      .take();
}

}  // namespace gpuplan::cli
