#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {

/// The modes of more than one index of each group of a contraction, by contraction_index; the last is fastest.
using group_modes = std::array<std::vector<unsigned>, contraction_indices>;
group_modes groups_of(const contraction_graph& graph, std::size_t contraction);
flat_extents extents_of(const contraction_graph& graph, const group_modes& groups);

/// How one CONTRACT does a contraction: mapping, split, and in which order the modes of a group make a flat index.
struct contract_choice {
    arch::fetta::mapping mapping = arch::fetta::mapping::ws_v;
    engine_split split;
    group_modes groups;
    std::uint64_t cycles = 0; ///< with operands in time
};

/// The tensors of a contraction by contraction_tensor.
using contraction_layouts = std::array<const mode_layout*, contraction_tensors>;

/// The tensor that a role of the command has, and the groups that its linear operand lists, in their order.
contraction_tensor tensor_of(arch::fetta::mapping mapping, arch::fetta::operand_role role);
std::array<contraction_index, 3> operand_groups(arch::fetta::mapping mapping, arch::fetta::operand_role role);

/// A tensor of this layout as a linear operand with its base at 0. Throws arch::input_error for more modes than a
/// command has, neighbours taken together.
arch::fetta::contract_operand linear_operand_of(const contraction_graph& graph, const contract_choice& choice,
                                                arch::fetta::operand_role role, const mode_layout& layout);

/// The CONTRACT of a choice: all operands and the result linear, bases at 0, flag store_bf16 as asked.
arch::fetta::contract_command command_of(const contraction_graph& graph, const contract_choice& choice,
                                         const contraction_layouts& layouts, bool store_bf16);

/// Cycles of each stream of a command that wait for banks, estimated from a few cycles of its engines, whatever the
/// order of modes in its indices: which indices meet in a cycle is found out once, where they lie for each layout.
class stream_samples {
public:
    /// `choice`: its groups give extents alone.
    stream_samples(const contract_choice& choice, const flat_extents& extents, const arch::fetta::geometry& g);

    /// With the modes of the groups in the order of these, as operand_groups() lists them.
    double conflict_cycles(const contraction_graph& graph, arch::fetta::operand_role role,
                           const std::array<const std::vector<unsigned>*, 3>& groups, const mode_layout& layout) const;

private:
    struct beat {
        std::array<std::uint32_t, 3> index;
        std::uint32_t along, lanes;
    };
    struct stream {
        double cycles = 0; ///< in which it has beats
        std::vector<std::vector<beat>> sampled;
    };
    std::array<stream, 3> m_streams; ///< by operand_role
    std::uint32_t m_side, m_banks;
};

} // namespace tensorloom::workloads
