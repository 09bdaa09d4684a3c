#include "platform/transform_run.h"
#include <complex>
#include <string>
#include <tensorloom/models/arch/triada_driver.h>

namespace tensorloom::testbench {
namespace {

std::vector<arch::gemt_command> commands(const transform_job& job, const transform_layout& at)
{
    const auto n = [&](std::size_t m) { return static_cast<std::uint32_t>(job.shape[m]); };
    const std::vector<std::uint32_t> shape{n(0), n(1), n(2)};
    std::vector<arch::gemt_command> all;
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        arch::gemt_command c;
        c.flags = static_cast<std::uint16_t>((job.esop ? arch::gemt_command::flag_esop : 0) |
                                             (at.initial != 0 ? arch::gemt_command::flag_accumulate : 0) |
                                             (i > 0 ? arch::gemt_command::flag_keep_matrices : 0));
        for (std::size_t s = 0; s < 3; ++s) { c.order[s] = static_cast<std::uint8_t>(job.order[s]); }
        c.zero_threshold = job.zero_threshold;
        c.x = arch::dense_descriptor(at.x[at.x.size() == 1 ? 0 : i], job.format, shape);
        c.y = arch::dense_descriptor(at.y[i], job.format, shape);
        if (at.initial != 0) { c.initial_y = arch::dense_descriptor(at.initial, job.format, shape); }
        for (std::size_t m = 0; i == 0 && m < 3; ++m) {
            c.matrix[m] = arch::dense_descriptor(at.matrices[m], job.format, {n(m), n(m)});
            c.row_order_address[m] = at.row_orders[m];
        }
        all.push_back(c);
    }
    return all;
}

} // namespace

template <class T>
transform_layout lay_out(const transform_job& job, const transform_problem<T>& problem, memory_layout& memory)
{
    transform_layout at;
    const std::uint64_t volume = job.shape[0] * job.shape[1] * job.shape[2];
    at.program = memory.place(arch::triada_driver::program_bytes(job.batch));
    for (std::size_t m = 0; m < 3; ++m) {
        at.matrices[m] = memory.place(job.shape[m] * job.shape[m] * sizeof(T));
        if (!problem.row_orders[m].empty()) { at.row_orders[m] = memory.place(job.shape[m] * 4); }
    }
    if (problem.initial) { at.initial = memory.place(volume * sizeof(T)); }
    for (std::size_t i = 0; i < problem.x.size(); ++i) { at.x.push_back(memory.place(volume * sizeof(T))); }
    for (std::uint32_t i = 0; i < job.batch; ++i) { at.y.push_back(memory.place(volume * sizeof(T))); }
    return at;
}

template <class T> void preload(bus::host_thread& cpu, const transform_problem<T>& problem, const transform_layout& at)
{
    for (std::size_t m = 0; m < 3; ++m) {
        cpu.preload(at.matrices[m], problem.matrices[m].data(), problem.matrices[m].size() * sizeof(T));
        if (at.row_orders[m] != 0) {
            cpu.preload(at.row_orders[m], problem.row_orders[m].data(), problem.row_orders[m].size() * 4);
        }
    }
    if (problem.initial) {
        cpu.preload(at.initial, problem.initial->data.data(), problem.initial->data.size() * sizeof(T));
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        cpu.preload(at.x[i], problem.x[i].data.data(), problem.x[i].data.size() * sizeof(T));
    }
}

template <class T>
transform_outcome<T> run_transform(arch::host_port& host, std::uint64_t device, const transform_job& job,
                                   const transform_layout& at)
{
    arch::triada_driver driver(host, device);
    const auto program = arch::triada_driver::program(commands(job, at));
    constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;
    const auto ended = driver.run(program, at.program, an_hour_ns);
    if (!ended.done) {
        throw arch::device_failure(std::string("the device reports: ") + error_text(ended.error) + ", command " +
                                   std::to_string(ended.error_command));
    }
    transform_outcome<T> outcome;
    outcome.cycles = ended.cycles;
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        workloads::tensor<T> y({job.shape[0], job.shape[1], job.shape[2]});
        host.read_block(at.y[i], y.data.data(), y.data.size() * sizeof(T));
        outcome.y.push_back(std::move(y));
    }
    return outcome;
}

template transform_layout lay_out(const transform_job&, const transform_problem<double>&, memory_layout&);
template void preload(bus::host_thread&, const transform_problem<double>&, const transform_layout&);
template transform_outcome<double> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                 const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<float>&, memory_layout&);
template void preload(bus::host_thread&, const transform_problem<float>&, const transform_layout&);
template transform_outcome<float> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<std::complex<double>>&, memory_layout&);
template void preload(bus::host_thread&, const transform_problem<std::complex<double>>&, const transform_layout&);
template transform_outcome<std::complex<double>> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                               const transform_layout&);
template transform_layout lay_out(const transform_job&, const transform_problem<std::complex<float>>&, memory_layout&);
template void preload(bus::host_thread&, const transform_problem<std::complex<float>>&, const transform_layout&);
template transform_outcome<std::complex<float>> run_transform(arch::host_port&, std::uint64_t, const transform_job&,
                                                              const transform_layout&);

} // namespace tensorloom::testbench
