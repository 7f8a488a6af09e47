#pragma once
/// \file
/// Reports as text, from one process to another and to the user.

#include <string>
#include <string_view>

#include <gpuplan/calibrate/probe_report.hpp>

namespace gpuplan::probe {

std::string text_of(const probe_report& report);
/// \throws invalid_input if the text is no report
probe_report report_of(std::string_view text);

}  // namespace gpuplan::probe
