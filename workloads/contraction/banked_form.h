#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::workloads {

/// A linear operand that is accessed like a banked one: a row of each bank per cycle, routed by the network only.
struct banked_form {
    fetta::contract_operand operand; ///< base: row
    bool transposed = false;         ///< the transpose layer of its network is used
};

/// The banked form of a linear operand or result of a command, if it exists; it needs no gather or scatter buffer.
/// `transpose_layer`: the layer may be used; it is used only if necessary.
///
/// A linear tensor's rows of P elements go round-robin over the banks. It has a banked form if in every cycle
///     the P elements of each row are contiguous and start at a multiple of P
///     the rows of the engines' parts have the distances of the bits of these engines, after the transpose layer: the
///     lowest bit of a part whose rows are adjacent maps to bit 0 of the bank, and so on
///     all are at the same row of their banks, addressed by counters with strides (contract_command.h)
/// Example: P = 4, 16 engines split 4 x 4 over both free indices of an output-stationary mapping, both operands with
/// that index fastest. Both need the lower two bits of the bank, but two operands cannot use the same bits of the
/// engines; one gets them through the transpose layer. The command must pass check() (limits.h) with the linear
/// operand; its base must be a row of bank 0.
std::optional<banked_form> banked_form_of(const fetta::contract_command& command, fetta::operand_role role,
                                          const fetta::device_limits& g, bool transpose_layer);

/// The same of many operands of one command: what depends on the command alone is computed once.
class banked_forms {
public:
    /// Rows of memory between the rows of a linear operand that follow each other. They are the same for all commands
    /// that differ only in which bits of the engine's number are whose.
    struct row_strides;

    /// The command's own operand of this role does not matter.
    banked_forms(const fetta::contract_command& command, fetta::operand_role role, const fetta::device_limits& g,
                 bool transpose_layer);

    std::optional<banked_form> of(const fetta::contract_operand& linear) const;
    /// Nothing: the operand has no banked form, whichever bits are whose.
    std::optional<row_strides> rows_of(const fetta::contract_operand& linear) const;
    std::optional<banked_form> of(const fetta::contract_operand& linear, const row_strides& rows) const;

private:
    static constexpr unsigned parted_indices = 4; // batch, contracted, IA's free, IB's free

    // A digit of a flat index: what iterates over it.
    struct digit {
        enum class walker : std::uint8_t { lane, part, counter };
        unsigned group = 0; // of the operand: batch, contracted or IA's free, free
        std::uint64_t weight = 1, count = 1;
        walker by = walker::counter;
        unsigned which = 0; // of the counters or of the parted indices
    };

    void add_digits();
    bool is_within(const banked_form& form, const fetta::contract_operand& linear) const;

    fetta::contract_command m_command;
    fetta::operand_role m_role;
    fetta::device_limits m_limits;
    bool m_transpose_layer;
    std::array<std::uint64_t, 4> m_counts;             // of the counters
    std::array<std::uint32_t, parted_indices> m_masks; // of the parts
    std::array<digit, 8> m_digits;
    unsigned m_digit_count = 0;
};

struct banked_forms::row_strides {
    std::array<std::uint64_t, parted_indices> part{}; ///< 0: one part in range
    std::array<std::uint64_t, 4> counter{};

    /// Of an operand that has the groups of both, where each has other groups.
    friend row_strides operator+(row_strides x, const row_strides& y)
    {
        for (unsigned i = 0; i < x.part.size(); ++i) { x.part[i] += y.part[i]; }
        for (unsigned i = 0; i < x.counter.size(); ++i) { x.counter[i] += y.counter[i]; }
        return x;
    }
};

} // namespace tensorloom::workloads
