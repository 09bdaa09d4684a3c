#include <tensorloom/models/activity/trace_json.h>

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
    /// Writes the log alone and reads it back.
    void read(double period_ns = 1.0, const utilisation_counter& utilisation = {})
    {
        m_energy.emplace(d.log, period_ns,
                         std::vector<module_energy>{{"top.device", device_model()}, {"top.memory", memory_model()}});
        write_trace_json(path("trace.json"), d.log, *m_energy, utilisation);
        read_file();
        EXPECT_EQ(m_processes.size(), 1u);
    }

    /// By track name, with the process before it when that is not the first; what a viewer would complain about fails
    /// the test.
    void read_file()
    {
        m_trace = json::parse(text("trace.json"));
        using key = std::pair<int, int>; // process, track
        std::map<key, std::string> names;
        std::map<key, std::vector<seen_slice>> open;
        std::map<key, double> latest;
        const auto prefix = [&](int process) { return process == 1 ? "" : m_processes.at(process) + "/"; };
        for (const auto& event : m_trace.at("traceEvents")) {
            const std::string kind = event.at("ph");
            const int process = event.at("pid");
            if (kind == "M") {
                if (event.at("name") == "process_name") {
                    EXPECT_EQ(m_processes.count(process), 0u) << "a process with two names";
                    m_processes[process] = event.at("args").at("name");
                }
                if (event.at("name") == "thread_name") {
                    EXPECT_EQ(names.count({process, event.at("tid")}), 0u) << "a track with two names";
                    names[{process, event.at("tid")}] =
                        prefix(process) + event.at("args").at("name").get<std::string>();
                }
                continue;
            }
            ASSERT_TRUE(m_processes.count(process)) << "a process without a name";
            const double ts = event.at("ts");
            if (kind == "C") {
                const auto& values = event.at("args");
                EXPECT_EQ(values.size(), 1u);
                const std::string counter = prefix(process) + event.at("name").get<std::string>();
                m_counters[counter].emplace_back(ts, values.begin().value().get<double>());
                m_units[counter] = values.begin().key();
                continue;
            }
            const key track{process, event.at("tid")};
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

    /// Of the first process.
    double power_integral_pj() const
    {
        const auto& power = m_counters.at("power");
        double pj = 0;
        for (std::size_t i = 0; i + 1 < power.size(); ++i) {
            pj += power[i].second * (power[i + 1].first - power[i].first) * 1e3;
        }
        return pj;
    }

    small_device d;
    std::optional<energy_report> m_energy;
    json m_trace;
    std::map<int, std::string> m_processes;
    std::map<std::string, std::vector<seen_slice>> m_tracks; // in the order of their ends
    std::map<std::string, std::vector<std::pair<double, double>>> m_counters;
    std::map<std::string, std::string> m_units;
};

TEST_F(trace_json, names_the_device_and_shows_nanoseconds)
{
    d.run(2);
    read();
    EXPECT_EQ(m_trace.at("displayTimeUnit"), "ns");
    EXPECT_EQ(m_processes.at(1), "top.device");
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

TEST_F(trace_json, the_job_of_an_excerpt_begins_with_its_first_record)
{
    d.log.keep_only([](const bus::log_record& record) { return record.command == 1; });
    d.run(2);
    read();
    const auto& job = m_tracks.at("device").back();
    EXPECT_EQ(job.path, "job");
    EXPECT_NEAR(job.begin_us, (12 + 40 + 12 + 41) * 1e-3, 1e-12);
    EXPECT_NEAR(job.end_us, (12 + 2 * (40 + 12 + 41)) * 1e-3, 1e-12);
    EXPECT_EQ(job.args.at("cycles"), 40 + 12 + 41);
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

TEST_F(trace_json, a_phase_without_steps_is_one_slice)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 4);
    d.record("compute", "matmul", 1, 0, 5);
    d.record("drain", "matmul", 1, 0, 2);
    d.record("compute", "matmul", 2, 0, 5);
    d.finish();
    read();
    EXPECT_THAT(paths("compute: matmul"), ElementsAre("matmul", "matmul"));
    EXPECT_THAT(paths("drain: matmul"), ElementsAre("matmul"));
    EXPECT_NEAR(m_tracks.at("compute: matmul")[1].begin_us, 11e-3, 1e-12);
}

TEST_F(trace_json, a_command_that_does_one_thing_is_named_after_it)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 4);
    d.record("load", "load", 0, 0, 5);
    d.record("compute", "matmul", 1, 0, 5);
    d.record("drain", "matmul", 1, 0, 2);
    d.record("compute", "stage_1", 2, 0, 3);
    d.record("compute", "stage_2", 2, 0, 3);
    d.finish();
    read();
    EXPECT_THAT(paths("device"),
                ElementsAre("job>command 0: load>fetch", "job>command 0: load>load", "job>command 0: load",
                            "job>command 1: matmul>compute", "job>command 1: matmul>drain", "job>command 1: matmul",
                            "job>command 2>compute", "job>command 2", "job"));
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
    EXPECT_NEAR(power_integral_pj(), m_energy->total_pj(), 1e-9 * m_energy->total_pj());
    EXPECT_NEAR(power.back().first, static_cast<double>(d.log.cycles()) * 0.8e-3, 1e-12);
}

