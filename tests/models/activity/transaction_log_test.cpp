#include <tensorloom/models/activity/transaction_log.h>

#include <algorithm>
#include <random>
#include <set>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>
#include "small_device.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using bus::transfer_command;
using bus::transfer_kind;
using bus::transfer_status;

bus::transaction_record blocking(transfer_command command, std::uint64_t begin, std::uint64_t end,
                                 std::uint32_t bytes = 4, transfer_status status = transfer_status::ok)
{
    bus::transaction_record record{};
    record.kind = transfer_kind::blocking;
    record.command = command;
    record.status = status;
    record.address = 0x10;
    record.bytes = bytes;
    record.begin_ps = record.end_request_ps = begin;
    record.begin_response_ps = record.end_ps = end;
    return record;
}

TEST(busy_time, counts_overlaps_once_and_gaps_never)
{
    busy_time busy;
    busy.add(10, 20, 0);
    busy.add(15, 30, 0); // overlaps
    busy.add(30, 35, 0); // touches
    busy.add(50, 60, 0); // apart
    busy.add(52, 55, 0); // inside
    EXPECT_EQ(busy.total(), 35u);
    busy.add(5, 70, 0); // over all
    EXPECT_EQ(busy.total(), 65u);
    busy.add(80, 80, 0); // no time
    EXPECT_EQ(busy.total(), 65u);
    EXPECT_EQ(busy.pending(), 1u);
}

TEST(busy_time, is_the_union_of_any_intervals_in_any_order)
{
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        busy_time busy;
        std::set<unsigned> busy_instants;
        for (int i = 0; i < 40; ++i) {
            const unsigned begin = random() % 400, end = begin + random() % 30;
            for (unsigned t = begin; t < end; ++t) { busy_instants.insert(t); }
            busy.add(begin, end, 0);
        }
        ASSERT_EQ(busy.total(), busy_instants.size());
    }
}

TEST(busy_time, keeps_intervals_that_touch_as_one)
{
    busy_time busy;
    busy.add(10, 20, 0);
    busy.add(20, 30, 0); // behind
    busy.add(5, 10, 0);  // before
    EXPECT_EQ(busy.pending(), 1u);
    EXPECT_EQ(busy.total(), 25u);
}

TEST(busy_time, forgets_what_is_settled_and_keeps_the_sum)
{
    busy_time busy;
    for (std::uint64_t i = 0; i < 1000; ++i) { busy.add(10 * i, 10 * i + 3, i < 5 ? 0 : 10 * i - 50); }
    EXPECT_EQ(busy.total(), 3000u);
    EXPECT_LE(busy.pending(), 7u);
    busy.add(9992, 9995, 9980); // touches the latest, which is not forgotten
    EXPECT_EQ(busy.total(), 3002u);
}

TEST(transaction_log, sums_what_each_recorder_tells)
{
    transaction_log log;
    const auto a = log.attach("top.a"), b = log.attach("top.b");
    log.connected(b, "top.cpu.out");
    log.log(a, blocking(transfer_command::read, 100, 130, 8));
    log.log(a, blocking(transfer_command::write, 120, 180, 16));
    log.log(a, blocking(transfer_command::write, 300, 300, 32, transfer_status::address_error));
    log.log(a, blocking(transfer_command::ignore, 400, 410, 64));
    log.debug(a, 7);
    log.debug(a, 3);
    log.dmi_request(a, true);
    log.dmi_request(a, false);
    log.dmi_request(a, false);
    log.dmi_invalidation(a);
    const auto t = log.totals(a);
    EXPECT_EQ(t.transactions, 4u);
    EXPECT_EQ(t.reads, 1u);
    EXPECT_EQ(t.writes, 2u);
    EXPECT_EQ(t.bytes_read, 8u);
    EXPECT_EQ(t.bytes_written, 16u); // what failed moved nothing
    EXPECT_EQ(t.errors, 1u);
    EXPECT_EQ(t.busy_ps, 90u);
    EXPECT_EQ(t.latency_min_ps, 0u);
    EXPECT_EQ(t.latency_max_ps, 60u);
    EXPECT_DOUBLE_EQ(t.latency_mean_ps(), 25);
    EXPECT_EQ(t.debug_calls, 2u);
    EXPECT_EQ(t.debug_bytes, 10u);
    EXPECT_EQ(t.dmi_requests, 3u);
    EXPECT_EQ(t.dmi_grants, 1u);
    EXPECT_EQ(t.dmi_invalidations, 1u);
    EXPECT_EQ(log.totals(b).transactions, 0u);
    EXPECT_EQ(log.totals(b).latency_mean_ps(), 0);
    EXPECT_EQ(log.name(a), "top.a");
    EXPECT_EQ(log.initiator(a), "");
    EXPECT_EQ(log.initiator(b), "top.cpu.out");
}

TEST(transaction_log, keeps_as_many_records_as_told_and_sums_all)
{
    transaction_log log(3);
    const auto a = log.attach("a"), b = log.attach("b");
    for (std::uint64_t i = 0; i < 10; ++i) { log.log(i % 2 == 0 ? a : b, blocking(transfer_command::read, i, i + 2)); }
    ASSERT_EQ(log.records().size(), 3u);
    EXPECT_EQ(log.records()[2].recorder, a);
    EXPECT_EQ(log.records()[2].record.begin_ps, 2u);
    EXPECT_EQ(log.dropped(a), 3u);
    EXPECT_EQ(log.dropped(b), 4u);
    EXPECT_EQ(log.totals(a).transactions, 5u);
    EXPECT_EQ(log.totals(b).bytes_read, 20u);
    EXPECT_EQ(log.totals(b).busy_ps, 10u);
}

