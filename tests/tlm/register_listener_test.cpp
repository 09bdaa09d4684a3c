// The list of registers, and the listener that is called for each access to one.
#include <string>
#include <gmock/gmock.h>
#include "tlm/register_fixture.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct heard_access {
    std::string name;
    bool is_write;
    std::uint32_t enabled;
    std::uint32_t value;
    sc_core::sc_time delay;

    bool operator==(const heard_access& o) const
    {
        return name == o.name && is_write == o.is_write && enabled == o.enabled && value == o.value && delay == o.delay;
    }
};

void PrintTo(const heard_access& a, std::ostream* to)
{
    *to << (a.is_write ? "write " : "read ") << a.name << " " << std::hex << a.enabled << " " << a.value << " "
        << a.delay;
}

heard_access heard_read(const char* name, std::uint32_t enabled, std::uint32_t value,
                        const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
{
    return {name, false, enabled, value, delay};
}
heard_access heard_write(const char* name, std::uint32_t enabled, std::uint32_t value)
{
    return {name, true, enabled, value, sc_core::SC_ZERO_TIME};
}

class register_listener_test : public register_fixture {
protected:
    register_listener_test()
    {
        bank.listen([this](const bus::accessed_register& r) {
            heard.push_back({r.definition.name, r.is_write, r.enabled, r.value, r.delay});
        });
    }
    static constexpr std::uint32_t all = 0xffffffff;
    std::vector<heard_access> heard;
};

TEST_F(register_listener_test, list_has_all_registers_with_present_values_and_no_side_effect)
{
    bank.set(mode, 0x30007);
    count = 0x1'0000'0002;
    std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>> found;
    for (const auto& r : bank.list()) { found.emplace_back(r.name, r.offset, r.value); }
    using row = std::tuple<std::string, std::uint32_t, std::uint32_t>;
    EXPECT_THAT(found, ElementsAre(row("FIXED", 0x00, 0x44332211), row("MODE", 0x04, 0x30007), row("LOW", 0x08, 0),
                                   row("HIGH", 0x0c, 0), row("FLAGS", 0x10, 0), row("START", 0x18, 0),
                                   row("STATE", 0x1c, 0x88776655), row("MIXED", 0x20, 0xf69), row("COUNT_LO", 0x28, 2),
                                   row("COUNT_HI", 0x2c, 1)));
    EXPECT_THAT(latches, IsEmpty());
    EXPECT_THAT(heard, IsEmpty());
    EXPECT_EQ(bank.get(count_hi), 0u);
}

TEST_F(register_listener_test, hears_reads_and_writes_of_words)
{
    read(fixed, 4, ns(5));
    write(mode, {1, 2, 3, 4});
    write(flags, {0xff, 0xff, 0xff, 0xff});
    EXPECT_THAT(heard, ElementsAre(heard_read("FIXED", all, 0x44332211, ns(5)), heard_write("MODE", all, 0x04030201),
                                   heard_write("FLAGS", all, all)));
}

TEST_F(register_listener_test, hears_the_bits_of_accessed_bytes_alone)
{
    read(fixed + 1, 1);
    read(state + 2, 2);
    write(mode + 2, {9});
    EXPECT_THAT(heard, ElementsAre(heard_read("FIXED", 0xff00, 0x2200), heard_read("STATE", 0xffff0000, 0x88770000),
                                   heard_write("MODE", 0xff0000, 0x090000)));
}

TEST_F(register_listener_test, byte_enables_leave_out_bytes_and_registers)
{
    auto one = reading(fixed, 8);
    one.enable({0xff, 0, 0, 0, 0, 0, 0, 0});
    send(one);
    auto other = writing(low, {1, 2, 3, 4, 5, 6, 7, 8});
    other.enable({0, 0, 0, 0, 0, 0xff, 0, 0xff});
    send(other);
    EXPECT_THAT(heard, ElementsAre(heard_read("FIXED", 0xff, 0x11), heard_write("HIGH", 0xff00ff00, 0x08000600)));
}

TEST_F(register_listener_test, access_of_8_bytes_is_two_registers_in_order_after_both_acted)
{
    std::vector<std::uint32_t> seen;
    bank.listen([&](const bus::accessed_register& r) {
        heard.push_back(heard_write(r.definition.name, r.enabled, r.value));
        seen.push_back(bank.get(high));
    });
    write(low, {1, 0, 0, 0, 2, 0, 0, 0});
    EXPECT_THAT(heard, ElementsAre(heard_write("LOW", all, 1), heard_write("HIGH", all, 2)));
    EXPECT_THAT(seen, ElementsAre(2, 2));
}

TEST_F(register_listener_test, read_that_latches_is_heard_with_the_value_it_returned)
{
    count = 0x5'0000'0006;
    read(count_lo, 4, ns(3));
    count = 0;
    read(count_hi, 4);
    EXPECT_THAT(heard, ElementsAre(heard_read("COUNT_LO", all, 6, ns(3)), heard_read("COUNT_HI", all, 5)));
}

TEST_F(register_listener_test, errors_debug_accesses_and_offsets_without_a_register_are_silent)
{
    EXPECT_EQ(write(fixed, {1, 2, 3, 4}), tlm::TLM_COMMAND_ERROR_RESPONSE);
    auto outside = reading(block, 4);
    EXPECT_EQ(send(outside), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    auto crooked = reading(fixed + 1, 4);
    EXPECT_EQ(send(crooked), tlm::TLM_BURST_ERROR_RESPONSE);
    auto debug = reading(fixed, 4);
    EXPECT_EQ(bank.transport_dbg(debug), 4u);
    read(reserved, 4);
    write(reserved, {1, 2, 3, 4});
    EXPECT_THAT(heard, IsEmpty());
}

TEST_F(register_listener_test, offset_without_a_register_beside_one_is_left_out)
{
    read(flags, 8); // FLAGS and 0x14
    EXPECT_THAT(heard, ElementsAre(heard_read("FLAGS", all, 0)));
}

TEST_F(register_listener_test, another_listener_replaces_it_and_an_empty_one_removes_it)
{
    unsigned calls = 0;
    bank.listen([&](const bus::accessed_register&) { ++calls; });
    read(fixed, 4);
    EXPECT_EQ(calls, 1u);
    bank.listen({});
    read(fixed, 4);
    write(mode, {1, 2, 3, 4});
    EXPECT_EQ(calls, 1u);
    EXPECT_THAT(heard, IsEmpty());
}

} // namespace
} // namespace tensorloom::test
