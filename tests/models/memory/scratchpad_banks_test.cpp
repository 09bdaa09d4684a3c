// Banks of a scratchpad against counting by hand; exactness of watches of writes.
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>
#include <tensorloom/models/base/values/scratchpad_banks.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace {

using namespace tensorloom::base;
using namespace tensorloom::memory;

TEST(scratchpad_banks, words_hold_any_of_the_bytes)
{
    const scratchpad_banks banks(8, 4);
    for (std::uint64_t address = 0; address < 40; ++address) {
        for (std::uint64_t bytes = 0; bytes < 40; ++bytes) {
            std::set<std::uint64_t> words;
            for (std::uint64_t b = address; b < address + bytes; ++b) { words.insert(b / 8); }
            EXPECT_EQ(banks.words(address, bytes), words.size()) << address << " + " << bytes;
        }
    }
}

TEST(scratchpad_banks, neighbours_lie_in_neighbouring_banks)
{
    for (const unsigned word : {1u, 4u, 8u, 16u}) {
        for (const unsigned count : {1u, 2u, 64u}) {
            const scratchpad_banks banks(word, count);
            for (std::uint64_t address = 0; address < 3000; ++address) {
                EXPECT_EQ(banks.bank_of(address), address / word % count);
            }
            EXPECT_EQ(banks.word_bytes(), word);
            EXPECT_EQ(banks.banks(), count);
        }
    }
}

TEST(scratchpad_banks, contiguous_words_take_a_cycle_for_each_that_a_bank_holds)
{
    const scratchpad_banks banks(4, 8);
    for (std::uint64_t words = 0; words < 100; ++words) {
        std::map<std::uint64_t, std::uint64_t> in_bank;
        std::uint64_t most = 0;
        for (std::uint64_t w = 0; w < words; ++w) { most = std::max(most, ++in_bank[(w + 3) % 8]); }
        EXPECT_EQ(banks.contiguous_cycles(words), most);
    }
}

TEST(bank_tally, group_takes_the_words_of_its_fullest_bank)
{
    std::mt19937_64 random(1);
    for (const auto equal : {equal_reads::broadcast, equal_reads::serial}) {
        for (const unsigned count : {1u, 4u, 64u}) {
            bank_tally tally{scratchpad_banks(8, count), 20, equal};
            for (unsigned group = 0; group < 500; ++group) {
                const bool reads = random() % 2 == 0;
                const bool merges = reads && equal == equal_reads::broadcast;
                std::map<std::uint64_t, std::multiset<std::uint64_t>> in_bank;
                for (std::uint64_t i = random() % 21; i > 0; --i) { // words far apart meet in the hash table
                    const std::uint64_t word = random() % 10 + random() % 10 * (std::uint64_t{1} << 50);
                    auto& bank = in_bank[word % count];
                    if (!merges || bank.count(word) == 0) { bank.insert(word); }
                    const std::uint64_t address = word * 8 + random() % 8;
                    reads ? tally.read(address) : tally.write(address);
                }
                std::size_t most = 1, words = 0;
                for (const auto& [bank, found] : in_bank) {
                    most = std::max(most, found.size());
                    words += found.size();
                }
                ASSERT_EQ(tally.end_group(), most - 1);
                ASSERT_EQ(tally.take_reads(), reads ? words : 0);
            }
        }
    }
}

TEST(bank_tally, what_each_bank_serves_is_counted_group_by_group)
{
    std::mt19937_64 random(2);
    constexpr unsigned banks = 8;
    tensorloom::base::bank_counts counts(banks);
    bank_tally tally{scratchpad_banks(8, banks), 20, equal_reads::serial, &counts};
    std::vector<std::uint64_t> accesses(banks), waited(banks);
    std::uint64_t all = 0;
    for (unsigned group = 0; group < 500; ++group) {
        std::vector<std::uint64_t> in_bank(banks);
        const unsigned hot = group % banks; // one more than any other
        for (std::uint64_t i = random() % 20; i > 0; --i) { ++in_bank[random() % banks]; }
        in_bank[hot] = *std::max_element(in_bank.begin(), in_bank.end()) + 1;
        for (unsigned b = 0; b < banks; ++b) {
            for (std::uint64_t i = 0; i < in_bank[b]; ++i) { tally.write((b + banks * i) * 8); }
            accesses[b] += in_bank[b];
        }
        waited[hot] += in_bank[hot] - 1;
        all += tally.end_group();
    }
    std::uint64_t sum = 0;
    for (unsigned b = 0; b < banks; ++b) {
        EXPECT_EQ(counts.banks()[b].accesses, accesses[b]);
        EXPECT_EQ(counts.banks()[b].conflict_cycles, waited[b]);
        sum += waited[b];
    }
    EXPECT_EQ(sum, all);
}

TEST(bank_tally, word_of_all_lanes_is_read_once)
{
    const scratchpad_banks banks(8, 64);
    bank_tally broadcast(banks, 64, equal_reads::broadcast), serial(banks, 64, equal_reads::serial);
    for (unsigned group = 0; group < 3; ++group) {
        for (unsigned lane = 0; lane < 64; ++lane) {
            broadcast.read(4096);
            serial.read(4096);
        }
        EXPECT_EQ(broadcast.end_group(), 0u);
        EXPECT_EQ(broadcast.take_reads(), 1u);
        EXPECT_EQ(serial.end_group(), 63u);
        EXPECT_EQ(serial.take_reads(), 64u);
    }
}

std::set<std::uint64_t> bytes_of(const byte_rows& r)
{
    std::set<std::uint64_t> bytes;
    for (std::uint64_t row = 0; row < r.rows; ++row) {
        for (std::uint64_t b = 0; b < r.row_bytes; ++b) {
            bytes.insert(r.address + static_cast<std::uint64_t>(r.stride) * row + b);
        }
    }
    return bytes;
}

TEST(write_watch, sees_writes_to_its_rows_and_no_others)
{
    std::mt19937_64 random(2);
    const auto rows = [&] {
        byte_rows r;
        r.rows = random() % 5;
        r.row_bytes = 1 + random() % 9;
        r.stride = static_cast<std::int64_t>(random() % 41) - 20;
        r.address = 100 + random() % 100;
        return r;
    };
    unsigned seen = 0, between = 0;
    for (unsigned n = 0; n < 20000; ++n) {
        const byte_rows watched = rows(), written = rows();
        write_watch watch;
        watch.watch(watched);
        EXPECT_FALSE(watch.written());
        watch.note(written);
        const auto a = bytes_of(watched), b = bytes_of(written);
        const bool common = std::any_of(b.begin(), b.end(), [&](std::uint64_t byte) { return a.count(byte) != 0; });
        ASSERT_EQ(watch.written(), common) << "after " << n;
        seen += common ? 1 : 0;
        between += !common && !a.empty() && !b.empty() && *b.begin() < *a.rbegin() && *a.begin() < *b.rbegin() ? 1 : 0;
    }
    EXPECT_GT(seen, 1000u);
    EXPECT_GT(between, 500u) << "writes between rows";
}

TEST(write_watch, stays_written_until_it_watches_again)
{
    write_watch watch;
    EXPECT_TRUE(watch.written()) << "nothing is watched yet";
    watch.watch({64, 1, 8, 0});
    watch.note({71, 1, 1, 0});
    watch.note({0, 1, 1, 0});
    EXPECT_TRUE(watch.written());
    watch.watch({64, 1, 8, 0});
    EXPECT_FALSE(watch.written());
    watch.forget();
    EXPECT_TRUE(watch.written());
}

} // namespace
