/// \file
/// A probe's report, as gpuplan calibrate takes it.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <gpuplan/calibrate/probe_profile.hpp>
#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/driver_name.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/units/format.hpp>

#include "calibrate/file.hpp"
#include "calibrate/words.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr bytes_per_second GB_per_s = units::GB / units::second;
constexpr flop_per_second TFLOP_per_s = units::TFLOP / units::second;

/// A rate below this share of the datasheet is a fault of the machine, or other programs used it:
/// published measurements reach 80 to 95 % of the datasheet's memory bandwidth, 51 to 87 % of its
/// products and 82 to 87 % of PCIe.
constexpr double least_share = 0.3;
/// Copies above this share go over another link.  Other rates above their datasheet's are left out
/// of the profile, which is said there.
constexpr double most_copy_share = 1.1;

/// The catalogue's entry of a device, or nullptr.
const catalog::accelerator_entry* catalogued(const probe_device& gpu) {
  return catalog::find_by_driver_name(gpu.name, gpu.memory_size);
}

/// A line for each rate of a device that its datasheet makes implausible.
std::string doubts(const probe_device& gpu, const device_fit& fit) {
  const catalog::accelerator_entry* entry = catalogued(gpu);
  if (entry == nullptr) return {};
  std::string lines;
  const auto compare = [&](const std::string& what, double share, double most) {
    if (share < least_share || share > most)
      lines += fmt::format("    warning: {} at {:.0f} % of the datasheet of {}\n", what,
                           100 * share, entry->name);
  };
  constexpr double any = std::numeric_limits<double>::infinity();
  if (fit.memory) compare("memory", fit.memory->plateau.rate / entry->gpu->memory_bandwidth, any);
  for (const auto& [format, rates] : fit.products)
    if (entry->gpu->peak[format] > flop_per_second{0})
      compare(fmt::format("{} products", spelled(number_format_names, format)),
              rates.rate() / entry->gpu->peak[format], any);
  const bytes_per_second link = entry->gpu->host.advertised.per_direction();
  if (fit.to_device)
    compare("copies to the device", fit.to_device->link.bandwidth / link, most_copy_share);
  if (fit.to_host)
    compare("copies to the host", fit.to_host->link.bandwidth / link, most_copy_share);
  return lines;
}

/// What of a report goes into the profile, and what does not.
std::string applied_in_words(const probe_report& report, const probe_fits& fits) {
  const cluster_profile& profile = fits.profile;
  std::string applied;
  std::string kept;
  const auto list = [](std::string& names, bool is_there, const std::string& name) {
    if (is_there) names += (names.empty() ? "" : ", ") + name;
  };
  const auto has = [&](auto measured) {
    return std::any_of(report.devices.begin(), report.devices.end(), measured);
  };
  list(applied, profile.memory_bandwidth > bytes_per_second{0}, "memory bandwidth");
  list(applied, profile.memory > bytes{0}, "memory size");
  list(applied, has([](const probe_device& gpu) { return !gpu.gemm.empty(); }), "products");
  list(applied, profile.host.bandwidth > bytes_per_second{0}, "host link");
  list(applied, profile.cuda_context > bytes{0}, "CUDA context");
  list(applied, profile.communicator > bytes{0}, "NCCL's buffers");
  if (fits.link_of)
    list(applied, true,
         std::string(name_of(fits.sweeps[*fits.link_of].group.what)) + " of the most ranks");
  list(applied, fits.link_of_copies, "copies between GPUs");
  list(kept, has([](const probe_device& gpu) { return gpu.launch != probe_launch{}; }),
       "launch times");
  list(kept, report.collectives.size() > (fits.link_of ? 1U : 0U), "other collectives");
  return (applied.empty() ? "" : "  applied: " + applied + "\n") +
         (kept.empty() ? "" : "  not applied: " + kept + "\n");
}

report_json json_of(const plateau_fit& fit) {
  report_json json{{"rate_bytes_per_s", json_number(fit.rate)},
                   {"rate_bounds_bytes_per_s", json_of_bounds(fit.rate_bounds)},
                   {"least_bytes", json_number(fit.least)},
                   {"most_bytes", json_number(fit.most)},
                   {"steady_from_bytes", json_number(fit.steady_from)}};
  json.update(json_of_quality(fit.quality));
  return json;
}

