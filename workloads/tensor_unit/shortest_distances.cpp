#include <tensorloom/workloads/tensor_unit/shortest_distances.h>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::vector::opcode;

void check_connected(const std::vector<std::int64_t>& edges, std::uint64_t n)
{
    std::vector<bool> reached(n);
    std::vector<std::uint64_t> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const std::uint64_t from = open.back();
        open.pop_back();
        for (std::uint64_t to = 0; to < n; ++to) {
            if (edges[from * n + to] != 0 && !reached[to]) {
                reached[to] = true;
                open.push_back(to);
            }
        }
    }
    for (std::uint64_t v = 0; v < n; ++v) {
        if (!reached[v]) { refuse("edges", "no path from vertex 0 to " + std::to_string(v), "a connected graph"); }
    }
}

void check(const mmv_machine& machine, const tensor_unit_values& values, std::uint64_t n)
{
    require_format(machine, "distances", {element_type::int64, element_type::int32, element_type::f64});
    require_count("edges", count_of(values), n * n);
    if (n == 0) { refuse("vertices", "0", "at least 1"); }
    const auto edges = whole_numbers(values, "edges");
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j <= i; ++j) {
            const std::int64_t e = edges[i * n + j];
            if ((e != 0 && e != 1) || e != edges[j * n + i] || (i == j && e != 0)) {
                refuse("edge " + std::to_string(i) + ", " + std::to_string(j), std::to_string(e),
                       "a symmetric matrix of 0 and 1 with a diagonal of 0");
            }
        }
    }
    check_connected(edges, n);
}

tensor_unit_result distances(mmv_machine& machine, call_shape shape, product_recorder product,
                             const tensor_unit_values& edges, std::uint64_t n)
{
    check(machine, edges, n);
    tensor_unit_program program(machine, shape);
    const std::uint64_t all = n * n;
    // A of every level; the last one is that of a complete graph, and its distances.
    std::vector<scratchpad_matrix> paths{program.operand(edges, n, n)};
    const auto work = program.place(n, n);
    for (std::uint64_t level = 0; level < distance_levels(n); ++level) {
        const auto& a = paths.back();
        const auto two = program.cleared(n, n);
        product(program, a, a, work);
        program.scalar(opcode::s_add, work, work, a, all);
        program.scalar(opcode::s_positive, two, work, all);
        scratchpad_matrix diagonal = two.block(0, 0, n, 1);
        diagonal.row_stride = two.row_stride + 1;
        program.set(diagonal, 0);
        paths.push_back(two);
    }
    const auto t = paths.back();
    paths.pop_back();
    const auto degrees = program.row_of(n), bound = program.place(n, n), ones = program.row_of(1);
    program.set(ones, 1);
    for (; !paths.empty(); paths.pop_back()) {
        const auto& a = paths.back();
        product(program, t, a, work);
        program.set(degrees, 0);
        program.scalar(opcode::s_mac, degrees.with_repeated_row(n), a,
                       ones.with_repeated_row(n).with_repeated_column(n), 0);
        program.scalar(opcode::s_mul, bound.block(0, 0, n, n), t, degrees.with_repeated_row(n), all);
        program.scalar(opcode::s_less, work, work, bound, all);
        program.scalar(opcode::s_add, t, t, t, all);
        program.scalar(opcode::s_sub, t, t, work, all);
    }
    return program.result_of(t, {n, n});
}

} // namespace

tensor_unit_result shortest_distances(mmv_machine& machine, call_shape shape, const tensor_unit_values& edges,
                                      std::uint64_t vertices)
{
    return distances(machine, shape, record_tensor_product, edges, vertices);
}

tensor_unit_result shortest_distances_scalar(mmv_machine& machine, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    return distances(machine, call_shape::tall, record_scalar_product, edges, vertices);
}

} // namespace tensorloom::workloads
