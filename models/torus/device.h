#pragma once
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/models/torus/matrix_unit.h>
#include <tensorloom/models/torus/orbital_unit.h>
#include <tensorloom/models/torus/pointwise_unit.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

/// An orbital torus: P x P x P nodes in rings, the units that step them through transforms and products, and the shell
/// that every device has (registers, commands, DMA, irq, rst).
///
/// Source: Aizu TR 2012-001. Program it with ORBIT, MULTIPLY and POINTWISE commands (torus/isa/orbit_command.h,
/// multiply_command.h, isa/tiles/pointwise_command.h), for example through torus/isa/driver.h. The headers of the units
/// give the time of a command. This class lacks only the DMA sockets, whose width is a template parameter: instantiate
/// device<BUSWIDTH>.
///
/// Events     torus/isa/events.h, on the counter window and per step in the activity log
/// Errors     not_resident: a command keeps data that is not held on the torus in its layout and sizes
/// Not modelled: several transfers at a time, matrices that do not fit the nodes (refused).
///
/// Example
///
///     torus::config config;
///     torus::device<512> accelerator("accelerator", config); // 512: width of its DMA port in bits
///     initiator.bind(accelerator.regs);
///     accelerator.dma.bind(wide_target);
///     accelerator.irq.bind(interrupt);
class device_base : public shell::device_shell {
public:
    /// Elaboration: traces this device and the given nodes (detailed fidelity only, otherwise SC_ERROR). A place counts
    /// from 0; one outside the torus is an SC_ERROR.
    void trace(sc_core::sc_trace_file& file, const std::vector<shape3>& nodes);
    using sc_core::sc_module::trace;

    const config& settings() const { return m_config; }
    const char* kind() const override { return "torus_device"; }

protected:
    device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    config m_config;
    std::unique_ptr<node_array> m_nodes;
    array_contents m_contents;
    orbital_unit m_orbits;
    matrix_unit m_products;
    pointwise_unit m_pointwise;
};

/// The types of this device for the code that serves all devices: shell, platform, session, testbed.
struct traits {
    using body = device_base;
    using config = torus::config;
    using driver = torus::driver;
    using counts = torus::counts;
    static constexpr const isa::device_description& description = torus::description;
    /// Limits of programs, as the device reports them.
    static orbit_limits limits_of(const driver& found, const config& c)
    {
        return {found.side(), found.block(), found.format(), c.coefficient_elements};
    }
};

/// An orbital torus with a DMA socket of this width: 32, 64, 128, 256 or 512.
template <unsigned BUSWIDTH = 32> using device = shell::device_of_width<traits, BUSWIDTH>;

} // namespace tensorloom::torus

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(extern template, tensorloom::torus::traits);