report_json json_of(const product_rates& rates) {
  const gemm_fit& fit = rates.fit;
  const bool has_bandwidth = fit.bandwidth > bytes_per_second{0};
  report_json json{
      {"rate_flop_per_s", json_number(fit.rate)},
      {"rate_bounds_flop_per_s", json_of_bounds(fit.rate_bounds)},
      {"start_s", json_number(fit.start)},
      {"start_bounds_s", json_of_bounds(fit.start_bounds)},
      {"bandwidth_bytes_per_s", has_bandwidth ? json_number(fit.bandwidth) : report_json(nullptr)},
      {"bandwidth_bounds_bytes_per_s", json_of_bounds(fit.bandwidth_bounds)},
      {"least_flop", json_number(fit.least)},
      {"most_flop", json_number(fit.most)},
      {"bound_by_memory", fit.bound_by_memory},
      {"best_flop_per_s", json_number(rates.best)},
      {"trusted", rates.fits()}};
  json.update(json_of_quality(fit.quality));
  return json;
}

report_json json_of(const collective_fit& fit) {
  report_json json{{"latency_s", json_number(fit.link.latency)},
                   {"latency_bounds_s", json_of_bounds(fit.latency_bounds)},
                   {"bandwidth_bytes_per_s", json_number(fit.link.bandwidth)},
                   {"bandwidth_bounds_bytes_per_s", json_of_bounds(fit.bandwidth_bounds)},
                   {"least_bytes", json_number(fit.least)},
                   {"most_bytes", json_number(fit.most)},
                   {"fault", json_of_fault(fault_of(fit))}};
  json.update(json_of_quality(fit.quality));
  return json;
}

template <class Fit>
report_json json_or_null(const std::optional<Fit>& fit) {
  return fit ? json_of(*fit) : report_json(nullptr);
}

report_json json_of(const probe_device& gpu, const device_fit& fit) {
  report_json products = report_json::object();
  for (const auto& [format, product] : fit.products)
    products[std::string(spelled(number_format_names, format))] = json_of(product);
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"memory", fit.memory ? json_of(fit.memory->plateau) : report_json(nullptr)},
          {"products", std::move(products)},
          {"to_device", json_or_null(fit.to_device)},
          {"to_host", json_or_null(fit.to_host)},
          {"to_device_beside", json_or_null(fit.to_device_beside)},
          {"to_host_beside", json_or_null(fit.to_host_beside)}};
}

report_json json_of(const probe_link_fit& sweep) {
  report_json json{{"collective", name_of(sweep.group.what)},
                   {"ranks", sweep.group.ranks},
                   {"nodes", sweep.group.nodes},
                   {"latency_s", json_number(sweep.fit.link.latency)},
                   {"latency_bounds_s", json_of_bounds(sweep.fit.latency_bounds)},
                   {"bandwidth_bytes_per_s", json_number(sweep.fit.link.bandwidth)},
                   {"bandwidth_bounds_bytes_per_s", json_of_bounds(sweep.fit.bandwidth_bounds)},
                   {"fault", json_of_fault(fault_of(sweep.fit.curve))}};
  json.update(json_of_quality(sweep.fit.curve.quality));
  return json;
}

/// "3 shapes", of what a fit was made of.
std::string counted_samples(const fit_quality& quality, std::string_view what) {
  return counted(static_cast<std::int64_t>(quality.samples), what);
}

