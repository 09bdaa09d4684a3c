#pragma once
#include <string>
#include <tensorloom/workloads/segmented/variants.h>
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// Puts in the bits of operands when an algorithm that is asked for, and can run, needs them and none were given: 8, in
/// int8 7, which it can hold. Needs the format.
void complete_bits(segmented_options& options);

/// Why generated operands of these bits are nothing for a variant that runs in this format ("found .., expected ..");
/// empty when they are.
std::string why_not_bits(const workloads::segmented_variant& variant, const segmented_options& options);

/// Throws arch::input_error that names the largest bits when sums of products of random operands could leave the words:
/// B bits by B bits make 2B, and a sum of n of them ceil(log2 n) more. What files hold is left to the device.
void check_bits_fit(const segmented_options& options);

/// For operands that do not have the bits of a default: which variant takes them ("..; --variant mul ..").
std::string advice_without_bits(const segmented_options& options);

} // namespace tensorloom::testbench
