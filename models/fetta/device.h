#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/blocks/vector_unit.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// The command unit for CONTRACT, over the tensor contraction unit.
class contract_unit : public shell::command_unit {
public:
    contract_unit(const device_limits& limits, tensor_contraction_unit& contractions)
        : m_limits(limits), m_contractions(contractions), m_decoded(decoded_commands)
    {}

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command& command) const override;
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, m_contractions.name()); }
    void begin_program() override;
    void reset() override { m_contractions.clear_accumulators(); }
    std::vector<shell::debug_memory> memories() override { return {m_contractions.accumulator_memory()}; }

private:
    /// A command of the running program in one iteration.
    struct decoded_command {
        const std::uint8_t* payload = nullptr; ///< nullptr: none
        isa::loop_indices iteration{};
        bool advances = false; ///< false: the same in every iteration
        contract_command command;
        std::optional<isa::check_error> refused;
        shell::access_set accesses; ///< none when it is refused
    };
    static constexpr unsigned decoded_commands = 64;

    const decoded_command& decoded(const shell::issued_command& command) const;

    device_limits m_limits;
    tensor_contraction_unit& m_contractions;
    shell::unit_activity m_activity;
    mutable std::vector<decoded_command> m_decoded; // by index in the program: the last ones, for loops
};

/// A FETTA: a tensor contraction unit and a vector unit over one unified memory, and the shell that every device has
/// (registers, commands, DMA, irq, rst).
///
/// Source: "FETTA" (arXiv 2504.06474), section V. Program it with CONTRACT (fetta/isa/contract_command.h) and the
/// instructions of the vector unit (isa/vector/instruction_set.h, words of float32), for example through
/// fetta/isa/driver.h; LOAD and STORE move tensors between memory and the unified memory, whose two windows are in
/// fetta/isa/device_limits.h. This class lacks only the DMA socket, whose width is a template parameter: instantiate
/// device<BUSWIDTH>.
///
/// With config.overlap, the default, LOAD and STORE, contractions and vector instructions run concurrently where their
/// operands allow it; programs use this for the paper's ping-pong buffering. Each command takes the time of its unit
/// (tensor_contraction_unit.h, vector_unit.h), in whole cycles.
/// A program starts with accumulators of 0; the unified memory keeps its content. A reset clears both.
///
/// Events     fetta/isa/events.h, on the counter window and per phase in the activity log (phase = mnemonic); causes
///            are fill, compute, reload, psum and conflict of a CONTRACT, in this order, vector and conflict of a
///            vector instruction
/// Errors     the errors of fetta/isa/contract_check.h and isa/vector/limits.h, when a program is loaded and again
///            before a command runs with its addresses; bad_index ends the vector instruction that causes it
/// Not modelled: several DMA channels, the decoding of commands.
///
/// Example
///
///     fetta::config config;
///     fetta::device<512> accelerator("accelerator", config); // 512: width of its DMA port in bits
///     initiator.bind(accelerator.regs);
///     accelerator.dma.bind(wide_target);
///     accelerator.irq.bind(interrupt);
class device_base : public shell::device_shell {
public:
    /// Elaboration: traces this device and the selected parts of its tensor contraction unit (a part that the fidelity
    /// lacks is an SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const contraction_trace& contraction = {});
    using sc_core::sc_module::trace;

    const config& settings() const { return m_config; }
    const char* kind() const override { return "fetta_device"; }

protected:
    device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    config m_config;
    unified_memory m_memory;
    std::unique_ptr<tensor_contraction_unit> m_contractions;
    blocks::vector_unit m_vector;
    contract_unit m_contract;
};

/// The types of this device for the code that serves all devices: shell, platform, session, testbed.
struct traits {
    using body = device_base;
    using config = fetta::config;
    using driver = fetta::driver;
    using counts = fetta::counts;
    static constexpr const isa::device_description& description = fetta::description;
    /// Limits of programs, as the device reports them.
    static const device_limits& limits_of(const driver& found, const config&) { return found.limits(); }
};

/// A FETTA with a DMA socket of this width: 32, 64, 128, 256 or 512.
template <unsigned BUSWIDTH = 32> using device = shell::device_of_width<traits, BUSWIDTH>;

} // namespace tensorloom::fetta

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(extern template, tensorloom::fetta::traits);
