// Each formula twice, once on quantities and once on numbers; check_zero_cost.py compares what the
// compiler makes of typed_X and raw_X.  Arguments stand in the same order, with the same meaning.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

using namespace gpuplan;
using namespace gpuplan::units;

extern "C" {

// Arithmetic and comparison.
bytes typed_sum(bytes a, bytes b) {
  return a + b;
}
double raw_sum(double a, double b) {
  return a + b;
}

bytes typed_difference(bytes a, bytes b) {
  return a - b;
}
double raw_difference(double a, double b) {
  return a - b;
}

bytes_per_second typed_rate(bytes m, seconds t) {
  return m / t;
}
double raw_rate(double m, double t) {
  return m / t;
}

joules typed_energy(watts p, seconds t) {
  return p * t;
}
double raw_energy(double p, double t) {
  return p * t;
}

double typed_ratio(bytes a, bytes b) {
  return a / b;
}
double raw_ratio(double a, double b) {
  return a / b;
}

double typed_in_gibibytes(bytes m) {
  return m.in(GiB);
}
double raw_in_gibibytes(double m) {
  return m / 0x1p30;
}

bool typed_fits(bytes need, bytes have) {
  return need <= have;
}
bool raw_fits(double need, double have) {
  return need <= have;
}

bool typed_isnan(bytes m) {
  return isnan(m);
}
bool raw_isnan(double m) {
  return !(m == m);
}

seconds typed_deviation(square_seconds variance) {
  return sqrt(variance);
}
double raw_deviation(double variance) {
  return std::sqrt(variance);
}

// Formulas of a plan.
seconds typed_message(seconds alpha, bytes m, bytes_per_second w) {
  return alpha + m / w;
}
double raw_message(double alpha, double m, double w) {
  return alpha + m / w;
}

seconds typed_ring(seconds alpha, bytes_per_second w, int ranks, bytes m) {
  const double steps = 2.0 * (ranks - 1);
  return steps * alpha + steps / ranks * m / w;
}
double raw_ring(double alpha, double w, int ranks, double m) {
  const double steps = 2.0 * (ranks - 1);
  return steps * alpha + steps / ranks * m / w;
}

flop_per_second typed_roofline(flop_per_second peak, flop_per_byte intensity,
                               bytes_per_second bandwidth) {
  return smaller(peak, intensity * bandwidth);
}
double raw_roofline(double peak, double intensity, double bandwidth) {
  return (std::min)(peak, intensity * bandwidth);
}

double typed_mfu(double parameters, tokens batch, seconds step, int gpus, flop_per_second peak) {
  return 6 * parameters * batch * (FLOP / token) / step / (gpus * peak);
}
double raw_mfu(double parameters, double batch, double step, int gpus, double peak) {
  return 6 * parameters * batch / step / (gpus * peak);
}

dollars typed_cost(int gpus, dollars_per_second rent, watts power, dollars_per_joule price,
                   seconds t) {
  return gpus * (rent + power * price) * t;
}
double raw_cost(int gpus, double rent, double power, double price, double t) {
  return gpus * (rent + power * price) * t;
}

seconds typed_one_way(bytes m, link_rate link) {
  return m / link.per_direction();
}
double raw_one_way(double m, double link) {
  return m / link;
}

// Loops, and results of several terms.
bytes typed_total(const bytes* parts, std::size_t n) {
  bytes total{};
  for (std::size_t i = 0; i < n; ++i) total += parts[i];
  return total;
}
double raw_total(const double* parts, std::size_t n) {
  double total{};
  for (std::size_t i = 0; i < n; ++i) total += parts[i];
  return total;
}

bytes typed_worst(const bytes* stages, std::size_t n) {
  bytes worst{};
  for (std::size_t i = 0; i < n; ++i) worst = larger(worst, stages[i]);
  return worst;
}
double raw_worst(const double* stages, std::size_t n) {
  double worst{};
  for (std::size_t i = 0; i < n; ++i) worst = (std::max)(worst, stages[i]);
  return worst;
}

void typed_times(seconds* t, const bytes* m, bytes_per_second w, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) t[i] = m[i] / w;
}
void raw_times(double* t, const double* m, double w, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) t[i] = m[i] / w;
}

struct typed_states {
  bytes weights, gradients, optimizer;
};
struct raw_states {
  double weights, gradients, optimizer;
};
typed_states typed_zero1(double parameters, int ranks) {
  return {parameters * (2 * byte), parameters * (2 * byte), parameters / ranks * (12 * byte)};
}
raw_states raw_zero1(double parameters, int ranks) {
  return {parameters * 2, parameters * 2, parameters / ranks * 12};
}

}  // extern "C"
