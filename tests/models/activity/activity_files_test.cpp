#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>
#include "small_device.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using namespace tensorloom::activity::test;

std::vector<std::vector<std::string>> rows_of(const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) { rows.back().push_back(cell); }
    }
    return rows;
}

class csv_files : public folder_test {
protected:
    small_device d;
    std::vector<module_energy> models = {{"top.device", device_model()}, {"top.memory", memory_model()}};
};

TEST_F(csv_files, latency_has_a_row_per_record_with_the_counts)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 12, {0, 0, 0}, 5);
    d.record("compute", "stage_1", 4, 9, 3, {1, 64, 8});
    d.finish();
    write_latency_csv(path("latency.csv"), d.log);
    EXPECT_EQ(text("latency.csv"), "command,cause,phase,id,detail,start_cycle,cycles,tick,work,send,top.memory.access\n"
                                   "0,fetch,fetch,0,100,0,12,0,0,0,5\n"
                                   "4,compute,stage_1,9,109,12,3,1,64,8,0\n");
}

TEST_F(csv_files, energy_has_a_row_per_record_with_its_components)
{
    d.start();
    d.record("fetch", "fetch", 0, 0, 12, {0, 0, 0}, 5);
    d.record("compute", "stage_1", 4, 9, 4, {1, 10, 0});
    d.finish();
    write_energy_csv(path("energy.csv"), d.log, energy_report(d.log, 1.0, models));
    EXPECT_EQ(text("energy.csv"),
              "command,cause,phase,id,start_cycle,cycles,work_pJ,wires_pJ,leakage_pJ,memory_pJ,total_pJ\n"
              "0,fetch,fetch,0,0,12,0,0,21,50,71\n"
              "4,compute,stage_1,9,12,4,46,0,7,0,53\n");
}

TEST_F(csv_files, columns_sum_to_the_totals)
{
    d.run(300);
    const energy_report energy(d.log, 0.7, models);
    write_latency_csv(path("latency.csv"), d.log);
    write_energy_csv(path("energy.csv"), d.log, energy);
    const auto latency = rows_of(text("latency.csv"));
    const auto pj = rows_of(text("energy.csv"));
    ASSERT_EQ(latency.size(), 1 + d.log.records().size());
    ASSERT_EQ(pj.size(), 1 + d.log.records().size());

    const auto sum = [](const auto& rows, std::size_t column) {
        long double total = 0;
        for (std::size_t r = 1; r < rows.size(); ++r) { total += std::stold(rows[r].at(column)); }
        return static_cast<double>(total);
    };
    EXPECT_EQ(sum(latency, 6), d.log.cycles());
    for (std::size_t e = 0; e < 3; ++e) { EXPECT_EQ(sum(latency, 7 + e), d.log.total_counts(0)[e]); }
    EXPECT_EQ(sum(latency, 10), d.log.total_counts(1)[0]);
    for (std::size_t c = 0; c < energy.totals().size(); ++c) {
        EXPECT_NEAR(sum(pj, 6 + c), energy.totals()[c].pj, 1e-12 * energy.totals()[c].pj) << pj[0][6 + c];
    }
    EXPECT_NEAR(sum(pj, 10), energy.total_pj(), 1e-12 * energy.total_pj());
}

TEST_F(csv_files, energies_read_back_to_the_same_bits)
{
    d.run(50);
    const energy_report energy(d.log, 0.7, models);
    write_energy_csv(path("energy.csv"), d.log, energy);
    const auto rows = rows_of(text("energy.csv"));
    for (std::size_t r = 0; r < energy.records(); ++r) {
        for (std::size_t c = 0; c < energy.totals().size(); ++c) {
            ASSERT_EQ(std::stod(rows[r + 1][6 + c]), energy.record_pj(r)[c]);
        }
    }
}

TEST_F(csv_files, names_with_commas_and_quotes_are_quoted)
{
    d.start();
    d.record("a,b", "say \"c\"", 0, 0, 1);
    d.finish();
    write_latency_csv(path("latency.csv"), d.log);
    EXPECT_THAT(text("latency.csv"), ::testing::HasSubstr("\n0,\"a,b\",\"say \"\"c\"\"\",0,"));
}

TEST_F(csv_files, an_empty_log_is_a_header)
{
    write_latency_csv(path("latency.csv"), d.log);
    EXPECT_EQ(rows_of(text("latency.csv")).size(), 1u);
    write_energy_csv(path("energy.csv"), d.log, energy_report(d.log, 1.0, models));
    EXPECT_EQ(rows_of(text("energy.csv")).size(), 1u);
}

TEST_F(csv_files, failures_are_input_errors)
{
    d.run(1);
    const energy_report energy(d.log, 1.0, models);
    EXPECT_THROW(write_latency_csv(path("no/latency.csv"), d.log), base::input_error);
    EXPECT_THROW(write_energy_csv(path("no/energy.csv"), d.log, energy), base::input_error);
    EXPECT_THROW(write_trace_json(path("no/trace.json"), d.log, energy), base::input_error);
}

TEST_F(csv_files, a_report_of_another_log_is_refused)
{
    const energy_report energy(d.log, 1.0, models);
    d.run(1);
    EXPECT_THROW(write_energy_csv(path("energy.csv"), d.log, energy), std::invalid_argument);
    EXPECT_THROW(write_trace_json(path("trace.json"), d.log, energy), std::invalid_argument);
    EXPECT_EQ(files(), 0u);
}

