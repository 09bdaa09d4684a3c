#include <tensorloom/workloads/contraction/run.h>
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/element_rounding.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

// Elements as they lie in memory.
template <class T> std::vector<T> in_memory(const std::vector<float>& values);
template <> std::vector<float> in_memory(const std::vector<float>& values) { return values; }
template <> std::vector<std::uint16_t> in_memory(const std::vector<float>& values)
{
    std::vector<std::uint16_t> elements(values.size());
    std::transform(values.begin(), values.end(), elements.begin(), [](float v) { return bfloat16(v).bits; });
    return elements;
}

std::vector<float> values_of(std::vector<float> elements) { return elements; }
std::vector<float> values_of(const std::vector<std::uint16_t>& elements)
{
    std::vector<float> values(elements.size());
    std::transform(elements.begin(), elements.end(), values.begin(), [](std::uint16_t bits) {
        bfloat16 element;
        element.bits = bits;
        return static_cast<float>(element);
    });
    return values;
}

index_offsets offsets_of_block(const contraction_plan& plan, contraction_tensor tensor,
                               const std::array<std::uint32_t, contraction_indices>& block)
{
    index_offsets offsets;
    for (const auto x : all_indices) {
        const flat_index& index = plan.index[at(x)];
        if (!has_index(tensor, x)) { continue; }
        offsets[static_cast<unsigned>(plan.command_index_of(x))] =
            offsets_of(plan.problem, tensor, index, index.block(block[at(x)]));
    }
    return offsets;
}

template <class T>
void write_tensor(fetta_session& session, const contraction_plan& plan, contraction_tensor tensor,
                  std::uint64_t address, const std::vector<float>& values)
{
    const std::vector<T> elements = in_memory<T>(values);
    if (plan.layout != tensor_layout::ideal) {
        return session.write(address, elements.data(), elements.size() * sizeof(T));
    }
    for_each_block(plan, tensor, [&](const std::array<std::uint32_t, contraction_indices>& block) {
        const banked_image image = plan.image(tensor, block);
        std::vector<T> packed(image.elements());
        pack_image(image, offsets_of_block(plan, tensor, block), elements.data(), packed.data());
        session.write(address, packed.data(), packed.size() * sizeof(T));
        address += packed.size() * sizeof(T);
    });
}

template <class T>
std::vector<float> read_tensor(fetta_session& session, const contraction_plan& plan, std::uint64_t address)
{
    const auto tensor = contraction_tensor::c;
    std::vector<T> elements(plan.problem.extent(plan.problem.c));
    if (plan.layout != tensor_layout::ideal) {
        session.read(address, elements.data(), elements.size() * sizeof(T));
        return values_of(std::move(elements));
    }
    for_each_block(plan, tensor, [&](const std::array<std::uint32_t, contraction_indices>& block) {
        const banked_image image = plan.image(tensor, block);
        std::vector<T> packed(image.elements());
        session.read(address, packed.data(), packed.size() * sizeof(T));
        unpack_image(image, offsets_of_block(plan, tensor, block), packed.data(), elements.data());
        address += packed.size() * sizeof(T);
    });
    return values_of(std::move(elements));
}

void require_elements(const contraction& p, const std::vector<float>& a, const std::vector<float>& b)
{
    if (a.size() != p.extent(p.a) || b.size() != p.extent(p.b)) {
        throw std::logic_error("operands do not have the elements of the contraction's shapes");
    }
}

} // namespace

program_outcome<fetta::counts> contraction_run::total() const
{
    program_outcome<fetta::counts> sum;
    for (const auto& p : programs) {
        sum.counts += p.counts;
        sum.cycles += p.cycles;
    }
    return sum;
}

program_outcome<fetta::counts> contraction_run::total(const contraction_programs& of, program_phase phase) const
{
    program_outcome<fetta::counts> sum;
    for (std::size_t p = 0; p < programs.size(); ++p) {
        if (of.programs[p].phase != phase) { continue; }
        sum.counts += programs[p].counts;
        sum.cycles += programs[p].cycles;
    }
    return sum;
}

std::vector<float> rounded_operand(const std::vector<double>& values, base::element_type operand)
{
    std::vector<float> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[i] = operand == base::element_type::bf16 ? static_cast<float>(nearest_bfloat16(values[i]))
                                                        : static_cast<float>(values[i]);
    }
    return result;
}

void write_operands(fetta_session& session, const contraction_plan& plan, const contraction_addresses& addresses,
                    const std::vector<float>& a, const std::vector<float>& b)
{
    require_elements(plan.problem, a, b);
    if (plan.limits.operand == base::element_type::bf16) {
        write_tensor<std::uint16_t>(session, plan, contraction_tensor::a, addresses.a, a);
        write_tensor<std::uint16_t>(session, plan, contraction_tensor::b, addresses.b, b);
    } else {
        write_tensor<float>(session, plan, contraction_tensor::a, addresses.a, a);
        write_tensor<float>(session, plan, contraction_tensor::b, addresses.b, b);
    }
}

std::vector<float> read_result(fetta_session& session, const contraction_plan& plan,
                               const contraction_addresses& addresses)
{
    return plan.store_bf16 ? read_tensor<std::uint16_t>(session, plan, addresses.c)
                           : read_tensor<float>(session, plan, addresses.c);
}

contraction_run run_contraction(fetta_session& session, const contraction_plan& plan, const std::vector<float>& a,
                                const std::vector<float>& b)
{
    const auto programs = write_programs(plan, session.data_base(), session.data_bytes());
    return run_programs(session, plan, programs, a, b);
}

contraction_run run_programs(fetta_session& session, const contraction_plan& plan, const contraction_programs& programs,
                             const std::vector<float>& a, const std::vector<float>& b)
{
    write_operands(session, plan, programs.addresses, a, b);
    contraction_run result;
    for (const auto& p : programs.programs) { result.programs.push_back(session.run(p.bytes)); }
    result.c = read_result(session, plan, programs.addresses);
    return result;
}

contraction_run run_own_program(fetta_session& session, const contraction& problem, bool store_bf16,
                                const std::vector<std::uint8_t>& program, const std::vector<float>& a,
                                const std::vector<float>& b)
{
    contraction_plan plan; // of nothing but places
    plan.problem = problem;
    plan.limits = session.limits();
    plan.layout = tensor_layout::conflicted;
    plan.store_bf16 = store_bf16;
    const auto addresses =
        linear_addresses(problem, plan.limits, store_bf16, session.data_base(), session.data_bytes());
    write_operands(session, plan, addresses, a, b);
    const std::vector<std::uint8_t> zeros(problem.extent(problem.c) * (store_bf16 ? 2 : 4));
    session.write(addresses.c, zeros.data(), zeros.size());
    contraction_run result;
    result.programs.push_back(session.run(program));
    result.c = read_result(session, plan, addresses);
    return result;
}

} // namespace tensorloom::workloads
