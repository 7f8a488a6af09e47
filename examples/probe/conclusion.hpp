#pragma once
/// \file
/// What is said at the end, of all parts together: fits, doubts, and whether something is missing.

#include <gpuplan/calibrate/probe_report.hpp>

namespace gpuplan::probe {

/// Fits every device and sweep, warns of what is not believable, and sets the status.
void conclude(probe_report& report);

}  // namespace gpuplan::probe
