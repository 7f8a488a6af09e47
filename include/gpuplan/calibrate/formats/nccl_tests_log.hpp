#pragma once
/// \file
/// What nccl-tests prints: sizes and times of one collective.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A row of the table.
struct nccl_tests_row {
  bytes message{};                ///< as the tool counts it: the larger of what goes in and out
  seconds out_of_place{};         ///< > 0
  seconds in_place{};             ///< 0 where it was not measured
  double bus_over_algorithm = 0;  ///< busbw / algbw as printed; 0 where a rate is printed as 0
  std::int64_t wrong = 0;         ///< values, of both, that were not as they should be
};

/// A log: its rows, and what its head says of who took part.
struct nccl_tests_log {
  int ranks = 0;                       ///< 0: the head does not say
  int nodes = 0;                       ///< hosts that the head names; 0: none
  std::string name{};                  ///< "all_reduce_perf" where the head says it
  std::vector<std::string> devices{};  ///< names that the head gives, each once, up to 64
  std::vector<nccl_tests_row> rows{};
  std::vector<row_fault> faults{};  ///< up to 100 rows that could not be read
  std::int64_t faulty = 0;          ///< how many there were
  std::int64_t out_of_bounds = 0;   ///< values that its last lines count as wrong
  std::int64_t next_log = 0;        ///< the line where another log begins; 0: none does

  /// Values that were not as they should be: then the times are of no use.
  [[nodiscard]] std::int64_t wrong() const {
    std::int64_t all = 0;
    for (const nccl_tests_row& row : rows) all = std::min(all + row.wrong, std::int64_t{1} << 60);
    return std::max(all, out_of_bounds);
  }

  /// The test that its name tells: "all_reduce_perf" of "all_reduce_perf_mpi"; empty where it tells
  /// none.
  [[nodiscard]] std::string_view test() const {
    constexpr std::string_view ending = "_perf";
    const std::size_t at = name.find(ending);
    return at == name.npos ? std::string_view{}
                           : std::string_view{name}.substr(0, at + ending.size());
  }

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

/// Adds the name of a device, if there is one, once.
inline void add_nccl_device(std::string_view name, std::vector<std::string>& devices) {
  name = trimmed(name).substr(0, 128);
  if (name.empty() || devices.size() >= 64) return;
  if (std::find(devices.begin(), devices.end(), name) == devices.end()) devices.emplace_back(name);
}

/// What the head of a log says of who took part, and its last lines of what came out.
class nccl_tests_head {
 public:
  /// Reads a line that begins with #, from its first word on.
  ///
  ///     number  of the line
  ///     ended   whether rows came before it, so that a head is of another log
  void read(std::string_view first, std::string_view rest, std::int64_t number, bool ended) {
    std::string_view word = first == "#" ? next_word(rest) : std::string_view{};
    bool begins_again = false;
    if (word == "Rank") {
      ++ranks_;
      const std::string_view rank = next_word(rest);
      if (seen_.size() < 1000000) begins_again = !seen_.insert(rank).second;
      while (!word.empty() && word != "on") word = next_word(rest);
      const std::string_view host = next_word(rest);
      if (!host.empty() && hosts_.size() < 100000) hosts_.insert(host);
      const std::size_t bracket = rest.find(']');
      if (bracket != rest.npos) add_nccl_device(without_return(rest.substr(bracket + 1)), devices_);
      begins_again = begins_again || ended;
    } else if (word == "Collective") {
      for (word = next_word(rest); !word.empty(); word = next_word(rest))
        if (word.find("_perf") != word.npos) name_ = word;
      begins_again = ended;
    } else if (word == "nThread") {
      begins_again = ended;
    } else if (word == "Out") {
      read_outcome(rest);
    } else {
      for (; !word.empty(); word = next_word(rest))
        tells_errors_ = tells_errors_ || word == "error";
    }
    if (begins_again && next_log_ == 0) next_log_ = number;
  }
  /// Whether the last column of a table is how far values were off, not how many were wrong.
  [[nodiscard]] bool tells_errors() const { return tells_errors_; }

  void write_to(nccl_tests_log& log) const {
    log.ranks = ranks_;
    log.nodes = static_cast<int>(hosts_.size());
    log.name = name_;
    log.devices = devices_;
    log.out_of_bounds = out_of_bounds_;
    log.next_log = next_log_;
  }

