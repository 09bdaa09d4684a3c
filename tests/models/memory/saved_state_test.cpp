// Memories that are saved and restored, and their configurations by name.
#include <string>
#include <utility>
#include <gmock/gmock.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include "models/saved_state.h"
#include "support/sim_test.h"
#include "tlm/at_initiator.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;

template <class Memory> byte_string debug_read(Memory& memory, std::uint64_t address, std::size_t bytes)
{
    auto p = reading(address, bytes);
    EXPECT_EQ(memory.in.get_base_export()->transport_dbg(p), bytes);
    return p.data;
}
template <class Memory> void debug_write(Memory& memory, std::uint64_t address, const byte_string& bytes)
{
    auto p = writing(address, bytes);
    EXPECT_EQ(memory.in.get_base_export()->transport_dbg(p), bytes.size());
}

memory::sram_config small(std::uint64_t bytes = 10'000)
{
    memory::sram_config c;
    c.bytes = bytes;
    return c;
}

class saved_memory_test : public sim_test {};

TEST_F(saved_memory_test, bytes_come_back_and_others_go)
{
    memory::sram<32> one("one", small());
    memory::sram<64> other("other", small());
    debug_write(one, 0, {1, 2, 3});
    debug_write(one, 9'998, {8, 9});
    debug_write(other, 5'000, {5});
    const auto state = saved(one);
    restore(other, state);
    EXPECT_EQ(debug_read(other, 0, 10'000), debug_read(one, 0, 10'000));
    EXPECT_EQ(saved(other), state);
}

TEST_F(saved_memory_test, those_that_begin_filled_and_read_only_ones_too)
{
    auto config = small();
    config.fill = 0xe7;
    config.read_only = true;
    memory::sram<32> one("one", config);
    memory::sram<32> other("other", config);
    EXPECT_LT(saved(one).size(), 200u);
    debug_write(one, 4'090, byte_string(12, 0));
    debug_write(other, 9'000, {5});
    restore(other, saved(one));
    EXPECT_EQ(debug_read(other, 0, 10'000), debug_read(one, 0, 10'000));
    EXPECT_EQ(debug_read(other, 9'000, 1), byte_string{0xe7});
}

TEST_F(saved_memory_test, direct_pointers_stay_valid)
{
    memory::sram<32> memory("memory", small());
    auto p = reading(0, 4);
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(memory.in.get_base_export()->get_direct_mem_ptr(p, dmi));
    dmi.get_dmi_ptr()[77] = 7;
    const auto state = saved(memory);
    dmi.get_dmi_ptr()[77] = 8;
    restore(memory, state);
    EXPECT_EQ(dmi.get_dmi_ptr()[77], 7);
}

// What nobody touched is not even looked at: 64 GiB take no time and no memory.
TEST_F(saved_memory_test, large_one_takes_what_it_holds)
{
    memory::sram<32> memory("memory", small(std::uint64_t{1} << 36));
    debug_write(memory, (std::uint64_t{1} << 35) + 12'345, {1, 2, 3});
    debug_write(memory, (std::uint64_t{1} << 36) - 1, {4});
    const auto state = saved(memory);
    EXPECT_LT(state.size(), 3u * 4096);
    debug_write(memory, 99, {5});
    restore(memory, state);
    EXPECT_EQ(debug_read(memory, (std::uint64_t{1} << 35) + 12'344, 5), (byte_string{0, 1, 2, 3, 0}));
    EXPECT_EQ(debug_read(memory, (std::uint64_t{1} << 36) - 1, 1), byte_string{4});
    EXPECT_EQ(debug_read(memory, 99, 1), byte_string{0});
}

TEST_F(saved_memory_test, dram_comes_back)
{
    memory::dram<32> one("one"), other("other");
    debug_write(one, (std::uint64_t{1} << 32) - 3, {1, 2, 3});
    restore(other, saved(one));
    EXPECT_EQ(debug_read(other, (std::uint64_t{1} << 32) - 4, 4), (byte_string{0, 1, 2, 3}));
    EXPECT_EQ(saved(other), saved(one));
}

TEST_F(saved_memory_test, refused_states_change_nothing)
{
    memory::sram<32> memory("memory", small(100)), ported("ported", [] {
        auto c = small(100);
        c.ports = 2;
        return c;
    }());
    memory::dram_settings settings;
    memory::dram<32> dram("dram", settings);
    settings.dram.organisation.rows *= 2;
    memory::dram<32> larger("larger", settings);
    debug_write(memory, 1, {1, 2, 3});
    const auto old = saved(memory);
    debug_write(memory, 50, {9});
    const auto present = saved(memory);
    for (std::size_t at = 0; at < old.size(); ++at) {
        auto changed = old;
        changed[at] = static_cast<char>(changed[at] ^ 4);
        EXPECT_THAT(refusal(memory, changed), HasSubstr("memory: saved state: ")) << "byte " << at;
        EXPECT_NE(refusal(memory, old.substr(0, at)), "") << "the first " << at;
    }
    EXPECT_EQ(refusal(dram, old), "dram: saved state: its kind is 'sram', expected 'dram'");
    EXPECT_THAT(refusal(ported, old), HasSubstr("another configuration"));
    EXPECT_THAT(refusal(larger, saved(dram)), HasSubstr("another configuration"));
    EXPECT_EQ(saved(memory), present);
    EXPECT_EQ(refusal(memory, old), "");
    EXPECT_EQ(saved(memory), old);
}

TEST_F(saved_memory_test, not_while_transactions_are_under_way)
{
    memory::sram<32> memory("memory", small());
    at_initiator<32> cpu("cpu");
    cpu.out.bind(memory.in);
    const auto before = saved(memory);
    cpu.requests.push_back({tlm::TLM_WRITE_COMMAND, 0, byte_string(64, 1)});
    sc_core::sc_start(ns(1));
    EXPECT_THROW(saved(memory), base::input_error);
    EXPECT_EQ(refusal(memory, before), "memory: transactions in flight: 1, expected none to restore");
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_NE(saved(memory), before);
    EXPECT_EQ(refusal(memory, before), "");
}

// ---- configurations by name ----

TEST(memory_fields_test, values_reach_an_sram)
{
    memory::sram_config c;
    EXPECT_EQ(base::set(c, "bytes", "4096"), std::nullopt);
    EXPECT_EQ(base::set(c, "latency", "2500"), std::nullopt);
    EXPECT_EQ(base::set(c, "banks", "16"), std::nullopt);
    EXPECT_EQ(base::set(c, "phases", "2"), std::nullopt);
    EXPECT_EQ(base::set(c, "allow-dmi", "false"), std::nullopt);
    EXPECT_EQ(base::set(c, "banks", "12"), "banks is '12', expected a power of two from 1 to 4096");
    EXPECT_EQ(c.bytes, 4096u);
    EXPECT_EQ(c.latency, sc_core::sc_time(2.5, sc_core::SC_NS));
    EXPECT_EQ(c.banks, 16u);
    EXPECT_EQ(c.phases, 2u);
    EXPECT_FALSE(c.allow_dmi);
    memory::sram_config again;
    for (const auto& [name, text] : base::list(c)) { EXPECT_EQ(base::set(again, name, text), std::nullopt) << name; }
    EXPECT_EQ(base::list(again), base::list(c));
    EXPECT_EQ(validate(again), std::nullopt);
}

TEST(memory_fields_test, values_reach_a_dram)
{
    memory::dram_settings s;
    EXPECT_EQ(base::list(s).front(), (std::pair<std::string, std::string>("dram", "lpddr4-3200")));
    EXPECT_EQ(base::set(s, "page", "closed"), std::nullopt);
    EXPECT_EQ(base::set(s, "mapping", "row:column:bank:channel"), std::nullopt);
    EXPECT_EQ(s.dram.controller.page, costs::dram_page::closed);
    EXPECT_EQ(s.dram.controller.mapping, "row:column:bank:channel");
    EXPECT_EQ(base::set(s, "mapping", "row:row"),
              "mapping is 'row:row', expected an order such as row:bank:column:channel");
    EXPECT_THAT(*base::set(s, "dram", "ddr9"), HasSubstr("dram is 'ddr9', expected a DRAM ("));
    EXPECT_EQ(s.dram.controller.page, costs::dram_page::closed);
    EXPECT_EQ(base::set(s, "dram", "lpddr4-3200"), std::nullopt);
    EXPECT_EQ(s.dram.controller.page, costs::dram_page::open) << "the part says how it is controlled";
    memory::dram_settings again;
    for (const auto& [name, text] : base::list(s)) { EXPECT_EQ(base::set(again, name, text), std::nullopt) << name; }
    EXPECT_EQ(base::list(again), base::list(s));
}

} // namespace
} // namespace tensorloom::test
