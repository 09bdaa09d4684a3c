#include "platform/transform_run.h"
#include <algorithm>
#include <complex>
#include <string>
#include <tensorloom/models/arch/triada/driver.h>
#include "platform/gemt_workspace.h"
#include "platform/main.h"

namespace tensorloom::testbench {
namespace {

std::vector<std::uint32_t> sizes(const workloads::shape3& shape)
{
    return {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
            static_cast<std::uint32_t>(shape[2])};
}

// What all commands of a job have; X and Y without their addresses.
arch::triada::gemt_command common_command(const transform_job& job)
{
    arch::triada::gemt_command c;
    c.flags = static_cast<std::uint16_t>((job.esop ? arch::triada::gemt_command::flag_esop : 0) |
                                         (job.initial ? arch::triada::gemt_command::flag_accumulate : 0) |
                                         (job.double_buffer ? arch::triada::gemt_command::flag_double_buffer : 0));
    for (std::size_t s = 0; s < 3; ++s) {
        c.order[s] = static_cast<std::uint8_t>(job.order[s]);
        c.shifts[s] = static_cast<std::uint8_t>(job.shifts[s]);
    }
    c.zero_threshold = job.zero_threshold;
    c.x = arch::dense_descriptor(0, job.format, sizes(job.shape));
    c.y = arch::dense_descriptor(0, job.result_type(), sizes(job.result_shape()));
    return c;
}

std::vector<arch::triada::gemt_command> commands(const transform_job& job, const transform_layout& at)
{
    const auto n = sizes(job.shape);
    const auto k = sizes(job.result_shape());
    std::vector<arch::triada::gemt_command> all;
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        arch::triada::gemt_command c = common_command(job);
        c.x.base = at.x[at.x.size() == 1 ? 0 : i];
        c.y.base = at.y[i];
        if (job.initial) { c.initial_y = arch::dense_descriptor(at.initial, arch::accumulator_type(job.format), k); }
        if (at.workspace_elements != 0) {
            c.workspace =
                arch::dense_descriptor(at.workspace, job.format, {static_cast<std::uint32_t>(at.workspace_elements)});
        }
        if (i > 0) { c.flags |= arch::triada::gemt_command::flag_keep_matrices; }
        for (std::size_t m = 0; i == 0 && m < 3; ++m) {
            c.matrix[m] = arch::dense_descriptor(at.matrices[m], job.format, {n[m], k[m]});
            c.row_order_address[m] = at.row_orders[m];
        }
        all.push_back(c);
    }
    return all;
}

template <class T>
workloads::tensor<arithmetic::accumulator_of<T>> read_result(arch::host_port& host, std::uint64_t address,
                                                             const transform_job& job)
{
    const auto shape = job.result_shape();
    workloads::tensor<arithmetic::accumulator_of<T>> y({shape[0], shape[1], shape[2]});
    if (job.result == result_format::accumulator) {
        host.read_block(address, y.data.data(), y.data.size() * sizeof(y.data[0]));
        return y;
    }
    std::vector<T> elements(y.data.size());
    host.read_block(address, elements.data(), elements.size() * sizeof(T));
    std::transform(elements.begin(), elements.end(), y.data.begin(), arithmetic::widened<T>);
    return y;
}

} // namespace

arch::triada::gemt_plan plan_of(const transform_job& job, const arch::triada::gemt_shape& mesh)
{
    return arch::triada::plan_gemt(common_command(job), mesh);
}

template <class T>
transform_layout lay_out(const transform_job& job, const transform_problem<T>& problem,
                         const arch::triada::gemt_shape& mesh, memory_layout& memory)
{
    const auto out = job.result_shape();
    transform_layout at;
    at.program = memory.place(arch::triada::driver::program_bytes(job.batch));
    for (std::size_t m = 0; m < 3; ++m) {
        at.matrices[m] = memory.place(job.shape[m] * out[m] * sizeof(T));
        if (!problem.row_orders[m].empty()) { at.row_orders[m] = memory.place(job.shape[m] * 4); }
    }
    if (job.initial) { at.initial = memory.place(workloads::volume_of(out) * sizeof(arithmetic::accumulator_of<T>)); }
    at.workspace_elements = arch::triada::gemt_workspace_elements(common_command(job), mesh);
    at.workspace = place_workspace(at.workspace_elements, job.format, memory);
    for (std::size_t i = 0; i < problem.x.size(); ++i) {
        at.x.push_back(memory.place(workloads::volume_of(job.shape) * sizeof(T)));
    }
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        at.y.push_back(memory.place(workloads::volume_of(out) * arch::element_bytes(job.result_type())));
    }
    return at;
}

template <class T> void preload(bus::host_thread& cpu, transform_problem<T>& problem, const transform_layout& at)
{
    for (std::size_t m = 0; m < 3; ++m) {
        cpu.preload(at.matrices[m], problem.matrices[m].data(), problem.matrices[m].size() * sizeof(T));
        if (at.row_orders[m] != 0) {
            cpu.preload(at.row_orders[m], problem.row_orders[m].data(), problem.row_orders[m].size() * 4);
        }
    }
    if (problem.initial) {
        const auto& initial = problem.initial->data;
        cpu.preload(at.initial, initial.data(), initial.size() * sizeof(initial[0]));
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        cpu.preload(at.x[i], problem.x[i].data.data(), problem.x[i].data.size() * sizeof(T));
        problem.x[i] = {};
    }
}

template <class T>
transform_outcome<T> run_transform(arch::host_port& host, std::uint64_t device, const transform_job& job,
                                   const transform_layout& at)
{
    arch::triada::driver driver(host, device);
    const auto program = arch::triada::driver::program(commands(job, at));
    constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;
    const auto ended = driver.run(program, at.program, an_hour_ns);
    if (ended.error == arch::error_code::accumulator_overflow) {
        throw wrong_result(
            "tensor " + std::to_string(ended.error_command + 1) +
            ": a sum overflows its accumulator, expected numbers or shifts with sums from -2^31 to 2^31 - 1");
    }
    if (!ended.done) {
        throw arch::device_failure(std::string("the device reports: ") + error_text(ended.error) + ", command " +
                                   std::to_string(ended.error_command));
    }
    transform_outcome<T> outcome;
    outcome.cycles = ended.cycles;
    for (std::uint32_t i = 0; i < job.batch; ++i) { outcome.y.push_back(read_result<T>(host, at.y[i], job)); }
    return outcome;
}

template transform_layout lay_out(const transform_job&, const transform_problem<double>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<double>&, const transform_layout&);
template transform_outcome<double> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                 const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<float>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<float>&, const transform_layout&);
template transform_outcome<float> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<std::complex<double>>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<std::complex<double>>&, const transform_layout&);
template transform_outcome<std::complex<double>> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                               const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<std::complex<float>>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<std::complex<float>>&, const transform_layout&);
template transform_outcome<std::complex<float>> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                              const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<arithmetic::bfloat16>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<arithmetic::bfloat16>&, const transform_layout&);
template transform_outcome<arithmetic::bfloat16> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                               const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<std::int8_t>&,
                                  const arch::triada::gemt_shape&, memory_layout&);
template void preload(bus::host_thread&, transform_problem<std::int8_t>&, const transform_layout&);
template transform_outcome<std::int8_t> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                      const transform_layout&);

} // namespace tensorloom::testbench
