#include <tensorloom/workloads/contraction/plan.h>
#include <algorithm>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction/plan_search.h>

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::contract_operand;
using fetta::operand_role;

// Which blocks of a tensor lie in its places, and which place the next one gets.
class held_blocks {
public:
    explicit held_blocks(unsigned slots) : m_slots(slots) {}

    /// The block's place; `missing`: it has to be brought there, where what was used last stays.
    std::uint8_t take(std::uint64_t block, bool& missing)
    {
        for (unsigned s = 0; s < m_slots; ++s) {
            if (m_block[s] == block + 1) {
                missing = false;
                return used(s);
            }
        }
        missing = true;
        const unsigned s = m_slots == 2 && m_block[m_last] != 0 ? 1 - m_last : m_last;
        m_block[s] = block + 1;
        return used(s);
    }

private:
    std::uint8_t used(unsigned slot)
    {
        m_last = slot;
        return static_cast<std::uint8_t>(slot);
    }

    unsigned m_slots;
    unsigned m_last = 0;
    std::array<std::uint64_t, 2> m_block{}; // + 1; 0: none yet
};

contract_operand banked_operand(const banked_image& image, std::uint64_t place, std::uint64_t row_bytes)
{
    contract_operand o;
    o.base = static_cast<std::uint32_t>(place / (image.banks * row_bytes));
    o.stride = image.stride;
    return o;
}

} // namespace

base::element_type contraction_plan::type_of(contraction_tensor tensor) const
{
    if (tensor != contraction_tensor::c) { return limits.operand; }
    return store_bf16 ? base::element_type::bf16 : base::element_type::f32;
}

operand_role contraction_plan::role_of(contraction_tensor tensor) const
{
    if (tensor == contraction_tensor::c) { return operand_role::result; }
    const bool is_ib = (tensor == contraction_tensor::a) == has_x_in_ib(choice.mapping);
    return is_ib ? operand_role::ib : operand_role::ia;
}

command_index contraction_plan::command_index_of(contraction_index which) const
{
    const bool swapped = has_x_in_ib(choice.mapping);
    switch (which) {
    case contraction_index::batch: return command_index::batch;
    case contraction_index::contracted: return command_index::contracted;
    case contraction_index::a_free: return swapped ? command_index::ib_free : command_index::ia_free;
    default: return swapped ? command_index::ia_free : command_index::ib_free;
    }
}

std::vector<contraction_step> contraction_plan::steps(std::uint64_t most) const
{
    std::vector<contraction_step> result;
    result.reserve(std::min(commands, most));
    held_blocks a(slots[0]), b(slots[1]), c(slots[2]);
    std::array<std::uint32_t, contraction_indices> n{};
    for (unsigned x = 0; x < contraction_indices; ++x) { n[x] = static_cast<std::uint32_t>(index[x].blocks()); }
    const unsigned outer = b_free_outside ? 3 : 2, inner = b_free_outside ? 2 : 3;
    contraction_step step;
    auto& block = step.block;
    for (block[0] = 0; block[0] < n[0]; ++block[0]) {
        for (block[outer] = 0; block[outer] < n[outer]; ++block[outer]) {
            for (block[inner] = 0; block[inner] < n[inner]; ++block[inner]) {
                bool is_new = false;
                step.slot[2] = c.take((std::uint64_t{block[0]} * n[2] + block[2]) * n[3] + block[3], is_new);
                for (block[1] = 0; block[1] < n[1]; ++block[1]) {
                    const std::uint64_t summed = std::uint64_t{block[0]} * n[1] + block[1];
                    step.slot[0] = a.take(summed * n[2] + block[2], step.load_a);
                    step.slot[1] = b.take(summed * n[3] + block[3], step.load_b);
                    step.accumulate = block[1] > 0;
                    step.keep = block[1] + 1 < n[1];
                    result.push_back(step);
                    if (result.size() == most) { return result; }
                }
            }
        }
    }
    return result;
}

banked_image contraction_plan::image(contraction_tensor tensor,
                                     const std::array<std::uint32_t, contraction_indices>& block) const
{
    const auto size = [&](contraction_index x) { return index[at(x)].block(block[at(x)]).size; };
    const flat_extents extents{size(contraction_index::batch), size(contraction_index::contracted),
                               size(contraction_index::a_free), size(contraction_index::b_free)};
    return image_of(contract_of(extents, choice.mapping, choice.split, store_bf16), limits, role_of(tensor),
                    layout == tensor_layout::ideal ? position_order::dense : position_order::strided);
}

