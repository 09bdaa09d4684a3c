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

// Tensors in memory on the bus in another order of their modes: how the device permutes them, and what that takes.

/// A mode of a tensor that is permuted: elements from one digit to the next, where it lies and where it goes.
struct permuted_mode {
    std::uint64_t size = 1;
    std::int64_t from = 0, to = 0;
};

/// A permutation of a tensor, in blocks that the unified memory holds.
///
///     transfers      LOAD in the order of the target, STORE: a burst for each run of the source, mostly of one element
///     vector_unit    LOAD in the order of the source, both transfers in runs as long as the block lets them be;
///                    between them, words of float32,
///                        unpack_bf16    of bf16
///                        REPL           to a pitch, where that saves more conflicts than it takes
///                        REPL           from the order of the source to that of the target, three modes at once
///                        pack_bf16      of bf16
///                    in pieces: the first two while later ones are loaded, the others while earlier ones are stored
///
/// Every bit pattern stays what it is but for a NaN in bf16, which becomes the canonical one, as in every CONTRACT. (A
/// CONTRACT with an identity permutes, too: 256 cycles for 128 x 128 without, 1,024 with its conflicts, which is what
/// the vector unit takes; but it makes +0 of -0, and NaN of what stands beside an infinity.)
struct permutation_plan {
    permutation_way way = permutation_way::transfers;
    std::vector<permuted_mode> modes;    ///< outermost of the target first; neighbours in both orders are one
    std::vector<std::uint64_t> block;    ///< digits of each in a block
    std::uint64_t loads = 1, stores = 1; ///< pieces of a block
    /// vector_unit: words left free behind this many of the source's modes, from the fastest on; 0: no pitch.
    std::size_t padded_modes = 0;
    std::uint64_t padding = 0;
    std::vector<std::size_t> replicated; ///< modes of one REPL, at most three, outermost first; others one by one

    double cycles = 0; ///< estimated, as all of these
    plan_traffic traffic;
    fetta::counts counts; ///< of the vector unit
};

/// Finds the way that is estimated to take fewer cycles. Remembers what it has found.
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

/// The commands of a permutation of a tensor at `from` in memory to `to`.
void write_permutation(program_writer& writer, const fetta::device_limits& g, const permutation_plan& plan,
                       base::element_type type, std::uint64_t from, std::uint64_t to, const std::string& what);

} // namespace tensorloom::workloads
