#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>
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

/// Costs of an algorithm on an (m,l)-TCU, m = q x q. Source: arXiv 1908.06649, section 3; charge table v1.
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
