#pragma once
/// \file
/// The terms of a step: computing, communication and waiting.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The terms of a step, in the order of basic_step_time.
enum class step_term {
  products,
  attention,
  elementwise,
  recompute,
  reference,
  ends,
  launch,
  tensor,
  context,
  expert,
  gather,
  pipeline,
  bubble,
  stragglers,
  data,
  optimizer,
  offload,
  input
};

/// Time of one optimizer step: what the slowest stage is busy with, and what it waits for.  Each
/// term is what is left of it after overlap, so they add up.
template <class T>
struct basic_step_time {
  basic_busy_time<T> busy{};      ///< of the slowest stage, all micro-batches
  basic_seconds<T> pipeline{};    ///< activations and their gradients sent between stages
  basic_seconds<T> bubble{};      ///< waiting for the pipeline to fill and drain
  basic_seconds<T> stragglers{};  ///< waiting for the slowest replica, and the slowest GPU
  basic_seconds<T> data{};        ///< gradients reduced and weights gathered, once a step
  basic_seconds<T> optimizer{};  ///< the update: memory traffic, of the host where states lie there
  basic_seconds<T> offload{};    ///< waiting for transfers from and to the host
  basic_seconds<T> input{};      ///< waiting for samples, where they come slower than steps

  /// \throws invalid_input if term is none of step_terms
  [[nodiscard]] constexpr basic_seconds<T> operator[](step_term term) const;
  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return busy.total() + pipeline + bubble + stragglers + data + optimizer + offload + input;
  }
  /// The largest term; of equals the first.
  [[nodiscard]] constexpr step_term binding() const;
};

using step_time = basic_step_time<double>;

namespace detail {

/// How a term is called, and where a step keeps it: in what it is busy with, or beside that.
template <class T>
struct step_term_row {
  std::string_view name;   ///< in JSON
  std::string_view title;  ///< for people
  basic_seconds<T> basic_busy_time<T>::*busy = nullptr;
  basic_seconds<T> basic_step_time<T>::*beside = nullptr;  ///< where busy is null
};

/// A row for each step_term, in its order.
template <class T>
inline constexpr std::array step_term_table{
    step_term_row<T>{.name = "products", .title = "GEMM", .busy = &basic_busy_time<T>::products},
    step_term_row<T>{
        .name = "attention", .title = "attention", .busy = &basic_busy_time<T>::attention},
    step_term_row<T>{
        .name = "elementwise", .title = "elementwise", .busy = &basic_busy_time<T>::elementwise},
    step_term_row<T>{
        .name = "recompute", .title = "recompute", .busy = &basic_busy_time<T>::recompute},
    step_term_row<T>{
        .name = "reference", .title = "reference model", .busy = &basic_busy_time<T>::reference},
    step_term_row<T>{
        .name = "ends", .title = "embedding + LM head", .busy = &basic_busy_time<T>::ends},
    step_term_row<T>{
        .name = "launch", .title = "kernel launch", .busy = &basic_busy_time<T>::launch},
    step_term_row<T>{
        .name = "tensor", .title = "TP communication", .busy = &basic_busy_time<T>::tensor},
    step_term_row<T>{
        .name = "context", .title = "CP communication", .busy = &basic_busy_time<T>::context},
    step_term_row<T>{
        .name = "expert", .title = "EP communication", .busy = &basic_busy_time<T>::expert},
    step_term_row<T>{
        .name = "gather", .title = "FSDP all-gather", .busy = &basic_busy_time<T>::gather},
    step_term_row<T>{
        .name = "pipeline", .title = "PP communication", .beside = &basic_step_time<T>::pipeline},
    step_term_row<T>{
        .name = "bubble", .title = "pipeline bubble", .beside = &basic_step_time<T>::bubble},
    step_term_row<T>{
        .name = "stragglers", .title = "stragglers", .beside = &basic_step_time<T>::stragglers},
    step_term_row<T>{
        .name = "data", .title = "DP communication", .beside = &basic_step_time<T>::data},
    step_term_row<T>{
        .name = "optimizer", .title = "optimizer", .beside = &basic_step_time<T>::optimizer},
    step_term_row<T>{
        .name = "offload", .title = "host offload", .beside = &basic_step_time<T>::offload},
    step_term_row<T>{
        .name = "input", .title = "data loading", .beside = &basic_step_time<T>::input}};

}  // namespace detail

/// Every term, in the order of the enumeration.
inline constexpr auto step_terms = [] {
  std::array<step_term, detail::step_term_table<double>.size()> terms{};
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = static_cast<step_term>(i);
  return terms;
}();

template <class T>
constexpr basic_seconds<T> basic_step_time<T>::operator[](step_term term) const {
  const auto index = static_cast<std::size_t>(term);
  require(index < step_terms.size(), "step_time: term must be one of step_terms");
  const detail::step_term_row<T>& row = detail::step_term_table<T>[index];
  return row.busy != nullptr ? busy.*row.busy : this->*row.beside;
}

template <class T>
constexpr step_term basic_step_time<T>::binding() const {
  step_term largest = step_terms.front();
  for (const step_term term : step_terms)
    if ((*this)[term] > (*this)[largest]) largest = term;
  return largest;
}

/// "products", "attention", ... as JSON calls the terms.
constexpr std::string_view name_of(step_term term) {
  return detail::step_term_table<double>[static_cast<std::size_t>(term)].name;
}

/// "GEMM", "TP communication", ... as people call the terms.
constexpr std::string_view title_of(step_term term) {
  return detail::step_term_table<double>[static_cast<std::size_t>(term)].title;
}

/// The title of the term that JSON calls so; the name itself where there is none.
constexpr std::string_view title_of_step_term(std::string_view name) {
  for (const auto& row : detail::step_term_table<double>)
    if (row.name == name) return row.title;
  return name;
}

}  // namespace gpuplan
