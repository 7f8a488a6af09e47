#pragma once
/// \file
/// Reads a cluster as it is asked for from JSON, and writes it.

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/field_reader.hpp>
#include <gpuplan/api/typed_number.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/parse.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {
namespace detail {

inline constexpr auto link_fields =
    std::to_array<named<int>>({{"latency_s"}, {"bandwidth_bytes_per_s"}});

}  // namespace detail

/// A network that a rate alone describes: 400Gb/s.  A message takes 5 us beside its transfer, an
/// assumption for a network with one switch or two.
/// \throws invalid_input if it is below 1 B/s
inline interconnect link_of_rate(std::string_view typed, const std::string& where) {
  const auto rate = quantity_of<bytes_per_second>(typed, where);
  require(rate >= bytes_per_second{1}, (where + " must be >= 1 B/s").c_str());
  return {.latency = 5 * units::us, .bandwidth = rate};
}

/// Whether a network is described by a rate, and no name.
inline bool is_rate_of_link(std::string_view typed) {
  return static_cast<bool>(parse<bytes_per_second>(typed));
}

/// Reads the fields of cluster_fields, and a fabric that is a name of the catalogue, a rate,
/// "400Gb/s", or a link, {"latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9}.  What is absent stays
/// as usual; no name is looked up yet.
///
/// \throws invalid_input of an unknown field, or a value that is not allowed
inline cluster_request read_cluster(const json_fields& fields) {
  cluster_request asked;
  read_fields(fields, cluster_fields, asked);
  asked.gpu = fields.text_or("gpu", default_gpu);
  const nlohmann::json* fabric = find(fields, "fabric");
  if (fabric == nullptr) return asked;
  if (fabric->is_string()) {
    const auto& typed = fabric->get_ref<const std::string&>();
    if (typed.empty()) fields.refuse("fabric", "must not be empty");
    if (is_rate_of_link(typed))
      asked.link = link_of_rate(typed, fields.where() + ": fabric");
    else
      asked.fabric = typed;
    return asked;
  }
  const json_fields link{*fabric, fields.where() + ": fabric"};
  link.refuse_unknown(detail::link_fields);
  asked.fabric.clear();
  asked.link = {.latency = number_of(link, "latency_s", 0, 1e3) * units::second,
                .bandwidth = number_of(link, "bandwidth_bytes_per_s", 1, 1e18) *
                             (units::byte / units::second)};
  return asked;
}

/// A cluster as read_cluster reads it: its fields, but for those that are left out where they are
/// as usual.
inline report_json json_of(const cluster_request& asked) {
  json_object object{cluster_fields.size()};
  for (const field<cluster_request>& row : cluster_fields) {
    if (row.key == "gpu")
      object.add(row.key, asked.gpu);
    else if (row.key == "fabric")
      object.add(row.key,
                 asked.fabric.empty() ? gpuplan::json_of(asked.link) : report_json(asked.fabric));
    else if (!row.omitted_if_usual || row.value.get(asked) != row.value.get(cluster_request{}))
      object.add(row.key, gpuplan::json_of(row, asked));
  }
  return object.take();
}

}  // namespace gpuplan::api
