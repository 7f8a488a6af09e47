/// \file
/// Which key is which field, and what its value may be.

#include "declaration.hpp"

#include <array>
#include <cstddef>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>

#include "field_words.hpp"
#include "job_fields.hpp"

namespace gpuplan::scheduler {
namespace {

/// Whether a key is that of a row: in JSON, of the command line, or of a member.
template <class Row>
bool is_key_of(std::string_view key, const Row& row) {
  if (same_name(key, row.key)) return true;
  std::string_view options = row.option;
  while (!options.empty()) {
    const std::size_t comma = options.find(',');
    if (same_name(key, options.substr(0, comma))) return true;
    options.remove_prefix(comma == options.npos ? options.size() : comma + 1);
  }
  return false;
}

enum class declaring { unknown, done, refused };

/// "zero must be one of 0, 1, 2, 3, not '4'".
template <class Row>
declaring refuse_value(const Row& row, std::string_view text, words& why) {
  why << row.key << " ";
  say_allowed(row.value, why);
  (why << ", not ").quote(text);
  return declaring::refused;
}

/// Declares a row of a table, where the key is one of its.
template <class Owner>
declaring declare_row(gpuplan_job& job, const job_table<Owner>& table, std::string_view key,
                      std::string_view text, words& why) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const field<Owner>& row = table.rows[i];
    const job_member* member = member_of(table.first + i);
    const bool is_member = member != nullptr && same_name(key, member->name);
    if (!is_member && !is_key_of(key, row)) continue;
    if (member != nullptr && member->varies != nullptr && same_name(text, "any")) {
      job.*(member->value) = GPUPLAN_NOT_DECLARED;
      return declaring::done;
    }
    if (row.value.kind == field_kind::layers_of_stages)
      return read_stages(text, row.value.most, job.others) ? declaring::done
                                                           : refuse_value(row, text, why);
    double x = 0;
    if (!read_value(row.value, text, x)) return refuse_value(row, text, why);
    declare(job, table, i, x);
    return declaring::done;
  }
  return declaring::unknown;
}

declaring declare_cluster(gpuplan_job& job, std::string_view key, std::string_view text,
                          words& why) {
  for (const cluster_row& row : cluster_rows) {
    if (!is_key_of(key, row)) continue;
    double x = 0;
    if (!read_value(row.value, text, x)) return refuse_value(row, text, why);
    row.value.set(job, x);
    return declaring::done;
  }
  return declaring::unknown;
}

/// "; did you mean H100?", or nothing.
template <class Entries>
void hint_at(std::string_view typed, const Entries& entries, words& why) {
  bool first = true;
  for (const std::string_view name : closest_names<2>(typed, entries)) {
    why << (first ? "; did you mean " : " or ") << name;
    first = false;
  }
  if (!first) why << "?";
}

/// Names of the catalogue; a fabric may be a rate.
declaring declare_name(gpuplan_job& job, std::string_view key, const char* text, words& why) {
  const auto take = [&](int32_t& member, int32_t number, const auto& entries) {
    if (number >= 0) return member = number, declaring::done;
    (why << key << " must be one of the catalogue, not ").quote(text);
    hint_at(text, entries, why);
    return declaring::refused;
  };
  if (same_name(key, "model")) return take(job.model, gpuplan_model(text), catalog::models);
  if (same_name(key, "gpu")) return take(job.gpu, gpuplan_gpu(text), catalog::accelerators);
  if (!same_name(key, "fabric")) return declaring::unknown;
  if (const parsed<bytes_per_second> rate = parse<bytes_per_second>(text)) {
    for (const cluster_row& row : cluster_rows)
      if (row.key == "fabric_bandwidth" && !is_allowed(row.value, rate.value.in_base_units()))
        return refuse_value(row, text, why);
    job.fabric_bandwidth = rate.value.in_base_units();
    job.fabric = GPUPLAN_NOT_DECLARED;
    return declaring::done;
  }
  const declaring found = take(job.fabric, gpuplan_choice("fabric", text), catalog::fabrics);
  if (found == declaring::done) job.fabric_bandwidth = job.fabric_latency = 0;
  return found;
}

/// The keys of all that can be declared, for those who mistype one.
constexpr auto all_keys = [] {
  std::array<named<int>, rows_in_all + cluster_rows.size() + 3> keys{};
  std::size_t size = 0;
  for (const std::string_view name : {"model", "gpu", "fabric"}) keys[size++].name = name;
  for (const cluster_row& row : cluster_rows) keys[size++].name = row.key;
  for (const field<recipe>& row : recipe_fields) keys[size++].name = row.key;
  for (const field<parallelism>& row : parallelism_fields) keys[size++].name = row.key;
  for (const field<workspace>& row : workspace_fields) keys[size++].name = row.key;
  return keys;
}();

/// The longest text that is looked at.
constexpr std::size_t longest_key = 128;
constexpr std::size_t longest_value = 1024;

declaring declare_any(gpuplan_job& job, std::string_view key, const char* text, words& why) {
  declaring found = declare_name(job, key, text, why);
  const auto try_table = [&](const auto& table) {
    if (found == declaring::unknown) found = declare_row(job, table, key, text, why);
  };
  if (found == declaring::unknown) found = declare_cluster(job, key, text, why);
  try_table(recipe_table);
  try_table(parallelism_table);
  try_table(workspace_table);
  return found;
}

}  // namespace

int32_t choice_of(std::string_view key, std::string_view name) {
  int32_t choice = -1;
  const auto look = [&](const auto& table) {
    for (const auto& row : table.rows) {
      double x = 0;
      if (is_choice(row.value.kind) && is_key_of(key, row) && read_value(row.value, name, x))
        choice = GPUPLAN_CHOICE + static_cast<int32_t>(x);
    }
  };
  look(recipe_table);
  look(parallelism_table);
  return choice;
}

bool declare_text(gpuplan_job& job, std::string_view key, const char* text, words& why) {
  const bool is_key = key.size() <= longest_key;
  if (is_key && std::string_view{text}.size() > longest_value) {
    why.quote(key) << " must be shorter than " << double{longest_value} << " letters";
    return false;
  }
  const declaring found = is_key ? declare_any(job, key, text, why) : declaring::unknown;
  if (found == declaring::unknown) {
    why.quote(key) << " is no field of a job";
    if (is_key) hint_at(key, all_keys, why);
  }
  return found == declaring::done;
}

}  // namespace gpuplan::scheduler
