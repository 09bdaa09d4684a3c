#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::test {

/// A host in front of registers that hold what a test puts there. Notes in words what a driver does.
class register_host : public isa::host_port {
public:
    static constexpr std::uint64_t base = 0x4000'0000;

    std::map<std::uint32_t, std::uint32_t> registers;                          ///< by offset
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> counters; ///< by index: low, high
    std::vector<std::uint8_t> memory;                                          ///< what the last block write carried
    std::uint64_t memory_at = 0;
    bool interrupt = true;
    bool failing = false;          ///< every word access is a bus failure
    std::function<void()> at_wait; ///< called at the end of each wait
    std::uint64_t timeout = 0;     ///< of the last wait
    std::vector<std::string> deeds;

    std::uint32_t read_word(std::uint64_t address) override
    {
        fail_if_asked();
        const auto offset = static_cast<std::uint32_t>(address - base);
        const auto counter = counters.find(registers[isa::reg::counter_index]);
        if (offset == isa::reg::counter_value_lo) { return counter == counters.end() ? 0 : counter->second.first; }
        if (offset == isa::reg::counter_value_hi) { return counter == counters.end() ? 0 : counter->second.second; }
        return registers[offset];
    }
    void write_word(std::uint64_t address, std::uint32_t value) override
    {
        fail_if_asked();
        const auto offset = static_cast<std::uint32_t>(address - base);
        registers[offset] = value;
        for (const auto& d : isa::register_map) {
            if (d.offset == offset) { deeds.push_back(std::string(d.name) + "=" + std::to_string(value)); }
        }
    }
    void read_block(std::uint64_t, void*, std::size_t) override { deeds.emplace_back("read block"); }
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override
    {
        memory_at = address;
        const auto* first = static_cast<const std::uint8_t*>(from);
        memory.assign(first, first + bytes);
        deeds.emplace_back("write block");
    }
    bool wait_interrupt(std::uint64_t timeout_ns) override
    {
        timeout = timeout_ns;
        deeds.emplace_back("wait");
        if (at_wait) { at_wait(); }
        return interrupt;
    }
    void fence() override { deeds.emplace_back("fence"); }

private:
    void fail_if_asked() const
    {
        if (failing) { throw isa::bus_failure("bus is broken"); }
    }
};

} // namespace tensorloom::test
