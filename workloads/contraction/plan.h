#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/banked_image.h>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/workloads/contraction/mapping_search.h>

namespace tensorloom::workloads {

/// How LOADs or STOREs reach memory: how many there are, the contiguous runs that they move, and the bursts of the DMA,
/// which are naturally aligned, in all.
struct memory_accesses {
    std::uint64_t transfers = 1, runs = 1, bursts = 1;

    memory_accesses& operator+=(const memory_accesses& more)
    {
        transfers += more.transfers;
        runs += more.runs;
        bursts += more.bursts;
        return *this;
    }
    friend memory_accesses operator*(std::uint64_t times, const memory_accesses& a)
    {
        return {times * a.transfers, times * a.runs, times * a.bursts};
    }
};

/// Of a LOAD or STORE of this tensor. Bursts are those of some runs, taken for all.
memory_accesses accesses_of(const isa::tensor_descriptor& tensor);

/// What planners take the memory on the bus for: a pipe that data and commands take one after the other. Of estimates
/// alone; a run takes what the memory on the bus takes. The defaults are FETTA's: LPDDR4 (section VI-B) at 1 GHz,
/// energy not counted.
struct memory_estimate {
    double bytes_per_cycle = 25.6;
    double transfer_cycles = 64; ///< of each LOAD or STORE, before its first byte
    double burst_cycles = 30; ///< from the request of a short burst to its answer: measured with the DMA of the device
    unsigned outstanding = 8; ///< bursts that the DMA has in flight
    bool overlap_runs = true; ///< bursts of several runs among them
    std::uint64_t burst_bytes = 1; ///< that a burst takes at least, in time and energy

    double read_pj_per_byte = 0;
    double write_pj_per_byte = 0;
    double pj_per_cycle = 0; ///< as long as the plan runs: background, refresh

    double first_refresh_cycles = 0;        ///< behind the start of a run; 0: there is none
    double unrefreshed_bytes_per_cycle = 0; ///< until then; bytes_per_cycle is less by the share of refreshes

    /// As it is in a run that ends before the first refresh.
    memory_estimate without_refresh() const
    {
        memory_estimate m = *this;
        m.bytes_per_cycle = unrefreshed_bytes_per_cycle;
        m.first_refresh_cycles = 0;
        return m;
    }

    double cycles(std::uint64_t bytes, const memory_accesses& a) const
    {
        const double begins = static_cast<double>(a.transfers) * transfer_cycles;
        const double beats = static_cast<double>(bytes) / bytes_per_cycle;
        if (!overlap_runs) { return begins + beats + static_cast<double>(a.runs - a.transfers) * burst_cycles; }
        const double in_turn = (beats + static_cast<double>(a.bursts - a.transfers) * burst_cycles) / outstanding;
        const double pipe = static_cast<double>(charged_bytes(bytes, a)) / bytes_per_cycle;
        return begins + std::max({in_turn, pipe, static_cast<double>(a.bursts)});
    }

    /// Less work, transfers included, is not worth cutting into blocks: their ends take as much as they hide.
    double small_work_cycles() const { return 32 * transfer_cycles; }

