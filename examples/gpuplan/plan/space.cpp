/// \file
/// What plan and scale search.

#include "plan/space.hpp"

#include <array>
#include <string>

#include <gpuplan/text/lookup.hpp>

namespace gpuplan::cli {
namespace {

/// A member of space, and the field of a recipe or a layout that it varies.
struct space_field {
  std::string_view key;    ///< in JSON
  std::string_view field;  ///< key of the field
  bool space::*varies;
  bool by_default = true;
};

constexpr std::array space_fields{
    space_field{"tensor", "tensor", &space::tensor},
    space_field{"pipeline", "pipeline", &space::pipeline},
    space_field{"data", "data", &space::data},
    space_field{"context", "context", &space::context},
    space_field{"expert", "expert", &space::expert},
    space_field{"interleave", "interleave", &space::interleave},
    space_field{"micro_batch", "micro_batch_size", &space::micro_batch},
    space_field{"zero", "zero", &space::zero},
    space_field{"recompute", "recompute", &space::recompute},
    space_field{"sequence_parallel", "sequence_parallel", &space::sequence_parallel},
    space_field{"schedule", "schedule", &space::schedule, false}};

/// What was typed for a field of the layout or of the recipe.
std::string& typed_for(job_options& job, std::string_view key) {
  const bool of_layout = place_of_field(parallelism_fields, key) < parallelism_fields.size();
  return of_layout ? job.layout[key] : job.recipe[key];
}

/// True, and the option emptied, where it says "any" or nothing and nothing means any.
bool varies(std::string& typed, bool by_default) {
  if (typed.empty()) return by_default;
  if (!same_name(typed, "any")) return false;
  typed.clear();
  return true;
}

constexpr auto searched_fields = [] {
  std::array<searched_field, space_fields.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {space_fields[i].field, space_fields[i].by_default};
  return all;
}();

}  // namespace

std::span<const searched_field> fields_searched() {
  return searched_fields;
}

space space_of(job_options& job) {
  space vary;
  for (const space_field& row : space_fields)
    vary.*row.varies = varies(typed_for(job, row.field), row.by_default);
  return vary;
}

namespace {

std::string option_of(std::string_view key) {
  const std::size_t of_layout = place_of_field(parallelism_fields, key);
  if (of_layout < parallelism_fields.size())
    return std::string(parallelism_fields[of_layout].main_option());
  return std::string(recipe_fields[place_of_field(recipe_fields, key)].main_option());
}

}  // namespace

void set_freed(command_words& words, const space& before, const space& after) {
  for (const space_field& row : space_fields)
    if (after.*row.varies && !(before.*row.varies)) words.set(option_of(row.field), "any");
}

report_json json_of(const space& vary) {
  json_object object{space_fields.size() + 2};
  for (const space_field& row : space_fields) object.add(row.key, vary.*row.varies);
  return object.add("risk", vary.risk).add("headroom", vary.headroom).take();
}

}  // namespace gpuplan::cli
