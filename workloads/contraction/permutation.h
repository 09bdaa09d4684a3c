#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/plan_search.h>
#include <tensorloom/workloads/contraction/program_writer.h>

namespace tensorloom::workloads {

// Permutation of the modes of tensors in memory on the bus by the device, and its costs.

/// A mode of a permuted tensor: its strides in source and target, in elements.
struct permuted_mode {
    std::uint64_t size = 1;
    std::int64_t from = 0, to = 0;
};

/// A permutation of a tensor, in blocks that fit the unified memory.
///
///     transfers      LOAD in the order of the target, STORE: a burst for each run of the source, mostly of one element
///     vector_unit    LOAD in the order of the source, both transfers in the longest runs of the block;
///                    between them, on words of float32,
///                        unpack_bf16    if bf16
///                        REPL           to a pitch, if that saves more conflicts than it takes
///                        REPL           from the order of the source to that of the target, three modes at once
///                        pack_bf16      if bf16
///                    in pieces: the first two overlap later loads, the others overlap earlier stores
///
/// Preserves every bit pattern except NaN in bf16, which becomes the canonical one, as in every CONTRACT. (A CONTRACT
/// with an identity also permutes: 256 cycles for 128 x 128 without conflicts, 1,024 with them, as long as the vector
/// unit; but it turns -0 into +0, and values beside an infinity into NaN.)
struct permutation_plan {
    permutation_way way = permutation_way::transfers;
    std::vector<permuted_mode> modes;    ///< outermost of the target first; modes adjacent in both orders are merged
    std::vector<std::uint64_t> block;    ///< indices of each mode in a block
    std::uint64_t loads = 1, stores = 1; ///< pieces of a block
    /// vector_unit: padding words after this many of the source's modes, from the fastest on; 0: no pitch.
    std::size_t padded_modes = 0;
    std::uint64_t padding = 0;
    std::vector<std::size_t> replicated; ///< modes of a REPL, at most 3, outermost first; others: a REPL per index

    double cycles = 0; ///< estimates, here and below
    plan_traffic traffic;
    fetta::counts counts; ///< of the vector unit
};

/// Finds the method with the fewest estimated cycles. Caches its results.
class permutation_planner {
public:
    permutation_planner(const fetta::device_limits& g, const reordering_settings& settings)
        : m_limits(g), m_settings(settings)
    {}

    const permutation_plan& plan(base::element_type type, const std::vector<permuted_mode>& modes);

private:
    fetta::device_limits m_limits;
    reordering_settings m_settings;
    std::map<std::vector<std::int64_t>, permutation_plan> m_known;
};

/// Writes the commands of a permutation of a tensor at `from` in memory to `to`.
void write_permutation(program_writer& writer, const fetta::device_limits& g, const permutation_plan& plan,
                       base::element_type type, std::uint64_t from, std::uint64_t to, const std::string& what);

} // namespace tensorloom::workloads
