#include <gpuplan/compute/optimizer_flop.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

/// A number that counts what is done with it.
struct counted {
  double value = 0;
  static inline int operations = 0;
  friend counted operator+(counted a, counted b) {
    return ++operations, counted{a.value + b.value};
  }
  friend counted operator-(counted a, counted b) {
    return ++operations, counted{a.value - b.value};
  }
  friend counted operator*(counted a, counted b) {
    return ++operations, counted{a.value * b.value};
  }
  friend counted operator/(counted a, counted b) {
    return ++operations, counted{a.value / b.value};
  }
};
counted root(counted x) {
  return ++counted::operations, x;
}
counted sign(counted x) {
  return ++counted::operations, x;
}

template <class Rule>
int count(Rule&& rule) {
  counted::operations = 0;
  static_cast<void>(rule());
  return counted::operations;
}

static_assert(newton_schulz_operations(4096, 4096, 1) == 6 * 4096.0, "three square products");
static_assert(newton_schulz_operations(1024, 4096) == newton_schulz_operations(4096, 1024));
static_assert(newton_schulz_operations(1, 1, 0) == 0);

TEST_CASE("the rules, written out, take as many operations as the table says", "[compute]") {
  // Constants of the step (1 - a, the learning rate over a bias correction) are ready made.
  const counted p{1}, g{1}, m{1}, v{1}, l{1}, a{1}, a1{1}, b{1}, b1{1}, c{1}, e{1}, w{1}, t{1};
  const auto moving = [](counted x, counted keep, counted take, counted y) {
    return keep * x + take * y;
  };
  const auto adam = [&] { return moving(m, a, a1, g) / (c * root(moving(v, b, b1, g * g)) + e); };
  CHECK(count([&] { return p - l * g; }) == update_operations(optimizer::sgd));
  CHECK(count([&] { return p - l * (a * v + g); }) == update_operations(optimizer::momentum));
  CHECK(count([&] { return p - l * g / (root(v + g * g) + e); }) ==
        update_operations(optimizer::adagrad));
  CHECK(count([&] { return p - l * g / (root(moving(v, b, b1, g * g)) + e); }) ==
        update_operations(optimizer::rmsprop));
  CHECK(count([&] { return p - l * adam(); }) == update_operations(optimizer::adam));
  CHECK(count([&] { return p * w - l * adam(); }) == update_operations(optimizer::adamw));
  CHECK(count([&] {
          moving(m, b, b1, g);
          return p * w - l * sign(moving(m, a, a1, g));
        }) == update_operations(optimizer::lion));
  CHECK(count([&] {
          const counted r = adam() + w * p;
          return p - t * r + (p * p + p) * (r * r + r);
        }) == update_operations(optimizer::lamb) + 2);  // the two that join what is one here
  CHECK(update_operations(optimizer::adam_8bit) == update_operations(optimizer::adamw) + 4);
}

TEST_CASE("the coarse counts are low", "[compute]") {
  for (const optimizer o :
       {optimizer::sgd, optimizer::momentum, optimizer::rmsprop, optimizer::adam}) {
    CHECK(coarse_update_operations(o) <= update_operations(o));
    CHECK(2.6 * coarse_update_operations(o) >= update_operations(o));
  }
  for (const optimizer o : optimizers) CHECK(update_operations(o) >= 2);
  CHECK_THROWS_AS(coarse_update_operations(optimizer::lion), invalid_input);
  CHECK_THROWS_AS(update_operations(static_cast<optimizer>(99)), invalid_input);
  CHECK_THROWS_AS(newton_schulz_operations(0, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