TEST_F(trace_json, utilisation_is_what_the_caller_says)
{
    d.run(2);
    read(1.0, {"of active cells", [&](std::size_t r) {
                   return d.log.records()[r].cause == "compute" ? static_cast<double>(d.log.counts(r, 0)[1]) / 128
                                                                : 0.0;
               }});
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

TEST_F(trace_json, records_without_cycles_nest_and_their_energy_is_in_the_cycle_before)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 4);
    d.record("compute", "stage_1", 0, 0, 0);
    d.record("compute", "stage_1", 0, 1, 3);
    d.memory_accesses += 2;
    d.finish(); // other, 0 cycles
    read();
    EXPECT_THAT(paths("device"), ElementsAre("job>command 0: stage_1>fetch", "job>command 0: stage_1>compute",
                                             "job>command 0: stage_1>other", "job>command 0: stage_1", "job"));
    const auto& power = m_counters.at("power"); // the memory's accesses belong to 'other', after cycle 7
    ASSERT_EQ(power.size(), 4u);
    EXPECT_NEAR(power[2].first, 6e-3, 1e-12);
    EXPECT_NEAR(power[3].first, 7e-3, 1e-12);
    EXPECT_NEAR(power_integral_pj(), m_energy->total_pj(), 1e-9 * m_energy->total_pj());
}

TEST_F(trace_json, work_beside_what_the_program_waited_for_counts_when_it_was_done)
{
    // Two units: the load takes cycles 0 to 20, the work 5 to 20, and the program waited for its last 4 alone.
    const std::array<std::uint64_t, 3> nothing{}, work{0, 150, 0}, late{0, 30, 0};
    d.start();
    d.log.log(d.name, bus::log_record("load").during(0, 16).busy_during(0, 20).with_counts(nothing.data()));
    d.log.log(d.name,
              bus::log_record("compute").of_command(1).during(16, 0).busy_during(5, 10).with_counts(work.data()));
    d.log.log(d.name,
              bus::log_record("compute").of_command(1).during(16, 4).busy_during(15, 5).with_counts(late.data()));
    d.now = 20;
    d.finish();
    read(1.0, {"of active cells", [&](std::size_t r) {
                   return static_cast<double>(d.log.counts(r, 0)[1]) /
                          (20.0 * static_cast<double>(d.log.records()[r].busy_cycles));
               }});
    using at = std::pair<double, double>;
    EXPECT_THAT(m_counters.at("utilisation"), ElementsAre(at{0, 0}, at{5e-3, 0.75}, at{15e-3, 0.3}, at{20e-3, 0}));
    EXPECT_NEAR(power_integral_pj(), m_energy->total_pj(), 1e-9 * m_energy->total_pj());
    EXPECT_EQ(m_counters.at("power").size(), 4u);
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
    EXPECT_EQ(m_tracks.at("device")[0].path, "job>command 0: p\ufffd\"q>a\"b\\c\n");
}

TEST_F(trace_json, of_one_device_starts_at_its_start)
{
    d.start(123'000'000);
    d.record("fetch", "fetch", 0, 0, 10);
    d.finish();
    read();
    EXPECT_EQ(m_tracks.at("device").back().begin_us, 0);
}

/// Two devices and what recorders saw, in one file.
class platform_trace_json : public trace_json {
protected:
    small_device e{log_detail::every_record, "top.other"};
    transaction_log traffic;

