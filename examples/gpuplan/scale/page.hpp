#pragma once
/// \file
/// What more GPUs buy, in pictures.

#include <gpuplan/report/html.hpp>

#include "scale/curve.hpp"

namespace gpuplan::cli {

/// Throughput against ideal, with the ends of its bands, efficiency with what is lost, and every
/// size in a table.
html_page page_of(const scaling_curve& curve, const job& asked, double level);

}  // namespace gpuplan::cli
