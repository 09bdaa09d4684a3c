#pragma once
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/gemt_unit.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::triada {

/// A TriADA device: a tensor core, three actuators, and the shell that every device has (registers, commands, DMA, irq,
/// rst).
///
/// Source: TriADA, sections 4 to 6. Program it with GEMT commands (arch/triada/gemt_command.h), for example through
/// arch/triada/driver.h. This is everything but the width of the DMA socket; instantiate device<BUSWIDTH>.
///
/// What a command takes is in gemt_unit.h.
///
/// Events     arch/triada/events.h, on the counter window and per step in the activity log (detail = position of the
///            tag)
/// Errors     another element type than the device's is refused; an overflow of the accumulators (int8) ends the
///            command before Y is written, in a product of tiles when the pass is over: blocks of Y that were complete
///            have been written then
/// Not modelled: several DMA channels, matrices that do not fit their actuators (refused).
class device_body : public shell::device_shell {
public:
    ~device_body() override;

    /// Elaboration: shows this device in a waveform, and these cells of its mesh.
    /// Positions count from 0 and must lie in the mesh (otherwise SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells);

    const config& settings() const { return m_config; }

protected:
    device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    config m_config;
    gemt_unit m_gemt;
};

/// A TriADA device with a DMA socket of this width: 32, 64, 128, 256 or 512.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes
template <unsigned BUSWIDTH = 32> class device : public device_body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// A configuration with a complaint (config.h) is an SC_ERROR.
    explicit device(sc_core::sc_module_name name, const triada::config& config = {},
                    bus::activity_sink* activity = nullptr)
        : device_body(name, config, activity), dma("dma")
    {
        bind_dma(dma);
    }
};

extern template class device<32>;
extern template class device<64>;
extern template class device<128>;
extern template class device<256>;
extern template class device<512>;

/// What harness, runtime and reports know of this kind of device.
struct traits {
    template <unsigned BUSWIDTH> using device = triada::device<BUSWIDTH>;
    using config = triada::config;
    using driver = arch::triada::driver;
    using counts = arch::triada::counts;
    static constexpr const arch::device_description& description = arch::triada::description;
};

} // namespace tensorloom::triada