std::string device_in_words(const probe_device& gpu, const device_fit& fit) {
  std::string text = fmt::format("  {}: {}{}\n", gpu.index, gpu.name,
                                 gpu.busy.value_or(false) ? ", busy while it was measured" : "");
  if (fit.memory) {
    const plateau_fit& plateau = fit.memory->plateau;
    text += fmt::format("    memory: {}{}, {} from {} on\n", in_GB_per_s(plateau.rate),
                        bounds_in_words(plateau.rate_bounds, GB_per_s),
                        counted_samples(plateau.quality, "buffer"), sized(plateau.least));
  }
  for (const auto& [format, rates] : fit.products) {
    const gemm_fit& product = rates.fit;
    text += fmt::format("    {} products: ", spelled(number_format_names, format));
    text += rates.fits()
                ? fmt::format(
                      "{:.4g} TFLOP/s{} in full waves; {}, {}\n", product.rate / TFLOP_per_s,
                      bounds_in_words(product.rate_bounds, TFLOP_per_s),
                      counted_samples(product.quality, "shape"), quality_in_words(product.quality))
                : fmt::format("{:.4g} TFLOP/s, the best measured; {} {} no curve: {}\n",
                              rates.best / TFLOP_per_s, counted_samples(product.quality, "shape"),
                              product.quality.samples == 1 ? "fits" : "fit",
                              quality_in_words(product.quality));
  }
  for (const auto& [direction, one_way] :
       {std::pair{"to device", &fit.to_device}, std::pair{"to host", &fit.to_host}})
    if (*one_way && fault_of(**one_way) != curve_fault::none)
      text += fmt::format("    {}: not used: {}\n", direction, fault_in_words(**one_way));
    else if (*one_way)
      text += fmt::format("    {}: {}, {}{}; {}\n", direction,
                          format_duration((*one_way)->link.latency),
                          in_GB_per_s((*one_way)->link.bandwidth),
                          bounds_in_words((*one_way)->bandwidth_bounds, GB_per_s),
                          quality_in_words((*one_way)->quality));
  return text;
}

std::string sweep_in_words(const probe_link_fit& sweep) {
  const link_fit& fit = sweep.fit;
  const std::string who =
      fmt::format("  {} of {}: ", name_of(sweep.group.what), counted(sweep.group.ranks, "rank"));
  if (fault_of(fit.curve) != curve_fault::none)
    return who + "not used: " + fault_in_words(fit.curve) + "\n";
  return fmt::format("{}{}, {:.1f} GB/s a GPU{}; {}\n", who,
                     latency_in_words(fit.link.latency, fit.latency_bounds),
                     fit.link.bandwidth / GB_per_s, bounds_in_words(fit.bandwidth_bounds, GB_per_s),
                     quality_in_words(fit.curve.quality));
}

}  // namespace

measured_file take_probe(const std::string& name, std::string_view text) {
  const probe_report report = read_probe_report(text, name);
  probe_fits fits = fit_probe(report, name);
  measured_file taken{.kind = "probe", .said = {}, .json = {}, .profile = fits.profile};
  for (const probe_device& gpu : report.devices)
    taken.devices.push_back({gpu.name, gpu.memory_size});
  if (!report.devices.empty())
    if (const auto* entry = catalogued(report.devices.front())) taken.profile.gpu = entry->name;
  taken.said = fmt::format("{}: {}{}{}\n", name, fits.profile.sources.front().what,
                           report.time_utc.empty() ? "" : ", " + report.time_utc,
                           report.status == probe_status::partial ? ", not complete" : "");
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"status", report.status == probe_status::ok ? "ok" : "partial"},
                {"warnings", report.warnings},
                {"devices", report_json::array()},
                {"sweeps", report_json::array()}};
  for (const std::string& warning : report.warnings) taken.said += "  warning: " + warning + "\n";
  for (const probe_problem& problem : report.problems)
    taken.said += "  " + problem.section + ": " + problem.reason + "\n";
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    taken.said += device_in_words(report.devices[i], fits.devices[i]);
    taken.said += doubts(report.devices[i], fits.devices[i]);
    taken.json["devices"].push_back(json_of(report.devices[i], fits.devices[i]));
  }
  if (fits.link_of_copies)
    taken.said += fmt::format("  inside a node: {}, the slowest pair that copies directly\n",
                              in_GB_per_s(fits.profile.scale_up.bandwidth));
  for (const probe_link_fit& sweep : fits.sweeps) {
    taken.said += sweep_in_words(sweep);
    taken.json["sweeps"].push_back(json_of(sweep));
  }
  taken.said += applied_in_words(report, fits);
  return taken;
}

}  // namespace gpuplan::cli