 private:
  static std::string_view without_return(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  /// "of bounds values : 3 FAILED".
  void read_outcome(std::string_view rest) {
    std::int64_t count = 0;
    bool failed = false;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      const field_number read = whole_in(word, 0, 1e15);
      if (!read.problem) count = static_cast<std::int64_t>(read.value);
      failed = failed || word == "FAILED";
    }
    if (failed) out_of_bounds_ += std::max(count, std::int64_t{1});
  }

  int ranks_ = 0;
  std::unordered_set<std::string_view> seen_;  // numbers of ranks
  std::unordered_set<std::string_view> hosts_;
  std::string_view name_;
  std::vector<std::string> devices_;
  bool tells_errors_ = false;
  std::int64_t out_of_bounds_ = 0;
  std::int64_t next_log_ = 0;
};

/// Reads a row into a log: counted with its line and the reason where it cannot be read.
///
///     counts_wrong  whether #wrong is how many values were wrong
inline void read_nccl_tests_row(std::string_view line, std::int64_t number, bool counts_wrong,
                                nccl_tests_log& log) {
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
  const auto count_wrong = [&](std::string_view word) {
    const field_number wrong = number_in(word, 0, 1e18);
    if (counts_wrong && !wrong.problem) row.wrong += static_cast<std::int64_t>(wrong.value);
  };
  count_wrong(words[at + 3]);
  if (figures == 8) {
    const field_number in_place = number_in(words[at + 4], 0, 1e15);
    if (!in_place.problem) row.in_place = in_place.value * units::us;
    count_wrong(words[at + 7]);
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
      head.read(first, rest, number, !log.rows.empty());
    else if (first.front() >= '0' && first.front() <= '9')
      detail::read_nccl_tests_row(line, number, !head.tells_errors(), log);
  }
  head.write_to(log);
  return log;
}

/// The tests whose times are read as those of a collective; of others, such as sendrecv_perf, none
/// is known.
inline constexpr std::array nccl_tests_names{
    named<collective>{"all_reduce_perf", collective::all_reduce},
    named<collective>{"all_gather_perf", collective::all_gather},
    named<collective>{"reduce_scatter_perf", collective::reduce_scatter},
    named<collective>{"alltoall_perf", collective::all_to_all},
    named<collective>{"broadcast_perf", collective::broadcast},
    named<collective>{"reduce_perf", collective::reduce}};

/// busbw / algbw of the longest message that has rates, which are printed with most digits; 0 where
/// none has.
inline double bus_over_algorithm(const nccl_tests_log& log) {
  double ratio = 0;
  bytes longest{};
  for (const nccl_tests_row& row : log.rows)
    if (row.bus_over_algorithm > 0 && row.message >= longest) {
      ratio = row.bus_over_algorithm;
      longest = row.message;
    }
  return ratio;
}

/// Which collective a log is of: as its name says, where it says a test; else by the rates that it
/// prints, as busbw over algbw tells an all-reduce from the others where the ranks are known.
/// all_gather then stands for all that have (p - 1)/p, broadcast for those that have 1. Nothing
/// where the test is none of nccl_tests_names, no row has rates, or they are of no collective.
inline std::optional<collective> find_collective(const nccl_tests_log& log) {
  if (const std::string_view test = log.test(); !test.empty()) {
    for (const named<collective>& each : nccl_tests_names)
      if (test == each.name) return each.value;
    return {};
  }
  const double ratio = bus_over_algorithm(log);
  if (!(ratio > 0)) return {};
  if (log.ranks >= 2) {
    for (const collective what :
         {collective::all_reduce, collective::all_gather, collective::broadcast})
      if (std::abs(bus_factor(what, log.ranks) / ratio - 1) < 0.03) return what;
    return {};
  }
  return ratio > 1.05   ? collective::all_reduce
         : ratio > 0.97 ? collective::broadcast
                        : collective::all_gather;
}

/// find_collective, of a log that must be of one.
///
/// \throws invalid_input if the log names a test that is none of nccl_tests_names, has no rows with
///         rates, or they are of no collective
inline collective collective_of(const nccl_tests_log& log) {
  const std::optional<collective> found = find_collective(log);
  require(found || log.test().empty(),
          "collective_of: log.name must be a test of nccl_tests_names, or tell none");
  require(found || bus_over_algorithm(log) > 0,
          "collective_of: the log must have a row with rates");
  require(found.has_value(), "collective_of: busbw / algbw must match a collective of these ranks");
  return *found;
}

}  // namespace gpuplan
