#pragma once
/// \file
/// The command line of the probe.

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/units/units.hpp>

#include "sections.hpp"

namespace gpuplan::probe {

/// A word of the command line that is not understood.
class bad_usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One section that this process measures for another, which waits for it.
struct part_request {
  section what = section::identity;
  int device = 0;
  int peer = 0;   ///< of peers: the other device
  int ranks = 1;  ///< of collectives: devices 0 to ranks - 1
  seconds time{};
  bool quick = false;
  bool beside_others = false;  ///< the device is busy, and measured all the same
};

struct probe_options {
  bool help = false;
  bool version = false;
  bool quick = false;
  bool busy_too = false;
  std::optional<int> seconds_each{};  ///< of a device; not given: 60, or 24 if quick
  std::vector<int> devices{};         ///< empty: all
  std::vector<section> sections{};    ///< empty: all
  std::string output{};               ///< empty: standard output
  std::optional<part_request> part{};

  /// For each device, over those that sections have without an option.
  [[nodiscard]] double time_scale() const { return seconds_each.value_or(quick ? 24 : 60) / 60.0; }
  [[nodiscard]] bool wants(section what) const {
    if (sections.empty()) return true;
    for (const section one : sections)
      if (one == what) return true;
    return false;
  }
};

namespace detail {

inline int whole_number(std::string_view option, std::string_view text, int least) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least)
    throw bad_usage{std::string{option} + " must be a whole number >= " + std::to_string(least) +
                    ", not \"" + std::string{text} + "\""};
  return value;
}

inline std::vector<section> sections_of(std::string_view text) {
  std::vector<section> sections;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    const auto found = section_named(name);
    if (!found)
      throw bad_usage{"--sections: \"" + std::string{name} + "\" is none of " + section_names()};
    sections.push_back(*found);
    begin = end + 1;
  }
  return sections;
}

}  // namespace detail

/// Reads the words after the name of the program.
///
/// \throws bad_usage, one line: the word, and what may stand there
inline probe_options read_options(std::span<const char* const> words) {
  probe_options options;
  std::size_t at = 0;
  const auto value = [&](std::string_view option) -> std::string_view {
    if (++at >= words.size()) throw bad_usage{std::string{option} + " needs a value"};
    return words[at];
  };
  part_request part;
  bool is_part = false;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "-h" || word == "--help") {
      options.help = true;
    } else if (word == "--version") {
      options.version = true;
    } else if (word == "--quick") {
      options.quick = true;
    } else if (word == "--busy") {
      options.busy_too = true;
    } else if (word == "--device") {
      options.devices.push_back(detail::whole_number(word, value(word), 0));
    } else if (word == "--seconds") {
      options.seconds_each = detail::whole_number(word, value(word), 1);
    } else if (word == "--sections") {
      options.sections = detail::sections_of(value(word));
    } else if (word == "-o" || word == "--output") {
      options.output = value(word);
      if (options.output.empty()) throw bad_usage{"-o needs the name of a file"};
    } else if (word == "--part") {
      part.what = detail::sections_of(value(word)).front();
      is_part = true;
    } else if (word == "--peer") {
      part.peer = detail::whole_number(word, value(word), 0);
    } else if (word == "--ranks") {
      part.ranks = detail::whole_number(word, value(word), 1);
    } else if (word == "--milliseconds") {
      part.time = detail::whole_number(word, value(word), 1) * units::ms;
    } else {
      throw bad_usage{"\"" + std::string{word} + "\" is no option; see --help"};
    }
  }
  if (is_part) {
    if (options.devices.size() != 1 || !(part.time > seconds{0}))
      throw bad_usage{"--part needs one --device and --milliseconds"};
    part.device = options.devices.front();
    part.quick = options.quick;
    part.beside_others = options.busy_too;
    options.part = part;
  }
  return options;
}

/// The words that ask another process for a part; read_options gives the part again.
inline std::vector<std::string> words_of(const part_request& part) {
  std::vector<std::string> words{
      "--part",         std::string{facts_of(part.what).name},
      "--device",       std::to_string(part.device),
      "--peer",         std::to_string(part.peer),
      "--ranks",        std::to_string(part.ranks),
      "--milliseconds", std::to_string(static_cast<int>(part.time / units::ms + 0.5))};
  if (part.quick) words.emplace_back("--quick");
  if (part.beside_others) words.emplace_back("--busy");
  return words;
}

/// What --help prints.
inline std::string help_text() {
  std::string text =
      "gpuplan-probe measures the GPUs of this machine and prints JSON that gpuplan reads.\n"
      "\n"
      "  --device N        only device N; may be given again\n"
      "  --sections A,B    only these sections\n"
      "  --quick           fewer sizes and samples, in 24 seconds\n"
      "  --seconds S       at most S seconds for each device instead of 60\n"
      "  --busy            measure a device that others use, too\n"
      "  -o FILE           write the JSON to FILE instead of standard output\n"
      "  --version, --help\n"
      "\n"
      "Sections:\n";
  for (const section_facts& facts : section_table) {
    std::string name{facts.name};
    name.resize(18, ' ');
    text += "  " + name + std::string{facts.says} + "\n";
  }
  text +=
      "\n"
      "Progress goes to standard error.  No clock, power limit or other setting is changed.\n"
      "Exit status: 0 complete, 1 no usable GPU, 2 something is missing from the JSON, or the\n"
      "command line is wrong.\n";
  return text;
}

}  // namespace gpuplan::probe