class transaction_files : public activity::test::folder_test {
protected:
    transaction_log log;
};

TEST_F(transaction_files, transactions_have_a_row_each)
{
    const auto a = log.attach("top.a,b");
    log.connected(a, "top.cpu.out");
    log.log(a, blocking(transfer_command::write, 100, 130, 8));
    bus::transaction_record r = blocking(transfer_command::read, 200, 290, 64, transfer_status::burst_error);
    r.kind = transfer_kind::phases;
    r.address = 0x80001000;
    r.end_request_ps = 210;
    r.begin_response_ps = 280;
    log.log(a, r);
    write_transactions_csv(path("transactions.csv"), log);
    EXPECT_EQ(text("transactions.csv"),
              "recorder,initiator,transport,command,address,bytes,status,begin_ps,end_request_ps,begin_response_ps,"
              "end_ps\n"
              "\"top.a,b\",top.cpu.out,blocking,write,0x10,8,ok,100,,,130\n"
              "\"top.a,b\",top.cpu.out,phases,read,0x80001000,64,burst_error,200,210,280,290\n");
}

TEST_F(transaction_files, log_of_scv_has_streams_generators_and_attributes)
{
    const auto a = log.attach("top.\"a\"");
    log.attach("top.b");
    log.connected(a, "top.cpu.out");
    log.log(a, blocking(transfer_command::write, 100, 130, 8));
    write_transactions_scv(path("transactions.txlog"), log);
    EXPECT_EQ(text("transactions.txlog"), "scv_tr_stream (ID 1, name \"top._a_\", kind \"[TLM]\")\n"
                                          "scv_tr_stream (ID 2, name \"top.b\", kind \"[TLM]\")\n"
                                          "scv_tr_generator (ID 3, name \"read\", scv_tr_stream 1,\n)\n"
                                          "scv_tr_generator (ID 4, name \"write\", scv_tr_stream 1,\n)\n"
                                          "scv_tr_generator (ID 5, name \"ignore\", scv_tr_stream 1,\n)\n"
                                          "scv_tr_generator (ID 6, name \"read\", scv_tr_stream 2,\n)\n"
                                          "scv_tr_generator (ID 7, name \"write\", scv_tr_stream 2,\n)\n"
                                          "scv_tr_generator (ID 8, name \"ignore\", scv_tr_stream 2,\n)\n"
                                          "tx_begin 1 4 100 ps\n"
                                          "tx_record_attribute 1 \"initiator\" STRING = \"top.cpu.out\"\n"
                                          "tx_record_attribute 1 \"transport\" STRING = \"blocking\"\n"
                                          "tx_record_attribute 1 \"address\" UNSIGNED = 16\n"
                                          "tx_record_attribute 1 \"bytes\" UNSIGNED = 8\n"
                                          "tx_record_attribute 1 \"status\" STRING = \"ok\"\n"
                                          "tx_end 1 4 130 ps\n");
}

TEST_F(transaction_files, each_status_has_its_name)
{
    const auto a = log.attach("a");
    for (const auto s : {transfer_status::incomplete, transfer_status::ok, transfer_status::generic_error,
                         transfer_status::address_error, transfer_status::command_error, transfer_status::burst_error,
                         transfer_status::byte_enable_error}) {
        log.log(a, blocking(transfer_command::ignore, 0, 0, 0, s));
    }
    write_transactions_csv(path("transactions.csv"), log);
    std::string all = text("transactions.csv");
    for (const auto* name :
         {"incomplete", "ok", "generic_error", "address_error", "command_error", "burst_error", "byte_enable_error"}) {
        EXPECT_THAT(all, ::testing::HasSubstr(std::string(",ignore,0x10,0,") + name + ",0,,,0\n"));
    }
}

TEST_F(transaction_files, traffic_has_a_row_for_each_recorder)
{
    transaction_log bounded(1);
    const auto a = bounded.attach("top.a");
    bounded.attach("top.idle");
    bounded.connected(a, "cpu");
    bounded.log(a, blocking(transfer_command::read, 100, 130, 8));
    bounded.log(a, blocking(transfer_command::write, 110, 155, 16));
    bounded.debug(a, 5);
    bounded.dmi_request(a, true);
    write_traffic_csv(path("traffic.csv"), bounded);
    EXPECT_EQ(text("traffic.csv"),
              "recorder,initiator,transactions,reads,writes,bytes_read,bytes_written,errors,busy_ps,latency_min_ps,"
              "latency_mean_ps,latency_max_ps,debug_calls,debug_bytes,dmi_requests,dmi_grants,dmi_invalidations,"
              "dropped\n"
              "top.a,cpu,2,1,1,8,16,0,55,30,37.5,45,1,5,1,1,0,1\n"
              "top.idle,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
}

TEST_F(transaction_files, failures_are_input_errors_and_leave_nothing)
{
    EXPECT_THROW(write_transactions_csv(path("no/transactions.csv"), log), base::input_error);
    EXPECT_THROW(write_transactions_scv(path("no/transactions.txlog"), log), base::input_error);
    EXPECT_THROW(write_traffic_csv(path("no/traffic.csv"), log), base::input_error);
    EXPECT_EQ(files(), 0u);
}

} // namespace
