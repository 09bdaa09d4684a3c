#pragma once
#include <cstdint>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/blocks/vector_unit.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/mmv/matrix_unit.h>
#include <tensorloom/models/mmv/scalar_unit.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::mmv {

/// Row and column of a processing element, from 0.
using element_position = std::pair<unsigned, unsigned>;

/// The scratchpad as seen by LOAD and STORE.
class transfer_port : public shell::local_memory {
public:
    explicit transfer_port(memory::scratchpad_if& scratchpad) : m_scratchpad(scratchpad) {}
    const char* name() const override { return "scratchpad"; }
    std::uint64_t bytes() const override { return m_scratchpad.size(); }
    void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const override;
    void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) override;
    std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const override;
    std::uint64_t accesses(const shell::byte_range& moved) const override;
    void clear() override { m_scratchpad.clear(); }

private:
    memory::scratchpad_if& m_scratchpad;
};

/// An MMU/VCU pair: a matrix unit, a vector unit and a scalar unit over one scratchpad, and the shell that every device
/// has (registers, commands, DMA, irq, rst).
///
/// Source: "MMV-RAM" (arXiv 2506.23906), section 2; "(m,l)-TCU" (arXiv 1908.06649), section 2. Program it with the
/// instructions of mmv/isa/instruction_set.h and isa/vector/instruction_set.h, for example through mmv/isa/driver.h;
/// LOAD and STORE move tensors between memory and the scratchpad. This class lacks only the DMA socket, whose width is
/// a template parameter: instantiate device<BUSWIDTH>.
///
/// Instructions run one at a time, as in the papers' machines; each takes the time of its unit (matrix_unit.h,
/// vector_unit.h, scalar_unit.h), in whole cycles. With config.overlap instructions of different units run concurrently
/// where their operands allow it. A program starts without weights in the array; the scratchpad keeps its content. A
/// reset clears the scratchpad.
///
/// Events     mmv/isa/events.h, on the counter window and per phase in the activity log (phase = mnemonic)
/// Errors     the errors of mmv/isa/limits.h and isa/vector/limits.h, when a program is loaded and again before an
///            instruction runs with its addresses; accumulator_overflow, arithmetic_overflow and bad_index end the
///            instruction that causes them
/// Not modelled: several DMA channels, the decoding of instructions.
///
/// Example
///
///     mmv::config config;
///     mmv::device<512> accelerator("accelerator", config); // 512: width of its DMA port in bits
///     initiator.bind(accelerator.regs);
///     accelerator.dma.bind(wide_target);
///     accelerator.irq.bind(interrupt);
class device_base : public shell::device_shell {
public:
    /// Elaboration: traces this device and the given processing elements of a detailed array (SC_ERROR in the fast
    /// fidelity). A position counts from 0; one outside the array is an SC_ERROR.
    void trace(sc_core::sc_trace_file& file, const std::vector<element_position>& elements);
    using sc_core::sc_module::trace;

    const config& settings() const { return m_config; }
    const char* kind() const override { return "mmv_device"; }

protected:
    device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    config m_config;
    memory::scratchpad m_scratchpad;
    transfer_port m_transfers;
    matrix_unit m_matrix;
    blocks::vector_unit m_vector;
    scalar_unit m_scalar;
};

/// The types of this device for the code that serves all devices: shell, platform, session, testbed.
struct traits {
    using body = device_base;
    using config = mmv::config;
    using driver = mmv::driver;
    using counts = mmv::counts;
    static constexpr const isa::device_description& description = mmv::description;
    /// Limits of programs; throws isa::device_failure when the device has another side or format.
    static limits limits_of(const driver& found, const config& expected);
};

/// An MMU/VCU pair with a DMA socket of this width: 32, 64, 128, 256 or 512.
template <unsigned BUSWIDTH = 32> using device = shell::device_of_width<traits, BUSWIDTH>;

} // namespace tensorloom::mmv

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(extern template, tensorloom::mmv::traits);
