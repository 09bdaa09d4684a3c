#include "platform/run/chain_job.h"
#include <cstring>
#include <optional>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/tlm/host_thread.h>

namespace tensorloom::testbench {
namespace {

template <class T> bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace

std::vector<workloads::chain_step> steps_of(const transform_job& job)
{
    return job.chain.empty() ? std::vector{transform_step(job)} : job.chain;
}

template <class T>
chain_memory<T>::chain_memory(const std::vector<workloads::shape3>& rows, workloads::chain_data<T> loaded)
    : m_loaded(std::move(loaded))
{
    const std::size_t steps = m_loaded.matrices.size();
    m_matrix_numbers.resize(steps);
    m_operand_numbers.resize(steps);
    for (std::size_t s = 0; s < steps; ++s) {
        for (std::size_t m = 0; m < 3; ++m) {
            auto& number = m_matrix_numbers[s][m];
            while (rows[number][m] != rows[s][m] ||
                   !same_bytes(m_loaded.matrices[number][m], m_loaded.matrices[s][m])) {
                ++number;
            }
        }
        auto& number = m_operand_numbers[s];
        while (m_loaded.operands[number].shape != m_loaded.operands[s].shape ||
               !same_bytes(m_loaded.operands[number].data, m_loaded.operands[s].data)) {
            ++number;
        }
    }
}

template <class T> std::vector<chain_step_layout> chain_memory<T>::place(memory_layout& memory) const
{
    std::vector<chain_step_layout> at(m_loaded.matrices.size());
    const auto place_first = [&](std::size_t number, std::size_t step, const std::vector<T>& data,
                                 std::uint64_t first) {
        if (data.empty()) { return std::uint64_t{0}; }
        return number == step ? memory.place(data.size() * sizeof(T)) : first;
    };
    for (std::size_t s = 0; s < at.size(); ++s) {
        for (std::size_t m = 0; m < 3; ++m) {
            const auto number = m_matrix_numbers[s][m];
            at[s].matrices[m] = place_first(number, s, m_loaded.matrices[s][m], at[number].matrices[m]);
        }
        const auto number = m_operand_numbers[s];
        at[s].operand = place_first(number, s, m_loaded.operands[s].data, at[number].operand);
    }
    return at;
}

template <class T> void chain_memory<T>::preload(bus::host_thread& cpu, const std::vector<chain_step_layout>& at) const
{
    const auto write = [&](std::uint64_t address, const std::vector<T>& data) {
        if (!data.empty()) { cpu.preload(address, data.data(), data.size() * sizeof(T)); }
    };
    for (std::size_t s = 0; s < at.size(); ++s) {
        for (std::size_t m = 0; m < 3; ++m) {
            if (m_matrix_numbers[s][m] == s) { write(at[s].matrices[m], m_loaded.matrices[s][m]); }
        }
        if (m_operand_numbers[s] == s) { write(at[s].operand, m_loaded.operands[s].data); }
    }
}

template <class T> workloads::chain_data<T> chain_data_of(const transform_job& job)
{
    auto data = base::complaining_of(job.chain_option(), [&] { return workloads::chain_data<T>::of(job.chain); });
    if (job.allow_nonfinite) { return data; }
    for (std::size_t s = 0; s < job.chain.size(); ++s) {
        const auto& step = job.chain[s];
        const auto where = [&](const std::string& path) {
            return job.chain_option() + ": " + workloads::place_text(job.chain, s) + ": " + path + ": ";
        };
        if (step.has_operand()) {
            require_finite_elements(data.operands[s].data, data.operands[s].shape, where(step.path));
        }
        for (std::size_t m = 0; step.is_transform() && m < 3; ++m) {
            if (step.transforms[m].kind != workloads::transform_kind::file) { continue; }
            require_finite_elements(data.matrices[s][m], {step.in_shape[m], step.out_shape[m]},
                                    where(step.transforms[m].path));
        }
    }
    return data;
}

template <class T>
workloads::check_result check_chain(const transform_problem<T>& problem, const transform_job& job,
                                    const workloads::chain_data<T>& data, const zero_handling& zeros,
                                    const typename transform_problem<T>::results& found, bool quiet)
{
    const auto reference_of = [&](const workloads::tensor<T>& x, const std::function<void(double)>& progress) {
        workloads::chain_problem<T> chain;
        chain.x = &x;
        chain.steps = &job.chain;
        chain.data = &data;
        chain.rounds_result = job.result == result_format::element;
        chain.threshold = zeros.threshold;
        chain.skips_zeros = zeros.skips_zeros;
        chain.progress = progress;
        return workloads::compute_reference(chain);
    };
    return problem.check(reference_of, found, quiet);
}

bool kept_data::has_matrices(const std::array<std::uint64_t, 3>& addresses)
{
    bool all = true;
    for (std::size_t m = 0; m < 3; ++m) {
        if (addresses[m] == 0) { continue; }
        all = all && addresses[m] == m_matrices[m];
        m_matrices[m] = addresses[m];
    }
    return all;
}

void kept_data::take_operand(isa::pointwise_command& command, std::uint64_t address, bool stays)
{
    if (stays) { command.flags |= isa::pointwise_command::flag_hold_operand; }
    if (m_operand == address) {
        command.flags |= isa::pointwise_command::flag_keep_operand;
    } else {
        command.operand.base = address;
    }
    m_operand = stays ? address : 0;
}

isa::pointwise_command pointwise_command_of(const workloads::chain_step& step, base::element_type format)
{
    using workloads::chain_operation;
    isa::pointwise_command c;
    switch (step.what) {
    case chain_operation::transform: break;
    case chain_operation::multiply: c.operation = isa::pointwise_operation::multiply; break;
    case chain_operation::add: c.operation = isa::pointwise_operation::add; break;
    case chain_operation::scale: c.operation = isa::pointwise_operation::scale; break;
    case chain_operation::threshold: c.operation = isa::pointwise_operation::threshold; break;
    case chain_operation::relu: c.operation = isa::pointwise_operation::relu; break;
    }
    c.shift = static_cast<std::uint8_t>(step.shift);
    c.value = {step.value.real(), step.value.imag()};
    c.x = c.y = isa::dense_descriptor(0, format, descriptor_sizes(step.in_shape));
    if (c.has_operand()) { c.operand = c.x; }
    return c;
}

void check_resident_operands(const std::vector<workloads::chain_step>& chain)
{
    std::optional<std::size_t> resident, another;
    for (std::size_t s = 0; s < chain.size(); ++s) {
        if (!chain[s].has_operand()) { continue; }
        if (chain[s].resident && !resident) { resident = s; }
        if (!chain[s].resident && !another) { another = s; }
    }
    for (std::size_t s = 0; resident && s < chain.size(); ++s) {
        if (chain[s].resident && chain[s].path != chain[*resident].path) { another = s; }
    }
    if (!resident || !another) { return; }
    throw base::input_error(workloads::place_text(chain, *another) +
                            ": an operand found, expected none beside that of " +
                            workloads::place_text(chain, *resident) + ", which is resident: a device keeps one");
}

template class chain_memory<double>;
template workloads::chain_data<double> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<double>&, const transform_job&,
                                             const workloads::chain_data<double>&, const zero_handling&,
                                             const transform_problem<double>::results&, bool);
template class chain_memory<float>;
template workloads::chain_data<float> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<float>&, const transform_job&,
                                             const workloads::chain_data<float>&, const zero_handling&,
                                             const transform_problem<float>::results&, bool);