/// Two devices with a memory inside, in one file.
class csv_files_of_jobs : public folder_test {
protected:
    struct job {
        std::string name;
        program_log log;
        std::array<std::uint64_t, 3> totals{};
        std::uint64_t accesses = 0;
        std::optional<energy_report> energy;

        job(const std::string& device, const char* memory, std::uint64_t cycles, std::array<std::uint64_t, 3> counts)
            : name(device), log(device, log_detail::every_record)
        {
            log.attach(device, device_events, totals.data());
            log.attach(device + "." + memory, memory_events, &accesses);
            log.started(device, 0);
            accesses = 2;
            log.log(device,
                    bus::log_record("load").of_command(1).with_id(2).with_detail(3).during(0, cycles).with_counts(
                        counts.data()));
            log.finished(device, cycles);
            energy.emplace(log, 1.0, std::vector<module_energy>{{device, device_model()}});
        }
        tabled_program row(const std::string& as, unsigned run) const
        {
            return {as, run, "tidy, " + as, &log, &*energy};
        }
    };

    job a{"top.a", "memory", 4, {1, 10, 0}};
    job b{"top.b", "memory", 8, {2, 20, 0}};
    job other{"top.c", "cache", 8, {2, 20, 0}};
};

TEST_F(csv_files_of_jobs, rows_begin_with_device_run_and_job)
{
    write_latency_csv(path("latency.csv"), {a.row("first", 0), a.row("first", 1), b.row("second", 0)});
    EXPECT_EQ(text("latency.csv"),
              "device,run,job,command,cause,phase,id,detail,start_cycle,cycles,tick,work,send,memory.access\n"
              "first,0,\"tidy, first\",1,load,load,2,3,0,4,1,10,0,2\n"
              "first,1,\"tidy, first\",1,load,load,2,3,0,4,1,10,0,2\n"
              "second,0,\"tidy, second\",1,load,load,2,3,0,8,2,20,0,2\n");
    write_energy_csv(path("energy.csv"), {a.row("first", 0), b.row("second", 7)});
    EXPECT_EQ(text("energy.csv"),
              "device,run,job,command,cause,phase,id,start_cycle,cycles,work_pJ,wires_pJ,leakage_pJ,total_pJ\n"
              "first,0,\"tidy, first\",1,load,load,2,0,4,46,0,1,47\n"
              "second,7,\"tidy, second\",1,load,load,2,0,8,92,0,2,94\n");
}

TEST_F(csv_files_of_jobs, names_with_commas_and_quotes_are_quoted)
{
    write_latency_csv(path("latency.csv"), {a.row("a,\"b\"", 0)});
    EXPECT_NE(text("latency.csv").find("\n\"a,\"\"b\"\"\",0,\"tidy, a,\"\"b\"\"\",1,load,"), std::string::npos);
}

TEST_F(csv_files_of_jobs, no_job_is_a_header)
{
    write_latency_csv(path("latency.csv"), std::vector<tabled_program>{});
    EXPECT_EQ(text("latency.csv"), "device,run,job,command,cause,phase,id,detail,start_cycle,cycles\n");
    write_energy_csv(path("energy.csv"), std::vector<tabled_program>{});
    EXPECT_EQ(text("energy.csv"), "device,run,job,command,cause,phase,id,start_cycle,cycles,total_pJ\n");
}

TEST_F(csv_files_of_jobs, what_a_job_does_not_have_it_has_none_of)
{
    write_latency_csv(path("latency.csv"), {a.row("a", 0), other.row("c", 0)});
    EXPECT_EQ(
        text("latency.csv"),
        "device,run,job,command,cause,phase,id,detail,start_cycle,cycles,tick,work,send,memory.access,cache.access\n"
        "a,0,\"tidy, a\",1,load,load,2,3,0,4,1,10,0,2,0\n"
        "c,0,\"tidy, c\",1,load,load,2,3,0,8,2,20,0,0,2\n");
    b.energy.emplace(b.log, 1.0,
                     std::vector<module_energy>{{"top.b.memory", memory_model()}, {"top.b", device_model()}});
    write_energy_csv(path("energy.csv"), {b.row("b", 0), a.row("a", 0)});
    EXPECT_EQ(
        text("energy.csv"),
        "device,run,job,command,cause,phase,id,start_cycle,cycles,memory_pJ,leakage_pJ,work_pJ,wires_pJ,total_pJ\n"
        "b,0,\"tidy, b\",1,load,load,2,0,8,20,14,92,0,126\n"
        "a,0,\"tidy, a\",1,load,load,2,0,4,0,1,46,0,47\n");
}

TEST_F(csv_files_of_jobs, a_report_of_another_log_is_refused)
{
    const program_log empty("top.d", log_detail::every_record);
    const energy_report nothing(empty, 1.0, {});
    EXPECT_THROW(write_energy_csv(path("energy.csv"), {{"a", 0, "", &a.log, &nothing}}), std::invalid_argument);
    EXPECT_EQ(files(), 0u);
}

TEST_F(csv_files_of_jobs, failures_are_input_errors)
{
    EXPECT_THROW(write_latency_csv(path("nowhere/latency.csv"), {a.row("a", 0)}), base::input_error);
    EXPECT_THROW(write_energy_csv(path("nowhere/energy.csv"), {a.row("a", 0)}), base::input_error);
}

} // namespace
