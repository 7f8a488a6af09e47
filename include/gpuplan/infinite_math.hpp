#pragma once
/// \file
/// What every header that computes asks of the compiler: infinity and NaN.  It declares nothing;
/// tests/headers/fast_math_test.py compiles it.

// Overload is an infinite wait, and NaN must fail a condition: both need the arithmetic of IEC
// 60559, which these flags take away without a word.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "gpuplan needs infinity and NaN: compile without -ffast-math, -Ofast, -ffinite-math-only"
#endif
