#include <tensorloom/models/memory/dram_controller.h>
#include <utility>

namespace tensorloom::memory {

dram_controller::dram_controller(const costs::dram_config& config)
    : m_config(config), m_mapping(config), m_waiting(config.organisation.channels)
{
    make_channels();
}

void dram_controller::make_channels()
{
    m_channels.clear();
    m_channels.reserve(m_config.organisation.channels);
    for (unsigned c = 0; c < m_config.organisation.channels; ++c) { m_channels.emplace_back(m_config, c, m_counts); }
}

void dram_controller::restart()
{
    make_channels();
    for (auto& burst : m_waiting) { burst.present = false; }
    for (auto& channel : m_channels) { channel.log_to(m_log ? &m_log : nullptr); }
}

dram_controller::tick dram_controller::access(std::uint64_t address, std::uint64_t bytes, bool write, tick arrival)
{
    const bool closed = m_config.controller.page == costs::dram_page::closed;
    const std::uint64_t size = m_config.organisation.burst_bytes();
    const std::uint64_t last = (address + bytes - 1) / size;
    tick done = arrival;
    const std::uint64_t first = address / size;
    const std::uint64_t neighbours = m_config.controller.interleave_bytes / size; // in one row, a power of two
    costs::dram_location at;
    for (std::uint64_t b = first; b <= last; ++b) {
        if (b == first || (b & (neighbours - 1)) == 0) {
            at = m_mapping.locate(b * size);
        } else {
            at.column += m_config.organisation.burst_length;
        }
        dram_burst burst{at.bank, at.row, at.column, write, false};
        if (!closed) {
            done = std::max(done, m_channels[at.channel].serve(burst, arrival));
            continue;
        }
        auto& before = m_waiting[at.channel];
        if (before.present) {
            before.burst.last_of_row = before.burst.bank != burst.bank || before.burst.row != burst.row;
            done = std::max(done, m_channels[at.channel].serve(before.burst, arrival));
        }
        before = {true, burst};
    }
    for (unsigned c = 0; closed && c < m_channels.size(); ++c) {
        if (!m_waiting[c].present) { continue; }
        m_waiting[c].present = false;
        m_waiting[c].burst.last_of_row = true;
        done = std::max(done, m_channels[c].serve(m_waiting[c].burst, arrival));
    }
    return done;
}

void dram_controller::settle(tick now)
{
    for (auto& channel : m_channels) { channel.settle(now); }
}

void dram_controller::log_to(dram_command_log log)
{
    m_log = std::move(log);
    for (auto& channel : m_channels) { channel.log_to(m_log ? &m_log : nullptr); }
}

} // namespace tensorloom::memory
