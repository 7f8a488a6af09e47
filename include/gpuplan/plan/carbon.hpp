#pragma once
/// \file
/// Emissions of a run: of the power it draws, and of making its hardware.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Emissions of the electricity of a run.
///
///     C = E i
///
///     E  energy of the site, cooling included          J, >= 0
///     i  intensity of the grid, written gram / kWh            g/J, >= 0
///
/// The intensity of a grid's mean hour; that of the next kilowatt-hour, or of a contract, differs.
///
/// Holds: the grid's mean hour.
///
/// Source: A. Lacoste et al., "Quantifying the Carbon Emissions of Machine Learning" (2019),
/// arXiv:1910.09700.
///
/// \throws invalid_input if energy < 0 J or intensity < 0 g/J
constexpr grams operational_carbon(joules energy, grams_per_joule intensity) {
  require(energy >= joules{0}, "operational_carbon: energy must be >= 0 J");
  require(intensity >= grams_per_joule{0}, "operational_carbon: intensity must be >= 0 g/J");
  return energy * intensity;
}

/// A run's share of the emissions of making its devices.
///
///     C = C_d t / (L u)
///
///     C_d  of a device                                                g, >= 0
///     t    devices times hours                                        s, >= 0
///     L    lifetime of a device                                       s, > 0
///     u    share of it at work                                        1, > 0, <= 1
///
/// Holds: spread evenly over the lifetime.
///
/// Source: A. S. Luccioni, S. Viguier and A.-L. Ligozat, "Estimating the Carbon Footprint of BLOOM,
/// a 176B Parameter Language Model", JMLR 24 (2023), section 4.1, arXiv:2211.02001.
///
/// \throws invalid_input if an argument is out of its range
constexpr grams embodied_carbon(grams of_device, seconds device_time, seconds lifetime,
                                double utilization = 1) {
  require(of_device >= grams{0}, "embodied_carbon: of_device must be >= 0 g");
  require(device_time >= seconds{0}, "embodied_carbon: device_time must be >= 0 s");
  require(lifetime > seconds{0}, "embodied_carbon: lifetime must be > 0 s");
  require(utilization > 0 && utilization <= 1,
          "embodied_carbon: utilization must be above 0 and at most 1");
  return of_device * (device_time / (lifetime * utilization));
}

}  // namespace gpuplan
