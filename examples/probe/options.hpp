#pragma once
/// \file
/// The sections of a probe, the time they may take, and its command line.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

enum class section { identity, launch, hbm, host_copy, gemm, collectives };

struct section_facts {
  section what;
  std::string_view name;
  seconds time;  ///< for one device; of collectives for one number of them
  std::string_view about;
};

/// In the order they run: what heats the GPU comes last.  The sections of a device take 32 s; with
/// a rest before each, and the start of a process, less than seconds_of_device.
inline constexpr std::array section_table{
    section_facts{section::identity, "identity", seconds{3}, "the device, and its context"},
    section_facts{section::launch, "launch", seconds{2}, "kernels, graphs, events"},
    section_facts{section::hbm, "hbm", seconds{4}, "copy and triad in device memory"},
    section_facts{section::host_copy, "host_copy", seconds{5}, "one way, and both ways"},
    section_facts{section::gemm, "gemm", seconds{18}, "matrix products of each format"},
    section_facts{section::collectives, "collectives", seconds{15}, "NCCL"}};
inline constexpr int seconds_of_device = 45;

constexpr const section_facts& facts_of(section what) {
  return section_table[static_cast<std::size_t>(what)];
}

constexpr std::optional<section> section_named(std::string_view name) {
  for (const section_facts& facts : section_table)
    if (facts.name == name) return facts.what;
  return std::nullopt;
}

/// How many devices take part in collectives: 2, 4 and all of them.
inline std::vector<int> team_sizes(int devices) {
  std::vector<int> sizes;
  for (int ranks = 2; ranks < devices && ranks <= 4; ranks *= 2) sizes.push_back(ranks);
  if (devices >= 2) sizes.push_back(devices);
  return sizes;
}

/// Seconds since a moment, by the host's clock.
inline seconds since(std::chrono::steady_clock::time_point begin) {
  return seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

/// The time that a section may take, from the moment this is made.
class time_budget {
 public:
  explicit time_budget(seconds whole) : whole_{whole} {}

  [[nodiscard]] seconds left() const { return std::max(seconds{0}, whole_ - since(begin_)); }
  /// Whether work of that length still fits.
  [[nodiscard]] bool has(seconds work) const { return work <= left(); }

 private:
  seconds whole_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// A command line that is not understood.
class bad_usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A section that one process measures for another, which waits for it.
struct part_request {
  section what = section::identity;
  int device = 0;
  int ranks = 1;  ///< of collectives, on devices 0, 1, ...
  seconds time{};
  bool busy_too = false;

  bool operator==(const part_request&) const = default;
};

struct probe_options {
  bool help = false;
  bool version = false;
  bool busy_too = false;
  int seconds_each = seconds_of_device;
  std::vector<int> devices{};       ///< empty: all
  std::vector<section> sections{};  ///< empty: all
  std::string output{};             ///< empty: standard output
  std::optional<part_request> part{};

  /// The time of each section over that in section_table.
  [[nodiscard]] double time_scale() const {
    return static_cast<double>(seconds_each) / seconds_of_device;
  }
  [[nodiscard]] bool wants(section what) const {
    for (const section one : sections)
      if (one == what) return true;
    return sections.empty();
  }
};

/// The word that asks another process for a part: "gemm 0 0 18000 0".
inline std::string word_of(const part_request& part) {
  std::ostringstream word;
  word << facts_of(part.what).name << ' ' << part.device << ' ' << part.ranks << ' '
       << part.time / units::ms << ' ' << part.busy_too;
  return word.str();
}

/// \throws bad_usage unless it is one of word_of
inline part_request part_of(const std::string& word) {
  std::istringstream words{word};
  std::string name;
  double milliseconds = 0;
  part_request part;
  words >> name >> part.device >> part.ranks >> milliseconds >> part.busy_too;
  const auto what = section_named(name);
  if (!words || !what || !(milliseconds > 0)) throw bad_usage{"--part is for the probe's own use"};
  part.what = *what;
  part.time = milliseconds * units::ms;
  return part;
}

/// \throws bad_usage unless it is a whole number >= least
inline int whole_number(std::string_view option, std::string_view text, int least) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least)
    throw bad_usage{std::string{option} + " must be a whole number >= " + std::to_string(least) +
                    ", not \"" + std::string{text} + "\""};
  return value;
}

/// Sections by name, separated by commas.
/// \throws bad_usage if there is no section of a name
inline std::vector<section> sections_of(const std::string& text) {
  std::vector<section> sections;
  std::istringstream names{text + ","};
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = section_named(name);
    if (!found) {
      std::string known;
      for (const section_facts& facts : section_table)
        known += (known.empty() ? "" : ", ") + std::string{facts.name};
      throw bad_usage{"--sections: \"" + name + "\" is none of " + known};
    }
    sections.push_back(*found);
  }
  return sections;
}

/// Reads the words after the name of the program.
///
/// \throws bad_usage, one line: the word, and what may stand there
inline probe_options read_options(std::span<const char* const> words) {
  probe_options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const auto value = [&]() -> std::string {
      if (++at >= words.size()) throw bad_usage{std::string{word} + " needs a value"};
      return words[at];
    };
    if (word == "-h" || word == "--help") {
      options.help = true;
    } else if (word == "--version") {
      options.version = true;
    } else if (word == "--busy") {
      options.busy_too = true;
    } else if (word == "--device") {
      options.devices.push_back(whole_number(word, value(), 0));
    } else if (word == "--seconds") {
      options.seconds_each = whole_number(word, value(), 1);
    } else if (word == "--sections") {
      options.sections = sections_of(value());
    } else if (word == "-o" || word == "--output") {
      options.output = value();
      if (options.output.empty()) throw bad_usage{"-o needs the name of a file"};
    } else if (word == "--part") {
      options.part = part_of(value());
    } else {
      throw bad_usage{"\"" + std::string{word} + "\" is no option; see --help"};
    }
  }
  return options;
}

/// What --help prints.
inline std::string help_text() {
  std::string text =
      "gpuplan-probe measures the GPUs of this machine and prints JSON for gpuplan calibrate.\n"
      "\n"
      "  --device N        only device N; may be repeated\n"
      "  --sections A,B    only these sections; identity is always measured\n"
      "  --seconds S       at most S seconds for each device instead of 45\n"
      "  --busy            also measure a device that other programs use\n"
      "  -o FILE           write the JSON to FILE instead of standard output\n"
      "  --version, --help\n"
      "\n"
      "Sections:\n";
  for (const section_facts& facts : section_table) {
    std::string name{facts.name};
    name.resize(18, ' ');
    text += "  " + name + std::string{facts.about} + "\n";
  }
  text +=
      "\n"
      "Progress goes to standard error.  No clock, power limit or other setting is changed.\n"
      "Exit status: 0 complete, 1 no usable GPU, 2 part of the report is missing or the command\n"
      "line is wrong.\n";
  return text;
}

}  // namespace gpuplan::probe
