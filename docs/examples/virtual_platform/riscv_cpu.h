#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <unicorn/unicorn.h>

namespace tensorloom::virtual_platform {

struct cpu_config {
    sc_core::sc_time cycle{1, sc_core::SC_NS}; ///< of every instruction
    std::uint32_t reset_pc = 0;                ///< in RAM
    std::uint32_t reset_a0 = 0;                ///< register a0 at the start
    std::uint32_t io_first = 0;                ///< addresses of registers, which are accessed over the bus: whole pages
    std::uint32_t io_last = 0;                 ///< of 4 KiB
};

/// A RISC-V processor, RV32IMAC in machine mode: Unicorn Engine translates and runs its instructions.
///
/// bus                   base-protocol initiator socket, 32 bits, LT
/// external_interrupt    active-high level (MEIP)
/// timer_interrupt       active-high level (MTIP)
///
/// RAM is the range that a target grants for direct access (DMI) at reset_pc; instructions and data are fetched there
/// without the bus, without further time. An access to io_first..io_last is a b_transport with the time that the target
/// annotates. A load or store anywhere else, and one with an error response, is an access fault: a trap at that
/// instruction.
/// The processor runs ahead of simulated time by up to the global quantum: a slice of instructions. It takes
/// interrupts between slices, when it has synchronised; while one is pending and masked, a slice is one instruction.
/// WFI ends a slice and waits for an enabled interrupt.
/// Errors    no direct access at reset_pc, direct access taken back, instructions outside RAM, an exception besides
///           access faults (an illegal instruction, ECALL, EBREAK): SC_ERROR
/// Not modelled: pipeline and caches (an instruction takes one cycle), user mode, the CSRs mip and mtval, vectored
/// traps.
class riscv_cpu : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<riscv_cpu, 32> bus;
    sc_core::sc_in<bool> external_interrupt, timer_interrupt;

    riscv_cpu(sc_core::sc_module_name name, const cpu_config& config);
    ~riscv_cpu() override;

    /// Writes memory by debug transport, without time; from the end of elaboration on.
    void preload(std::uint64_t address, const void* from, std::size_t bytes);

    std::uint64_t instructions() const { return m_instructions; } ///< executed so far
    const char* kind() const override { return "riscv_cpu"; }

private:
    enum class stop { slice_end, wait, fault, exception };

    // Unicorn's callbacks; `self` is a riscv_cpu.
    static void before_instruction(uc_engine*, std::uint64_t address, std::uint32_t size, void* self);
    static void on_exception(uc_engine*, std::uint32_t number, void* self);
    static std::uint64_t io_read(uc_engine*, std::uint64_t offset, unsigned size, void* self);
    static void io_write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* self);

    void start_of_simulation() override;
    void direct_access_ends(sc_dt::uint64 first, sc_dt::uint64 last);
    void run();
    void run_slice();
    void account();                          // adds the time of the latest instructions
    std::uint64_t instructions_left() const; // in this quantum
    std::uint32_t interrupts() const;
    void take_interrupt();
    void trap(std::uint32_t cause);
    void wait_for_interrupt();
    bool transfer(tlm::tlm_command command, std::uint64_t offset, void* data, unsigned bytes);
    std::uint32_t get(int reg) const;
    void set(int reg, std::uint32_t value);

    cpu_config m_config;
    std::unique_ptr<uc_engine, uc_err (*)(uc_engine*)> m_engine;
    tlm_utils::tlm_quantumkeeper m_time;
    std::uint32_t m_pc;
    std::uint64_t m_instructions = 0;
    std::uint64_t m_accounted = 0; // instructions whose time is in m_time
    std::uint64_t m_slice_end = 0; // value of m_instructions at which the slice ends
    stop m_stop = stop::slice_end;
    std::uint32_t m_cause = 0; // of the fault or the exception
};

} // namespace tensorloom::virtual_platform
