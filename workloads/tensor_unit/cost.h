#pragma once
#include <cstdint>

namespace tensorloom::workloads {

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