    void read_all(double period_ns = 1.0, double other_period_ns = 2.0)
    {
        const energy_report first(d.log, period_ns, {{"top.device", device_model()}});
        const energy_report second(e.log, other_period_ns, {{"top.other", device_model()}});
        write_trace_json(path("trace.json"),
                         {{&d.log, &first}, {&e.log, &second, {"of PEs", [](std::size_t) { return 0.5; }}}}, &traffic);
        read_file();
    }

    /// Of 4 bytes at 0.
    static bus::transaction_record write_in_phases(std::uint64_t begin_ps, std::uint64_t end_request_ps,
                                                   std::uint64_t begin_response_ps, std::uint64_t end_ps)
    {
        bus::transaction_record record{};
        record.kind = bus::transfer_kind::phases;
        record.command = bus::transfer_command::write;
        record.status = bus::transfer_status::ok;
        record.bytes = 4;
        record.begin_ps = begin_ps;
        record.end_request_ps = end_request_ps;
        record.begin_response_ps = begin_response_ps;
        record.end_ps = end_ps;
        return record;
    }
    void log(std::size_t recorder, std::uint64_t begin_ps, std::uint64_t end_ps,
             bus::transfer_status status = bus::transfer_status::ok)
    {
        bus::transaction_record record{};
        record.kind = bus::transfer_kind::blocking;
        record.command = bus::transfer_command::read;
        record.status = status;
        record.address = 0x1f0;
        record.bytes = 64;
        record.begin_ps = record.end_request_ps = begin_ps;
        record.begin_response_ps = record.end_ps = end_ps;
        traffic.log(recorder, record);
    }
};

TEST_F(platform_trace_json, each_device_is_a_process_at_its_time)
{
    d.start(5'000'000); // 5 us
    d.record("fetch", "fetch", 0, 0, 1000);
    d.finish();
    e.start(7'250'000);
    e.record("fetch", "fetch", 0, 0, 1000);
    e.record("compute", "stage_1", 0, 0, 500);
    e.finish();
    read_all();
    ASSERT_EQ(m_processes.size(), 2u); // no recorder
    EXPECT_EQ(m_processes.at(1), "top.device");
    EXPECT_EQ(m_processes.at(2), "top.other");
    const auto& first = m_tracks.at("device").back();
    EXPECT_NEAR(first.begin_us, 5, 1e-12);
    EXPECT_NEAR(first.end_us, 6, 1e-12);
    const auto& second = m_tracks.at("top.other/device").back();
    EXPECT_NEAR(second.begin_us, 7.25, 1e-12);
    EXPECT_NEAR(second.end_us, 7.25 + 3, 1e-12);
    EXPECT_NEAR(m_tracks.at("top.other/compute: stage_1")[0].begin_us, 9.25, 1e-12);
    EXPECT_EQ(m_counters.count("utilisation"), 0u);
    EXPECT_NEAR(m_counters.at("top.other/utilisation").at(1).first, 9.25, 1e-12);
    EXPECT_NEAR(m_counters.at("power").back().first, 6, 1e-12);
}

