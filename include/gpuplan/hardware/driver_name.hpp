#pragma once
/// \file
/// The catalog's entry of a device by the name that its driver gives it.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a name says: "NVIDIA A100-SXM4-80GB" is the model A100 in the form SXM.
struct driver_name {
  std::string model{};
  std::string form{};       ///< "SXM", "PCIE", "NVL"; empty: the name does not say
  bool is_variant = false;  ///< it says more than that: a "Ti", a "Laptop GPU"

  bool operator==(const driver_name&) const = default;
};

namespace detail {

/// Runs of letters and digits, in capitals.
inline std::vector<std::string> words_of_name(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const bool belongs = (capital >= 'A' && capital <= 'Z') || (capital >= '0' && capital <= '9');
    if (belongs && !inside) words.emplace_back();
    if (belongs) words.back() += capital;
    inside = belongs;
  }
  return words;
}

/// A vendor, a label of memory ("80GB", "HBM3"), or what says nothing.
inline bool is_label(const std::string& word) {
  for (const std::string_view label : {"NVIDIA", "TESLA", "GEFORCE", "PER", "GPU", "AC"})
    if (word == label) return true;
  const std::size_t digits = word.find_first_not_of("0123456789");
  const bool is_size = digits != 0 && digits != word.npos &&
                       (word.substr(digits) == "GB" || word.substr(digits) == "G");
  return is_size || word.starts_with("HBM");
}

}  // namespace detail

namespace detail {

/// "80GB" of "NVIDIA H100 80GB HBM3" and of "80G"; empty where no size is named.
inline std::string size_label_of(std::string_view name) {
  for (const std::string& word : words_of_name(name)) {
    const std::size_t digits = word.find_first_not_of("0123456789");
    if (digits == 0 || digits == word.npos) continue;
    if (word.substr(digits) == "GB" || word.substr(digits) == "G")
      return word.substr(0, digits) + "GB";
  }
  return {};
}

}  // namespace detail

/// Reads a name of the driver or of the catalog.
inline driver_name driver_name_of(std::string_view text) {
  const std::vector<std::string> words = detail::words_of_name(text);
  driver_name name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (detail::is_label(word)) continue;
    if (word == "PCIE" || word == "NVL")
      name.form = word;
    else if (word.starts_with("SXM"))
      name.form = "SXM";
    else if (name.model.empty())
      name.model = word == "RTX" && i + 1 < words.size() ? word + words[++i] : word;
    else
      name.is_variant = true;
  }
  return name;
}

namespace catalog {

/// NVIDIA's entry of the same model and form whose memory is within a tenth of the device's, or
/// nullptr.  A name that says no form means the SXM module.
///
///     name    as the driver gives it, "NVIDIA H100 80GB HBM3"
///     memory  as the driver gives it: less than the label
inline const accelerator_entry* find_by_driver_name(std::string_view name, bytes memory) {
  const auto form_of = [](const driver_name& of) {
    return of.form.empty() ? std::string{"SXM"} : of.form;
  };
  const driver_name wanted = driver_name_of(name);
  if (wanted.is_variant) return nullptr;
  for (const accelerator_entry& entry : accelerators) {
    if (entry.vendor != "NVIDIA") continue;
    const driver_name found = driver_name_of(entry.name);
    if (found.model == wanted.model && form_of(found) == form_of(wanted) &&
        std::abs(memory / entry.gpu->memory - 1) < 0.1)
      return &entry;
  }
  return nullptr;
}

/// NVIDIA's entries that a device of this name may be; none where the catalog does not know it.  Of
/// those of its model and form, those whose memory is within a tenth of the device's, and those
/// whose name has its label, where there are such.
///
///     name    as the driver gives it, "NVIDIA A100-SXM4-80GB"
///     memory  as the driver gives it; 0 B: not known
inline std::vector<const accelerator_entry*> entries_of_driver_name(std::string_view name,
                                                                    bytes memory = {}) {
  const auto form_of = [](const driver_name& of) {
    return of.form.empty() ? std::string{"SXM"} : of.form;
  };
  const driver_name wanted = driver_name_of(name);
  std::vector<const accelerator_entry*> all;
  if (wanted.is_variant || wanted.model.empty()) return all;
  for (const accelerator_entry& entry : accelerators) {
    const driver_name found = driver_name_of(entry.name);
    if (entry.vendor == "NVIDIA" && found.model == wanted.model &&
        form_of(found) == form_of(wanted))
      all.push_back(&entry);
  }
  const auto keep_if_any = [&](auto is_wanted) {
    std::vector<const accelerator_entry*> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), is_wanted);
    if (!some.empty()) all = some;
  };
  keep_if_any([&](const accelerator_entry* entry) {
    return std::abs(memory / entry->gpu->memory - 1) < 0.1;
  });
  const std::string label = gpuplan::detail::size_label_of(name);
  keep_if_any([&](const accelerator_entry* entry) {
    return gpuplan::detail::size_label_of(entry->name) == label;
  });
  return all;
}

}  // namespace catalog
}  // namespace gpuplan
