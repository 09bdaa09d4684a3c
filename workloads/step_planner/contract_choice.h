#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/banked_form.h>
#include <tensorloom/workloads/contraction/banked_image.h>
#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {

/// The modes with more than one index in each group of a contraction, by contraction_index; the last is fastest.
using group_modes = std::array<std::vector<unsigned>, contraction_indices>;
group_modes groups_of(const contraction_graph& graph, std::size_t contraction);
flat_extents extents_of(const contraction_graph& graph, const group_modes& groups);

constexpr unsigned at(fetta::operand_role role) { return static_cast<unsigned>(role); } ///< its place in an array

/// The order of contract_of().
inline constexpr std::array<command_index, command_indices> bits_of_contract{
    command_index::ib_free, command_index::contracted, command_index::ia_free, command_index::batch};

/// How one CONTRACT computes a contraction: mapping, split, and the order of modes in each flat index.
struct contract_choice {
    fetta::mapping mapping = fetta::mapping::ws_v;
    engine_split split;
    group_modes groups;
    std::uint64_t cycles = 0; ///< without conflicts
    /// The index whose parts each bit of the engine's number selects, from the lowest bit on.
    std::array<command_index, command_indices> bits = bits_of_contract;
    /// By operand_role: read only through the network, base 0; none: linear, through a gather or scatter buffer.
    std::array<std::optional<banked_form>, 3> banked;
};

/// The tensors of a contraction by contraction_tensor.
using contraction_layouts = std::array<const mode_layout*, contraction_tensors>;

/// The tensor of a role of the command, and the groups listed by its linear operand, in order.
contraction_tensor tensor_of(fetta::mapping mapping, fetta::operand_role role);
std::array<contraction_index, 3> operand_groups(fetta::mapping mapping, fetta::operand_role role);

/// How an operand or result passes between banks and engines.
enum class operand_path : std::uint8_t {
    network,    ///< through its network alone
    transposed, ///< likewise, with the transpose layer
    gathered    ///< not by the network alone
};
inline constexpr base::named_value operand_path_values[] = {
    {0, "network", "through its network alone"},
    {1, "transposed", "through its network alone, with the transpose layer"},
    {2, "gathered", "through a gather or scatter buffer"},
};
operand_path path_of(const contract_choice& choice, fetta::operand_role role);

/// Operands and results of CONTRACTs by their path, and the elements of those that are gathered or scattered.
struct path_counts {
    std::uint64_t network = 0, transposed = 0, gathered = 0, gathered_elements = 0;

    void add(operand_path path, std::uint64_t times, std::uint64_t elements)
    {
        (path == operand_path::gathered ? gathered : path == operand_path::network ? network : transposed) += times;
        if (path == operand_path::gathered) { gathered_elements += times * elements; }
    }
};

/// The modes of each group of an operand, in the order of operand_groups().
using operand_modes = std::array<const std::vector<unsigned>*, 3>;

/// A tensor of this layout as a linear operand with base 0. Throws base::input_error for more modes than a command
/// supports after merging neighbours.
fetta::contract_operand linear_operand_of(const contraction_graph& graph, const operand_modes& modes,
                                          const mode_layout& layout);
fetta::contract_operand linear_operand_of(const contraction_graph& graph, const contract_choice& choice,
                                          fetta::operand_role role, const mode_layout& layout);

/// The CONTRACT of a choice without its operands.
fetta::contract_command command_of(const flat_extents& extents, const contract_choice& choice, bool store_bf16);

/// The CONTRACT of a choice: operands are banked if the choice says so, else linear like the result; bases are 0; flag
/// store_bf16 as given.
fetta::contract_command command_of(const contraction_graph& graph, const contract_choice& choice,
                                   const contraction_layouts& layouts, bool store_bf16);

/// The result operand of a command that keeps its sums, so that they have the places from which the result will leave.
fetta::contract_operand place_of_kept_sums(const fetta::contract_operand& result);

/// Samples of the cycles of each stream of a command, from which its bank conflicts are estimated for any order of the
/// modes in its indices (stream_conflicts). The indices that meet in a cycle are determined once.
class stream_samples {
public:
    /// `choice`: its groups determine only the extents.
    stream_samples(const contract_choice& choice, const flat_extents& extents, const fetta::device_limits& g);

private:
    friend class stream_conflicts;
    struct beat {
        std::array<std::uint32_t, 3> index;
        std::uint32_t along, lanes;
    };
    struct stream {
        double cycles = 0;             ///< with beats
        std::vector<beat> beats;       ///< of all sampled cycles
        std::vector<std::size_t> ends; ///< of each of these cycles, among the beats
    };
    std::array<stream, 3> m_streams; ///< by operand_role
    std::uint32_t m_side, m_banks;
};

/// Estimated conflict cycles of a stream whose tensor has a layout, computed as far as they are asked for.
class stream_conflicts {
public:
    /// Orders of the modes of each group, the groups as operand_groups() lists them.
    using group_orders = std::array<const std::vector<std::vector<unsigned>>*, 3>;
    /// All arguments must outlive it.
    stream_conflicts(const stream_samples& samples, const contraction_graph& graph, fetta::operand_role role,
                     const group_orders& orders, const mode_layout& layout);

    /// For an order of each group, by their places. A result of at least `limit` is a lower bound: only the part of the
    /// sample that reaches the limit was evaluated.
    double cycles(const std::array<std::size_t, 3>& order, double limit);

    /// Work so far, in lanes: of the sampled beats, for each combination of orders and for each digit of an index.
    std::uint64_t work() const { return m_work; }

private:
    // Offsets of each beat and lane of a group in one order, of the first `beats` beats.
    struct places {
        std::vector<std::uint32_t> offsets;
        std::size_t beats = 0;
    };
    const std::uint32_t* offsets_to(std::size_t end, unsigned group, std::size_t order);

    const stream_samples::stream& m_stream;
    const contraction_graph& m_graph;
    const group_orders m_orders;
    const mode_layout& m_layout;
    std::uint32_t m_side, m_banks;
    std::array<std::vector<places>, 3> m_places; ///< by group and order
    std::uint64_t m_work = 0;
};

} // namespace tensorloom::workloads
