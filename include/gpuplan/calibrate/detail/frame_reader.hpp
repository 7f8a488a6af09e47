#pragma once
/// \file
/// Which function took memory, by the frames that PyTorch recorded of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/memory_peak.hpp>
#include <gpuplan/text/json_items.hpp>
#include <gpuplan/text/json_pickle.hpp>

namespace gpuplan::detail {

/// Names of functions, each once.
class frame_reader {
 public:
  /// Keeps the frames of what took no memory: they may be written in full there, and by their
  /// numbers later.
  void learn(const nlohmann::json& holder) {
    for_each_frame(holder, [](const frame_text&) {});
  }

  /// The function that took the memory: that of PyTorch which tells the part of the step, else the
  /// innermost outside PyTorch's own files.
  std::uint32_t place_of(const nlohmann::json& holder) {
    std::optional<frame_text> chosen, user, python, innermost;
    allocation_part part = allocation_part::unknown;
    for_each_frame(holder, [&](const frame_text& frame) {
      if (!innermost) innermost = frame;
      if (part == allocation_part::unknown) {
        part = part_of(frame.file, frame.name);
        if (part != allocation_part::unknown) chosen = frame;
      }
      if (!frame.file.ends_with(".py")) return;
      if (!python) python = frame;
      if (!user && frame.file.find("/torch/") == frame.file.npos) user = frame;
    });
    if (!chosen) chosen = user ? user : python ? python : innermost;
    return place_of_name(chosen ? label_of(*chosen) : "no frames recorded", part);
  }

  std::uint32_t place_of_name(const std::string& name, allocation_part part) {
    const std::string key = name + '\0' + static_cast<char>(part);
    const auto [found, is_new] = places_.try_emplace(key, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back({.frame = name, .part = part});
    return found->second;
  }

  /// Each with no memory.
  [[nodiscard]] std::vector<allocation_share> all() const { return all_; }

 private:
  /// A frame as it is written, or as it was kept.
  struct frame_text {
    std::string_view file, name;
  };
  struct kept_frame {
    std::string file, name;
  };

  template <class See>
  void for_each_frame(const nlohmann::json& holder, const See& see) {
    const auto frames = holder.find("frames");
    if (frames == holder.end() || !frames->is_array()) return;
    for (const nlohmann::json& frame : *frames) {
      if (frame.is_number_unsigned()) {
        const auto known = kept_.find(frame.get<std::uint64_t>());
        if (known != kept_.end()) see(frame_text{known->second.file, known->second.name});
        continue;
      }
      const frame_text said{text_in(frame, "filename"), text_in(frame, "name")};
      if (const auto number = frame.find(dict_number_key);
          number != frame.end() && number->is_number_unsigned())
        kept_.try_emplace(number->get<std::uint64_t>(),
                          kept_frame{std::string(said.file), std::string(said.name)});
      see(said);
    }
  }

  static allocation_part part_of(std::string_view file, std::string_view name) {
    if (file.find("torch/optim/") != file.npos) return allocation_part::optimizer;
    if (file.find("torch/autograd/") != file.npos && name.find("backward") != name.npos)
      return allocation_part::backward;
    return name.starts_with("torch::autograd::Engine") ? allocation_part::backward
                                                       : allocation_part::unknown;
  }

  static std::string label_of(const frame_text& frame) {
    constexpr std::size_t longest = 120;
    const std::string_view name = frame.name.substr(0, longest);
    const std::string_view base = frame.file.substr(frame.file.rfind('/') + 1).substr(0, longest);
    const bool known = !base.empty() && base != "??";  // as files of C++ come without symbols
    return std::string(name) + (known ? " (" + std::string(base) + ")" : "");
  }

  std::vector<allocation_share> all_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::unordered_map<std::uint64_t, kept_frame> kept_;  // by their numbers
};

}  // namespace gpuplan::detail
