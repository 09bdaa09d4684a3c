#include <tensorloom/models/activity/activity_files.h>

#include <cmath>
#include <map>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include "small_device.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using namespace tensorloom::activity::test;
using nlohmann::json;
using ::testing::ElementsAre;

/// A slice as a viewer reads it.
struct seen_slice {
    std::string path; // names from the outermost, with '>'
    double begin_us = 0;
    double end_us = 0;
    json args;
};

class trace_json : public folder_test {
protected:
    /// Writes the log and reads it back by track name; what a viewer would complain about fails the test.
    void read(double period_ns = 1.0, const utilisation_of_record& utilisation = {})
    {
        m_energy.emplace(d.log, period_ns,
                         std::vector<module_energy>{{"top.device", device_model()}, {"top.memory", memory_model()}});
        write_trace_json(path("trace.json"), d.log, *m_energy, utilisation);
        m_trace = json::parse(text("trace.json"));
        std::map<int, std::string> names;
        std::map<int, std::vector<seen_slice>> open;
        std::map<int, double> latest;
        for (const auto& event : m_trace.at("traceEvents")) {
            const std::string kind = event.at("ph");
            EXPECT_EQ(event.at("pid"), 1);
            if (kind == "M") {
                if (event.at("name") == "process_name") { m_process = event.at("args").at("name"); }
                if (event.at("name") == "thread_name") { names[event.at("tid")] = event.at("args").at("name"); }
                continue;
            }
            const double ts = event.at("ts");
            if (kind == "C") {
                const auto& values = event.at("args");
                EXPECT_EQ(values.size(), 1u);
                m_counters[event.at("name")].emplace_back(ts, values.begin().value().get<double>());
                m_units[event.at("name")] = values.begin().key();
                continue;
            }
            const int track = event.at("tid");
            ASSERT_TRUE(names.count(track)) << "a track without a name";
            if (latest.count(track)) { EXPECT_GE(ts, latest[track]) << names[track] << ": time goes back"; }
            latest[track] = ts;
            auto& stack = open[track];
            if (kind == "B") {
                const std::string name = event.at("name");
                stack.push_back({stack.empty() ? name : stack.back().path + ">" + name, ts, 0, event.at("args")});
            } else {
                ASSERT_EQ(kind, "E");
                ASSERT_FALSE(stack.empty()) << names[track] << ": ends what never began";
                stack.back().end_us = ts;
                if (stack.size() > 1) { EXPECT_GE(stack.back().begin_us, stack[stack.size() - 2].begin_us); }
                m_tracks[names[track]].push_back(stack.back());
                stack.pop_back();
            }
        }
        for (const auto& [track, stack] : open) {
            EXPECT_TRUE(stack.empty()) << names[track] << ": begins and never ends";
        }
    }

    std::vector<std::string> paths(const std::string& track) const
    {
        std::vector<std::string> list;
        for (const auto& s : m_tracks.at(track)) { list.push_back(s.path); }
        return list;
    }
    std::vector<std::string> tracks() const
    {
        std::vector<std::string> list;
        for (const auto& [name, slices] : m_tracks) { list.push_back(name); }
        return list;
    }
    /// Slices of one depth (1 is the outermost) must not overlap.
    void expect_disjoint(const std::string& track) const
    {
        std::map<std::size_t, double> end;
        for (const auto& s : m_tracks.at(track)) {
            const auto depth = static_cast<std::size_t>(std::count(s.path.begin(), s.path.end(), '>'));
            EXPECT_LE(s.begin_us, s.end_us) << s.path;
            if (end.count(depth)) { EXPECT_GE(s.begin_us, end[depth]) << track << ": " << s.path; }
            end[depth] = s.end_us;
        }
    }

    small_device d;
    std::optional<energy_report> m_energy;
    json m_trace;
    std::string m_process;
    std::map<std::string, std::vector<seen_slice>> m_tracks; // in the order of their ends
    std::map<std::string, std::vector<std::pair<double, double>>> m_counters;
    std::map<std::string, std::string> m_units;
};

TEST_F(trace_json, names_the_device_and_shows_nanoseconds)
{
    d.run(2);
    read();
    EXPECT_EQ(m_trace.at("displayTimeUnit"), "ns");
    EXPECT_EQ(m_process, "top.device");
    EXPECT_THAT(tracks(), ElementsAre("compute: stage_1", "compute: stage_2", "device"));
}

TEST_F(trace_json, the_device_track_nests_job_command_and_cause)
{
    d.run(2);
    read();
    EXPECT_THAT(paths("device"), ElementsAre("job>command 0>fetch", "job>command 0>load", "job>command 0>compute",
                                             "job>command 0>unload", "job>command 0", "job>command 1>load",
                                             "job>command 1>compute", "job>command 1>unload", "job>command 1", "job"));
    expect_disjoint("device");
}

TEST_F(trace_json, times_are_microseconds_of_the_records)
{
    d.run(2);
    read(2.5);
    const auto& device = m_tracks.at("device");
    EXPECT_NEAR(device[1].begin_us, 12 * 2.5e-3, 1e-12); // load
    EXPECT_NEAR(device[1].end_us, 52 * 2.5e-3, 1e-12);
    EXPECT_NEAR(device[2].end_us, 64 * 2.5e-3, 1e-12); // compute, 4 steps of 3 cycles
    EXPECT_EQ(device.back().begin_us, 0);              // the job
    EXPECT_NEAR(device.back().end_us, (12 + 2 * (40 + 12 + 41)) * 2.5e-3, 1e-12);
    EXPECT_EQ(device[2].args.at("cycles"), 12);
    EXPECT_EQ(device[2].args.at("start_cycle"), 52);
}

