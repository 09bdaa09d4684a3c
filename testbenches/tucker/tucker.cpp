#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <systemc>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/triada/isa/energy.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/simulated_time.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>
#include "platform/process/process_resources.h"
#include "platform/triada/triada_testbed.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/triada/triada_counts.h"
#include "tucker/tucker_options.h"
#include "tucker/tucker_report.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using workloads::tensor;

// Hierarchical names in the simulation.
constexpr char device_name[] = "platform.device";
constexpr char memory_name[] = "platform.memory";

// Calls `run` with a value of the format's type.
template <class Run> auto with_real(base::element_type format, const Run& run)
{
    return format == base::element_type::f32 ? run(float{}) : run(double{});
}

// Follows a decomposition: which chains an iteration took, how far it is.
class iteration_recorder : public workloads::tucker_observer {
public:
    iteration_recorder(const tucker_options& o, const std::vector<chain_record>& chains, tucker_observer* next)
        : m_chains(chains), m_next(next), m_progress(o.common.quiet),
          m_iterations(o.request.method == workloads::tucker_method::hooi ? o.request.max_iterations + 1.0 : 1.0)
    {}
    void truncating(std::size_t mode) override
    {
        const std::size_t chains = m_chains.size();
        m_progress.show(static_cast<double>(m_ends.size()) / m_iterations,
                        "iteration " + std::to_string(m_ends.size()) + ", singular vectors of mode " +
                            std::to_string(mode + 1) + " after " + std::to_string(chains) +
                            (chains == 1 ? " chain" : " chains") + m_fit);
        if (m_next != nullptr) { m_next->truncating(mode); }
    }
    void truncated(const tensor<double>& y, std::size_t mode, const tensor<double>& factor) override
    {
        if (m_next != nullptr) { m_next->truncated(y, mode, factor); }
    }
    void iterated(unsigned iteration, double fit) override
    {
        m_ends.push_back(m_chains.size());
        m_fit = ", fit " + number_text(fit) + " so far";
        if (m_next != nullptr) { m_next->iterated(iteration, fit); }
    }
    const std::vector<std::size_t>& ends() const { return m_ends; }

private:
    const std::vector<chain_record>& m_chains;
    tucker_observer* m_next;
    progress m_progress;
    double m_iterations; // with the start
    std::string m_fit;
    std::vector<std::size_t> m_ends;
};

// What the host does.
template <class T>
void run_program(bus::host_thread& cpu, const tucker_options& o, const tensor<double>& x, const chain_layout& at,
                 tucker_result& result)
{
    device_ttm<T> device(cpu, device_base, o.chains, at, x);
    std::optional<tucker_checker<T>> checker;
    workloads::ttm_engine* engine = &device;
    if (o.common.check) { engine = &checker.emplace(device, o.chains, o.chains.order); }
    iteration_recorder recorder(o, device.chains(), checker ? &*checker : nullptr);

    result.found = workloads::decompose(x, o.request, *engine, recorder);
    workloads::tucker_tensor form;
    form.factors = result.found.form.factors;
    form.core = workloads::compress(x, form.factors, *engine);
    result.expanded = workloads::expand(form, *engine);
    result.error = workloads::relative_error(x, result.expanded);
    if (checker) { result.check = checker->result(x, o.request, result.found.form, result.error); }
    result.chains = device.chains();
    result.ends = recorder.ends();
    result.usage = device.usage();
    cpu.fence();
    result.end_ps = bus::picoseconds(sc_core::sc_time_stamp());
}

// Every sum of a chain is at most the norm: a format that holds that holds all of them.
void round_to_single(tensor<double>& x)
{
    const double norm = std::sqrt(workloads::squared_norm(x));
    constexpr double least = 1e-30, most = 1e38;
    if (norm < least || norm > most) {
        throw base::input_error("the tensor's norm is " + number_text(norm) + ", expected " + number_text(least) +
                                " to " + number_text(most) + " for --format f32");
    }
    for (double& value : x.data) { value = static_cast<float>(value); }
}

// Loads or fills the tensor and rounds it to the device's format. Throws base::input_error: the file, data that is not
// finite or zero, or of a norm that the format cannot hold.
tensor<double> make_tensor(const tucker_options& o)
{
    tensor<double> x;
    if (o.source.input) {
        x = std::get<tensor<double>>(workloads::load_npy(*o.source.input));
    } else if (o.source.known_ranks) {
        x = workloads::known_rank_tensor(o.source.shape, *o.source.known_ranks, o.source.noise, o.common.seed);
    } else {
        x = workloads::fill_tensor<double>(o.source.fill, o.source.shape, 0, o.common.seed);
    }
    complaining_of(o.source.input ? "--input: " + *o.source.input : "--fill", [&] {
        workloads::check_decomposable(x);
        if (o.format == base::element_type::f32) { round_to_single(x); }
    });
    return x;
}

// What finding the singular vectors takes at most: of X along every mode, or of what the modes before have left of it.
// Nothing that hooi finds after its start is larger.
std::uint64_t largest_svd_bytes(const tucker_options& o)
{
    workloads::shape3 left = o.source.shape;
    std::uint64_t most = 0;
    for (std::size_t m = 0; m < 3; ++m) {
        const std::uint64_t columns = std::uint64_t{left[(m + 1) % 3]} * left[(m + 2) % 3];
        most = std::max(most, workloads::unfolding_svd_bytes(left[m], columns));
        if (o.request.method != workloads::tucker_method::hosvd) { left[m] = o.largest_ranks()[m]; }
    }
    return most;
}

