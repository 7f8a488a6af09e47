/// \file
/// Sweeps of collectives and copies, as gpuplan calibrate takes them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/calibrate/formats/nccl_tests_json.hpp>
#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/calibrate/formats/nvbandwidth_report.hpp>
#include <gpuplan/calibrate/probe_profile_link.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "calibrate/file.hpp"
#include "calibrate/words.hpp"
#include "program.hpp"
#include "summary.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

/// What an option or the head of a log says; 0: neither.
/// \throws bad_usage if they contradict each other
int told_once(const std::string& name, std::string_view option, int typed, int listed) {
  if (typed > 0 && listed > 0 && typed != listed)
    throw bad_usage{fmt::format("{0}: its header lists {1}, and {2} says {3}; leave {2} away", name,
                                listed, option, typed)};
  return typed > 0 ? typed : listed;
}

/// "all_reduce_perf, all_gather_perf and ...".
std::string tests_in_words() {
  std::string names;
  for (std::size_t i = 0; i < nccl_tests_names.size(); ++i)
    names += (i == 0                            ? ""
              : i + 1 < nccl_tests_names.size() ? ", "
                                                : " and ") +
             std::string(nccl_tests_names[i].name);
  return names;
}

/// The collective of a log of so many ranks.
/// \throws bad_usage of what it is where it is of none
collective told_collective(const std::string& name, const nccl_tests_log& log) {
  if (const std::optional<collective> found = find_collective(log)) return *found;
  if (!log.test().empty())
    throw bad_usage{fmt::format("{}: is of the test {}, whose times no formula is for; allowed: {}",
                                name, visible(log.test()), tests_in_words())};
  const double ratio = bus_over_algorithm(log);
  if (!(ratio > 0))
    throw bad_usage{name +
                    ": no row has rates, which would tell the collective: busbw is 0 in all"};
  throw bad_usage{fmt::format(
      "{}: busbw / algbw is {:.3g}, which is of no collective of {}; allowed: {:.3g} of an "
      "all-reduce, {:.3g} of an all-gather, reduce-scatter or all-to-all, 1 of a broadcast or "
      "reduce",
      name, ratio, counted(log.ranks, "rank"), bus_factor(collective::all_reduce, log.ranks),
      bus_factor(collective::all_gather, log.ranks))};
}

/// Refuses a text that is no log, or more than one, and results that are wrong.
/// \throws bad_usage
void require_one_good_log(const std::string& name, const nccl_tests_log& log) {
  if (log.rows.empty())
    throw bad_usage{name +
                    ": holds no rows of nccl-tests, no iterations of Megatron-LM, and "
                    "nothing else that gpuplan can read"};
  if (log.next_log > 0)
    throw bad_usage{fmt::format(
        "{}: line {}: another log of nccl-tests begins; each must be in a file of its own", name,
        log.next_log)};
  if (log.wrong() > 0)
    throw bad_usage{
        fmt::format("{}: {} of its results {} wrong, as #wrong or its last lines say; times of "
                    "wrong results are "
                    "not taken",
                    name, counted(log.wrong(), "value"), log.wrong() == 1 ? "is" : "are")};
}

