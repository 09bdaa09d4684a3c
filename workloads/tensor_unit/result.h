#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>

namespace tensorloom::workloads {

/// Numbers that an algorithm takes or gives, row by row: whole, real or complex.
using tensor_unit_values =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::complex<double>>>;

std::size_t count_of(const tensor_unit_values& values);

/// Sum of (i + 1) z[i] mod 2^31 - 1, not negative. Numbers that are not whole are rounded, of complex ones the real
/// part counts.
std::int64_t checksum_of(const tensor_unit_values& values);

/// The numbers as whole ones. Throws base::input_error, which names `what`, when one is not whole (or beyond 2^53).
std::vector<std::int64_t> whole_numbers(const tensor_unit_values& values, const char* what);

/// What an algorithm computed on an MMU/VCU pair, and what that took. mmv::tcu_meter_of(counts, q, l) is the
/// (m,l)-TCU's view of it.
struct tensor_unit_result : session_costs {
    tensor_unit_values values; ///< whole of an integer device, real of f64, complex of c128
    std::vector<std::uint64_t> shape;
    std::uint64_t rounds = 0; ///< of the sparse product; else 0
};

/// What an algorithm costs on an (m,l)-TCU, m = q x q. Source: arXiv 1908.06649, section 3; processor operations by
/// charge table v1.
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

/// How tall the left operand of one call may be.
enum class call_shape {
    tall,  ///< any number of rows, at least q: the (strong) TCU
    square ///< q rows: the weak TCU; a taller operand takes a call per q rows
};

/// Calls with this many rows: `times` of them, each padded to q rows, and cut into q-row calls where the unit is weak.
constexpr tensor_unit_cost calls_of(std::uint64_t times, std::uint64_t rows, std::uint64_t side, call_shape shape)
{
    const std::uint64_t tiles = (rows + side - 1) / side;
    tensor_unit_cost cost;
    cost.calls = shape == call_shape::tall ? times : times * tiles;
    cost.rows = shape == call_shape::tall ? times * (rows > side ? rows : side) : times * tiles * side;
    return cost;
}

} // namespace tensorloom::workloads
