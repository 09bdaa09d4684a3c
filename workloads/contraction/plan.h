#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/costs/dram/dram_stream.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/banked_image.h>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/workloads/contraction/mapping_search.h>

namespace tensorloom::workloads {

/// Memory accesses of LOADs or STOREs: transfers, their contiguous runs, naturally aligned bursts of the DMA.
struct memory_accesses {
    std::uint64_t transfers = 1, runs = 1, bursts = 1;
    /// Without refreshes, from the first burst of each transfer to its last, by the banks and rows of the DRAM; 0: not
    /// known.
    double stream_cycles = 0;

    memory_accesses& operator+=(const memory_accesses& more)
    {
        transfers += more.transfers;
        runs += more.runs;
        bursts += more.bursts;
        stream_cycles += more.stream_cycles;
        return *this;
    }
    friend memory_accesses operator*(std::uint64_t times, const memory_accesses& a)
    {
        return {times * a.transfers, times * a.runs, times * a.bursts, static_cast<double>(times) * a.stream_cycles};
    }
};

/// Planners' model of the memory on the bus: a pipe that data and commands occupy one after the other. Affects
/// estimates only, not the duration of a run. The defaults are FETTA's: LPDDR4 (section VI-B) at 1 GHz, without energy.
struct memory_estimate {
    double bytes_per_cycle = 25.6;
    double transfer_cycles = 64; ///< per LOAD or STORE, before its first byte
    double burst_cycles = 30;    ///< from request to response of a short burst, measured with the device's DMA
    unsigned outstanding = 8;    ///< maximum number of bursts in flight
    std::shared_ptr<const costs::dram_stream> dram; ///< none: a burst takes burst_cycles wherever it is
    bool overlap_runs = true;                       ///< bursts in flight may belong to several runs
    std::uint64_t burst_bytes = 1;                  ///< minimum size of a burst for time and energy

    double read_pj_per_byte = 0;
    double write_pj_per_byte = 0;
    double pj_per_cycle = 0; ///< for the duration of the plan: background, refresh

    double first_refresh_cycles = 0;        ///< after the start of a run; 0: no refresh
    double unrefreshed_bytes_per_cycle = 0; ///< until then; bytes_per_cycle is reduced by the share of refreshes

    /// For a run that ends before the first refresh.
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
        const double pipe = static_cast<double>(charged_bytes(bytes, a)) / bytes_per_cycle;
        if (a.stream_cycles > 0) {
            const double refreshed = unrefreshed_bytes_per_cycle / bytes_per_cycle;
            return begins + std::max(a.stream_cycles * refreshed, pipe);
        }
        const double in_turn = (beats + static_cast<double>(a.bursts - a.transfers) * burst_cycles) / outstanding;
        return begins + std::max({in_turn, pipe, static_cast<double>(a.bursts)});
    }

    /// Less work than this, transfers included, is not divided: start and end take as long as the overlap saves.
    double small_work_cycles() const { return 32 * transfer_cycles; }

    /// Bytes charged, including incomplete bursts.
    std::uint64_t charged_bytes(std::uint64_t bytes, const memory_accesses& a) const
    {
        return std::max(bytes, a.bursts * burst_bytes);
    }
};

/// Accesses of a LOAD or STORE of this tensor. Bursts and their time are extrapolated from some runs.
memory_accesses accesses_of(const isa::tensor_descriptor& tensor, const memory_estimate& memory, bool store);

/// Layout of tensors in memory on the bus, and their conversion to the order of a mapping. The layout largely
/// determines the cost of a contraction: FETTA, section III-B.
enum class tensor_layout : std::uint8_t {
    ideal,      ///< the host converts from and to banked images: every transfer is contiguous
    conflicted, ///< C order in both memories: linear operands with bank conflicts
    offchip ///< C order in memory on the bus: the device permutes a tensor through it unless a strided LOAD suffices
};
inline constexpr base::named_value tensor_layout_values[] = {
    {0, "ideal", "operands and result have the layout of the mapping"},
    {1, "conflicted", "operands and result are in C order; rows of the same bank wait"},
    {2, "offchip", "the device permutes tensors through memory first"},
};

/// Method to permute a tensor through memory on the bus (permutation.h).
enum class permutation_way : std::uint8_t {
    automatic,  ///< the one with fewer estimated cycles
    transfers,  ///< a LOAD that collects elements, a STORE
    vector_unit ///< a LOAD and a STORE in long runs, and the vector unit between them
};
inline constexpr base::named_value permutation_way_values[] = {
    {0, "auto", "whichever takes fewer cycles by estimate"},
    {1, "transfers", "a LOAD that collects elements, a STORE"},
    {2, "vector", "a LOAD and a STORE in long runs, the vector unit between them"},
};

/// Parameters of the planning of permutations.
struct reordering_settings {
    memory_estimate memory;
    unsigned lanes = 64; ///< of the vector unit
    bool overlap = true;
    permutation_way way = permutation_way::automatic;
};

