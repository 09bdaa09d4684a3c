#pragma once
#include <memory>
#include <utility>
#include <vector>
#include "compare_devices/compared_testbed.h"
#include "platform/report/transform_report.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

/// What devices that run the work as one transform have in common: its format, its job, a place for its data.
template <class Traits> class transforming_device : public compared_testbed<Traits> {
public:
    /// Sums are float32, results of each product bfloat16.
    rounding rounds() const override { return {0x1p-24, 0x1p-8}; }

protected:
    static constexpr auto format = base::element_type::bf16;

    transforming_device(const char* name, const char* title, const device_surroundings& around)
        : compared_testbed<Traits>(name, title, "one transform", around)
    {}

    /// The work as one transform by matrices that are given.
    template <class Job> static Job job_of(const mode_products& work)
    {
        Job job;
        job.shape = work.shape;
        job.out_shape = work.out_shape;
        job.order = mode_products::order;
        job.format = format;
        job.result = result_format::element;
        return job;
    }
    template <class Transform> static Transform problem_of(const mode_products& work)
    {
        Transform problem;
        problem.x = {work.x};
        problem.matrices = work.matrices;
        return problem;
    }
    template <class Results> static std::vector<double> values_of(const Results& found)
    {
        return {found.front().data.begin(), found.front().data.end()};
    }
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
    /// `array`: the sizes of the device's.
    void note_ports(device_result& run, const typename Traits::config& device,
                    const std::array<std::uint32_t, 3>& array) const
    {
        run.dma_ports = device.dma_ports;
        run.memory_port = memory_port_text(this->m_around.common,
                                           {device.load_elements, largest_face(array), device.dma_ports, format});
    }

private:
    std::uint64_t m_memory_bytes = 0;
};

} // namespace tensorloom::testbench