    /// That are charged for so many bytes.
    std::uint64_t charged_bytes(std::uint64_t bytes, const memory_accesses& a) const
    {
        return std::max(bytes, a.bursts * burst_bytes);
    }
};

/// How tensors lie in memory on the bus and how they get into the order that a mapping wants. Layout decides most of
/// what a contraction takes: FETTA, section III-B.
enum class tensor_layout : std::uint8_t {
    ideal,      ///< the host lays out banked images, and reads the result from one: every transfer is contiguous
    conflicted, ///< C order in both memories: linear operands, whose bank conflicts are counted
    offchip ///< C order in memory on the bus: the device permutes through it what a strided LOAD does not bring into
            ///< order
};
inline constexpr base::named_value tensor_layout_values[] = {
    {0, "ideal", "operands and result have the layout of the mapping"},
    {1, "conflicted", "operands and result are in C order; rows of the same bank wait"},
    {2, "offchip", "the device permutes tensors through memory first"},
};

/// How the device permutes a tensor through memory on the bus (permutation.h).
enum class permutation_way : std::uint8_t {
    automatic,  ///< whichever takes fewer cycles by estimate
    transfers,  ///< a LOAD that collects elements, a STORE
    vector_unit ///< a LOAD and a STORE in long runs, and the vector unit between them
};
inline constexpr base::named_value permutation_way_values[] = {
    {0, "auto", "whichever takes fewer cycles by estimate"},
    {1, "transfers", "a LOAD that collects elements, a STORE"},
    {2, "vector", "a LOAD and a STORE in long runs, the vector unit between them"},
};

/// What permutations are planned for.
struct reordering_settings {
    memory_estimate memory;
    unsigned lanes = 64; ///< of the vector unit
    bool overlap = true;
    permutation_way way = permutation_way::automatic;
};

/// What a user decides.
struct contraction_settings {
    tensor_layout layout = tensor_layout::ideal;
    workloads::flattening flattening = workloads::flattening::any;
    mapping_request request; ///< objective, mapping, split, format of the result
    mapping_costs costs;
    memory_estimate memory; ///< of the device that the plan is for
    bool overlap = true;    ///< blocks small enough to move the next while the engines work on one; off: as few as fit
    unsigned lanes = 64;    ///< of the vector unit
    permutation_way reordering = permutation_way::automatic;
    /// Of blocked_contraction(): what another array than FETTA's takes for the whole of it, blocks in proportion.
    std::optional<std::uint64_t> array_cycles;
};
inline reordering_settings reordering_of(const contraction_settings& s)
{
    return {s.memory, s.lanes, s.overlap, s.reordering};
}

/// One CONTRACT of a plan: which block of each flat index, and what it finds in the memories.
struct contraction_step {
    std::array<std::uint32_t, contraction_indices> block{};
    std::array<std::uint8_t, contraction_tensors> slot{}; ///< where A, B, C lie: 0 or 1
    bool load_a = false, load_b = false;                  ///< the block is not there yet
    bool accumulate = false;                              ///< goes on from the sums in the accumulators
    bool keep = false;                                    ///< leaves its sums there
};

/// A contraction cut into commands.
///
/// Blocks   the contracted index is innermost and its sums stay in the accumulators (keep, accumulate), so nothing but
///          whole results leaves: where the contracted index is cut, a block of the result is as small as the
///          accumulators. A block that is still in the unified memory is not loaded again. A tensor of several blocks
///          has two places, so that one is moved while the other is worked on (in one half of the memory each where
///          they fit), or one.
/// Search   over all blockings whose sizes are halves, quarters, ... (multiples of what a tile takes where possible)
///          and both orders of the free indices; conflicted and offchip: cuts along modes. Objective latency: of those
///          estimated within half a percent of the fastest the one with the fewest commands. The estimate adds up what
///          takes longer, a CONTRACT or the transfers beside it (the result before, the operands behind), memory being
///          the pipe of memory_estimate, and what cannot overlap. Objectives energy
///          and edp: the least energy (plan_pj), or energy x cycles. A tensor of several blocks may also have one
///          place, whose larger blocks are moved less often and in longer runs. Bank conflicts and permutations through
///          memory are not part of this search; choose_mapping() adds them. Plans of more than max_plan_commands only
///          where there is no other.
struct contraction_plan {
    contraction problem;
    fetta::device_limits limits;
    tensor_layout layout = tensor_layout::ideal;
    bool store_bf16 = false;

    mapping_choice choice; ///< cycles, pj: for all that one command may have, operands resident
    std::array<flat_index, contraction_indices> index;
    bool b_free_outside = false; ///< loops from outside: batch, b_free, a_free, contracted; else a_free before b_free
    std::array<std::uint8_t, contraction_tensors> slots{{1, 1, 1}};
    std::array<std::array<std::uint64_t, 2>, contraction_tensors> place{}; ///< bytes of the unified memory, by slot

    reordering_settings reordering; ///< offchip: of the permutations through memory

    std::uint64_t commands = 1;          ///< CONTRACTs
    std::uint64_t transfers = 0;         ///< LOADs and STOREs, where all blocks take as many as the first
    std::uint64_t tcu_cycles = 0;        ///< of all CONTRACTs, rows in time: the closed form
    std::uint64_t transferred_bytes = 0; ///< loaded and stored by the contraction, without reordering
    std::uint64_t estimated_cycles = 0;  ///< end to end, with conflicts and permutations as if nothing hid them
    double estimated_pj = 0;             ///< end to end (plan_pj), by the costs that the plan was made with

    base::element_type type_of(contraction_tensor tensor) const;
    fetta::operand_role role_of(contraction_tensor tensor) const;
    command_index command_index_of(contraction_index index) const;

    /// All, or the first so many.
    std::vector<contraction_step> steps(std::uint64_t most = UINT64_MAX) const;
    /// The CONTRACT of a step, with banked or linear operands in their places.
    fetta::contract_command command(const contraction_step& step) const;
    /// Of a block of a tensor that is banked.
    banked_image image(contraction_tensor tensor, const std::array<std::uint32_t, contraction_indices>& block) const;

private:
    fetta::contract_operand linear_operand(contraction_tensor tensor,
                                           const std::array<std::uint32_t, contraction_indices>& block,
                                           std::uint64_t base) const;
};

inline constexpr std::uint64_t max_plan_commands = std::uint64_t{1} << 20; ///< programs of about a gigabyte

/// Plans a contraction: mapping, split and blocks as plan_search.h says. Throws base::input_error when a split that
/// the user chose is not one of this device, or when the best plan has more than max_plan_commands,
/// transfers included.
contraction_plan plan_contraction(const contraction& problem, const fetta::device_limits& g,
                                  const contraction_settings& settings);

} // namespace tensorloom::workloads
