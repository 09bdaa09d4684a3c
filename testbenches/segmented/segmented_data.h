#pragma once
#include <cstdint>
#include <tensorloom/workloads/segmented/problem.h>
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// Loads or generates what an operation works on. T: int64_t for integer formats, double. Throws arch::input_error.
template <class T> workloads::segmented_problem<T> make_problem(const segmented_options& options);

/// The first part of a problem: so many elements, or rows and as many columns of a matrix product's operands. Generated
/// sparse matrices are made anew at this size, as random or formula say; one from a file is taken whole.
template <class T>
workloads::segmented_problem<T> part_of(const segmented_options& options, const workloads::segmented_problem<T>& whole,
                                        std::uint64_t length);

} // namespace tensorloom::testbench
