#pragma once
/// \file
/// The catalog's entry of a device that the driver names in its own way.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// What a name says: "NVIDIA A100-SXM4-80GB" is the model A100 in the form SXM.
struct device_name {
  std::string model{};
  std::string form{};       ///< "SXM", "PCIE", "NVL"; empty: the name does not say
  bool is_variant = false;  ///< it says more than that: a "Ti", a "Laptop GPU"

  bool operator==(const device_name&) const = default;
};

/// Reads a name of the driver or of the catalog.  Labels of memory are left out: "80GB", "HBM3".
inline device_name device_name_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string{text} + ' ') {
    const char large = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if ((large >= 'A' && large <= 'Z') || (large >= '0' && large <= '9')) {
      word += large;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  device_name name;
  const auto starts = [](const std::string& w, std::string_view begin) {
    return std::string_view{w}.substr(0, begin.size()) == begin;
  };
  const auto is_size = [](const std::string& w) {
    const std::size_t digits = w.find_first_not_of("0123456789");
    return digits != 0 && digits != w.npos && (w.substr(digits) == "GB" || w.substr(digits) == "G");
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "NVIDIA" || w == "TESLA" || w == "GEFORCE" || w == "PER" || w == "GPU" || w == "AC" ||
        starts(w, "HBM") || is_size(w))
      continue;
    if (w == "PCIE" || w == "NVL")
      name.form = w;
    else if (starts(w, "SXM"))
      name.form = "SXM";
    else if (name.model.empty())
      name.model = w == "RTX" && i + 1 < words.size() ? w + words[++i] : w;
    else
      name.is_variant = true;
  }
  return name;
}

/// The entry of the same model and form whose memory is within a tenth of the device's; a name that
/// says no form means the SXM module.  nullptr where there is none.
inline const accelerator* datasheet_of(std::string_view driver_name, bytes memory) {
  const device_name wanted = device_name_of(driver_name);
  if (wanted.is_variant) return nullptr;
  const auto form_of = [](const device_name& name) {
    return name.form.empty() ? std::string{"SXM"} : name.form;
  };
  for (const auto& entry : catalog::accelerators) {
    if (entry.vendor != "NVIDIA") continue;
    const device_name name = device_name_of(entry.name);
    if (name.model == wanted.model && form_of(name) == form_of(wanted) &&
        std::abs(memory / entry.gpu->memory - 1) < 0.1)
      return entry.gpu;
  }
  return nullptr;
}

}  // namespace gpuplan::probe
