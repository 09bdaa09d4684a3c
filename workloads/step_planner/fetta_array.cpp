#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint16_t linear_operands =
    fetta::contract_command::flag_linear_ia | fetta::contract_command::flag_linear_ib;

} // namespace

std::vector<contraction_work> fetta_array::work_of(const contraction_graph& block,
                                                   const std::vector<contraction_form>& forms) const
{
    std::vector<contraction_work> all;
    for (std::size_t c = 0; c < block.contractions.size(); ++c) {
        const auto extents = extents_of(block, groups_of(block, c));
        const auto found = search_mapping(extents, m_limits, {}, {});
        contraction_work work;
        auto command = contract_of(extents, found.mapping, found.split, forms[c].stores_bf16);
        if (m_buffered) { command.flags |= linear_operands | fetta::contract_command::flag_linear_result; }
        work.cycles = fetta::ideal_cycles(command, m_limits).total();
        work.counts = work.kept = fetta::contract_counts(command, m_limits);
        if (forms[c].keeps_sums) {
            command.flags = fetta::contract_command::flag_keep | (m_buffered ? linear_operands : 0);
            work.kept = fetta::contract_counts(command, m_limits);
        }
        all.push_back(work);
    }
    return all;
}

} // namespace tensorloom::workloads
