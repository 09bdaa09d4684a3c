#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::workloads {

/// Sizes of the flat indices of a contraction or of a block. X is the first operand, A, and W the second, B.
struct flat_extents {
    std::uint64_t batch = 1, contracted = 1, a_free = 1, b_free = 1;
};

/// Number of parts into which the engines divide each flat index: powers of two whose product is the number of engines.
struct engine_split {
    std::uint32_t batch = 1, contracted = 1, ia_free = 1, ib_free = 1;

    friend bool operator==(const engine_split& x, const engine_split& y)
    {
        return x.batch == y.batch && x.contracted == y.contracted && x.ia_free == y.ia_free && x.ib_free == y.ib_free;
    }
};

/// "2,4,1,2": parts of batch, contracted, IA's free, IB's free. Throws base::input_error unless these are powers of two
/// with this product.
engine_split parse_engine_split(const std::string& text, std::uint32_t engines);
std::string engine_split_text(const engine_split& split);

enum class mapping_objective : std::uint8_t { latency, energy, edp };
inline constexpr base::named_value mapping_objective_values[] = {
    {0, "latency", "fewest cycles"},
    {1, "energy", "least energy"},
    {2, "edp", "least energy x cycles"},
};

/// Costs of the counts of a CONTRACT, for the search.
class mapping_costs {
public:
    mapping_costs() = default; ///< zero energy: only cycles differ
    /// Energy of fetta::events; `clock_ns` for the leakage per cycle.
    mapping_costs(const costs::energy_model& model, double clock_ns);

    double pj(const fetta::counts& counts, std::uint64_t cycles) const;

private:
    std::array<double, fetta::event_count> m_pj{};
    double m_pj_per_cycle = 0;
};

/// A mapping, its split and costs: of one command with resident operands in the mapping's layout, and of a plan.
struct mapping_choice {
    fetta::mapping mapping = fetta::mapping::ws_v;
    engine_split split;
    std::uint64_t cycles = 0; ///< fetta::ideal_cycles
    double pj = 0;
    std::uint64_t conflict_cycles = 0; ///< of a plan, estimated for ranking (plan_search.h); 0 unless conflicted
    std::uint64_t reorder_cycles = 0;  ///< short runs and permutations of a plan, estimated; 0 unless offchip
};

/// Objective and constraints of the search.
struct mapping_request {
    mapping_objective objective = mapping_objective::latency;
    std::optional<fetta::mapping> mapping;
    std::optional<engine_split> split;
    bool store_bf16 = false;
};

/// The CONTRACT of a mapping: extents, masks, flag store_bf16; operand addresses are not set. IA and IB are A and B or,
/// when X is in IB, B and A. The bits of the engine index, lowest first: IB's free, contracted, IA's free, batch. Parts
/// that continue a row of IB or of the result are then in adjacent banks, so images are long runs in C order.
fetta::contract_command contract_of(const flat_extents& extents, fetta::mapping mapping, const engine_split& split,
                                    bool store_bf16);

/// All candidates of a search in lexicographic order: mapping number, parts of batch, contracted, IA's free, IB's free.
std::vector<mapping_choice> mapping_candidates(const flat_extents& extents, const fetta::device_limits& g,
                                               const mapping_costs& costs, const mapping_request& request);

/// The best of all six mappings x all splits. Ties: fewest cycles, then least energy, then the first in lexicographic
/// order. Throws base::input_error if the requested split is invalid for this device. Source: FETTA, sections V-B and
/// VI-C; the paper uses ZigZag's cost model, this one is a closed form.
mapping_choice search_mapping(const flat_extents& extents, const fetta::device_limits& g, const mapping_costs& costs,
                              const mapping_request& request);

} // namespace tensorloom::workloads
