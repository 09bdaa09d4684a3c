#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/fetta/operand_layout.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include <tensorloom/models/fetta/bank_ports.h>

namespace tensorloom::fetta {

/// A dense matrix for each batch index, one behind the other: strides in elements of the three indices of a beat.
struct dense_matrices {
    std::size_t elements = 0;
    std::array<std::ptrdiff_t, 3> stride{};

    std::size_t at(const arch::fetta::beat_indices& row) const
    {
        std::ptrdiff_t sum = 0;
        for (unsigned i = 0; i < 3; ++i) { sum += static_cast<std::ptrdiff_t>(row.index[i]) * stride[i]; }
        return static_cast<std::size_t>(sum);
    }
};

/// Elements that are neighbours both in the storage of the unified memory and in a dense matrix.
struct memory_run {
    std::uint64_t byte;
    std::size_t at;
    std::size_t elements;
};

/// Sums of a command that share a row of the accumulators.
struct accumulator_run {
    std::size_t at;
    std::uint32_t elements;
    std::uint32_t port;
    std::uint32_t row;
};

/// A CONTRACT worked out for the fast fidelity: how long it takes, what it counts, and which bytes of the unified
/// memory are which elements of dense operands and of the dense result. It depends on the command and the geometry
/// alone, so a loop around the command uses it again; and where its bases advance by whole blocks (row_layout) nothing
/// changes but where the tensors begin.
struct prepared_contraction {
    arch::fetta::contract_command command;
    arch::fetta::contract_cycles ideal;
    arch::fetta::counts counts;
    std::uint64_t cycles = 0;
    dense_matrices ia, ib, sums; ///< sums: batch, IA's free, IB's free
    std::size_t columns = 0;     ///< of sums: with keep, those without elements are sums of zeros
    std::vector<memory_run> ia_runs, ib_runs, result_runs; ///< no result with keep
    std::vector<accumulator_run> accumulator_runs;
    arch::fetta::memory_range written{}; ///< the result's; as the runs, from the block that it begins in

    /// In place of what stands here. Of a command that check() (arch/fetta/limits.h) has nothing against where its
    /// tensors lie; here their bases are in the first block. Without `written`.
    void prepare(const arch::fetta::contract_command& command, const arch::fetta::geometry& g,
                 const row_layout& layout);

    std::size_t runs() const { return ia_runs.size() + ib_runs.size() + result_runs.size() + accumulator_runs.size(); }
};

/// A prepared command, and the bytes in front of the blocks that its tensors begin in: of IA, IB and the result. Sums
/// with them are modulo 2^64.
struct placed_contraction {
    const prepared_contraction* prepared;
    std::array<std::uint64_t, 3> byte;
};

/// The last commands that were prepared: those of loops come again, and working them out takes longer than to run them.
/// As many are kept as share `most_runs`, and the last one.
class prepared_contractions {
public:
    /// Of a command that check() has nothing against. Valid until the next call.
    placed_contraction of(const arch::fetta::contract_command& command, const arch::fetta::geometry& g,
                          const row_layout& layout);

private:
    struct kept_contraction {
        prepared_contraction prepared;
        std::uint64_t used = 0; // when; 0: never
    };

    kept_contraction& place_for(const arch::fetta::contract_command& command);
    void forget_others(const kept_contraction& last);

    static constexpr std::size_t places = 256, ways = 8; // powers of two
    static constexpr std::size_t most_runs = std::size_t{1} << 20;

    std::vector<kept_contraction> m_kept = std::vector<kept_contraction>(places); // in groups of `ways`
    std::size_t m_runs = 0;
    std::uint64_t m_calls = 0;
};

} // namespace tensorloom::fetta
