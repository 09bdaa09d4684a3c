#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/event_table.h>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/shell/command_outcome.h>
#include <tensorloom/models/shell/job_clock.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/register_bank.h>
#include <tensorloom/tlm/stop_request.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::shell {

struct shell_config {
    std::uint32_t id = 0;                             ///< ID register
    std::uint32_t caps = 0;                           ///< CAPS register
    std::array<std::uint32_t, 3> caps_size{};         ///< CAPS_SIZE registers
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
    bus::dma_config dma;                              ///< its clock period is that of the device, whatever it says
    std::uint32_t max_program_bytes = 16u << 20;      ///< longer programs are refused
    bus::target_tolerance tolerance;                  ///< of the register port
};

/// What every device has: registers, command processor, DMA, interrupt and reset. A device derives from it and brings its commands.
///
/// regs    base-protocol target socket, 32 bits, LT; register map of arch/register_map.h; an access takes one clock period, which is
///         annotated or, with tolerance.wait_out_delay, waited out when the caller is a thread (a method process never waits)
/// irq     high while IRQ_STATUS & IRQ_ENABLE is not 0; may stay unbound
/// rst     active-high reset; while it is high, writes to registers have no effect; may stay unbound
/// (the DMA's initiator socket belongs to the device: its width is a template parameter there)
///
/// START begins the program whose address PROGRAM_ADDR holds at the write, at the time that the write annotates. The program is
/// fetched and checked whole before its first command runs: anything malformed ends it with ERROR_CODE and the command's index.
/// Commands run one after the other. Cycles count from START to DONE; every phase takes whole cycles. ABORT and RESET act at the
/// next burst or step boundary.
/// Event counters start from 0 with each program.
/// Common opcodes executed: NOP, HALT, IRQ. LOOP, END, LOAD, STORE, WAIT, SIGNAL are refused.
/// Not modelled: several DMA channels, overlap of commands.
class device_shell : public sc_core::sc_module, private bus::register_owner {
public:
    tlm_utils::simple_target_socket<device_shell, 32> regs;
    sc_core::sc_out<bool> irq;
    sc_core::sc_in<bool> rst;

    bool busy() const { return m_busy; }

protected:
    /// `events`: the device's event table. A bad configuration is an SC_ERROR.
    device_shell(sc_core::sc_module_name name, const shell_config& config, const arch::event_table& events,
                 bus::activity_sink* activity);

    /// Elaboration: the DMA's socket. Must be called by the device's constructor.
    void bind_dma(bus::dma_port& port) { m_dma.bind(port); }
    /// Elaboration: shows busy and irq in a waveform.
    void trace_shell(sc_core::sc_trace_file& file);

    // ---- what a device brings ----

    /// A reason to refuse a device command when the program is loaded. `payload_bytes` follow the header.
    virtual std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t* payload,
                                                       std::size_t payload_bytes) const = 0;
    /// Runs a command, in the shell's thread. Reports every phase with log().
    virtual command_outcome execute(std::uint32_t index, const arch::command_header& header,
                                    const std::uint8_t* payload) = 0;
    /// Brings the event counters up to the present time.
    virtual void sync_counters() = 0;
    /// Back to the state after construction; called between programs.
    virtual void reset_device() = 0;

    // ---- what a device uses ----

    /// Cycles since START; the present must be a cycle boundary while the device is in its own phases.
    const job_clock& clock() const { return m_clock; }

    /// Reports one phase or step; its counts are added to the device's counters.
    void log(const char* cause, const char* phase, std::uint32_t command, std::uint32_t id, std::uint32_t detail,
             std::uint64_t start_cycle, std::uint64_t cycles, const std::uint64_t* counts);

    bus::dma_engine& dma() { return m_dma; }
    const bus::stop_request& stop() const { return m_stop; }
    const sc_core::sc_time& clock_period() const { return m_config.clock_period; }

    void before_end_of_elaboration() override;

private:
    std::uint64_t latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay) override;
    std::uint64_t debug_value(std::uint32_t lo_offset) const override;
    void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

    void run_programs(); // thread
    void drive_irq();    // method
    void watch_rst();    // method
    void request_start(const sc_core::sc_time& delay);
    void request_reset(const sc_core::sc_time& delay);
    void reset_registers();
    std::uint64_t shown_cycles(const sc_core::sc_time& delay) const;
    std::uint64_t shown_count() const;
    void raise(std::uint32_t irq_bits);

    struct failure {
        arch::error_code code;
        std::uint32_t command;
        std::uint64_t address = 0;
        arch::bus_response response = arch::bus_response::none;
    };
    std::optional<failure> fetch();
    std::optional<failure> check_program() const;
    std::optional<failure> run_commands();
    void finish(const std::optional<failure>& failed);

    shell_config m_config;
    bus::register_bank m_registers;
    bus::dma_engine m_dma;
    bus::stop_request m_stop;
    arch::event_table m_events;
    std::vector<std::uint64_t> m_counts; // by event
    bus::activity_sink* m_activity;
    const std::string m_full_name; // sinks want one with every row

    sc_core::sc_event m_start;
    sc_core::sc_event m_irq_changed;
    job_clock m_clock;
    std::uint64_t m_cycles = 0;          // of the last program, when it has ended
    std::uint64_t m_program_address = 0; // as it was at START
    std::vector<std::uint8_t> m_program;
    bool m_busy = false;
    bool m_reset_pending = false;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_rst;
};

} // namespace tensorloom::shell
