#include "riscv_cpu.h"
#include <algorithm>
#include <cstdio>
#include <string>

namespace tensorloom::virtual_platform {
namespace {

constexpr std::size_t stack_bytes = 4u << 20;     // for Unicorn's translator
constexpr std::uint64_t no_address = 0xffff'ffff; // odd: no instruction is there
constexpr std::uint32_t external_cause = 11, timer_cause = 7;
constexpr std::uint32_t interrupt_bit = 1u << 31;                              // of mcause
constexpr std::uint32_t mie = 1u << 3, mpie = 1u << 7, mpp_machine = 3u << 11; // of mstatus
constexpr std::uint32_t load_fault = 5, store_fault = 7;

void require(uc_err status, const char* what)
{
    if (status == UC_ERR_OK) { return; }
    SC_REPORT_ERROR("/virtual_platform/riscv_cpu/unicorn", (std::string(what) + ": " + uc_strerror(status)).c_str());
}

uc_engine* opened()
{
    uc_engine* engine = nullptr;
    require(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine), "uc_open");
    return engine;
}

template <class Function> void add_hook(uc_engine* engine, uc_hook_type type, Function* callback, void* self)
{
    uc_hook hook = 0;
    constexpr std::uint64_t first = 1, last = 0; // an empty range: everywhere
    require(uc_hook_add(engine, &hook, type, reinterpret_cast<void*>(callback), self, first, last), "uc_hook_add");
}

} // namespace

riscv_cpu::riscv_cpu(sc_core::sc_module_name name, const cpu_config& config)
    : sc_core::sc_module(name), bus("bus"), external_interrupt("external_interrupt"),
      timer_interrupt("timer_interrupt"), m_config(config), m_engine(opened(), uc_close), m_pc(config.reset_pc)
{
    add_hook(m_engine.get(), UC_HOOK_CODE, before_instruction, this);
    add_hook(m_engine.get(), UC_HOOK_INTR, on_exception, this);
    require(uc_mmio_map(m_engine.get(), config.io_first, std::size_t{config.io_last} - config.io_first + 1, io_read,
                        this, io_write, this),
            "uc_mmio_map");
    set(UC_RISCV_REG_A0, config.reset_a0);
    bus.register_invalidate_direct_mem_ptr(this, &riscv_cpu::direct_access_ends);
    SC_HAS_PROCESS(riscv_cpu);
    SC_THREAD(run);
    set_stack_size(stack_bytes);
}

riscv_cpu::~riscv_cpu() = default;

std::uint32_t riscv_cpu::get(int reg) const
{
    std::uint32_t value = 0;
    uc_reg_read(m_engine.get(), reg, &value);
    return value;
}

void riscv_cpu::set(int reg, std::uint32_t value) { uc_reg_write(m_engine.get(), reg, &value); }

// ---- memory ----

void riscv_cpu::start_of_simulation()
{
    tlm::tlm_generic_payload request;
    tlm::tlm_dmi ram;
    request.set_read();
    request.set_address(m_config.reset_pc);
    if (!bus->get_direct_mem_ptr(request, ram) || !ram.is_read_write_allowed()) {
        SC_REPORT_ERROR("/virtual_platform/riscv_cpu/ram", "no direct access to the memory at reset_pc");
    }
    require(uc_mem_map_ptr(m_engine.get(), ram.get_start_address(), ram.get_end_address() - ram.get_start_address() + 1,
                           UC_PROT_ALL, ram.get_dmi_ptr()),
            "uc_mem_map_ptr");
}

void riscv_cpu::direct_access_ends(sc_dt::uint64, sc_dt::uint64)
{
    SC_REPORT_ERROR("/virtual_platform/riscv_cpu/ram", "direct access to the memory was taken back");
}

void riscv_cpu::preload(std::uint64_t address, const void* from, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    transaction.set_write();
    transaction.set_address(address);
    transaction.set_data_ptr(static_cast<unsigned char*>(const_cast<void*>(from))); // a target only reads it
    transaction.set_data_length(static_cast<unsigned>(bytes));
    transaction.set_streaming_width(static_cast<unsigned>(bytes));
    if (bus->transport_dbg(transaction) != bytes) {
        SC_REPORT_ERROR("/virtual_platform/riscv_cpu/preload", "the memory does not hold these bytes");
    }
}

bool riscv_cpu::transfer(tlm::tlm_command command, std::uint64_t offset, void* data, unsigned bytes)
{
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(m_config.io_first + offset);
    transaction.set_data_ptr(static_cast<unsigned char*>(data));
    transaction.set_data_length(bytes);
    transaction.set_streaming_width(bytes);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    account();
    sc_core::sc_time ahead = m_time.get_local_time();
    bus->b_transport(transaction, ahead);
    m_time.set(ahead);
    bool interrupted = false;
    if (m_time.need_sync()) {
        m_time.sync();
        interrupted = interrupts() != 0;
    }
    m_slice_end = interrupted ? m_instructions : std::min(m_slice_end, m_instructions + instructions_left());
    return transaction.is_response_ok();
}