/// User settings of a contraction.
struct contraction_settings {
    tensor_layout layout = tensor_layout::ideal;
    workloads::flattening flattening = workloads::flattening::any;
    mapping_request request; ///< objective, mapping, split, format of the result
    mapping_costs costs;
    memory_estimate memory; ///< of the device that the plan is for
    bool overlap = true;    ///< smaller blocks, so that transfers overlap the engines' work; off: as few as fit
    unsigned lanes = 64;    ///< of the vector unit
    permutation_way reordering = permutation_way::automatic;
    /// blocked_contraction(): cycles of another array than FETTA's for the whole contraction; blocks take their share.
    std::optional<std::uint64_t> array_cycles;
};
inline reordering_settings reordering_of(const contraction_settings& s)
{
    return {s.memory, s.lanes, s.overlap, s.reordering};
}

/// One CONTRACT of a plan: a block of each flat index, and its operands in the memories.
struct contraction_step {
    std::array<std::uint32_t, contraction_indices> block{};
    std::array<std::uint8_t, contraction_tensors> slot{}; ///< slots of A, B, C: 0 or 1
    bool load_a = false, load_b = false;                  ///< the block must be loaded
    bool accumulate = false;                              ///< continues the sums in the accumulators
    bool keep = false;                                    ///< keeps its sums there
};

/// A contraction divided into commands.
///
/// Blocks   The contracted index is innermost and its sums stay in the accumulators (keep, accumulate): only complete
///          results are stored, and if it is cut, a block of the result fits the accumulators. A block that is still in
///          the unified memory is not loaded again. A tensor of several blocks has one place, or two (one in each half
///          of the memory if they fit) to transfer one block while the other is used.
/// Search   Over all blockings whose sizes are halves, quarters, ... (multiples of a tile's needs where possible) and
///          both orders of the free indices; conflicted and offchip: cuts along modes. Objective latency: the plan with
///          the fewest commands among those estimated within half a percent of the fastest. The estimate sums the
///          maximum of each CONTRACT and the transfers that overlap it (previous result, next operands; memory as in
///          memory_estimate), plus what cannot overlap. Objectives energy and edp: the least energy (plan_pj), or
///          energy x cycles. One place for a tensor of several blocks allows larger blocks, fewer transfers and longer
///          runs. Bank conflicts and permutations through memory are not part of this search; choose_mappings() adds
///          them. Plans of more than max_plan_commands are chosen only if there is no other.
struct contraction_plan {
    contraction problem;
    fetta::device_limits limits;
    tensor_layout layout = tensor_layout::ideal;
    bool store_bf16 = false;

    mapping_choice choice; ///< cycles, pj: for the whole work of one command, operands resident
    std::array<flat_index, contraction_indices> index;
    bool b_free_outside = false; ///< outer to inner: batch, b_free, a_free, contracted; else a_free before b_free
    std::array<std::uint8_t, contraction_tensors> slots{{1, 1, 1}};
    std::array<std::array<std::uint64_t, 2>, contraction_tensors> place{}; ///< bytes of the unified memory, by slot

    reordering_settings reordering; ///< offchip: of the permutations through memory

    std::uint64_t commands = 1;          ///< CONTRACTs
    std::uint64_t transfers = 0;         ///< LOADs and STOREs, if all blocks take as many as the first
    std::uint64_t tcu_cycles = 0;        ///< of all CONTRACTs without memory stalls: the closed form
    std::uint64_t transferred_bytes = 0; ///< loaded and stored by the contraction, excluding reordering
    std::uint64_t estimated_cycles = 0;  ///< end to end, with conflicts and permutations that overlap nothing
    double estimated_pj = 0;             ///< end to end (plan_pj), by the costs in the settings

    base::element_type type_of(contraction_tensor tensor) const;
    fetta::operand_role role_of(contraction_tensor tensor) const;
    command_index command_index_of(contraction_index index) const;

    /// All steps, or the first `most`.
    std::vector<contraction_step> steps(std::uint64_t most = UINT64_MAX) const;
    /// The CONTRACT of a step, with the addresses of its banked or linear operands.
    fetta::contract_command command(const contraction_step& step) const;
    /// The image of a block of a banked tensor.
    banked_image image(contraction_tensor tensor, const std::array<std::uint32_t, contraction_indices>& block) const;

private:
    fetta::contract_operand linear_operand(contraction_tensor tensor,
                                           const std::array<std::uint32_t, contraction_indices>& block,
                                           std::uint64_t base) const;
};

inline constexpr std::uint64_t max_plan_commands = std::uint64_t{1} << 20; ///< programs of about a gigabyte

/// Plans a contraction: mapping, split and blocks (plan_search.h). Throws base::input_error if the user's split is
/// invalid for this device, or if the best plan has more than max_plan_commands, transfers included.
contraction_plan plan_contraction(const contraction& problem, const fetta::device_limits& g,
                                  const contraction_settings& settings);
/// The plans among which plan_contraction() chooses by their estimates: its choice, then the best others by each
/// objective in turn, so that the first few are the same plans for every objective. For a comparison by simulation.
std::vector<contraction_plan> plan_finalists(const contraction& problem, const fetta::device_limits& g,
                                             const contraction_settings& settings);

} // namespace tensorloom::workloads
