#pragma once
// PROVISIONAL: replaced by the measured table
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/units/units.hpp>
namespace gpuplan {
template <class T>
struct basic_attention_rates {
  basic_flop_per_second<T> forward_64{}, forward_128{}, forward_256{}, backward_128{};
  T half_length{};
  basic_seconds<T> start{};
};
template <class T>
struct basic_collective_rates {
  basic_bytes_per_second<T> gather{}, all_reduce{}, all_to_all{};
  basic_seconds<T> base{}, hop{};
};
template <class T>
struct basic_operator_rates {
  T product_memory{}, elementwise_memory{}, permutation_memory{};
  basic_seconds<T> product_start{};
  basic_seconds<T> grouped_start{};
  basic_attention_rates<T> attention{};
  basic_collective_rates<T> collectives{};
  basic_bytes_per_second<T> deep_ep{}, hybrid_ep{};
  basic_flop_per_second<T> hot16{}, hot8{}, hot4{};
};
template <class T>
constexpr basic_operator_rates<T> operator_rates_of(const basic_accelerator<T>& gpu) {
  const double tf = 1e12, us = 1e-6, g = 1e9;
  const auto make = [&](double W, double mv, double pm, double f64, double f128, double f256, double b, double s0, double ag, double ar, double aa, double base, double hop, double h16, double h8, double h4, double hyb) {
    basic_operator_rates<T> r;
    r.product_memory = T(W); r.elementwise_memory = T(mv); r.permutation_memory = T(pm);
    r.product_start = seconds{3 * us}; r.grouped_start = seconds{5 * us};
    r.attention = {flop_per_second{f64 * tf}, flop_per_second{f128 * tf}, flop_per_second{f256 * tf}, flop_per_second{b * tf}, T(s0), seconds{15 * us}};
    r.collectives = {bytes_per_second{ag * g}, bytes_per_second{ar * g}, bytes_per_second{aa * g}, seconds{base * us}, seconds{hop * us}};
    r.deep_ep = bytes_per_second{270 * g}; r.hybrid_ep = bytes_per_second{hyb * g};
    r.hot16 = flop_per_second{h16 * tf}; r.hot8 = flop_per_second{h8 * tf}; r.hot4 = flop_per_second{h4 * tf};
    return r;
  };
  const double bf = gpu.peak.bf16.in_base_units() / tf;
  const double f4 = gpu.peak.fp4.in_base_units() / tf;
  const double hbm = gpu.memory_bandwidth.in_base_units() / tf;
  const int sm = gpu.streaming_multiprocessors;
  if (sm == 108) return make(.65, .80, .56, 150, 181, 181, 140, 425, 205, 222, 203, 10, .8, 253, 253, 253, 270);
  if (sm == 132 && hbm > 4.5) return make(.60, .65, .47, 518, 635, 750, 480, 725, 350, 445, 332, 6, .85, 670, 1299 * 1.1, 1299, 300);
  if (sm == 132) return make(.70, .75, .56, 518, 635, 750, 480, 725, 350, 445, 332, 6, .85, 700, 1299 * 1.1, 1299, 300);
  if (sm == 142) return make(.70, .75, .56, 100, 130, 130, 100, 500, 20, 20, 20, 20, 2, 187, 321, 321, 20);
  if (sm == 148 && f4 > 9500) return make(.60, .66, .5, 1000, 1550, 1600, 1050, 900, 617, 702, 563, 8, 1.3, 1375, 2700*1.1, 5000 * 1.28, 300);
  if (sm == 148) return make(.60, .66, .5, 787, 1288, 1467, 930, 860, 617, 702, 563, 8, 1.3, 1375 * .8, 2589 * 1.1, 3991 * 1.28, 300);
  if (sm == 152 && f4 > 12000) return make(.67, .66, .5, 1182, 1819, 1790, 1250, 990, 571, 633, 508, 8, 1.3, 1736, 3362*1.1, 5853 * 1.28, 600);
  if (sm == 152) return make(.60, .66, .5, 787, 1288, 1467, 950, 860, 571, 633, 508, 8, 1.3, 1441, 2742*1.1, 4331 * 1.28, 600);
  const double p = bf > 0 ? bf : gpu.peak.fp16.in_base_units() / tf;
  return make(.65, .75, .5, .45 * p, .55 * p, .55 * p, .4 * p, 700, 300, 300, 300, 10, 2, .6 * p, .55 * gpu.peak.fp8_e4m3.in_base_units() / tf, .5 * f4, 300);
}
}  // namespace gpuplan