std::uint64_t riscv_cpu::io_read(uc_engine* engine, std::uint64_t offset, unsigned size, void* self)
{
    auto& cpu = *static_cast<riscv_cpu*>(self);
    std::uint64_t value = 0;
    if (!cpu.transfer(tlm::TLM_READ_COMMAND, offset, &value, size)) {
        cpu.m_stop = stop::fault;
        cpu.m_cause = load_fault;
        uc_emu_stop(engine);
    }
    return value;
}

void riscv_cpu::io_write(uc_engine* engine, std::uint64_t offset, unsigned size, std::uint64_t value, void* self)
{
    auto& cpu = *static_cast<riscv_cpu*>(self);
    if (!cpu.transfer(tlm::TLM_WRITE_COMMAND, offset, &value, size)) {
        cpu.m_stop = stop::fault;
        cpu.m_cause = store_fault;
        uc_emu_stop(engine);
    }
}

// ---- instructions ----

void riscv_cpu::before_instruction(uc_engine* engine, std::uint64_t, std::uint32_t, void* self)
{
    auto& cpu = *static_cast<riscv_cpu*>(self);
    if (cpu.m_instructions == cpu.m_slice_end) {
        uc_emu_stop(engine);
    } else {
        ++cpu.m_instructions;
    }
}

void riscv_cpu::on_exception(uc_engine* engine, std::uint32_t number, void* self)
{
    auto& cpu = *static_cast<riscv_cpu*>(self);
    cpu.m_stop = stop::exception;
    cpu.m_cause = number;
    uc_emu_stop(engine);
}

void riscv_cpu::account()
{
    m_time.inc(static_cast<double>(m_instructions - m_accounted) * m_config.cycle);
    m_accounted = m_instructions;
}

void riscv_cpu::run()
{
    m_time.reset();
    while (true) {
        take_interrupt();
        run_slice();
        account();
        if (m_stop == stop::fault) {
            trap(m_cause);
        } else if (m_stop == stop::wait) {
            wait_for_interrupt();
        }
        m_time.sync(); // only now the interrupts show what the slice has written to the peripherals
    }
}

std::uint64_t riscv_cpu::instructions_left() const
{
    const auto quantum = tlm::tlm_global_quantum::instance().compute_local_quantum();
    const auto ahead = m_time.get_local_time();
    return quantum > ahead ? (quantum - ahead).value() / m_config.cycle.value() : 0;
}

void riscv_cpu::run_slice()
{
    // A pending interrupt that is masked must be taken as soon as the firmware unmasks it.
    const std::uint64_t most = interrupts() != 0 ? 1 : instructions_left();
    m_slice_end = m_instructions + std::max<std::uint64_t>(most, 1);
    m_stop = stop::slice_end;
    const uc_err status = uc_emu_start(m_engine.get(), m_pc, no_address, 0, 0);
    m_pc = get(UC_RISCV_REG_PC);
    const bool outside =
        status == UC_ERR_READ_UNMAPPED || status == UC_ERR_WRITE_UNMAPPED; // neither RAM nor on the bus
    if (m_stop == stop::exception || (status != UC_ERR_OK && !outside)) {
        const std::string what =
            m_stop == stop::exception ? "exception " + std::to_string(m_cause) : uc_strerror(status);
        char pc[16];
        std::snprintf(pc, sizeof pc, "0x%08x", m_pc);
        SC_REPORT_ERROR("/virtual_platform/riscv_cpu/exception", (what + " at or before " + pc).c_str());
    } else if (outside) {
        m_stop = stop::fault;
        m_cause = status == UC_ERR_READ_UNMAPPED ? load_fault : store_fault;
    } else if (m_stop == stop::slice_end && m_instructions < m_slice_end) {
        m_stop = stop::wait;
    }
}

// ---- traps ----

std::uint32_t riscv_cpu::interrupts() const
{
    const std::uint32_t lines =
        (external_interrupt.read() ? 1u << external_cause : 0) | (timer_interrupt.read() ? 1u << timer_cause : 0);
    return lines == 0 ? 0 : lines & get(UC_RISCV_REG_MIE);
}

void riscv_cpu::take_interrupt()
{
    const std::uint32_t pending = interrupts();
    if (pending == 0 || (get(UC_RISCV_REG_MSTATUS) & mie) == 0) { return; }
    trap(interrupt_bit | ((pending >> external_cause & 1) != 0 ? external_cause : timer_cause));
}

void riscv_cpu::trap(std::uint32_t cause)
{
    const std::uint32_t status = get(UC_RISCV_REG_MSTATUS);
    const std::uint32_t was_enabled = (status & mie) != 0 ? mpie : 0;
    set(UC_RISCV_REG_MSTATUS, (status & ~(mie | mpie)) | was_enabled | mpp_machine);
    set(UC_RISCV_REG_MCAUSE, cause);
    set(UC_RISCV_REG_MEPC, m_pc);
    m_pc = get(UC_RISCV_REG_MTVEC);
}

void riscv_cpu::wait_for_interrupt()
{
    m_time.sync();
    while (interrupts() == 0) {
        wait(external_interrupt.posedge_event() | timer_interrupt.posedge_event());
        m_time.reset(); // a new quantum begins at the end of the wait
    }
}

} // namespace tensorloom::virtual_platform