chain_layout lay_out(const tucker_options& o, memory_layout& memory)
{
    return with_real(o.format, [&](auto element) {
        return lay_out_chains<decltype(element)>(o.chains, o.source.shape, o.largest_ranks(), memory);
    });
}

// Roughly what a run allocates.
std::uint64_t needed_bytes(const tucker_options& o)
{
    memory_layout memory(memory_base);
    lay_out(o, memory);
    const auto& n = o.source.shape;
    const std::uint64_t elements = std::uint64_t{n[0]} * n[1] * n[2];
    // X, and either a chain's operand, result and reference, what was expanded and a copy, or the singular vectors of
    // an unfolding.
    const std::uint64_t host =
        elements * sizeof(double) + std::max(5 * elements * sizeof(double), largest_svd_bytes(o));
    const std::uint64_t mesh = isa::volume_of(o.chains.mesh);
    return memory.bytes() + host +
           core_bytes(o.common.is_stepped() ? mesh : 4 * std::min(mesh, elements), o.format, o.common.is_stepped());
}

void write_tensors(const tucker_options& o, const tucker_result& result)
{
    if (o.core) { workloads::save_npy(*o.core, result.found.form.core); }
    for (std::size_t m = 0; o.factors && m < 3; ++m) {
        workloads::save_npy((*o.factors)[m], result.found.form.factors[m]);
    }
    if (o.output) { workloads::save_npy(*o.output, result.expanded); }
}

/// Decomposes x in one simulation: the host's program finds factors and has every chain done by the device, over the
/// bus; then the device compresses x once with the factors found, and expands the core. Chain i is run i of the device.
class tucker_run : public testbench_run {
public:
    explicit tucker_run(const tucker_options& options)
        : m_options(options), m_energy_parameters(energy_parameters_of(
                                  options.device, options.chains.mesh, options.format,
                                  dma_build_of(options.common.platform, options.device.config.dma_ports)))
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {triada::device_area(technology, m_energy_parameters)};
    }

    void prepare(const costs::technology& technology) override
    {
        m_device_energy = triada::device_energy(technology, m_energy_parameters);
        require_memory_costs(m_options.common.platform, technology);
        require_memory(needed_bytes(m_options), m_options.common.is_stepped()
                                                    ? "a smaller tensor or mesh, or --fidelity fast"
                                                    : "a smaller tensor");
        progress(m_options.common.quiet).show(0, "generating the tensor");
        m_x = make_tensor(m_options);
    }

    void simulate(const costs::technology& technology) override
    {
        memory_layout memory(memory_base);
        const chain_layout at = lay_out(m_options, memory);
        require_room(m_options.common.platform, memory.bytes());
        m_result.memory_bytes = m_options.common.platform.memory_bytes(memory.bytes());
        const auto program = [&](bus::host_thread& cpu) {
            with_real(m_options.format,
                      [&](auto element) { run_program<decltype(element)>(cpu, m_options, m_x, at, m_result); });
        };
        testbed_settings settings;
        settings.memory_bytes = memory.bytes();
        settings.detail = m_options.detail();
        settings.observer = [this](const bus::log_record& record) { m_active_cell_steps += active_cells(record); };
        m_testbed = std::make_unique<triada_testbed>(
            "platform", device_config(m_options.device, m_options.common, m_options.chains.mesh, m_options.format),
            m_options.common, settings, program);
        run_testbeds({m_testbed.get()}, m_options.common, m_testbed->waveform(std::vector<triada::shape3>{}));
        m_models = {{device_name, m_device_energy},
                    {memory_name, memory_energy(m_options.common.platform, technology, memory.bytes())}};
        m_result.on = die_of(technology, {triada::device_area(technology, m_energy_parameters),
                                          memory_plan(m_options.common.platform, technology, memory.bytes())});
        m_costs.emplace(m_options, m_models, m_testbed->runs(), m_result);
        write_tensors(m_options, m_result);
    }

    bool passed() const override { return !m_result.check || m_result.check->passed; }
    void write_report(run_report& report) const override
    {
        testbench::write_report(report, m_options, m_result, *m_costs, m_testbed->runs(), m_active_cell_steps);
    }
    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.common,
                            {{"device", &m_testbed->runs(), m_models, triada_utilisation(), job_names(m_result)}});
        base::write_whole_file(directory.file(singular_values_file).string(), singular_values_csv(m_result));
    }

private:
    const tucker_options& m_options;
    std::unique_ptr<triada_testbed> m_testbed;
    std::uint64_t m_active_cell_steps = 0; // of all chains
    triada::energy_parameters m_energy_parameters;
    costs::energy_model m_device_energy;
    std::vector<activity::module_energy> m_models;
    tensor<double> m_x;
    tucker_result m_result;
    std::optional<tucker_costs> m_costs;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("tucker", argc, argv, read_tucker_options,
                          [](const tucker_options& o) { return std::make_unique<tucker_run>(o); });
}
