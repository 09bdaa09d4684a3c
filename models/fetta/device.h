#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/blocks/vector_unit.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::fetta {

/// A FETTA: a tensor contraction unit and a vector unit over one unified memory, and the shell that every device has
/// (registers, commands, DMA, irq, rst).
///
/// Source: "FETTA" (arXiv 2504.06474), section V. Program it with CONTRACT (arch/fetta/contract_command.h) and the
/// instructions of the vector unit (arch/mmv/opcode.h, words of float32), for example through arch/fetta/driver.h; LOAD
/// and STORE move tensors between memory and the unified memory, whose two windows are in arch/fetta/geometry.h.
/// This is everything but the width of the DMA socket; instantiate device<BUSWIDTH>.
///
/// With config.overlap, the default, LOAD and STORE, the contractions and the vector unit work at the same time where
/// their operands allow it: the paper's ping-pong buffer is what a program makes of that. Each command takes the time
/// of its unit (tensor_contraction_unit.h, vector_unit.h), in whole cycles.
/// A program starts with accumulators that are 0; the unified memory keeps what it holds. A reset clears it.
///
/// Events     arch/fetta/events.h, on the counter window and per phase in the activity log (phase = mnemonic); causes
///            are fill, compute, reload, psum and conflict of a CONTRACT, in this order, vector and conflict of a
///            vector instruction
/// Errors     what arch/fetta/limits.h and arch/mmv/vector_limits.h say, when a program is loaded and again before a
///            command runs with its addresses; bad_index ends the vector instruction that has it
/// Not modelled: several DMA channels, the decoding of commands.
class device_body : public shell::device_shell {
public:
    ~device_body() override;

    /// Elaboration: shows this device in a waveform, and of its tensor contraction unit what is asked for (what the
    /// fidelity does not have is an SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const contraction_trace& contraction = {});

    const config& settings() const { return m_config; }

protected:
    device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    // What a waveform shows of a unit.
    struct unit_activity {
        std::uint8_t opcode = 0; // 0: idle
        std::uint32_t command = 0;
    };

    // shell::device_shell
    std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t* payload,
                                               std::size_t payload_bytes) const override;
    shell::command_outcome execute(const shell::issued_command& command) override;
    shell::access_set footprint(const shell::issued_command& command) const override;
    shell::local_memory* transfer_memory() override { return &m_memory.transfers(); }
    void count_transfer(arch::opcode code, const shell::byte_range& moved, std::uint64_t* counts) const override;
    void sync_counters() override {}
    void begin_program() override { m_contractions->clear_accumulators(); }
    void reset_device() override;

    shell::command_outcome contract(const shell::issued_command& command);
    shell::command_outcome run_vector(const shell::issued_command& command);

    config m_config;
    arch::vector::limits m_vector_limits;
    unified_memory m_memory;
    std::unique_ptr<tensor_contraction_unit> m_contractions;
    blocks::vector_unit m_vector;
    std::array<unit_activity, arch::fetta::unit_count> m_activity;
};

/// A FETTA with a DMA socket of this width.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes
template <unsigned BUSWIDTH = 32> class device : public device_body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// A configuration with a complaint (config.h) is an SC_ERROR.
    explicit device(sc_core::sc_module_name name, const config& config = {}, bus::activity_sink* activity = nullptr)
        : device_body(name, config, activity), dma("dma")
    {
        bind_dma(dma);
    }
};

} // namespace tensorloom::fetta
