#include <algorithm>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "compare_devices/compared_testbed.h"
#include "platform/torus/torus_testbed.h"
#include "platform/triada/triada_testbed.h"
#include "platform/triada/gemt_job.h"
#include "platform/torus/orbit_job.h"
#include "platform/triada/triada_counts.h"

namespace tensorloom::testbench {
namespace {

using arithmetic::bfloat16;

constexpr auto format = base::element_type::bf16;
constexpr rounding of_bf16{0x1p-24, 0x1p-8}; // sums are float32, results of each product bfloat16

// The work as one transform by matrices that are given.
template <class Job> Job job_of(const mode_products& work)
{
    Job job;
    job.shape = work.shape;
    job.out_shape = work.out_shape;
    job.order = mode_products::order;
    job.format = format;
    job.result = result_format::element;
    return job;
}

template <class Transform> Transform problem_of(const mode_products& work)
{
    Transform problem;
    problem.x = {work.x};
    problem.matrices = work.matrices;
    return problem;
}

template <class Results> std::vector<double> values_of(const Results& found)
{
    return {found.front().data.begin(), found.front().data.end()};
}

/// What both have: a place for the data of one transform.
template <class Traits> class transforming_device : public compared_testbed<Traits> {
public:
    rounding rounds() const override { return of_bf16; }

protected:
    transforming_device(const char* name, const char* title, const device_surroundings& around)
        : compared_testbed<Traits>(name, title, "one transform", around)
    {}

    void build_testbed(const typename Traits::config& device, std::uint64_t used_bytes,
                       bus::host_thread::program_type program)
    {
        const auto& around = this->m_around;
        require_room(around.common.platform, used_bytes);
        m_memory_bytes = around.common.platform.memory_bytes(used_bytes);
        testbed_settings settings;
        settings.memory_bytes = used_bytes;
        settings.detail = around.detail;
        settings.shown = &around.shown;
        this->m_testbed =
            std::make_unique<device_testbed<Traits>>(this->m_name, device, around.common, settings, std::move(program));
    }
    std::uint64_t memory_bytes() const override { return m_memory_bytes; }

private:
    std::uint64_t m_memory_bytes = 0;
};

class compared_triada final : public transforming_device<triada::traits> {
public:
    explicit compared_triada(const device_surroundings& around)
        : transforming_device("triada", "TriADA", around), m_options(around.arrays.triada),
          m_job(job_of<gemt_job>(around.work)), m_problem(problem_of<gemt_transform<bfloat16>>(around.work))
    {
        static_cast<gemt_settings&>(m_job) = around.arrays.gemt;
        m_mesh = mesh_for(m_options, m_job.box());
        memory_layout memory(memory_base);
        m_at = m_problem.lay_out(m_job, m_mesh, memory);
        build_testbed(device_config(m_options, around.common, m_mesh, format), memory.bytes(),
                      [this](bus::host_thread& cpu) {
                          m_problem.preload(cpu, m_at);
                          m_found = gemt_transform<bfloat16>::run(cpu, device_base, m_job, m_at).y;
                      });
    }

private:
    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<triada::shape3>{});
    }
    costs::energy_model energy() const override
    {
        return triada::device_energy(m_around.technology, energy_parameters_of(m_options, m_mesh, format));
    }
    costs::floor_plan area() const override
    {
        return triada::device_area(m_around.technology, energy_parameters_of(m_options, m_mesh, format));
    }
    utilisation_measure utilisation() const override { return triada_utilisation(); }
    device_result described(const program_costs& costs, const counts_type& counts) override
    {
        device_result run;
        run.array = shape_text(m_mesh) + " cells";
        run.units = std::uint64_t{m_mesh[0]} * m_mesh[1] * m_mesh[2];
        run.macs_done = counts[triada::event::mac];
        run.working_cycles = costs.cycles_of("compute");
        run.configuration = device_json(m_options, m_job, m_around.common, m_mesh, format);
        run.y = values_of(m_found);
        return run;
    }

    const triada_options& m_options;
    gemt_job m_job;
    gemt_transform<bfloat16> m_problem;
    triada::shape3 m_mesh{};
    gemt_layout m_at;
    gemt_transform<bfloat16>::results m_found;
};

class compared_torus final : public transforming_device<torus::traits> {
public:
    explicit compared_torus(const device_surroundings& around)
        : transforming_device("torus", "torus", around), m_options(around.arrays.torus),
          m_job(job_of<orbit_job>(around.work)), m_problem(problem_of<orbit_transform<bfloat16>>(around.work))
    {
        m_job.vector = m_options.vector;
        const auto sizes = sizes_of(m_job);
        m_fit = fit_torus(m_options, sizes.in_size, sizes.out_size);
        memory_layout memory(memory_base);
        m_at = m_problem.lay_out(m_job, m_fit, memory);
        build_testbed(device_config(m_options, around.common, m_fit, format), memory.bytes(),
                      [this](bus::host_thread& cpu) {
                          m_problem.preload(cpu, m_job, m_at);
                          m_found = orbit_transform<bfloat16>::run(cpu, device_base, m_job, m_fit, m_at);
                      });
    }

private:
    using event = torus::event;

    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<torus::shape3>{});
    }
    costs::energy_model energy() const override
    {
        return torus::device_energy(m_around.technology, energy_parameters_of(m_options, m_fit, format));
    }
    costs::floor_plan area() const override
    {
        return torus::device_area(m_around.technology, energy_parameters_of(m_options, m_fit, format));
    }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(torus::utilisation_unit, static_cast<std::size_t>(event::mac),
                               static_cast<double>(multipliers()));
    }
    device_result described(const program_costs&, const counts_type& counts) override
    {
        device_result run;
        const auto each = m_options.config.macs_per_cycle;
        run.array = shape_text(std::array{m_fit.side, m_fit.side, m_fit.side}) + " nodes" +
                    (each > 1 ? " of " + std::to_string(each) : "");
        run.units = multipliers();
        run.macs_done = counts[event::mac];
        run.working_cycles = counts[event::compute_cycle] + counts[event::exposed_roll_cycle];
        run.configuration = device_json(m_options, m_around.common, m_fit, format);
        run.y = values_of(m_found);
        return run;
    }
    std::uint64_t multipliers() const { return m_fit.nodes() * m_options.config.macs_per_cycle; }

    const torus_options& m_options;
    orbit_job m_job;
    orbit_transform<bfloat16> m_problem;
    torus_fit m_fit;
    transform_layout m_at;
    orbit_transform<bfloat16>::results m_found;
};

} // namespace

std::unique_ptr<compared_device> make_triada(const device_surroundings& around)
{
    return std::make_unique<compared_triada>(around);
}

std::unique_ptr<compared_device> make_torus(const device_surroundings& around)
{
    return std::make_unique<compared_torus>(around);
}

} // namespace tensorloom::testbench