measured_file of_sweep(const std::string& name, nccl_tests_log log, const sweep_hint& hint) {
  require_one_good_log(name, log);
  say_faults(name, log.faults, log.faulty);
  const int ranks = told_once(name, "--ranks", hint.ranks, log.ranks);
  const int nodes = told_once(name, "--nodes", hint.nodes, log.nodes);
  log.ranks = ranks;
  if (ranks < 2 || nodes < 1)
    throw bad_usage{name + ": its header does not list the ranks; give --ranks and --nodes"};
  if (ranks % nodes != 0)
    throw bad_usage{fmt::format("{}: {} cannot be spread evenly over {}", name,
                                counted(ranks, "rank"), counted(nodes, "node"))};
  const sweep_group group{told_collective(name, log), ranks, nodes};
  const std::vector<transfer_sample> samples = log.samples();
  if (sizes_of(samples) < 3) throw bad_usage{name + ": fewer than 3 different sizes above 0 B"};

  const link_fit fit = fit_link(group, samples);
  const curve_fault fault = fault_of(fit.curve);
  if (fault == curve_fault::flat) throw bad_usage{name + ": " + fault_in_words(fit.curve)};
  if (fault == curve_fault::poor && hint.fits == doubtful::refused)
    throw bad_usage{name + ": " + fault_in_words(fit.curve) + "; --force takes it"};
  const fit_quality& quality = fit.curve.quality;
  const bool inside = nodes == 1;
  measured_file taken{.kind = "nccl-tests", .said = {}, .json = {}, .profile = {}};
  for (const std::string& device : log.devices) taken.devices.push_back({device});
  (inside ? taken.profile.scale_up : taken.profile.fabric) = fit.link;
  const std::string measured =
      fmt::format("{} of {} ranks on {}, {} sizes{}", name_of(group.what), ranks,
                  inside ? "one node" : fmt::format("{} nodes", nodes), sizes_of(samples),
                  fault == curve_fault::poor ? ", a poor fit" : "");
  taken.profile.sources.push_back(
      {.file = name, .what = measured, .median_error = quality.median, .p90_error = quality.p90});
  constexpr bytes_per_second GB_per_s = units::GB / units::second;
  taken.said = fmt::format(
      "{}: {}\n  {}: {}, {:.1f} GB/s a GPU{}; the fit is {}\n", name, measured,
      inside ? "inside a node" : "fabric", latency_in_words(fit.link.latency, fit.latency_bounds),
      fit.link.bandwidth / GB_per_s, bounds_in_words(fit.bandwidth_bounds, GB_per_s),
      quality_in_words(quality));
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"collective", name_of(group.what)},
                {"ranks", ranks},
                {"nodes", nodes},
                {"sizes", sizes_of(samples)},
                {"fault", json_of_fault(fault)},
                {"link", inside ? "scale_up" : "fabric"},
                {"latency_s", json_number(fit.link.latency)},
                {"latency_bounds_s", json_of_bounds(fit.latency_bounds)},
                {"bandwidth_bytes_per_s", json_number(fit.link.bandwidth)},
                {"bandwidth_bounds_bytes_per_s", json_of_bounds(fit.bandwidth_bounds)},
                {"least_bytes", json_number(fit.curve.least)},
                {"most_bytes", json_number(fit.curve.most)}};
  taken.json.update(json_of_quality(quality));
  return taken;
}

/// The slowest pair of the first of these tests that passed, and its name.
std::pair<bytes_per_second, std::string> slowest_of(const nvbandwidth_report& report,
                                                    std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const nvbandwidth_test* test = report.find(name);
    if (test != nullptr && test->status == nvbandwidth_status::passed &&
        test->sum() > bytes_per_second{0})
      return {test->slowest(), name};
  }
  return {};
}

}  // namespace

measured_file take_nccl_tests(const std::string& name, std::string_view text,
                              const sweep_hint& hint) {
  return of_sweep(name, read_nccl_tests(text), hint);
}

measured_file take_nccl_tests_json(const std::string& name, std::string_view text,
                                   const sweep_hint& hint) {
  return of_sweep(name, read_nccl_tests_json(text, name), hint);
}

measured_file take_nvbandwidth(const std::string& name, std::string_view text) {
  const nvbandwidth_report report = read_nvbandwidth(text, name);
  // Both ways at once where that was measured, as plans count on the host link.
  const auto up =
      slowest_of(report, {"host_to_device_bidirectional_memcpy_ce", "host_to_device_memcpy_ce"});
  const auto down =
      slowest_of(report, {"device_to_host_bidirectional_memcpy_ce", "device_to_host_memcpy_ce"});
  const auto pair =
      slowest_of(report, {"device_to_device_memcpy_write_ce", "device_to_device_memcpy_read_ce"});
  measured_file taken{.kind = "nvbandwidth", .said = {}, .json = {}, .profile = {}};
  for (const std::string& device : report.devices) taken.devices.push_back({device});
  cluster_profile& profile = taken.profile;
  const std::string tests = counted(static_cast<std::int64_t>(report.tests.size()), "test");
  taken.said = fmt::format("{}: {} of nvbandwidth\n", name, tests);
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"driver", report.driver},
                {"tests", report.tests.size()},
                {"host_bandwidth_bytes_per_s", nullptr},
                {"pair_bandwidth_bytes_per_s", nullptr}};
  if (!up.second.empty() && !down.second.empty()) {
    profile.host.bandwidth = std::min(up.first, down.first);
    taken.json["host_bandwidth_bytes_per_s"] = json_number(profile.host.bandwidth);
    taken.said += fmt::format("  host: {} each way, the slower of {} and {}\n",
                              in_GB_per_s(profile.host.bandwidth), up.second, down.second);
  }
  if (!pair.second.empty()) {
    profile.scale_up.bandwidth = pair.first;
    taken.json["pair_bandwidth_bytes_per_s"] = json_number(pair.first);
    taken.said += fmt::format("  inside a node: {}, the slowest pair of {}\n",
                              in_GB_per_s(pair.first), pair.second);
  }
  profile.sources.push_back(
      {.file = name,
       .what = "nvbandwidth, " + tests,
       .device = report.driver.empty() ? std::string{} : "driver " + report.driver});
  return taken;
}

}  // namespace gpuplan::cli
