#include <tensorloom/models/activity/address_trace.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>
#include "support/scratch_folder.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using bus::transfer_command;
using bus::transfer_status;

class address_trace_test : public tensorloom::test::scratch_folder {
protected:
    static bus::transaction_record load(std::uint64_t address, std::uint32_t bytes, std::uint64_t begin,
                                        std::uint64_t settled = 0)
    {
        bus::transaction_record record{};
        record.kind = bus::transfer_kind::blocking;
        record.command = transfer_command::read;
        record.status = transfer_status::ok;
        record.address = address;
        record.bytes = bytes;
        record.begin_ps = record.end_request_ps = begin;
        record.begin_response_ps = record.end_ps = begin + 5000;
        record.settled_ps = settled;
        return record;
    }
    static bus::transaction_record store(std::uint64_t address, std::uint32_t bytes, std::uint64_t begin)
    {
        auto record = load(address, bytes, begin);
        record.command = transfer_command::write;
        return record;
    }

    /// The lines of a trace of these records, without comments; periods of 1 ns, bursts of 32 bytes.
    std::vector<std::string> lines(const std::vector<bus::transaction_record>& records,
                                   trace_reader reader = trace_reader::dramsys) const
    {
        address_trace trace(path("t"), {reader, "memory", 1000, 32});
        for (const auto& record : records) { trace.log(trace_number, record); }
        trace.commit();
        std::istringstream file(text("t"));
        std::vector<std::string> found;
        for (std::string line; std::getline(file, line);) {
            if (line.front() != '#') { found.push_back(line); }
        }
        return found;
    }

    static constexpr std::size_t trace_number = 0;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(address_trace_test, a_line_for_every_burst_touched)
{
    EXPECT_THAT(lines({load(64, 64, 0)}), ElementsAre("0: read 0x40", "0: read 0x60"));
    EXPECT_THAT(lines({store(63, 2, 0)}), ElementsAre("0: write 0x20", "0: write 0x40"));
    EXPECT_THAT(lines({store(31, 1, 0), load(32, 1, 0)}), ElementsAre("0: write 0x0", "0: read 0x20"));
}

TEST_F(address_trace_test, every_reader_has_its_words)
{
    const std::vector records{load(0xabc0, 32, 3000), store(0, 4, 4000)};
    EXPECT_THAT(lines(records), ElementsAre("3: read 0xabc0", "4: write 0x0"));
    EXPECT_THAT(lines(records, trace_reader::ramulator), ElementsAre("0xabc0 R", "0x0 W"));
    EXPECT_THAT(lines(records, trace_reader::ramulator2), ElementsAre("LD 0xabc0", "ST 0x0"));
}

TEST_F(address_trace_test, only_dramsys_gets_a_comment)
{
    for (const auto& [reader, head] :
         {std::pair{trace_reader::dramsys, "# m, bursts of 64 bytes, cycles of 625 ps: clkMhz 1600\n"},
          {trace_reader::ramulator, ""},
          {trace_reader::ramulator2, ""}}) {
        address_trace trace(path("t"), {reader, "m", 625, 64});
        trace.commit();
        EXPECT_EQ(text("t"), head);
    }
    address_trace trace(path("t"), {trace_reader::dramsys, "m", 1429, 64});
    trace.commit();
    EXPECT_THAT(text("t"), testing::EndsWith("cycles of 1429 ps: clkMhz 700\n"));
}

TEST_F(address_trace_test, an_arrival_counts_at_the_next_cycle)
{
    EXPECT_THAT(lines({load(0, 1, 0), load(0, 1, 1), load(0, 1, 1000), load(0, 1, 1001)}),
                ElementsAre("0: read 0x0", "1: read 0x0", "1: read 0x0", "2: read 0x0"));
}

TEST_F(address_trace_test, lines_are_in_the_order_of_arrival)
{
    EXPECT_THAT(lines({load(0x40, 1, 9000), load(0x20, 1, 7000), load(0x60, 1, 7000), load(0, 1, 8000)}),
                ElementsAre("7: read 0x20", "7: read 0x60", "8: read 0x0", "9: read 0x40"));
}

TEST_F(address_trace_test, any_order_within_what_is_settled_gives_the_same_file)
{
    std::mt19937 random(3);
    std::vector<bus::transaction_record> records;
    for (std::uint64_t i = 0; i < 400; ++i) { records.push_back(load(32 * (random() % 1000), 1, 100 * i)); }
    const auto sorted = lines(records);
    auto mixed = records;
    constexpr std::size_t window = 20;
    for (std::size_t i = 0; i < mixed.size(); i += window) {
        const auto first = mixed.begin() + static_cast<std::ptrdiff_t>(i);
        std::shuffle(first, first + window, random);
        for (auto at = first; at != first + window; ++at) { at->settled_ps = 100 * i; }
    }
    EXPECT_EQ(lines(mixed), sorted);
}

TEST_F(address_trace_test, keeps_only_what_may_be_overtaken)
{
    address_trace trace(path("t"), {trace_reader::dramsys, "memory", 1000, 32});
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        trace.log(trace_number, load(0, 32, 1000 * i, i < 50 ? 0 : 1000 * (i - 50)));
        ASSERT_LE(trace.pending(), 51u);
    }
    trace.commit();
    EXPECT_EQ(trace.pending(), 0u);
}

TEST_F(address_trace_test, what_moves_no_data_is_no_access)
{
    auto failed = load(0, 4, 0);
    failed.status = transfer_status::address_error;
    auto ignored = load(0, 4, 0);
    ignored.command = transfer_command::ignore;
    EXPECT_THAT(lines({failed, ignored, load(0, 0, 0)}), IsEmpty());
}

TEST_F(address_trace_test, the_largest_address_ends_its_line)
{
    EXPECT_THAT(lines({load(0xffff'ffff'ffff'ffc0, 64, 0)}),
                ElementsAre("0: read 0xffffffffffffffc0", "0: read 0xffffffffffffffe0"));
}

TEST_F(address_trace_test, is_whole_or_not_there)
{
    write("t.stl", "older");
    {
        address_trace trace(path("t.stl"), {trace_reader::dramsys, "memory", 1000, 32});
        for (std::uint64_t i = 0; i < 10'000; ++i) { trace.log(trace_number, load(0, 4096, i, i)); }
    }
    EXPECT_EQ(text("t.stl"), "older");
    EXPECT_EQ(files(), 1u);
    EXPECT_THROW(address_trace(path("no/t.stl"), {trace_reader::dramsys, "memory", 1000, 32}), base::input_error);
}

TEST_F(address_trace_test, bad_uses_are_refused)
{
    EXPECT_THROW(address_trace(path("t"), {trace_reader::dramsys, "memory", 0, 32}), std::invalid_argument);
    EXPECT_THROW(address_trace(path("t"), {trace_reader::dramsys, "memory", 1000, 0}), std::invalid_argument);
    EXPECT_THROW(address_trace(path("t"), {trace_reader::dramsys, "memory", 1000, 48}), std::invalid_argument);
    address_trace trace(path("t"), {trace_reader::dramsys, "memory", 1000, 32});
    trace.attach("first");
    EXPECT_THROW(trace.attach("second"), std::logic_error);
}

} // namespace
