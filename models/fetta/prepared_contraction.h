#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/index_offsets.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/fetta/isa/operand_layout.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include <tensorloom/models/fetta/bank_ports.h>

namespace tensorloom::fetta {

/// A run of elements that are contiguous both in the storage of the unified memory and among the floats of a product.
struct memory_run {
    std::uint64_t byte;
    std::uint32_t at;
    std::uint32_t elements;
};

/// An operand or the result as seen by a matrix product: floats, and the position of each index among them. Bytes count
/// from the block in which the tensor begins (row_layout), modulo 2^64.
struct product_tensor {
    enum class storage {
        memory, ///< linear, float32: the unified memory itself
        image,  ///< linear, bfloat16: part of its linear order, as floats
        runs,   ///< otherwise: a dense copy, run by run
    };

    storage held = storage::runs;
    std::array<arithmetic::offset_table, 3> offset; ///< offsets by index of a beat (beat_indices)
    std::size_t floats = 0;                         ///< size of the image or dense copy
    std::uint64_t byte = 0;                         ///< memory, image: byte of the first float
    std::size_t first = 0, end = 0;                 ///< image: the part used by this tensor
    std::vector<memory_run> runs;

    std::size_t place_of(const beat_indices& row) const
    {
        return static_cast<std::size_t>(offset[0][row.index[0]] + offset[1][row.index[1]] + offset[2][row.index[2]]);
    }
    /// Stored numbers, for the limit of prepared_contractions.
    std::size_t entries() const { return runs.size() + offset[0].size() + offset[1].size() + offset[2].size(); }
};

/// Sums of a command that share a row of the accumulators.
struct accumulator_run {
    std::uint32_t at;
    std::uint32_t elements;
    std::uint32_t port;
    std::uint32_t row;
};

/// Neighbouring rows of a bank of the accumulators.
struct accumulator_rows_of_port {
    std::uint32_t port;
    std::uint32_t first;
    std::uint32_t rows;
};

/// A CONTRACT prepared for the fast fidelity: its time, its counts, and the positions of its operands and result in a
/// matrix product. It depends only on the command and the device limits, so the iterations of a loop share it; where
/// the bases advance by whole blocks (row_layout), only the start bytes of the tensors change.
struct prepared_contraction {
    contract_command command;
    contract_cycles ideal;
    fetta::counts counts;
    base::bank_counts banks{0}; ///< without banks unless they are counted
    std::uint64_t cycles = 0;
    product_tensor ia, ib, sums;                   ///< sums without runs with keep
    std::size_t columns = 0;                       ///< of sums; with keep, columns without elements are sums of zeros
    std::vector<accumulator_run> accumulator_runs; ///< of sums that come from the accumulators or stay in them
    std::vector<accumulator_rows_of_port> passed_rows; ///< without keep: rows that the sums leave with 0
    accumulator_rows accumulators;                     ///< range of all rows
    memory_range written{};                            ///< range of the result, from the block in which it begins

    /// Replaces this content by that of `command`, which check() (fetta/isa/contract_check.h) accepts at its original
    /// place; here its bases lie in the first block. Does not set `written`.
    void prepare(const contract_command& command, const device_limits& g, const row_layout& layout, bool counts_banks);

    std::size_t entries() const
    {
        return ia.entries() + ib.entries() + sums.entries() + accumulator_runs.size() + passed_rows.size() +
               2 * banks.banks().size();
    }
};

/// A prepared command, and the first bytes of the blocks in which its tensors begin: IA, IB and the result. Sums with
/// them are modulo 2^64.
struct placed_contraction {
    const prepared_contraction* prepared;
    std::array<std::uint64_t, 3> byte;
};

/// A cache of prepared commands, for loops: preparing a command takes longer than running it. The cache holds up to
/// `most_entries` numbers, and always the last command.
class prepared_contractions {
public:
    /// The preparation of a command that check() accepts. Valid until the next call.
    placed_contraction of(const contract_command& command, const device_limits& g, const row_layout& layout,
                          bool counts_banks);

private:
    struct kept_contraction {
        prepared_contraction prepared;
        std::uint64_t used = 0; // number of the last call that used it; 0: never
    };

    kept_contraction& place_for(const contract_command& command);
    void forget_others(const kept_contraction& last);

    static constexpr std::size_t places = 256, ways = 8; // powers of two
    static constexpr std::size_t most_entries = std::size_t{1} << 20;

    std::vector<kept_contraction> m_kept = std::vector<kept_contraction>(places); // in groups of `ways`
    std::size_t m_entries = 0;
    std::uint64_t m_calls = 0;
};

} // namespace tensorloom::fetta
