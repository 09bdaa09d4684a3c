#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include "platform/mmv/mmv_testbed.h"
#include "platform/report/testbench_run.h"

namespace tensorloom::testbench {

/// A testbench with MMU/VCU pairs of one configuration. Options: run_options with members `device` (mmv_options),
/// `side` and `format`.
template <class Options> class mmv_run : public testbench_run {
public:
    explicit mmv_run(const Options& options) : m_options(options) {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {device_area(device(), m_options.common.platform, technology,
                            m_options.device.scratchpad_bytes.value_or(m_scratchpad_bytes))};
    }

    void prepare(const costs::technology& technology) override
    {
        require_energies(technology, device(), m_options.common.platform);
    }

protected:
    /// One of several in a simulation.
    mmv::config device(std::size_t devices = 1) const
    {
        return device_config(m_options.device, m_options.common, m_options.side, m_options.format, devices);
    }

    const Options& m_options;
    std::uint64_t m_scratchpad_bytes = 0; ///< what the run needed, once it has run
};

} // namespace tensorloom::testbench
