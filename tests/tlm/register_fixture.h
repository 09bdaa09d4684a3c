#pragma once
#include <tuple>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/tlm/register_bank.h>
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace tensorloom::test {

/// A block of 32 bytes with a register of each kind and an owner that notes what it is told.
class register_fixture : public sim_test, protected bus::register_owner {
protected:
    // Offsets. 0x14 is reserved; 0x18 holds a start register beside a read-only one, like CTRL beside STATUS.
    static constexpr std::uint32_t fixed = 0x00;
    static constexpr std::uint32_t mode = 0x04;
    static constexpr std::uint32_t low = 0x08;
    static constexpr std::uint32_t high = 0x0c;
    static constexpr std::uint32_t flags = 0x10;
    static constexpr std::uint32_t reserved = 0x14;
    static constexpr std::uint32_t start = 0x18;
    static constexpr std::uint32_t state = 0x1c;
    static constexpr std::uint32_t block = 0x20;

    static constexpr arch::register_definition map[] = {
        {fixed, "FIXED", arch::register_access::read_only, 0x44332211, 0, ""},
        {mode, "MODE", arch::register_access::read_write, 0x00000005, 0x00ff00ff, ""},
        {low, "LOW", arch::register_access::read_write, 0, 0xffffffff, ""},
        {high, "HIGH", arch::register_access::read_write, 0, 0xffffffff, ""},
        {flags, "FLAGS", arch::register_access::write_one_clear, 0, 0x00000107, ""},
        {start, "START", arch::register_access::write_start, 0, 0x00000003, ""},
        {state, "STATE", arch::register_access::read_only, 0x88776655, 0, ""},
    };

    bus::register_bank bank{map, sizeof map / sizeof map[0], block, *this};

    struct told {
        std::uint32_t offset;
        std::uint32_t value;
        sc_core::sc_time delay;
        bool operator==(const told& o) const { return offset == o.offset && value == o.value && delay == o.delay; }
    };
    std::vector<std::uint32_t> reads;
    std::vector<told> writes;

    void before_read(std::uint32_t offset, const sc_core::sc_time&) override { reads.push_back(offset); }
    void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) override
    {
        writes.push_back({offset, value, delay});
    }

    tlm::tlm_response_status send(payload& p, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
    {
        bank.b_transport(p, delay);
        return p.get_response_status();
    }
    tlm::tlm_response_status write(std::uint32_t address, std::vector<unsigned char> bytes)
    {
        auto p = writing(address, std::move(bytes));
        return send(p);
    }
    // The block's bytes as the values of its registers say.
    std::vector<unsigned char> image() const
    {
        std::vector<unsigned char> bytes;
        for (std::uint32_t a = 0; a < block; ++a) {
            bytes.push_back(static_cast<unsigned char>(bank.get(a & ~3u) >> (8 * (a % 4))));
        }
        return bytes;
    }
};

} // namespace tensorloom::test
