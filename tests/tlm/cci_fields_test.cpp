// Configurations as CCI parameters: with the CCI library where it is installed, otherwise with a stand-in for its
// broker (cci_stand_in/cci_configuration).
#include <tensorloom/tlm/cci_fields.h>
#include <string>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/torus/config.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/router.h>
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using cci::cci_value;

class cci_fields_test : public sim_test {
protected:
    void SetUp() override
    {
        sim_test::SetUp();
        if (!IsSkipped()) { cci::cci_register_broker(m_broker); }
    }
    static cci::cci_broker_handle broker() { return cci::cci_get_global_broker(cci::cci_originator("test")); }
    static std::string json(const std::string& parameter)
    {
        const auto handle = broker().get_param_handle(parameter);
        return handle.is_valid() ? handle.get_cci_value().to_json() : "no such parameter";
    }

private:
    cci_utils::broker m_broker{"global"};
};

struct board : sc_core::sc_module {
    explicit board(sc_core::sc_module_name name) : sc_module(name) {}
    bus::cci_fields<triada::config> transform_fields{"transform"};
    triada::device<> transform{"transform", transform_fields.config()};
    bus::cci_fields<torus::config> ring_fields{"ring"};
};

template <class Config> struct fields_in_module : sc_core::sc_module {
    explicit fields_in_module(sc_core::sc_module_name name) : sc_module(name) {}
    bus::cci_fields<Config> fields{"part"};
};

TEST_F(cci_fields_test, presets_reach_the_configuration_of_the_device)
{
    broker().set_preset_cci_value("board.transform.mesh", cci_value("4x5x6"));
    broker().set_preset_cci_value("board.transform.burst_bytes", cci_value(std::uint64_t{256}));
    broker().set_preset_cci_value("board.transform.port_aligner", cci_value(false));
    broker().set_preset_cci_value("board.transform.use_dmi", cci_value("hinted"));
    broker().set_preset_cci_value("board.ring.cycles_per_pitch", cci_value(2.5));
    board platform("board");
    const auto& config = platform.transform.settings();
    EXPECT_EQ(config.mesh, (triada::shape3{4, 5, 6}));
    EXPECT_EQ(config.burst_bytes, 256u);
    EXPECT_FALSE(config.port_aligner);
    EXPECT_EQ(config.dma.use_dmi, bus::dmi_use::hinted);
    EXPECT_EQ(platform.ring_fields.config().cycles_per_pitch, 2.5);
    EXPECT_EQ(config.step_cycles, 3u) << "without a preset the default stays";
    EXPECT_TRUE(broker().get_unconsumed_preset_values().empty());
}

TEST_F(cci_fields_test, every_field_is_a_parameter_with_description_unit_and_values)
{
    board platform("board");
    for (const auto& [name, value] : base::list(triada::config{})) {
        std::string leaf = name;
        for (auto& letter : leaf) { letter = letter == '-' ? '_' : letter; }
        EXPECT_TRUE(broker().get_param_handle("board.transform." + leaf).is_valid()) << name;
    }
    EXPECT_EQ(platform.transform_fields.size(), base::list(triada::config{}).size());
    EXPECT_EQ(json("board.transform.mesh"), "\"32x32x32\"");
    EXPECT_EQ(json("board.transform.outstanding"), "8");
    EXPECT_EQ(json("board.transform.overlap_runs"), "true");
    EXPECT_EQ(json("board.ring.cycles_per_pitch"), "1.0");
    const auto burst = broker().get_param_handle("board.transform.burst_bytes");
    EXPECT_EQ(burst.get_description(), "Largest burst of the DMA, a power of two.");
    EXPECT_FALSE(burst.is_preset_value());
    EXPECT_EQ(burst.get_metadata().at("unit").to_json(), "[\"bytes\",\"unit of the number\"]");
    EXPECT_EQ(burst.get_metadata().at("values").to_json(), "[\"a power of two from 4 to 1048576\",\"allowed values\"]");
    EXPECT_EQ(broker().get_param_handle("board.transform.outstanding").get_metadata().at("member").to_json(),
              "[\"dma.outstanding\",\"member of the configuration struct\"]");
}

TEST_F(cci_fields_test, value_out_of_range_is_an_error_that_names_the_parameter)
{
    broker().set_preset_cci_value("top.part.queue_depth", cci_value(std::uint64_t{1025}));
    expected_report error("/tensorloom/cci_fields/value");
    try {
        fields_in_module<bus::router_config> top("top");
        FAIL() << "expected an SC_ERROR";
    } catch (const sc_core::sc_report& report) {
        EXPECT_STREQ(report.get_msg(), "top.part.queue_depth: found '1025', expected an integer from 1 to 1024");
    }
}

TEST_F(cci_fields_test, preset_of_no_field_stays_unconsumed)
{
    broker().set_preset_cci_value("board.transform.mush", cci_value("4x4x4"));
    board platform("board");
    const auto left = broker().get_unconsumed_preset_values();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].first, "board.transform.mush");
}

TEST_F(cci_fields_test, range_follows_the_fields_before)
{
    broker().set_preset_cci_value("top.part.side", cci_value(std::uint64_t{64}));
    broker().set_preset_cci_value("top.part.in_words", cci_value(std::uint64_t{40})); // of 16 by default
    fields_in_module<mmv::config> top("top");
    EXPECT_EQ(top.fields.config().side, 64u);
    EXPECT_EQ(top.fields.config().in_words, 40u);
    EXPECT_EQ(broker().get_param_handle("top.part.in_words").get_metadata().at("values").to_json(),
              "[\"an integer from 1 to 64, or 0: as its side\",\"allowed values\"]");
}

} // namespace
} // namespace tensorloom::test
