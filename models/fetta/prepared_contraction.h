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

/// Elements that are neighbours both in the storage of the unified memory and among the floats of a product.
struct memory_run {
    std::uint64_t byte;
    std::size_t at;
    std::size_t elements;
};

/// An operand or the result as a product of matrices has it: floats, and where the indices lie among them. Bytes count
/// from the block that the tensor begins in (row_layout), modulo 2^64.
struct product_tensor {
    enum class storage {
        memory, ///< a linear one of float32: the unified memory itself
        image,  ///< a linear one of bfloat16: part of its linear order, as floats
        runs,   ///< any other: dense, run by run
    };

    storage held = storage::runs;
    std::array<arithmetic::offset_table, 3> offset; ///< of the indices of a beat (beat_indices)
    std::size_t floats = 0;                         ///< of the image or the dense tensor
    std::uint64_t byte = 0;                         ///< memory, image: of the first float
    std::size_t first = 0, end = 0;                 ///< image: its part that is this tensor's
    std::vector<memory_run> runs;

    std::size_t place_of(const beat_indices& row) const
    {
        return static_cast<std::size_t>(offset[0][row.index[0]] + offset[1][row.index[1]] + offset[2][row.index[2]]);
    }
    /// Numbers that are kept of it.
    std::size_t entries() const { return runs.size() + offset[0].size() + offset[1].size() + offset[2].size(); }
};

/// Sums of a command that share a row of the accumulators.
struct accumulator_run {
    std::size_t at;
    std::uint32_t elements;
    std::uint32_t port;
    std::uint32_t row;
};

/// A CONTRACT worked out for the fast fidelity: how long it takes, what it counts, and where its product of matrices
/// finds the elements of operands and result. It depends on the command and the geometry
/// alone, so a loop around the command uses it again; and where its bases advance by whole blocks (row_layout) nothing
/// changes but where the tensors begin.
struct prepared_contraction {
    contract_command command;
    contract_cycles ideal;
    fetta::counts counts;
    base::bank_counts banks{0}; ///< of no bank when nobody counts them
    std::uint64_t cycles = 0;
    product_tensor ia, ib, sums; ///< sums without runs with keep
    std::size_t columns = 0;     ///< of sums: with keep, those without elements are sums of zeros
    std::vector<accumulator_run> accumulator_runs;
    accumulator_rows accumulators; ///< of them all
    memory_range written{};        ///< the result's; as the runs, from the block that it begins in

    /// In place of what stands here. Of a command that check() (fetta/isa/contract_check.h) has nothing against where
    /// its tensors lie; here their bases are in the first block. Without `written`.
    void prepare(const contract_command& command, const device_limits& g, const row_layout& layout, bool counts_banks);

    std::size_t entries() const
    {
        return ia.entries() + ib.entries() + sums.entries() + accumulator_runs.size() + 2 * banks.banks().size();
    }
};

/// A prepared command, and the bytes in front of the blocks that its tensors begin in: of IA, IB and the result. Sums
/// with them are modulo 2^64.
struct placed_contraction {
    const prepared_contraction* prepared;
    std::array<std::uint64_t, 3> byte;
};

/// The last commands that were prepared: those of loops come again, and working them out takes longer than to run them.
/// As many are kept as share `most_entries`, and the last one.
class prepared_contractions {
public:
    /// Of a command that check() has nothing against. Valid until the next call.
    placed_contraction of(const contract_command& command, const device_limits& g, const row_layout& layout,
                          bool counts_banks);

private:
    struct kept_contraction {
        prepared_contraction prepared;
        std::uint64_t used = 0; // when; 0: never
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
