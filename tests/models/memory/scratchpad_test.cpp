#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <systemc>
#include <tensorloom/models/memory/scratchpad.h>
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using memory::scratchpad;
using memory::scratchpad_if;

class scratchpad_test : public test::sim_test {};

scratchpad_if& port_of(scratchpad& s) { return *s.port.operator->(); }

bool all_zero(scratchpad_if& pad)
{
    return std::all_of(pad.at(0), pad.at(0) + pad.size(), [](unsigned char b) { return b == 0; });
}

TEST_F(scratchpad_test, starts_with_zeros_aligned_to_64_bytes)
{
    scratchpad s("s", 4096 + 64, 8, 16);
    auto& pad = port_of(s);
    EXPECT_EQ(pad.size(), 4160u);
    EXPECT_EQ(pad.banks().banks(), 16u);
    EXPECT_EQ(pad.banks().word_bytes(), 8u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pad.at(0)) % 64, 0u);
    EXPECT_TRUE(all_zero(pad));
}

TEST_F(scratchpad_test, counts_words_for_whoever_writes)
{
    scratchpad s("s", 4096, 8, 16);
    auto& pad = port_of(s);
    std::uint64_t writes = 100;
    std::memcpy(pad.write(16, 24, writes), "abcdefghijklmnopqrstuvw", 24);
    EXPECT_EQ(writes, 103u);
    EXPECT_STREQ(reinterpret_cast<const char*>(pad.at(16)), "abcdefghijklmnopqrstuvw");
    pad.write(23, 2, writes);
    EXPECT_EQ(writes, 105u) << "two bytes in two words";
    *pad.at(18) = 'C';
    EXPECT_EQ(writes, 105u);
}

TEST_F(scratchpad_test, tells_every_watch_of_writes)
{
    scratchpad s("s", 4096, 8, 16);
    auto& pad = port_of(s);
    memory::write_watch low, high;
    pad.attach(low);
    pad.attach(high);
    low.watch({0, 4, 8, 64}); // bytes 0..7, 64..71, 128..135, 192..199
    high.watch({2048, 1, 64, 0});
    std::uint64_t words = 0;
    pad.write(8, 56, words);
    EXPECT_FALSE(low.written());
    pad.note_written({200, 3, 8, 16});
    EXPECT_FALSE(low.written());
    pad.write(64, 1, words);
    EXPECT_TRUE(low.written());
    EXPECT_FALSE(high.written());
    pad.write(2048, 0, words);
    EXPECT_FALSE(high.written()) << "no bytes";
    pad.note_written({2112 - 8, 1, 8, 0});
    EXPECT_TRUE(high.written());
}

TEST_F(scratchpad_test, clear_writes_zeros_everywhere_and_keeps_pointers)
{
    scratchpad s("s", 3 * 4096 + 64, 4, 1);
    auto& pad = port_of(s);
    memory::write_watch watch;
    pad.attach(watch);
    watch.watch({12288, 1, 4, 0});
    const unsigned char* const at = pad.at(0);
    std::memset(pad.at(0), 0xee, pad.size());
    pad.clear();
    EXPECT_TRUE(all_zero(pad));
    EXPECT_EQ(pad.at(0), at);
    EXPECT_TRUE(watch.written());
}

TEST_F(scratchpad_test, clear_needs_nothing_from_the_host)
{
    scratchpad s("s", 64 * 4096, 4, 1);
    auto& pad = port_of(s);
    std::memset(pad.at(0), 0xee, pad.size());
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
    const rlimit little{4096, before.rlim_max}; // the host gives no more pages
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &little), 0);
    pad.clear();
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
    EXPECT_TRUE(all_zero(pad));
}

TEST_F(scratchpad_test, clear_fills_pages_that_the_host_must_keep)
{
    scratchpad s("s", 2 * 4096, 4, 1);
    auto& pad = port_of(s);
    std::memset(pad.at(0), 0xee, pad.size());
    ASSERT_EQ(mlock(pad.at(4096), 4096), 0);
    pad.clear();
    EXPECT_TRUE(all_zero(pad));
}

TEST_F(scratchpad_test, says_whether_a_write_would_be_news)
{
    scratchpad s("s", 4096, 8, 16);
    auto& pad = port_of(s);
    memory::write_watch low, high;
    pad.attach(low);
    pad.attach(high);
    EXPECT_FALSE(pad.is_watched(0, 4096)) << "nothing is watched yet";
    low.watch({64, 2, 8, 64}); // bytes 64..71, 128..135
    high.watch({2048, 1, 64, 0});
    EXPECT_FALSE(pad.is_watched(0, 64));
    EXPECT_TRUE(pad.is_watched(0, 65));
    EXPECT_TRUE(pad.is_watched(135, 136));
    EXPECT_FALSE(pad.is_watched(136, 2048));
    EXPECT_TRUE(pad.is_watched(2111, 4096));
    pad.note_written({2048, 1, 1, 0});
    EXPECT_FALSE(pad.is_watched(2111, 4096)) << "it is known already";
    EXPECT_TRUE(pad.is_watched(0, 4096));
}

TEST_F(scratchpad_test, several_have_contents_and_watches_of_their_own)
{
    scratchpad a("a", 4096, 8, 16), b("b", 4096, 4, 2);
    memory::write_watch watch;
    port_of(a).attach(watch);
    watch.watch({0, 1, 64, 0});
    std::uint64_t words = 0;
    *port_of(b).write(0, 8, words) = 1;
    EXPECT_EQ(words, 2u);
    EXPECT_EQ(*port_of(a).at(0), 0);
    EXPECT_FALSE(watch.written());
}

} // namespace
