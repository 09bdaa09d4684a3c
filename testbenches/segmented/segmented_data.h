#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

// ---- bits of operands ----

/// Puts in the bits of operands when an algorithm that is asked for, and can run, needs them and none were given: 8, in
/// int8 7, which it can hold. Needs the format.
void complete_bits(segmented_options& options);

/// Why generated operands of these bits are nothing for a variant that runs in this format ("found .., expected ..");
/// empty when they are.
std::string why_not_bits(const workloads::segmented_variant& variant, const segmented_options& options);

/// Throws arch::input_error that names the largest bits when sums of products of random operands could leave the words:
/// B bits by B bits make 2B, and a sum of n of them ceil(log2 n) more. What files hold is left to the device.
void check_bits_fit(const segmented_options& options);

// ---- operands ----

/// Loads or generates what an operation works on. T: int64_t for integer formats, double. Throws arch::input_error.
template <class T> workloads::segmented_problem<T> make_problem(const segmented_options& options);

/// The first part of a problem: so many elements, or rows and as many columns of a matrix product's operands. Generated
/// sparse matrices are made anew at this size, as random or formula say; one from a file is taken whole.
template <class T>
workloads::segmented_problem<T> part_of(const segmented_options& options, const workloads::segmented_problem<T>& whole,
                                        std::uint64_t length);

} // namespace tensorloom::testbench
