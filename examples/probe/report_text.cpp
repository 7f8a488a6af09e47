#include "report_text.hpp"

#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/calibrate/probe_report_writer.hpp>

namespace gpuplan::probe {

std::string text_of(const probe_report& report) {
  return probe_report_json(report);
}

probe_report report_of(std::string_view text) {
  return read_probe_report(text, "part");
}

}  // namespace gpuplan::probe
