#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/simulated_time.h>
#include "models/shell/toil_device.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {

/// A row of a device's activity, kept.
struct kept_record {
    std::string cause;
    std::string phase;
    std::uint32_t command;
    std::uint64_t start_cycle;
    std::uint64_t cycles;
    std::vector<std::uint64_t> counts;
    std::uint32_t id = 0;

    bool operator==(const kept_record& o) const
    {
        return cause == o.cause && phase == o.phase && command == o.command && start_cycle == o.start_cycle &&
               cycles == o.cycles && counts == o.counts && id == o.id;
    }
};

/// Keeps what devices report, by device.
class record_keeper : public bus::activity_sink {
public:
    std::vector<std::string> attached;
    unsigned started_programs = 0;
    std::uint64_t started_at_ps = 0; // the latest
    std::vector<std::uint64_t> started_programs_ps;
    std::vector<std::uint64_t> ended_at_ps;
    std::uint64_t period_ps = 0; // of the latest
    std::vector<std::uint64_t> finished_at;
    std::vector<kept_record> records;
    base::freed_cycles freed_cycles;    // of the latest program
    bus::activity_sink* next = nullptr; // also receives what programs report

    void attach(const std::string& object, const base::event_table& table, const std::uint64_t*) override
    {
        if (attached.empty()) { m_events = table.size; } // the device comes first
        attached.push_back(object);
    }
    void started(const std::string& device, std::uint64_t time_ps) override
    {
        ++started_programs;
        started_at_ps = time_ps;
        started_programs_ps.push_back(time_ps);
        if (next != nullptr) { next->started(device, time_ps); }
    }
    void clocked(const std::string& device, std::uint64_t ps) override
    {
        period_ps = ps;
        if (next != nullptr) { next->clocked(device, ps); }
    }
    void log(const std::string& device, const bus::log_record& r) override
    {
        if (next != nullptr) { next->log(device, r); }
        records.push_back(
            {r.cause, r.phase, r.command, r.start_cycle, r.cycles, {r.counts, r.counts + m_events}, r.id});
    }
    void freed(const std::string&, const base::freed_cycles& cycles) override { freed_cycles = cycles; }
    void finished(const std::string& device, std::uint64_t cycles) override
    {
        finished_at.push_back(cycles);
        ended_at_ps.push_back(bus::picoseconds(sc_core::sc_time_stamp()));
        if (next != nullptr) { next->finished(device, cycles); }
    }

private:
    std::size_t m_events = 0;
};

/// A processor, a device and a memory, with a protocol checker on each socket.
///
///     cpu --> device.regs      device.dma_out --> memory (addresses from memory_at, 64 KiB)      rst, irq: signals
///
/// The clock is 2 ns; the DMA sends bursts of 16 bytes, each 4 beats or 8 ns.
template <class Device> class device_bench : public sc_core::sc_module {
public:
    using cpu_type = thread_initiator<32>;
    using program_type = std::function<void(device_bench&)>;
    static constexpr std::uint64_t memory_at = 0x1'0000'0000;
    static constexpr std::size_t memory_bytes = 0x10000;

    record_keeper kept; // outlives the device
    cpu_type cpu;
    Device device;
    byte_target<32> memory;
    sc_core::sc_signal<bool> irq;
    sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> rst;

    explicit device_bench(sc_core::sc_module_name name, program_type program, shell::shell_config config = settings())
        : sc_core::sc_module(name), cpu("cpu", [this](cpu_type&) { m_program(*this); }),
          device("device", config, &kept), memory("memory", memory_bytes), irq("irq"), rst("rst"),
          m_program(std::move(program)), m_regs_checker("regs_checker"), m_dma_checker("dma_checker")
    {
        cpu.out.bind(m_regs_checker.in);
        m_regs_checker.out.bind(device.regs);
        device.dma_out.bind(m_dma_checker.in);
        m_dma_checker.out.bind(memory.in);
        device.irq.bind(irq);
        device.rst.bind(rst);
        memory.base = memory_at;
    }

    static shell::shell_config settings()
    {
        shell::shell_config c;
        c.format = 1;
        c.caps_size = {11, 12, 13};
        c.clock_period = ns(2);
        c.burst_bytes = 16;
        c.max_program_bytes = 4096;
        return c;
    }

    bool finished() const { return cpu.finished(); }

    // ---- what the processor does ----

    std::uint32_t read(std::uint32_t offset)
    {
        auto p = reading(offset, 4);
        sc_core::wait(cpu.send(p));
        EXPECT_TRUE(p.is_response_ok()) << "read of " << offset;
        return base::load_le<std::uint32_t>(p.data.data());
    }
    std::uint64_t read_pair(std::uint32_t offset)
    {
        const std::uint64_t low = read(offset);
        return low | std::uint64_t{read(offset + 4)} << 32;
    }
    /// Waits for the access to end, unless it is annotated to begin later.
    void write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& annotated = sc_core::SC_ZERO_TIME)
    {
        const auto delay = post(offset, value, annotated);
        if (annotated == sc_core::SC_ZERO_TIME) { sc_core::wait(delay); }
    }
    /// Writes and does not wait; returns the delay.
    sc_core::sc_time post(std::uint32_t offset, std::uint32_t value,
                          const sc_core::sc_time& annotated = sc_core::SC_ZERO_TIME)
    {
        std::vector<unsigned char> bytes(4);
        base::store_le(bytes.data(), value);
        auto p = writing(offset, bytes);
        sc_core::sc_time delay = annotated;
        cpu.out->b_transport(p, delay);
        EXPECT_TRUE(p.is_response_ok()) << "write of " << offset;
        return delay;
    }
    void place(const std::vector<std::uint8_t>& program, std::uint64_t at = memory_at)
    {
        std::copy(program.begin(), program.end(), memory.bytes.begin() + static_cast<std::ptrdiff_t>(at - memory_at));
    }
    void point_at(std::uint64_t address)
    {
        write(isa::reg::program_addr_lo, static_cast<std::uint32_t>(address));
        write(isa::reg::program_addr_hi, static_cast<std::uint32_t>(address >> 32));
    }
    /// Places a program at the beginning of the memory and starts it.
    void start(const std::vector<std::uint8_t>& program)
    {
        place(program);
        point_at(memory_at);
        write(isa::reg::ctrl, isa::ctrl_start);
    }
    /// Polls STATUS until the device is not busy; false when that takes 100000 accesses.
    bool poll_end()
    {
        for (int i = 0; i < 100000; ++i) {
            if ((read(isa::reg::status) & isa::status_busy) == 0) { return true; }
        }
        return false;
    }
    void run(const std::vector<std::uint8_t>& program)
    {
        start(program);
        EXPECT_TRUE(poll_end());
    }
    isa::error_code error() { return static_cast<isa::error_code>(read(isa::reg::error_code)); }

private:
    program_type m_program;
    bus::protocol_checker<32> m_regs_checker;
    bus::protocol_checker<32> m_dma_checker;
};

using shell_bench = device_bench<toil_device>;

/// A program of one toil.
inline std::vector<std::uint8_t> toil_program(std::uint32_t cycles, std::uint32_t bytes = 0,
                                              std::uint64_t address = shell_bench::memory_at + 0x8000)
{
    isa::program_builder b;
    b.add(toil_device::toil, 0, 77, toil_device::payload(cycles, bytes, address));
    return b.bytes();
}

/// Cycles of fetching a program: 16 bytes of header, then the rest, in bursts of 16 bytes and 4 cycles.
inline std::uint64_t fetch_cycles(const std::vector<std::uint8_t>& program) { return program.size() / 16 * 4; }

} // namespace tensorloom::test
