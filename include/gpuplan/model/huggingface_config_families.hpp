#pragma once
/// \file
/// The families of config.json that are read, and what is made of each.

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_language_part.hpp>
#include <gpuplan/model/huggingface_layered.hpp>

namespace gpuplan {

/// What is made of a config of one model_type.
struct config_family {
  std::string_view name;              ///< the value of model_type
  std::optional<bool> planned{};      ///< false: its parameters are only counted; empty: that
                                      ///< depends on the family of the language model it holds
  bool holds_language_model = false;  ///< beside what sees, hears or speaks
  std::string_view unlike{};          ///< why it is not planned; empty: it is, or it depends
};

/// All of them, in the order of their names: of huggingface_families, layered_families and
/// huggingface_wrappers, a name that stands in two once.
inline std::vector<config_family> config_families() {
  std::vector<config_family> all;
  for (const auto& one : huggingface_families)
    all.push_back(
        {.name = one.name, .planned = true, .holds_language_model = is_wrapper(one.name)});
  for (const layered_family& one : layered_families)
    all.push_back({.name = one.name,
                   .planned = false,
                   .holds_language_model = is_wrapper(one.name),
                   .unlike = one.unlike});
  for (const std::string_view name : huggingface_wrappers)
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; }))
      all.push_back({.name = name, .holds_language_model = true});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

}  // namespace gpuplan
