#pragma once
/// \file
/// A step as torch.profiler writes it: a trace of kernels and copies in Chrome's format.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/exposed_time.hpp>
#include <gpuplan/calibrate/formats/kernel_names.hpp>
#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_items.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A kernel whose name tells nothing, or a message whose axis is not known.
struct unclassified_kernel {
  std::string name;
  seconds time{};  ///< of a step, hidden or not
};

/// One optimizer step of one GPU, by what showed at each instant: computing before messages, those
/// before copies.  The terms, what is unclassified and idle time sum up to the step.
struct profiled_step {
  seconds time{};
  std::array<seconds, step_terms.size()> shown{};  ///< by term; 0 of those that are not told apart
  std::array<seconds, step_terms.size()> busy{};   ///< likewise, hidden or not
  seconds unclassified{};
  seconds idle{};
  std::vector<unclassified_kernel> unclassified_kernels{};  ///< the longest first
  std::int64_t kernels = 0;                                 ///< of all steps, copies among them
  int steps = 0;                                            ///< of which this is the mean
  int device = 0;
  std::int64_t kernels_elsewhere = 0;  ///< on other devices

  [[nodiscard]] seconds operator[](step_term term) const {
    return shown[static_cast<std::size_t>(term)];
  }
};

/// What the user says of a profile that does not say it itself.
struct profile_hint {
  std::optional<profiled_layout> layout{};  ///< tells messages apart
  std::optional<int> device{};              ///< that with the most kernels where none is given
};

