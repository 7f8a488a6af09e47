#pragma once
/// \file
/// Names of the catalogues as somebody typed them.

#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_others.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {
namespace detail {

struct name_only {
  std::string_view name;
};

/// "; did you mean H100-SXM5-80GB?", from the names and the aliases of a catalogue.
template <class Entries, class Aliases>
std::string hint_of_entry(std::string_view typed, const Entries& entries, const Aliases& aliases) {
  std::vector<name_only> known;
  for (const auto& entry : entries) known.push_back({entry.name});
  for (const auto& other : aliases) known.push_back({other.name});
  return hint_from(typed, known);
}

[[noreturn]] inline void refuse_entry(std::string_view where, std::string_view typed,
                                      const std::string& hint, std::string_view list) {
  throw invalid_input{
      std::string(where) + " must be a name of the catalogue, not " + shown(nlohmann::json(typed)) +
      (hint.empty() ? "; gpuplan catalog " + std::string(list) + " lists them" : hint)};
}

}  // namespace detail

/// "; did you mean H100-SXM5-80GB?", of names and aliases of GPUs; empty where none is close.
inline std::string hint_of_gpu(std::string_view typed) {
  return detail::hint_of_entry(bounded_name(typed), catalog::accelerators,
                               catalog::accelerator_aliases);
}

/// Likewise of fabrics.
inline std::string hint_of_fabric(std::string_view typed) {
  return detail::hint_of_entry(bounded_name(typed), catalog::fabrics, catalog::fabric_aliases);
}

/// Likewise of models, by the last part of a path.
inline std::string hint_of_model(std::string_view typed) {
  return hint_from(typed.substr(typed.rfind('/') + 1), catalog::models);
}

/// A GPU by its name.
///
///     where  begins the line of a refusal: "cluster: gpu"
///
/// \throws invalid_input of a device that no operator law describes, with the reason, or of an
///         unknown name, with those that may be meant
inline const catalog::accelerator_entry& find_gpu(std::string_view name, std::string_view where) {
  if (const auto* found = catalog::find_accelerator(bounded_name(name))) return *found;
  if (const auto* other = catalog::find_other(bounded_name(name)))
    throw invalid_input{std::string(where) + ": " + std::string(other->name) +
                        " cannot be planned with: " + std::string(other->why) +
                        "; gpuplan catalog accelerators lists the devices that can"};
  detail::refuse_entry(where, name, hint_of_gpu(name), "accelerators");
}

/// A fabric by its name; `where` as of find_gpu.
/// \throws invalid_input of an unknown name, with those that may be meant
inline const catalog::fabric_entry& find_fabric(std::string_view name, std::string_view where) {
  if (const auto* found = catalog::find_fabric(bounded_name(name))) return *found;
  detail::refuse_entry(where, name, hint_of_fabric(name), "fabrics");
}

}  // namespace gpuplan::api