TEST_F(trace_json, long_jobs_keep_picosecond_times)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 3'000'000'001u);
    d.finish();
    read(0.625);
    const std::string all = text("trace.json");
    EXPECT_THAT(all, ::testing::HasSubstr("\"ts\":1875000.000625}")); // 3,000,000,001 x 625 ps
}

TEST_F(trace_json, phase_tracks_nest_phase_and_step)
{
    d.run(2);
    read();
    for (const std::string stage : {"stage_1", "stage_2"}) {
        EXPECT_THAT(paths("compute: " + stage), ElementsAre(stage + ">step 0", stage + ">step 1", stage,
                                                            stage + ">step 0", stage + ">step 1", stage));
        expect_disjoint("compute: " + stage);
    }
    const auto& step = m_tracks.at("compute: stage_2")[1]; // command 0
    EXPECT_NEAR(step.begin_us, (12 + 40 + 9) * 1e-3, 1e-12);
    EXPECT_NEAR(step.end_us, (12 + 40 + 12) * 1e-3, 1e-12);
    EXPECT_NEAR(step.args.at("pJ").get<double>(), 65 * 4.6 + 8 * 0.1 + 3 * 1.75, 1e-9);
}

TEST_F(trace_json, energies_of_slices_sum_to_the_jobs)
{
    d.run(20);
    read();
    double causes = 0, commands = 0, job = 0;
    for (const auto& s : m_tracks.at("device")) {
        const auto depth = std::count(s.path.begin(), s.path.end(), '>');
        (depth == 0 ? job : depth == 1 ? commands : causes) += s.args.at("pJ").get<double>();
    }
    EXPECT_NEAR(job, m_energy->total_pj(), 1e-12 * job);
    EXPECT_NEAR(commands, job, 1e-12 * job);
    EXPECT_NEAR(causes, job, 1e-12 * job);
}

TEST_F(trace_json, power_over_time_is_the_energy)
{
    d.run(20);
    read(0.8);
    const auto& power = m_counters.at("power");
    EXPECT_EQ(m_units.at("power"), "mW");
    EXPECT_EQ(power.size(), d.log.records().size() + 1);
    EXPECT_EQ(power.back().second, 0);
    double pj = 0;
    for (std::size_t i = 0; i + 1 < power.size(); ++i) {
        pj += power[i].second * (power[i + 1].first - power[i].first) * 1e3;
    }
    EXPECT_NEAR(pj, m_energy->total_pj(), 1e-9 * pj);
    EXPECT_NEAR(power.back().first, static_cast<double>(d.log.cycles()) * 0.8e-3, 1e-12);
}

TEST_F(trace_json, utilisation_is_what_the_caller_says)
{
    d.run(2);
    read(1.0, [&](std::size_t r) {
        return d.log.records()[r].cause == "compute" ? static_cast<double>(d.log.counts(r, 0)[1]) / 128 : 0.0;
    });
    const auto& values = m_counters.at("utilisation");
    EXPECT_EQ(values.size(), d.log.records().size() + 1);
    EXPECT_EQ(values[0].second, 0);
    EXPECT_EQ(values[2].second, 0.5);
    EXPECT_EQ(values[3].second, 65.0 / 128);
    EXPECT_EQ(values.back().second, 0);
}

TEST_F(trace_json, without_a_function_there_is_no_utilisation)
{
    d.run(2);
    read();
    EXPECT_EQ(m_counters.count("utilisation"), 0u);
}

TEST_F(trace_json, records_without_cycles_nest_and_have_no_power)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 4);
    d.record("compute", "stage_1", 0, 0, 0);
    d.record("compute", "stage_1", 0, 1, 3);
    d.memory_accesses += 2;
    d.finish(); // other, 0 cycles
    read();
    EXPECT_THAT(paths("device"), ElementsAre("job>command 0>fetch", "job>command 0>compute", "job>command 0>other",
                                             "job>command 0", "job"));
    EXPECT_EQ(m_counters.at("power").size(), 3u);
}

TEST_F(trace_json, causes_that_overlap_have_tracks_of_their_own)
{
    const auto at = [&](const char* cause, std::uint32_t command, std::uint64_t start, std::uint64_t cycles) {
        d.now = start;
        d.record(cause, cause, command, 0, cycles);
    };
    d.start();
    at("load", 0, 0, 10);
    at("compute", 0, 10, 30);
    at("load", 0, 12, 10);
    at("unload", 0, 20, 10);
    at("compute", 0, 40, 10);
    at("load", 1, 45, 10); // the next command begins before this one has ended
    at("compute", 1, 55, 5);
    d.now = 60;
    d.finish();
    read();
    EXPECT_THAT(paths("device"), ElementsAre("job>command 0>load", "job>command 0>compute", "job>command 0>compute",
                                             "job>command 0", "job>command 1>compute", "job>command 1", "job"));
    EXPECT_THAT(paths("device, overlapped 1"), ElementsAre("load", "load"));
    EXPECT_THAT(paths("device, overlapped 2"), ElementsAre("unload"));
    for (const auto& track : tracks()) { expect_disjoint(track); }
}

TEST_F(trace_json, of_an_empty_log_is_an_empty_job)
{
    read();
    EXPECT_THAT(paths("device"), ElementsAre("job"));
    EXPECT_TRUE(m_counters.empty());
}

TEST_F(trace_json, strange_names_stay_json)
{
    d.start();
    d.record("a\"b\\c\n", "p\xff\"q", 0, 0, 1);
    d.finish();
    read();
    EXPECT_EQ(m_tracks.at("device")[0].path, "job>command 0>a\"b\\c\n");
}

} // namespace
