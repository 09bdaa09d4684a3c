#pragma once
#include <random>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include "workloads/step_planner/step_definition.h"

namespace tensorloom::test {

/// A network of 3 to 7 tensors of 2 to 4 modes each, X[b, ...] first: modes of 1 to 11 indices, in one tensor (then in
/// the result), in two, in two and the result, or in three. At most 20,000 products of one element of each.
workloads::tensor_network random_layer_network(std::mt19937& random);

/// Any pair, then any pair of what is left: outer products, too.
workloads::contraction_tree random_tree(std::mt19937& random, std::size_t nodes);

/// X, cores, dY and masters that are whole numbers, so small that nothing that the step makes is rounded: sums in any
/// order are the same. As few zeros among them as that allows.
values_by_name<float> whole_numbers(std::mt19937& random, const step_definition& step);

/// Numbers of bf16 in [-1, 1]; masters are float32, cores those rounded.
values_by_name<float> real_numbers(std::mt19937& random, const step_definition& step);

values_by_name<double> in_double(const values_by_name<float>& values);

} // namespace tensorloom::test
