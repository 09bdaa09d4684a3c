#include "platform/process/progress.h"
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <gtest/gtest.h>
#include "platform/process/process_resources.h"

namespace tensorloom::testbench {
namespace {

// A pseudo terminal: what is written to one side is read from the other.
class terminal {
public:
    terminal() : m_reader(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK))
    {
        if (m_reader < 0 || grantpt(m_reader) != 0 || unlockpt(m_reader) != 0) { return; }
        m_writer = open(ptsname(m_reader), O_RDWR | O_NOCTTY);
    }
    ~terminal()
    {
        close(m_writer);
        close(m_reader);
    }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;

    int writer() const { return m_writer; }
    std::string text() const
    {
        char buffer[4096];
        const auto size = read(m_reader, buffer, sizeof buffer);
        return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : "";
    }

private:
    int m_reader;
    int m_writer = -1;
};

class progress_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (m_terminal.writer() < 0) { GTEST_SKIP() << "no pseudo terminal here"; }
    }
    terminal m_terminal;
};

TEST_F(progress_test, line_is_shown_on_a_terminal_and_erased_at_the_end)
{
    {
        progress line(false, m_terminal.writer());
        EXPECT_TRUE(line.active());
        line.show(0.42, "stage II");
        EXPECT_EQ(m_terminal.text(), "\r\x1b[K 42 %  stage II");
    }
    EXPECT_EQ(m_terminal.text(), "\r\x1b[K");
}

TEST_F(progress_test, text_alone_where_nobody_knows_the_end)
{
    progress line(false, m_terminal.writer());
    line.show("program 3");
    EXPECT_EQ(m_terminal.text(), "\r\x1b[Kprogram 3");
}

TEST_F(progress_test, redrawn_rarely)
{
    progress line(false, m_terminal.writer());
    for (int i = 0; i < 1000; ++i) { line.show(0.001 * i, "x"); }
    EXPECT_LT(m_terminal.text().size(), 200u);
}

TEST_F(progress_test, fraction_outside_its_range_and_long_texts_are_cut)
{
    progress line(false, m_terminal.writer());
    line.show(7, std::string(1000, 'x'));
    const std::string text = m_terminal.text();
    EXPECT_EQ(text.substr(0, 10), "\r\x1b[K100 % ");
    EXPECT_LE(text.size(), 84u);
}

TEST_F(progress_test, quiet_shows_nothing)
{
    progress line(true, m_terminal.writer());
    EXPECT_FALSE(line.active());
    line.show(0.5, "x");
    EXPECT_EQ(m_terminal.text(), "");
}

TEST(progress_pipe_test, pipe_gets_nothing)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    {
        progress line(false, ends[1]);
        EXPECT_FALSE(line.active());
        line.show(0.5, "x");
    }
    close(ends[1]);
    char c = 0;
    EXPECT_EQ(read(ends[0], &c, 1), 0);
    close(ends[0]);
}

TEST(process_usage_test, work_takes_time_and_memory)
{
    const usage_meter meter;
    constexpr std::size_t bytes = 32u << 20;
    std::vector<char> memory(bytes);
    volatile double sum = 0;
    while (meter.elapsed().cpu_s < 0.02) {
        for (std::size_t i = 0; i < bytes; i += 4096) { sum = sum + ++memory[i]; }
    }
    const process_usage usage = meter.elapsed();
    EXPECT_GT(usage.wall_s, 0);
    EXPECT_GT(usage.peak_rss_bytes, bytes);
    EXPECT_LT(usage.peak_rss_bytes, std::uint64_t{1} << 40);
}

} // namespace
} // namespace tensorloom::testbench
