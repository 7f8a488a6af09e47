#pragma once
/// \file
/// Hourly prices of an accelerator, with their source.

#include <string_view>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// On what terms an accelerator is rented.
enum class price_kind {
  on_demand,  ///< by the hour, kept as long as it is paid
  reserved,   ///< for a term agreed before
  spot        ///< taken back when somebody else pays more
};

/// One price, with the day it was asked.
struct price {
  std::string_view accelerator;  ///< name of a catalog entry, or of a device that has none
  std::string_view provider;
  price_kind kind;
  dollars_per_second rate;  ///< of one accelerator, with its share of the host; > 0
  std::string_view date;    ///< as far as the source tells
  std::string_view source;  ///< author, title, place; enough to look it up
  fact_status status;
  std::string_view note{};
};

/// The least price of a table for an accelerator on these terms, or nullptr if it has none.
template <class Prices>
constexpr const price* lowest_price(const Prices& prices, std::string_view device,
                                    price_kind kind) {
  const price* lowest = nullptr;
  for (const price& one : prices)
    if (one.kind == kind && same_name(one.accelerator, device) &&
        (lowest == nullptr || one.rate < lowest->rate))
      lowest = &one;
  return lowest;
}

}  // namespace gpuplan
