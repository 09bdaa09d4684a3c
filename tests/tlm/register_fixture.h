#pragma once
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/register_bank.h>
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace tensorloom::test {

/// A block of 48 bytes with a register of each kind and an owner that notes what it is told.
class register_fixture : public sim_test, protected bus::register_owner {
protected:
    // Offsets. 0x14 and 0x24 are reserved; 0x18 holds a start register beside a read-only one, like CTRL beside STATUS.
    static constexpr std::uint32_t fixed = 0x00;
    static constexpr std::uint32_t mode = 0x04;
    static constexpr std::uint32_t low = 0x08;
    static constexpr std::uint32_t high = 0x0c;
    static constexpr std::uint32_t flags = 0x10;
    static constexpr std::uint32_t reserved = 0x14;
    static constexpr std::uint32_t start = 0x18;
    static constexpr std::uint32_t state = 0x1c;
    static constexpr std::uint32_t mixed = 0x20;
    static constexpr std::uint32_t count_lo = 0x28;
    static constexpr std::uint32_t count_hi = 0x2c;
    static constexpr std::uint32_t block = 0x30;

    static constexpr auto ro = isa::register_access::read_only;
    static constexpr auto rw = isa::register_access::read_write;
    static constexpr auto w1c = isa::register_access::write_one_clear;
    static constexpr auto w1s = isa::register_access::write_start;
    static constexpr auto plain = isa::register_trait::plain;

    static constexpr isa::field_definition id_fields[] = {{"ALL", 0, 32, ro, 0x44332211, ""}};
    static constexpr isa::field_definition mode_fields[] = {{"A", 0, 8, rw, 5, ""}, {"B", 16, 8, rw, 0, ""}};
    static constexpr isa::field_definition word_fields[] = {{"ALL", 0, 32, rw, 0, ""}};
    static constexpr isa::field_definition flag_fields[] = {{"A", 0, 3, w1c, 0, ""}, {"B", 8, 1, w1c, 0, ""}};
    static constexpr isa::field_definition start_fields[] = {{"A", 0, 1, w1s, 0, ""}, {"B", 1, 1, w1s, 0, ""}};
    static constexpr isa::field_definition state_fields[] = {{"ALL", 0, 32, ro, 0x88776655, ""}};
    static constexpr isa::field_definition mixed_fields[] = {{"STATE", 0, 4, ro, 0x9, ""},
                                                             {"MODE", 4, 4, rw, 0x6, ""},
                                                             {"FLAG", 8, 4, w1c, 0xf, ""},
                                                             {"GO", 12, 4, w1s, 0, ""}};
    static constexpr isa::field_definition count_fields[] = {{"COUNT", 0, 32, ro, 0, ""}};

    static constexpr isa::register_definition map[] = {
        {fixed, "FIXED", plain, "", id_fields},
        {mode, "MODE", plain, "", mode_fields},
        {low, "LOW", plain, "", word_fields},
        {high, "HIGH", plain, "", word_fields},
        {flags, "FLAGS", plain, "", flag_fields},
        {start, "START", plain, "", start_fields},
        {state, "STATE", plain, "", state_fields},
        {mixed, "MIXED", plain, "", mixed_fields},
        {count_lo, "COUNT_LO", isa::register_trait::latches_next, "", count_fields},
        {count_hi, "COUNT_HI", plain, "", count_fields},
    };
    static constexpr isa::register_table table{map, sizeof map / sizeof map[0], block};

    bus::register_bank bank{table, *this};

    struct told {
        std::uint32_t offset;
        std::uint32_t value;
        sc_core::sc_time delay;
        bool operator==(const told& o) const { return offset == o.offset && value == o.value && delay == o.delay; }
    };
    std::uint64_t count = 0;               ///< what COUNT shows now
    std::vector<sc_core::sc_time> latches; ///< delays of the reads that took COUNT's value
    std::vector<told> writes;

    std::uint64_t latched_value(std::uint32_t offset, const sc_core::sc_time& delay) override
    {
        EXPECT_EQ(offset, count_lo);
        latches.push_back(delay);
        return count;
    }
    std::uint64_t debug_value(std::uint32_t offset) const override
    {
        EXPECT_EQ(offset, count_lo);
        return count;
    }
    void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) override
    {
        writes.push_back({offset, value, delay});
    }

    tlm::tlm_response_status send(payload& p, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
    {
        bank.b_transport(p, delay);
        return p.get_response_status();
    }
    std::vector<unsigned char> read(std::uint32_t address, std::size_t length,
                                    const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
    {
        auto p = reading(address, length);
        EXPECT_EQ(send(p, delay), tlm::TLM_OK_RESPONSE);
        return p.data;
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
