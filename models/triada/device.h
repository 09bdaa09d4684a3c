#pragma once
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/gemt_unit.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// A TriADA device: a tensor core, three actuators, and the shell that every device has (registers, commands, DMA, irq,
/// rst).
///
/// Source: TriADA, sections 4 to 6. Program it with GEMT commands (triada/isa/gemt_command.h), for example through
/// triada/isa/driver.h. gemt_unit.h gives the time of a command. This class lacks only the DMA sockets, whose width is
/// a template parameter: instantiate device<BUSWIDTH>.
///
/// Events     triada/isa/events.h, on the counter window and per step in the activity log (detail = position of the
///            tag)
/// Errors     commands of another element type are refused. An overflow of the accumulators (int8) ends the command
///            before Y is written; a tiled product ends after the pass, with its completed blocks of Y written.
/// Not modelled: several transfers at a time, matrices that do not fit their actuators (refused).
///
/// Example
///
///     triada::config config;
///     triada::device<512> accelerator("accelerator", config); // 512: width of its DMA port in bits
///     initiator.bind(accelerator.regs);
///     accelerator.dma.bind(wide_target);
///     accelerator.irq.bind(interrupt);
class device_base : public shell::device_shell {
public:
    ~device_base() override;

    /// Elaboration: traces this device and the given cells. A position counts from 0; one outside the mesh is an
    /// SC_ERROR.
    void trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells);
    using sc_core::sc_module::trace;

    const config& settings() const { return m_config; }
    const char* kind() const override { return "triada_device"; }

protected:
    device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    config m_config;
    gemt_unit m_gemt;
};

/// The types of this device for the code that serves all devices: shell, platform, session, testbed.
struct traits {
    using body = device_base;
    using config = triada::config;
    using driver = triada::driver;
    using counts = triada::counts;
    static constexpr const isa::device_description& description = triada::description;
    /// Limits of programs: the mesh that the device reports.
    static const shape3& limits_of(const driver& found, const config&) { return found.mesh(); }
};

/// A TriADA device with a DMA socket of this width: 32, 64, 128, 256 or 512.
template <unsigned BUSWIDTH = 32> using device = shell::device_of_width<traits, BUSWIDTH>;

} // namespace tensorloom::triada

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(extern template, tensorloom::triada::traits);
