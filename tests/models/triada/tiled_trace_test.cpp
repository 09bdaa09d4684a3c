// The trace of a tiled product can be read by viewers.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>
#include <unistd.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class tiled_trace : public sim_test_with_param<bool> {
protected:
    tiled_trace() { std::filesystem::create_directories(m_folder); }
    ~tiled_trace() override { std::filesystem::remove_all(m_folder); }

    std::string path(const std::string& name) const { return m_folder / name; }
    std::string text(const std::string& name) const
    {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// 7 x 5 x 6 to 6 x 6 x 5 on a mesh of 3 x 2 x 4.
    static gemt_case<double> some_case()
    {
        case_maker maker(8);
        gemt_case<double> g;
        g.shape = {7, 5, 6};
        g.out = {6, 6, 5};
        g.x = maker.numbers<double>(g.volume(), case_maker::specials::zeros);
        g.initial = maker.numbers<double>(g.result_volume(), case_maker::specials::none);
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.out[m], case_maker::specials::zeros);
        }
        g.double_buffer = GetParam();
        return g;
    }
    static triada::config some_config()
    {
        triada::config config;
        config.mesh = {3, 2, 4};
        return config;
    }

private:
    std::filesystem::path m_folder =
        std::filesystem::temp_directory_path() / ("tiled_trace." + std::to_string(getpid()));
};

TEST_P(tiled_trace, has_slices_that_nest_on_every_track)
{
    const auto g = some_case();
    triada_bench bench("bench", some_config(), [&](triada_bench& b) { b.run(g); });
    run_to_end(bench);
    const auto config = some_config();
    const activity::energy_report energy(
        bench.log(), 1.0,
        {{"bench.device", triada::device_energy(costs::load_technology("45nm"), {config.mesh, config.format, 2})}});
    activity::write_trace_json(path("trace.json"), bench.log(), energy);

    std::map<int, std::vector<double>> open; // begins by track
    std::map<int, double> latest;
    std::map<std::string, unsigned> slices;
    const auto trace = nlohmann::json::parse(text("trace.json"));
    for (const auto& event : trace.at("traceEvents")) {
        const auto kind = event.at("ph").get<std::string>();
        if (kind != "B" && kind != "E") { continue; }
        const int track = event.at("tid").get<int>();
        const double ts = event.at("ts").get<double>();
        EXPECT_GE(ts, latest[track]);
        latest[track] = ts;
        if (kind == "B") {
            open[track].push_back(ts);
            ++slices[event.at("name").get<std::string>()];
        } else {
            ASSERT_FALSE(open[track].empty());
            open[track].pop_back();
        }
    }
    for (const auto& [track, begins] : open) { EXPECT_TRUE(begins.empty()) << "track " << track; }
    for (const char* cause : {"fetch", "matrices", "load", "compute", "unload"}) {
        EXPECT_GE(slices[cause], 1u) << cause;
    }
    EXPECT_GT(slices["compute"], 10u);
}

INSTANTIATE_TEST_SUITE_P(double_buffer, tiled_trace, ::testing::Bool());

} // namespace
