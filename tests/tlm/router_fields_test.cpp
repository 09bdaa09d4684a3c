// The parameters of a router by name.
#include <tensorloom/tlm/router.h>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/config_lines.h>

namespace tensorloom::test {
namespace {

using bus::arbitration_kind;

TEST(router_fields, are_set_by_a_text)
{
    bus::router_config config;
    EXPECT_EQ(base::set_all(config, "latency=2500 queue-depth=9\n\tarbitration=weighted weights=1,65535,3  "
                                    "priorities=15,0 allow-dmi=false "),
              std::nullopt);
    EXPECT_EQ(config.latency, sc_core::sc_time(2.5, sc_core::SC_NS));
    EXPECT_EQ(config.queue_depth, 9u);
    EXPECT_EQ(config.arbitration, arbitration_kind::weighted);
    EXPECT_EQ(config.ranks.weights, (std::vector<unsigned>{1, 65535, 3}));
    EXPECT_EQ(config.ranks.priorities, (std::vector<unsigned>{15, 0}));
    EXPECT_EQ(base::set_all(config, "weights=none"), std::nullopt);
    EXPECT_TRUE(config.ranks.weights.empty());
    EXPECT_FALSE(config.allow_dmi);
    EXPECT_EQ(base::set_all(config, ""), std::nullopt);
}

TEST(router_fields, of_a_text_with_something_wrong_change_nothing)
{
    bus::router_config config;
    const auto wrong = [&](const char* text) { return base::set_all(config, text).value_or("(none)"); };
    EXPECT_EQ(wrong("queue-depth=9 latency"), "found 'latency', expected NAME=VALUE");
    EXPECT_EQ(wrong("queue-depth=9 bytes-per-cycle=x"),
              "bytes-per-cycle is 'x', expected an integer from 0 to 4294967295");
    EXPECT_EQ(wrong("queue-depth=9 arbitration=loud"),
              "arbitration is 'loud', expected one of round-robin, fixed-priority, first-come, priority, weighted");
    for (const char* text : {"0", "65536", "1,", ",1", "", "-1", "1.5", "1,none"}) {
        EXPECT_EQ(wrong((std::string("queue-depth=9 weights=") + text).c_str()),
                  std::string("weights is '") + text +
                      "', expected none or integers from 1 to 65535 with a comma between them");
    }
    EXPECT_EQ(wrong("priorities=1,16"),
              "priorities is '1,16', expected none or integers from 0 to 15 with a comma between them");
    EXPECT_EQ(wrong("queue-depth=9 depth=3"),
              "no field 'depth', expected one of latency, clock-period, bytes-per-cycle, arbitration, priorities, "
              "weights, queue-depth, arbitrate-blocking, allow-dmi");
    EXPECT_EQ(wrong("queue-depth=0"), "queue-depth is '0', expected an integer from 1 to 1024");
    EXPECT_EQ(config.queue_depth, 2u);
}

TEST(router_fields, are_listed_as_they_can_be_set)
{
    bus::router_config config;
    config.arbitrate_blocking = true;
    config.ranks = {{1, 2}, {3}};
    std::string text;
    for (const auto& [name, value] : base::list(config)) { text += name + "=" + value + "\n"; }
    bus::router_config again;
    EXPECT_EQ(base::set_all(again, text), std::nullopt) << text;
    EXPECT_EQ(base::list(again), base::list(config));
    EXPECT_TRUE(again.arbitrate_blocking);
    EXPECT_EQ(again.ranks.weights, config.ranks.weights);
    EXPECT_NE(text.find("priorities=1,2\nweights=3\n"), std::string::npos) << text;
}

} // namespace
} // namespace tensorloom::test