namespace detail {

/// A stretch of time on a device, in microseconds as the trace has them.
struct traced_work {
  double begin = 0;
  double length = 0;
  std::uint32_t name = 0;  ///< a place in the list of unclassified names
  std::int16_t kind = 0;
  std::int32_t device = 0;
};

/// The kinds of exposed_time_of: computing, messages, copies; in each the terms, then none.
inline constexpr std::size_t kinds_of_work = step_terms.size() + 1;

inline std::int16_t kind_of_work(device_work work, std::optional<step_term> term) {
  const std::size_t place = term ? static_cast<std::size_t>(*term) : step_terms.size();
  return static_cast<std::int16_t>(static_cast<std::size_t>(work) * kinds_of_work + place);
}

inline bool keeps_of_profile(std::string_view field) {
  constexpr std::array<std::string_view, 11> fields{"ph",
                                                    "cat",
                                                    "name",
                                                    "ts",
                                                    "dur",
                                                    "pid",
                                                    "args",
                                                    "device",
                                                    "Collective name",
                                                    "Process Group Description",
                                                    "Group size"};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// Gathers a trace event by event.
class profile_builder {
 public:
  profile_builder(std::string_view name, const profile_hint& hint) : name_{name}, hint_{hint} {}

  void add(const json_item& item) {
    if (!item.list.empty() && item.list != "traceEvents") return;
    const nlohmann::json& event = item.value;
    const std::string_view kind = text_in(event, "cat");
    if (text_in(event, "ph") != "X") return;
    if (is_device_work(kind))
      add_work(event, item);
    else if (text_in(event, "name").starts_with("ProfilerStep"))
      add_step(event, item, kind == "gpu_user_annotation");
  }

  [[nodiscard]] profiled_step take() {
    refuse_unless(!work_.empty(),
                  "has no kernels of a GPU; profile with activities=[ProfilerActivity.CPU, "
                  "ProfilerActivity.CUDA]");
    profiled_step step;
    step.device = chosen_device();
    std::erase_if(work_, [&](const traced_work& one) {
      step.kernels_elsewhere += one.device != step.device;
      return one.device != step.device;
    });
    refuse_unless(!work_.empty(), "has no kernels of device " + std::to_string(step.device));
    const double first = std::min_element(work_.begin(), work_.end(), begins_before)->begin;
    const time_window window = window_of(step, first);
    fill(step, activities_from(first), window);
    return step;
  }

 private:
  struct step_bounds {
    double begin = 0;
    double end = 0;
  };

  static bool begins_before(const traced_work& a, const traced_work& b) {
    return a.begin < b.begin;
  }

  void refuse_unless(bool holds, const std::string& why) const {
    if (!holds) throw invalid_input{std::string(name_) + ": " + why};
  }

  /// As PyTorch 1.8 to 2.9 call them.
  static bool is_device_work(std::string_view kind) {
    constexpr std::array<std::string_view, 8> kinds{"kernel", "gpu_memcpy", "gpu_memset", "Kernel",
                                                    "Memcpy", "Memset",     "memcpy",     "memset"};
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }

  /// A time in microseconds.
  double time_in(const nlohmann::json& event, const char* field, const json_item& item,
                 double least) const {
    constexpr double most = 1e18;
    const auto found = event.find(field);
    const bool is_number = found != event.end() && found->is_number();
    const double time = is_number ? found->get<double>() : 0;
    if (!is_number || !(time >= least && time <= most))
      refuse_unless(false,
                    "traceEvents[" + std::to_string(item.place) + "]: " + field +
                        " must be microseconds from " + (least < 0 ? "-1e18" : "0") + " to 1e18" +
                        (found == event.end() ? ", and is missing" : ", not " + shown(*found)));
    return time;
  }

  static std::int64_t whole_in(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    if (found == object.end() || !found->is_number_integer()) return 0;
    const auto value = found->get<std::int64_t>();
    return value >= 0 && value <= 1'000'000'000 ? value : 0;
  }

  void add_work(const nlohmann::json& event, const json_item& item) {
    traced_work one{.begin = time_in(event, "ts", item, -1e18),
                    .length = time_in(event, "dur", item, 0)};
    const std::string_view name = text_in(event, "name");
    const auto args = event.find("args");
    const nlohmann::json& more = args != event.end() && args->is_object() ? *args : event;
    one.device =
        static_cast<std::int32_t>(whole_in(more, more.contains("device") ? "device" : "pid"));
    kernel_class kind = known_class(name);
    if (kind.work == device_work::message && !kind.term)
      kind.term = term_of_message({.kernel = name,
                                   .collective = text_in(more, "Collective name"),
                                   .group = text_in(more, "Process Group Description"),
                                   .ranks = whole_in(more, "Group size")},
                                  hint_.layout);
    one.kind = kind_of_work(kind.work, kind.term);
    if (!kind.term) {
      const auto [place, is_new] =
          places_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
      if (is_new) names_.emplace_back(name);
      one.name = place->second;
    }
    work_.push_back(one);
  }

  kernel_class known_class(std::string_view name) {
    const auto [found, is_new] = classes_.try_emplace(std::string(name));
    if (is_new) found->second = class_of_kernel(name);
    return found->second;
  }

  void add_step(const nlohmann::json& event, const json_item& item, bool on_device) {
    const double begin = time_in(event, "ts", item, -1e18);
    const double end = begin + time_in(event, "dur", item, 0);
    auto& steps = on_device ? device_steps_ : host_steps_;
    const auto [found, is_new] =
        steps.try_emplace(std::string(text_in(event, "name")), step_bounds{begin, end});
    if (is_new) return;
    found->second.begin = std::min(found->second.begin, begin);
    found->second.end = std::max(found->second.end, end);
  }

  [[nodiscard]] int chosen_device() const {
    if (hint_.device) return *hint_.device;
    std::map<std::int32_t, std::int64_t> kernels;
    for (const traced_work& one : work_) ++kernels[one.device];
    return std::max_element(kernels.begin(), kernels.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  /// From the start of the first step to that of the last, so that what lies between steps counts;
  /// of a single step to its end; of none from the first kernel to the end of the last.
  time_window window_of(profiled_step& step, double first) const {
    const auto& named = device_steps_.empty() ? host_steps_ : device_steps_;
    std::vector<step_bounds> steps;
    steps.reserve(named.size());
    for (const auto& [ignored, bounds] : named) steps.push_back(bounds);
    std::sort(steps.begin(), steps.end(),
              [](const step_bounds& a, const step_bounds& b) { return a.begin < b.begin; });
    const auto at = [&](double time) { return (time - first) * units::us; };
    step.steps = std::max(1, static_cast<int>(steps.size()) - 1);
    if (steps.size() == 1) return {at(steps[0].begin), at(steps[0].end)};
    if (steps.size() > 1) return {at(steps.front().begin), at(steps.back().begin)};
    double end = first;
    for (const traced_work& one : work_) end = std::max(end, one.begin + one.length);
    return {at(first), at(end)};
  }

  [[nodiscard]] std::vector<timed_activity> activities_from(double first) const {
    std::vector<timed_activity> all;
    all.reserve(work_.size());
    for (const traced_work& one : work_) {
      const seconds begin = (one.begin - first) * units::us;
      all.push_back({{begin, begin + one.length * units::us}, static_cast<std::size_t>(one.kind)});
    }
    return all;
  }

  void fill(profiled_step& step, const std::vector<timed_activity>& all,
            const time_window& window) const {
    refuse_unless(window.length() > seconds{0}, "its steps take no time");
    const exposed_time shown = exposed_time_of(all, 3 * kinds_of_work, window);
    const double n = step.steps;
    step.time = window.length() / n;
    step.idle = shown.idle / n;
    for (std::size_t kind = 0; kind < shown.of_kind.size(); ++kind) {
      const std::size_t place = kind % kinds_of_work;
      (place < step_terms.size() ? step.shown[place] : step.unclassified) +=
          shown.of_kind[kind] / n;
    }
    std::vector<seconds> by_name(names_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const seconds inside =
          std::min(all[i].when.end, window.end) - std::max(all[i].when.begin, window.begin);
      if (!(inside > seconds{0})) continue;
      ++step.kernels;
      const std::size_t place = all[i].kind % kinds_of_work;
      (place < step_terms.size() ? step.busy[place] : by_name[work_[i].name]) += inside / n;
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (by_name[i] > seconds{0}) step.unclassified_kernels.push_back({names_[i], by_name[i]});
    std::stable_sort(step.unclassified_kernels.begin(), step.unclassified_kernels.end(),
                     [](const auto& a, const auto& b) { return a.time > b.time; });
  }

  std::string_view name_;
  profile_hint hint_;
  std::vector<traced_work> work_;
  std::vector<std::string> names_;  ///< of what is unclassified
  std::unordered_map<std::string, std::uint32_t> places_;
  std::unordered_map<std::string, kernel_class> classes_;
  std::map<std::string, step_bounds> host_steps_;
  std::map<std::string, step_bounds> device_steps_;
};

}  // namespace detail

/// Reads the trace that torch.profiler's export_chrome_trace writes, of one rank.
///
/// Kernels, copies and fills of one device are classified by class_of_kernel and term_of_message,
/// and each instant counts once, as exposed_time_of says.  Steps are those that profiler.step()
/// marks; a step is the mean from the start of the first to that of the last, so that what lies
/// between steps counts.  A trace without marks is one step.
///
///     name  of the file, for the error line
///     hint  the layout of the job, and the device
///
/// Reads an event at a time: takes some 100 B for each kernel beside the text.
///
/// Source: PyTorch 2.9 (2025), torch/profiler/profiler.py; libkineto, output_json.cpp; Google,
/// "Trace Event Format" (2016): complete events.
///
/// \throws invalid_input of one line, "<name>: ...", where for_each_json_item does, if a time is no
///         number or out of range, or there are no kernels
inline profiled_step read_torch_profile(std::string_view text, std::string_view name,
                                        const profile_hint& hint = {}) {
  detail::profile_builder builder{name, hint};
  for_each_json_item(text, name, detail::keeps_of_profile,
                     [&](const json_item& item) { builder.add(item); });
  return builder.take();
}

}  // namespace gpuplan
