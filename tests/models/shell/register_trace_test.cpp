// What a platform sees of a device's registers: their list, and each access.
#include <string>
#include <gmock/gmock.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using testing::ElementsAre;

class register_trace_test : public shell_run_test {
protected:
    static std::uint32_t listed(const shell_bench& b, const std::string& name)
    {
        for (const auto& r : b.device.list_registers()) {
            if (r.name == name) { return r.value; }
        }
        ADD_FAILURE() << "no " << name;
        return 0;
    }
};

TEST_F(register_trace_test, list_is_the_register_map_with_the_values_on_the_bus)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        b.run(toil_program(3, 32));
        const auto all = b.device.list_registers();
        ASSERT_EQ(all.size(), isa::register_count);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_STREQ(all[i].name, isa::register_map[i].name);
            EXPECT_EQ(all[i].offset, isa::register_map[i].offset);
            EXPECT_EQ(all[i].value, b.read(all[i].offset)) << all[i].name;
        }
        EXPECT_GT(listed(b, "CYCLES_LO"), 0u);
        EXPECT_GT(listed(b, "COUNTER_VALUE_LO"), 0u);
    });
}

TEST_F(register_trace_test, cycles_in_the_list_advance_without_latching)
{
    run([](shell_bench& b) {
        b.start(toil_program(1000));
        const auto first = listed(b, "CYCLES_LO");
        sc_core::wait(ns(20));
        EXPECT_EQ(listed(b, "CYCLES_LO"), first + 10); // of 2 ns
        EXPECT_TRUE(b.poll_end());
    });
}

TEST_F(register_trace_test, listener_hears_a_job_access_by_access)
{
    std::vector<std::string> heard;
    run([&](shell_bench& b) {
        b.device.on_register_access([&](const bus::accessed_register& r) {
            heard.push_back((r.is_write ? "write " : "read ") + std::string(r.definition.name) + " " +
                            std::to_string(r.value));
        });
        b.place(toil_program(1));
        b.point_at(shell_bench::memory_at);
        b.write(reg::ctrl, isa::ctrl_start);
        sc_core::wait(ns(10000));
        b.read(reg::status);
        b.device.on_register_access({});
        b.read(reg::status);
    });
    EXPECT_THAT(heard, ElementsAre("write PROGRAM_ADDR_LO 0", "write PROGRAM_ADDR_HI 1", "write CTRL 1",
                                   "read STATUS " + std::to_string(isa::status_done)));
}

} // namespace
} // namespace tensorloom::test
