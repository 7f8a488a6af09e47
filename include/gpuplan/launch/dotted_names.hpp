#pragma once
/// \file
/// Values of nested sections by names with dots: {"a": {"b": 1}} as a.b.

#include <string>

#include <nlohmann/json.hpp>

namespace gpuplan {

/// Puts the values of nested objects into one object, by their dotted names.
inline void add_dotted(const nlohmann::json& values, const std::string& prefix,
                       nlohmann::json& all) {
  for (const auto& [name, value] : values.items()) {
    if (value.is_object())
      add_dotted(value, prefix + name + ".", all);
    else
      all[prefix + name] = value;
  }
}

/// The values of an object and of those in it, by their dotted names; of no object none.
inline nlohmann::json dotted(const nlohmann::json& values) {
  nlohmann::json all = nlohmann::json::object();
  if (values.is_object()) add_dotted(values, {}, all);
  return all;
}

}  // namespace gpuplan
