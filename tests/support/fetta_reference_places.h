#pragma once
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::test {

enum class reference_stream : std::uint8_t { ia, ib, result };

/// A row of a bank, of the type of who uses it.
struct reference_row {
    std::uint64_t bank;
    std::int64_t row;
    friend bool operator<(const reference_row& a, const reference_row& b)
    {
        return std::tie(a.bank, a.row) < std::tie(b.bank, b.row);
    }
};

/// Flat indices of an element, of its operand's groups, and whether the tensors have it. Present: all but its
/// contracted index are in range.
struct reference_element {
    std::array<std::uint64_t, 3> group;
    bool exists;
    bool present;
};

/// The bits of a number under a mask, lowest first.
std::uint64_t bits_under(std::uint64_t mask, std::uint64_t number);
/// The lowest bits of a part to where the mask has ones.
std::uint64_t bits_to(std::uint64_t mask, std::uint64_t part);
/// 2^ones.
std::uint64_t parts_of(std::uint64_t mask);

/// Where operands and result of a CONTRACT lie, by the formulas of contract_command.h.
class fetta_reference_places {
public:
    fetta_reference_places(const fetta::contract_command& command, const fetta::device_limits& limits)
        : m_c(command), m_g(limits)
    {}

    const fetta::contract_operand& operand(reference_stream s) const;
    base::element_type type(reference_stream s) const;
    bool linear(reference_stream s) const;

    /// Of the memory's or the accumulators' ports the one that serves this engine when the counters are these.
    std::uint64_t port(reference_stream s, std::uint64_t engine, const std::array<std::uint64_t, 4>& at) const;
    reference_row banked_place(reference_stream s, std::uint64_t engine, const std::array<std::uint64_t, 4>& at) const;
    /// With the element of the row. Throws reference_failure.
    std::pair<reference_row, std::uint64_t> linear_place(reference_stream s, const reference_element& e) const;

private:
    std::uint64_t shared_mask(reference_stream s) const;
    std::int64_t position(reference_stream s, const std::array<std::uint64_t, 4>& at) const;

    const fetta::contract_command& m_c;
    const fetta::device_limits& m_g;
};

} // namespace tensorloom::test