template class chain_memory<std::complex<double>>;
template workloads::chain_data<std::complex<double>> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<std::complex<double>>&, const transform_job&,
                                             const workloads::chain_data<std::complex<double>>&, const zero_handling&,
                                             const transform_problem<std::complex<double>>::results&, bool);
template class chain_memory<std::complex<float>>;
template workloads::chain_data<std::complex<float>> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<std::complex<float>>&, const transform_job&,
                                             const workloads::chain_data<std::complex<float>>&, const zero_handling&,
                                             const transform_problem<std::complex<float>>::results&, bool);
template class chain_memory<arithmetic::bfloat16>;
template workloads::chain_data<arithmetic::bfloat16> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<arithmetic::bfloat16>&, const transform_job&,
                                             const workloads::chain_data<arithmetic::bfloat16>&, const zero_handling&,
                                             const transform_problem<arithmetic::bfloat16>::results&, bool);
template class chain_memory<std::int8_t>;
template workloads::chain_data<std::int8_t> chain_data_of(const transform_job&);
template workloads::check_result check_chain(const transform_problem<std::int8_t>&, const transform_job&,
                                             const workloads::chain_data<std::int8_t>&, const zero_handling&,
                                             const transform_problem<std::int8_t>::results&, bool);

} // namespace tensorloom::testbench
