#pragma once
/// \file
/// What nccl-tests prints: sizes and times of one collective.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A row of the table.
struct nccl_tests_row {
  bytes message{};                ///< as the tool counts it: the larger of what goes in and out
  seconds out_of_place{};         ///< > 0
  seconds in_place{};             ///< 0 where it was not measured
  double bus_over_algorithm = 0;  ///< busbw / algbw as printed; 0 where a rate is printed as 0
  std::int64_t wrong = 0;         ///< values that were not as they should be
};

/// A log: its rows, and what its head says of who took part.
struct nccl_tests_log {
  int ranks = 0;       ///< 0: the head does not say
  int nodes = 0;       ///< hosts that the head names; 0: none
  std::string name{};  ///< "all_reduce_perf" where the head says it
  std::vector<nccl_tests_row> rows{};
  std::vector<row_fault> faults{};  ///< up to 100 rows that could not be read
  std::int64_t faulty = 0;          ///< how many there were

  /// Messages longer than 0 B with their out-of-place times, values wrong or not.
  [[nodiscard]] std::vector<transfer_sample> samples() const {
    std::vector<transfer_sample> all;
    for (const nccl_tests_row& row : rows)
      if (row.message > bytes{0}) all.push_back({row.message, row.out_of_place});
    return all;
  }
};

namespace detail {

/// Takes the next word of a line; empty at its end.
constexpr std::string_view next_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == line.npos) {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

/// Takes the next line of a text.
constexpr std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

/// The words of a row of nccl-tests, split where the times begin.
class nccl_tests_words {
 public:
  explicit nccl_tests_words(std::string_view line) {
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (count_ == words_.size()) {
        ++count_;  // too many for a row
        return;
      }
      words_[count_++] = word;
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return words_[i]; }

 private:
  std::array<std::string_view, 16> words_{};
  std::size_t count_ = 0;
};

/// What the head of a log says of who took part.
class nccl_tests_head {
 public:
  /// Reads a line of the head, from its first word on.
  void read(std::string_view first, std::string_view rest) {
    std::string_view word = first == "#" ? next_word(rest) : std::string_view{};
    if (word == "Rank") {
      ++ranks_;
      while (!word.empty() && word != "on") word = next_word(rest);
      const std::string_view host = next_word(rest);
      if (!host.empty() && hosts_.size() < 100000) hosts_.insert(host);
    }
    if (word == "Collective") {
      for (word = next_word(rest); !word.empty(); word = next_word(rest))
        if (word.ends_with("_perf")) name_ = word;
    }
  }
  void write_to(nccl_tests_log& log) const {
    log.ranks = ranks_;
    log.nodes = static_cast<int>(hosts_.size());
    log.name = name_;
  }

 private:
  int ranks_ = 0;
  std::unordered_set<std::string_view> hosts_;
  std::string_view name_;
};

/// Reads a row into a log: counted with its line and the reason where it cannot be read.
inline void read_nccl_tests_row(std::string_view line, std::int64_t number, nccl_tests_log& log) {
  const auto refuse = [&](std::string_view column, std::string_view field, field_problem problem) {
    ++log.faulty;
    if (log.faults.size() >= 100) return;
    log.faults.push_back({number, std::string(column), shown_field(field), problem, {}});
  };
  const nccl_tests_words words{line};
  // Size, count and type; up to two words of operation and root; four or eight of figures.
  if (words.count() < 7) return refuse({}, {}, field_problem::too_few_fields);
  if (words.count() > 13) return refuse({}, {}, field_problem::too_many_fields);
  const std::size_t figures = words.count() >= 11 ? 8 : 4;
  const std::size_t at = words.count() - figures;

  const field_number size = whole_in(words[0], 0, 1e18);
  if (size.problem) return refuse("size", words[0], *size.problem);
  const field_number time = number_in(words[at], 0, 1e15);
  if (time.problem || !(time.value > 0))
    return refuse("time", words[at], time.problem.value_or(field_problem::not_positive));
  const field_number algorithm = number_in(words[at + 1], 0, 1e9);
  if (algorithm.problem) return refuse("algbw", words[at + 1], *algorithm.problem);
  const field_number bus = number_in(words[at + 2], 0, 1e9);
  if (bus.problem) return refuse("busbw", words[at + 2], *bus.problem);

  nccl_tests_row row{.message = bytes{size.value}, .out_of_place = time.value * units::us};
  if (algorithm.value > 0) row.bus_over_algorithm = bus.value / algorithm.value;
  const field_number wrong = number_in(words[at + 3], 0, 1e18);
  if (!wrong.problem) row.wrong = static_cast<std::int64_t>(wrong.value);
  if (figures == 8) {
    const field_number in_place = number_in(words[at + 4], 0, 1e15);
    if (!in_place.problem) row.in_place = in_place.value * units::us;
  }
  log.rows.push_back(row);
}

}  // namespace detail

/// Reads a log of nccl-tests, of any of its programs, as they print it with and without the
/// in-place columns, with `#wrong` or with error. Lines that begin with # are its head; others that
/// do not begin with a number are passed over; rows that cannot be read are counted with their
/// line.
///
///     size  count  type  [redop]  [root]  time(us) algbw busbw #wrong  [time algbw busbw #wrong]
inline nccl_tests_log read_nccl_tests(std::string_view text) {
  nccl_tests_log log;
  detail::nccl_tests_head head;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = detail::next_line(text);
    std::string_view rest = line;
    const std::string_view first = detail::next_word(rest);
    if (first.empty()) continue;
    if (first.front() == '#')
      head.read(first, rest);
    else if (first.front() >= '0' && first.front() <= '9')
      detail::read_nccl_tests_row(line, number, log);
  }
  head.write_to(log);
  return log;
}

/// Which collective a log is of, by its name or else by the rates that it prints: busbw over algbw
/// tells an all-reduce from the others where the ranks are known. all_gather stands for all that
/// have (p - 1)/p, broadcast for those that have 1.
///
/// \throws invalid_input if the log has no rows with rates, or they are of no collective
inline collective collective_of(const nccl_tests_log& log) {
  struct named {
    std::string_view name;
    collective what;
  };
  constexpr std::array names{named{"all_reduce_perf", collective::all_reduce},
                             named{"all_gather_perf", collective::all_gather},
                             named{"reduce_scatter_perf", collective::reduce_scatter},
                             named{"alltoall_perf", collective::all_to_all},
                             named{"broadcast_perf", collective::broadcast},
                             named{"reduce_perf", collective::reduce}};
  for (const named& each : names)
    if (log.name == each.name) return each.what;
  double ratio = 0;  // of the longest message, whose rates are printed with most digits
  bytes longest{};
  for (const nccl_tests_row& row : log.rows)
    if (row.bus_over_algorithm > 0 && row.message >= longest) {
      ratio = row.bus_over_algorithm;
      longest = row.message;
    }
  require(ratio > 0, "collective_of: the log must have a row with rates");
  if (log.ranks >= 2)
    for (const collective what :
         {collective::all_reduce, collective::all_gather, collective::broadcast})
      if (std::abs(bus_factor(what, log.ranks) / ratio - 1) < 0.03) return what;
  require(log.ranks < 2, "collective_of: busbw / algbw must match a collective of these ranks");
  return ratio > 1.05   ? collective::all_reduce
         : ratio > 0.97 ? collective::broadcast
                        : collective::all_gather;
}

}  // namespace gpuplan
