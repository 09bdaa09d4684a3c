#include <tensorloom/workloads/contraction/program.h>
#include <functional>
#include <iterator>
#include <tensorloom/workloads/contraction/block_transfers.h>
#include <tensorloom/workloads/contraction/permutation.h>
#include <tensorloom/workloads/contraction/program_writer.h>

namespace tensorloom::workloads {
namespace {

using block_of = std::array<std::uint32_t, contraction_indices>;

constexpr const char* tensor_names[] = {"A", "B", "C"};

std::string block_text(contraction_tensor t, const block_of& block)
{
    static constexpr const char* names[] = {"batch", "contracted", "a_free", "b_free"};
    std::string text = tensor_names[at(t)];
    for (const auto x : all_indices) {
        if (has_index(t, x)) { text += " " + std::string(names[at(x)]) + " " + std::to_string(block[at(x)]); }
    }
    return text;
}

void write_order_of_operand(program_writer& writer, permutation_planner& permutations, const contraction_plan& plan,
                            contraction_tensor t, std::uint64_t from, std::uint64_t to)
{
    const auto type = plan.type_of(t);
    write_permutation(writer, plan.limits, permutations.plan(type, ordered_modes(plan, t)), type, from, to,
                      std::string(tensor_names[at(t)]) + " in order");
}

// Each block of padded_c to its box of c.
void write_order_of_result(program_writer& writer, permutation_planner& permutations, const contraction_plan& plan,
                           const contraction_addresses& addresses)
{
    const auto t = contraction_tensor::c;
    const auto type = plan.type_of(t);
    const std::uint64_t element = base::element_bytes(type);
    const auto offsets = block_offsets(plan, t);
    for_each_block(plan, t, [&](const block_of& block) {
        const block_order order = order_of_block(plan, block);
        write_permutation(writer, plan.limits, permutations.plan(type, order.modes), type,
                          *addresses.padded_c + offsets[block_number(plan, t, block)] * element,
                          addresses.c + order.first * element, block_text(t, block));
    });
}

void write_contraction(program_writer& writer, const contraction_plan& plan, const contraction_addresses& addresses)
{
    const block_transfers a(plan, addresses, contraction_tensor::a), b(plan, addresses, contraction_tensor::b),
        c(plan, addresses, contraction_tensor::c);
    const auto load = [&](contraction_tensor t, const block_transfers& blocks, const contraction_step& step) {
        blocks.for_each(step.block, step.slot[at(t)], [&](const isa::tensor_descriptor& d, std::uint64_t local) {
            writer.load(d, local, "load " + block_text(t, step.block));
        });
    };
    const auto store = [&](const contraction_step& step) {
        const auto t = contraction_tensor::c;
        c.for_each(step.block, step.slot[at(t)], [&](const isa::tensor_descriptor& d, std::uint64_t local) {
            writer.store(d, local, "store " + block_text(t, step.block));
        });
    };
    std::optional<contraction_step> computed; // its result is still to be stored
    const auto store_computed = [&] {
        if (computed) { store(*computed); }
        computed.reset();
    };
    for (const contraction_step& step : plan.steps()) {
        if (step.load_a) { load(contraction_tensor::a, a, step); }
        if (step.load_b) { load(contraction_tensor::b, b, step); }
        if (plan.slots[at(contraction_tensor::c)] == 1) { store_computed(); } // from the only place
        writer.contract(plan.command(step), "contract " + block_text(contraction_tensor::c, step.block) +
                                                " contracted " + std::to_string(step.block[1]));
        store_computed();
        if (step.keep) { continue; }
        computed = step;
        writer.may_cut();
    }
    store_computed();
}

} // namespace

contraction_programs write_programs(const contraction_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes,
                                    std::size_t most_bytes)
{
    contraction_programs result;
    result.addresses = place_tensors(plan, data_base, data_bytes);
    const auto& addresses = result.addresses;
    const auto write = [&](program_phase phase, const std::function<void(program_writer&)>& commands) {
        program_writer writer(phase, plan.limits, most_bytes);
        commands(writer);
        auto programs = writer.programs();
        std::move(programs.begin(), programs.end(), std::back_inserter(result.programs));
    };
    permutation_planner permutations(plan.limits, plan.reordering);
    if (addresses.ordered_a || addresses.ordered_b) {
        write(program_phase::order_operands, [&](program_writer& writer) {
            if (addresses.ordered_a) {
                write_order_of_operand(writer, permutations, plan, contraction_tensor::a, addresses.a,
                                       *addresses.ordered_a);
            }
            if (addresses.ordered_b) {
                write_order_of_operand(writer, permutations, plan, contraction_tensor::b, addresses.b,
                                       *addresses.ordered_b);
            }
        });
    }
    write(program_phase::contract, [&](program_writer& writer) { write_contraction(writer, plan, addresses); });
    if (addresses.padded_c) {
        write(program_phase::order_result,
              [&](program_writer& writer) { write_order_of_result(writer, permutations, plan, addresses); });
    }
    return result;
}

} // namespace tensorloom::workloads
