#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/mmv/program_builder.h>

namespace tensorloom::workloads {

/// Operands or results of an algorithm, row by row: integer, real or complex.
using tensor_unit_values =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::complex<double>>>;

std::size_t count_of(const tensor_unit_values& values);

/// Sum of (i + 1) z[i] mod 2^31 - 1, not negative. Fractions are rounded; complex numbers count with their real part.
std::int64_t checksum_of(const tensor_unit_values& values);

/// Converts to integers. Throws base::input_error, which names `what`, if one is not whole (or beyond 2^53).
std::vector<std::int64_t> whole_numbers(const tensor_unit_values& values, const char* what);

/// Result and costs of an algorithm on an MMU/VCU pair. mmv::tcu_meter_of(counts, q, l) converts to the (m,l)-TCU.
struct tensor_unit_result : session_costs {
    tensor_unit_values values; ///< integer device: integers; c128: complex; else real
    std::vector<std::uint64_t> shape;
    std::uint64_t rounds = 0; ///< of the sparse product; else 0
};

/// Costs of an algorithm on an (m,l)-TCU, m = q x q. Source: arXiv 1908.06649, section 3; by one charge table.
struct tensor_unit_cost {
    std::uint64_t calls = 0;
    std::uint64_t rows = 0; ///< of left operands, padded to q
    std::uint64_t cpu_ops = 0;

    std::uint64_t tensor_time(std::uint64_t side, std::uint64_t latency) const { return rows * side + calls * latency; }
    std::uint64_t time(std::uint64_t side, std::uint64_t latency) const { return tensor_time(side, latency) + cpu_ops; }

    tensor_unit_cost& operator+=(const tensor_unit_cost& other)
    {
        calls += other.calls;
        rows += other.rows;
        cpu_ops += other.cpu_ops;
        return *this;
    }
    friend bool operator==(const tensor_unit_cost& a, const tensor_unit_cost& b)
    {
        return a.calls == b.calls && a.rows == b.rows && a.cpu_ops == b.cpu_ops;
    }
};

constexpr tensor_unit_cost operations(std::uint64_t cpu_ops) { return {0, 0, cpu_ops}; } ///< of the processor alone

/// Height of the left operand of a call.
enum class call_shape {
    tall,  ///< any number of rows, at least q: the (strong) TCU
    square ///< q rows: the weak TCU; taller operands take a call per q rows
};

/// What the model charges for moves. A move puts a number elsewhere without changing it: a copy, or the permutation of
/// numbers while an operation writes them. All other operations cost 1 in every table; setting numbers to 0 is free.
enum class charge_table : std::uint8_t {
    v1,            ///< 2 moves per number and level of a DFT but the last, and transpositions; all others are free
    moves_free,    ///< v2: every move is free, on both sides
    moves_charged, ///< v2: every move costs 1, on both sides
};
inline constexpr base::named_value charge_table_values[] = {
    {static_cast<std::uint32_t>(charge_table::v1), "v1", "some moves of DFT and stencil cost 1"},
    {static_cast<std::uint32_t>(charge_table::moves_free), "moves-free", "moves are free"},
    {static_cast<std::uint32_t>(charge_table::moves_charged), "moves-charged", "every move costs 1"},
};

/// Operations charged for moves of which table v1 charges only some.
constexpr std::uint64_t charge_of_moves(charge_table charges, std::uint64_t moves, std::uint64_t charged_by_v1 = 0)
{
    return charges == charge_table::moves_charged ? moves : charges == charge_table::v1 ? charged_by_v1 : 0;
}

/// The terms of the (m,l)-TCU that are not its size or latency.
struct tensor_unit_terms {
    tensor_unit_terms(call_shape calls, charge_table table = charge_table::v1) : shape(calls), charges(table) {}

    call_shape shape;
    charge_table charges;
};

/// Costs of `times` calls with `rows` rows each, padded to q rows, and divided into q-row calls on a weak unit.
constexpr tensor_unit_cost calls_of(std::uint64_t times, std::uint64_t rows, std::uint64_t side, call_shape shape)
{
    const std::uint64_t tiles = (rows + side - 1) / side;
    tensor_unit_cost cost;
    cost.calls = shape == call_shape::tall ? times : times * tiles;
    cost.rows = shape == call_shape::tall ? times * (rows > side ? rows : side) : times * tiles * side;
    return cost;
}

} // namespace tensorloom::workloads
