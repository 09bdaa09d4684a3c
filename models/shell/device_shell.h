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
#include <tensorloom/models/arch/program/error_code.h>
#include <tensorloom/models/arch/values/event_table.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/shell/access_set.h>
#include <tensorloom/models/shell/command_issue.h>
#include <tensorloom/models/shell/command_outcome.h>
#include <tensorloom/models/shell/issued_command.h>
#include <tensorloom/models/shell/job_clock.h>
#include <tensorloom/models/shell/local_memory.h>
#include <tensorloom/models/shell/program_failure.h>
#include <tensorloom/models/shell/program_run.h>
#include <tensorloom/models/shell/transfer_unit.h>
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
    static constexpr unsigned max_units = 64;
    bool overlap = false;                        ///< commands of different units work at the same time
    unsigned units = 1;                          ///< with overlap: units of the device, 1 to 64
    std::optional<std::size_t> overlapped_cycle; ///< with overlap: the device's event that counts overlapped cycles
};

/// What every device has: registers, command processor, DMA, interrupt and reset. A device derives from it and brings
/// its commands.
///
/// regs    base-protocol target socket, 32 bits, LT; register map of arch/register_map.h; an access takes one clock
///         period, which is annotated or, with tolerance.wait_out_delay, waited out when the caller is a thread (a
///         method process never waits)
/// irq     high while IRQ_STATUS & IRQ_ENABLE is not 0; may stay unbound
/// rst     active-high reset; while it is high, writes to registers have no effect; may stay unbound
/// (the DMA's initiator socket belongs to the device: its width is a template parameter there)
///
/// START begins the program whose address PROGRAM_ADDR holds at the write, at the time that the write annotates. The
/// program is fetched and checked whole before its first command runs: anything malformed ends it with ERROR_CODE and
/// the command's index. Cycles count from START to DONE; every phase takes whole cycles. ABORT and RESET act at the
/// next burst or step boundary, and before every command.
/// Commands run one after the other, in one thread, or with shell_config::overlap each on its unit
/// (overlapped_issue.h). LOAD and STORE need a transfer_memory() of the device; the commands of the shell and the
/// cycles they take are in program_run.h and transfer_unit.h. COMMANDS_DONE counts commands executed, a command in a
/// loop each time, modulo 2^32; TOKEN is that of the last. With overlap both show how far the program has ended without
/// gap. Event counters start from 0 with each program.
/// Not modelled: several DMA channels; commands that overtake others at issue.
class device_shell : public sc_core::sc_module, private bus::register_owner, private command_executor {
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
    /// Runs a command; returns when it has ended, in time too, at a cycle boundary. Called in the shell's thread, with
    /// overlap in a thread of the command's unit. Every phase is reported: with report() or, where commands run one at
    /// a time, as it goes with log().
    virtual command_outcome execute(const issued_command& command) = 0;
    /// With overlap: the unit that executes a command and the bytes of local memory that it reads and writes. A device
    /// that overlaps leaves its DMA to LOAD and STORE.
    virtual access_set footprint(const issued_command&) const { return {}; }
    /// What LOAD fills and STORE empties; without one both are refused.
    virtual local_memory* transfer_memory() { return nullptr; }
    /// What a LOAD or STORE that moved this range of the device's memory counts; added to `counts`, by the device's
    /// event table.
    virtual void count_transfer(arch::opcode, const byte_range&, std::uint64_t* counts) const
    {
        static_cast<void>(counts);
    }
    /// Brings the event counters up to the present time.
    virtual void sync_counters() = 0;
    /// A program starts: its first command has not been fetched yet.
    virtual void begin_program() {}
    /// Back to the state after construction; called between programs.
    virtual void reset_device() = 0;

    // ---- what a device uses ----

    /// Cycles since START; the present must be a cycle boundary while the device is in its own phases.
    const job_clock& clock() const { return m_clock; }

    /// Reports a phase of a command that execute() has not ended yet: phases follow each other from the command's
    /// begin. What lies behind its end (an abort) is cut off. `counts` by the device's event table, or nullptr. They
    /// show when the command has ended.
    void report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                const std::uint64_t* counts = nullptr);

    /// Reports one phase or step at once; its counts are added to the device's counters. Not with overlap.
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

    std::unique_ptr<command_issue> make_issue();
    void run_programs(); // thread
    void drive_irq();    // method
    void watch_rst();    // method
    void request_start(const sc_core::sc_time& delay);
    void request_reset(const sc_core::sc_time& delay);
    void reset_registers();
    std::uint64_t shown_cycles(const sc_core::sc_time& delay) const;
    std::uint64_t shown_count() const;
    void raise(std::uint32_t irq_bits);

    // command_executor
    command_outcome run(const issued_command& command) override;
    access_set footprint_of(const issued_command& command) override;
    void log_row(const issued_command& command, const report_row& row) override;
    void log(const bus::log_record& record);
    void show_executed(std::uint32_t commands, std::uint32_t token) override;

    std::optional<program_failure> run_program(); // the one that PROGRAM_ADDR named at START
    void finish(const std::optional<program_failure>& failed);

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
    transfer_unit m_transfers;
    std::unique_ptr<command_issue> m_issue;
    program_run m_run;
    bool m_busy = false;
    bool m_reset_pending = false;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_rst;
};

} // namespace tensorloom::shell