TEST_F(platform_trace_json, jobs_of_a_device_follow_each_other_on_its_tracks)
{
    small_device again;
    d.start(1'000'000);
    d.record("compute", "stage_1", 0, 0, 1000, {0, 1, 0});
    d.finish();
    e.start(1'500'000);
    e.record("fetch", "fetch", 0, 0, 100);
    e.finish();
    again.start(3'000'000);
    again.record("compute", "stage_2", 0, 0, 500, {0, 1, 0});
    again.record("compute", "stage_1", 0, 0, 250, {0, 1, 0});
    again.finish();
    const energy_report first(d.log, 1.0, {{"top.device", device_model()}});
    const energy_report other(e.log, 1.0, {{"top.other", device_model()}});
    const energy_report second(again.log, 1.0, {{"top.device", device_model()}});
    write_trace_json(path("trace.json"),
                     {{&d.log, &first}, {&e.log, &other}, {&again.log, &second, {}, "1: \"again\""}}, nullptr);
    read_file(); // every process and track is named once
    EXPECT_EQ(m_processes.size(), 2u);
    const auto& jobs = m_tracks.at("device");
    const auto count = [&](const std::string& name) {
        return std::count_if(jobs.begin(), jobs.end(), [&](const seen_slice& s) { return s.path == name; });
    };
    EXPECT_EQ(count("job"), 1);
    EXPECT_EQ(count("job 1: \"again\""), 1);
    EXPECT_NEAR(jobs.back().begin_us, 3, 1e-12);
    EXPECT_NEAR(jobs.back().end_us, 3.75, 1e-12);
    EXPECT_EQ(m_tracks.at("compute: stage_1").size(), 2u); // of both jobs, without steps
    EXPECT_NEAR(m_tracks.at("compute: stage_1").back().begin_us, 3.5, 1e-12);
    EXPECT_EQ(m_tracks.at("compute: stage_2").size(), 1u);
    EXPECT_EQ(m_tracks.at("top.other/device").size(), 3u);
    for (const auto& track : tracks()) { expect_disjoint(track); }
    const auto& power = m_counters.at("power");
    EXPECT_TRUE(
        std::is_sorted(power.begin(), power.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
}

TEST_F(platform_trace_json, each_recorder_is_a_track)
{
    const auto a = traffic.attach("top.to_memory"), b = traffic.attach("top.to_regs");
    log(a, 1'000'000, 1'500'000);
    log(b, 2'000'000, 2'000'000, bus::transfer_status::address_error);
    log(a, 1'500'000, 1'750'000);
    read_all();
    EXPECT_EQ(m_processes.at(3), "bus");
    EXPECT_THAT(paths("bus/top.to_memory"), ElementsAre("read", "read"));
    EXPECT_THAT(paths("bus/top.to_regs"), ElementsAre("read address_error"));
    const auto& s = m_tracks.at("bus/top.to_memory")[1];
    EXPECT_NEAR(s.begin_us, 1.5, 1e-12);
    EXPECT_NEAR(s.end_us, 1.75, 1e-12);
    EXPECT_EQ(s.args.at("address"), "0x1f0");
    EXPECT_EQ(s.args.at("bytes"), 64);
    EXPECT_EQ(s.args.at("status"), "ok");
}

TEST_F(platform_trace_json, overlapping_transactions_lie_on_lanes)
{
    const auto a = traffic.attach("r");
    log(a, 20, 30); // in the order of their ends
    log(a, 10, 40);
    log(a, 35, 50);
    log(a, 0, 100);
    read_all();
    EXPECT_EQ(m_tracks.at("bus/r").size(), 1u);         // 0..100
    EXPECT_EQ(m_tracks.at("bus/r, lane 2").size(), 1u); // 10..40
    EXPECT_EQ(m_tracks.at("bus/r, lane 3").size(), 2u); // 20..30, 35..50
    for (const auto& track : tracks()) { expect_disjoint(track); }
}

TEST_F(platform_trace_json, phases_show_the_request_and_the_response)
{
    const auto a = traffic.attach("r");
    traffic.log(a, write_in_phases(10'000, 15'000, 30'000, 32'000));
    read_all();
    EXPECT_THAT(paths("bus/r"), ElementsAre("write>request", "write>response", "write"));
    const auto& slices = m_tracks.at("bus/r");
    EXPECT_NEAR(slices[0].begin_us, 0.010, 1e-12);
    EXPECT_NEAR(slices[0].end_us, 0.015, 1e-12);
    EXPECT_NEAR(slices[1].begin_us, 0.030, 1e-12);
    EXPECT_NEAR(slices[1].end_us, 0.032, 1e-12);
}

TEST_F(platform_trace_json, times_against_the_protocol_still_nest)
{
    const auto a = traffic.attach("r");
    traffic.log(a, write_in_phases(100, 90, 80, 70));
    log(a, 60, 50);
    read_all();
    for (const auto& track : tracks()) { expect_disjoint(track); }
}

TEST_F(platform_trace_json, recorders_alone_are_a_trace)
{
    const auto a = traffic.attach("r");
    log(a, 10, 40);
    write_trace_json(path("trace.json"), {}, &traffic);
    read_file();
    EXPECT_EQ(m_processes.at(1), "bus");
    EXPECT_EQ(m_tracks.at("r").size(), 1u);
}

TEST_F(platform_trace_json, nothing_at_all_is_an_empty_trace)
{
    write_trace_json(path("trace.json"), {});
    read_file();
    EXPECT_TRUE(m_trace.at("traceEvents").empty());
}

TEST_F(platform_trace_json, a_report_of_another_log_is_refused)
{
    const energy_report energy(d.log, 1.0, {});
    d.run(1);
    EXPECT_THROW(write_trace_json(path("trace.json"), {{&d.log, &energy}}), std::invalid_argument);
    EXPECT_EQ(files(), 0u);
}

} // namespace