contract_command contraction_plan::command(const contraction_step& step) const
{
    const auto size = [&](contraction_index x) { return index[at(x)].block(step.block[at(x)]).size; };
    contract_command c = contract_of({size(contraction_index::batch), size(contraction_index::contracted),
                                      size(contraction_index::a_free), size(contraction_index::b_free)},
                                     choice.mapping, choice.split, store_bf16);
    if (step.accumulate) { c.flags |= contract_command::flag_accumulate; }
    const bool linear = layout == tensor_layout::conflicted;
    if (linear) { c.flags |= contract_command::flag_linear_ia | contract_command::flag_linear_ib; }

    for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
        const auto role = role_of(t);
        contract_operand& o = role == operand_role::ia ? c.ia : role == operand_role::ib ? c.ib : c.result;
        const std::uint64_t from = place[at(t)][step.slot[at(t)]];
        const auto type = type_of(t);
        o = linear ? linear_operand(t, step.block, from / base::element_bytes(type))
                   : banked_operand(image(t, step.block), from, limits.row_bytes(type));
    }
    if (step.keep) {
        // Sums go to the accumulators that the result will leave from: the strides route them, too.
        c.result.base = 0;
        if (linear) { c.result = {}; }
        c.flags |= contract_command::flag_keep;
        c.flags &= static_cast<std::uint16_t>(~contract_command::flag_store_bf16);
    } else if (linear) {
        c.flags |= contract_command::flag_linear_result;
    }
    return c;
}

// Groups in the order of the command: batch, contracted, free; of the result batch, IA's free, IB's free.
contract_operand contraction_plan::linear_operand(contraction_tensor tensor,
                                                  const std::array<std::uint32_t, contraction_indices>& block,
                                                  std::uint64_t base) const
{
    const tensor_box box = box_of(problem, tensor, index, block);
    std::array<contraction_index, contraction_indices> order{contraction_index::batch, contraction_index::contracted,
                                                             contraction_index::a_free, contraction_index::b_free};
    if (has_x_in_ib(choice.mapping)) { std::swap(order[2], order[3]); }
    contract_operand o;
    o.base = static_cast<std::uint32_t>(base);
    unsigned group = 0, mode = 0;
    for (const auto x : order) {
        if (!has_index(tensor, x)) { continue; }
        for (const char letter : index[at(x)].modes) {
            const auto found = std::find_if(box.modes.begin(), box.modes.end(),
                                            [letter](const box_mode& m) { return m.letter == letter; });
            if (found == box.modes.end()) { continue; }
            o.mode[mode++] = {found->size, static_cast<std::int32_t>(found->box_stride)};
            ++o.modes[group];
        }
        ++group;
    }
    return o;
}

std::vector<contraction_plan> plan_finalists(const contraction& problem, const fetta::device_limits& g,
                                             const contraction_settings& settings)
{
    contraction_plan whole;
    whole.problem = problem;
    whole.limits = g;
    whole.layout = settings.layout;
    whole.store_bf16 = settings.request.store_bf16;
    whole.reordering = reordering_of(settings);
    const bool merged = settings.layout == tensor_layout::ideal;
    for (unsigned x = 0; x < contraction_indices; ++x) {
        whole.index[x] = whole_index(problem, static_cast<contraction_index>(x), settings.flattening, merged);
    }
    auto plans = choose_mappings(whole, settings);
    const auto commands = [](const contraction_plan& p) { return p.commands + p.transfers; };
    if (commands(plans.front()) > max_plan_commands) {
        base::refuse("contraction", std::to_string(commands(plans.front())) + " commands that it takes",
                     "at most " + std::to_string(max_plan_commands));
    }
    plans.erase(std::remove_if(plans.begin(), plans.end(),
                               [&](const contraction_plan& p) { return commands(p) > max_plan_commands; }),
                plans.end());
    return plans;
}

contraction_plan plan_contraction(const contraction& problem, const fetta::device_limits& g,
                                  const contraction_settings& settings)
{
    return plan_finalists(problem, g, settings).front();
}

} // namespace tensorloom::workloads
