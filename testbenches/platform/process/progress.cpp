#include "platform/process/progress.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tensorloom::testbench {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);
constexpr const char* erase_line = "\r\x1b[K";

std::size_t columns(int file)
{
    winsize size{};
    return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

void put(int file, const std::string& text)
{
    // The line is a courtesy: that it cannot be shown is no reason to stop.
    [[maybe_unused]] const auto written = ::write(file, text.data(), text.size());
}

} // namespace

progress::progress(bool quiet, int file_descriptor)
    : m_file(file_descriptor), m_active(!quiet && ::isatty(file_descriptor) == 1)
{}

progress::~progress() { erase(); }

// Something may be shown, and the line is old enough.
bool progress::due()
{
    if (!m_active) { return false; }
    const auto now = std::chrono::steady_clock::now();
    if (m_shown && now < m_next) { return false; }
    m_next = now + interval;
    m_shown = true;
    return true;
}

void progress::put_line(std::string line)
{
    line.resize(std::min(line.size(), columns(m_file) - 1));
    put(m_file, erase_line + line);
}

void progress::show(double fraction, const std::string& what)
{
    if (!due()) { return; }
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3d %%  ",
                  static_cast<int>(std::floor(100 * std::clamp(std::isnan(fraction) ? 0.0 : fraction, 0.0, 1.0))));
    put_line(percent + what);
}

void progress::show(const std::string& what)
{
    if (due()) { put_line(what); }
}

void progress::erase()
{
    if (!m_shown) { return; }
    m_shown = false;
    put(m_file, erase_line);
}

} // namespace tensorloom::testbench
