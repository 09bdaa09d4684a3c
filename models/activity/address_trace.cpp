#include <tensorloom/models/activity/address_trace.h>
#include <charconv>
#include <stdexcept>

namespace tensorloom::activity {

std::optional<std::string> validate(const address_trace_config& config)
{
    if (config.clock_period_ps == 0) { return "a clock period of 0 ps, expected at least 1"; }
    const auto bytes = config.burst_bytes;
    if (bytes == 0 || (bytes & (bytes - 1)) != 0) {
        return "bursts of " + std::to_string(bytes) + " bytes, expected a power of two";
    }
    return std::nullopt;
}

namespace {

const address_trace_config& checked(const address_trace_config& config)
{
    if (const auto wrong = validate(config)) { throw std::invalid_argument("address trace: " + *wrong); }
    return config;
}

std::string hexadecimal(std::uint64_t address)
{
    char text[16];
    return "0x" + std::string(text, std::to_chars(text, text + sizeof text, address, 16).ptr);
}

constexpr std::uint64_t ps_per_us = 1'000'000;

} // namespace

address_trace::address_trace(const std::string& path, const address_trace_config& config)
    : m_config(checked(config)), m_file(path)
{
    if (m_config.reader != trace_reader::dramsys) { return; } // the other formats have no comments
    const std::uint64_t mhz = (ps_per_us + m_config.clock_period_ps / 2) / m_config.clock_period_ps;
    m_file << "# " << m_config.memory << ", bursts of " << m_config.burst_bytes << " bytes, cycles of "
           << m_config.clock_period_ps << " ps: clkMhz " << mhz << "\n";
}

std::size_t address_trace::attach(const std::string& recorder)
{
    if (m_attached) { throw std::logic_error("an address trace is of one recorder, and not also of " + recorder); }
    m_attached = true;
    return 0;
}

void address_trace::log(std::size_t, const bus::transaction_record& record)
{
    const bool moved = record.status == bus::transfer_status::ok && record.bytes > 0 &&
                       record.command != bus::transfer_command::ignore;
    if (m_failure) { return; }
    if (moved) {
        m_pending.push({record.begin_ps, m_accesses, record.address, record.bytes,
                        record.command == bus::transfer_command::write});
        ++m_accesses;
    }
    try {
        while (!m_pending.empty() && m_pending.top().begin_ps <= record.settled_ps) { write_first(); }
    } catch (...) {
        m_failure = std::current_exception();
    }
}

void address_trace::commit()
{
    if (m_failure) { std::rethrow_exception(m_failure); }
    while (!m_pending.empty()) { write_first(); }
    m_file.commit();
}

void address_trace::write_first()
{
    const access first = m_pending.top();
    m_pending.pop();
    const std::uint64_t cycle = (first.begin_ps + m_config.clock_period_ps - 1) / m_config.clock_period_ps;
    const std::uint64_t bytes = m_config.burst_bytes;
    const std::uint64_t last = (first.address + (first.bytes - 1)) / bytes;
    for (std::uint64_t burst = first.address / bytes; burst <= last; ++burst) {
        write_line(cycle, first.write, burst * bytes);
    }
}

void address_trace::write_line(std::uint64_t cycle, bool write, std::uint64_t address)
{
    const std::string at = hexadecimal(address);
    switch (m_config.reader) {
    case trace_reader::dramsys: m_file << cycle << (write ? ": write " : ": read ") << at << "\n"; break;
    case trace_reader::ramulator: m_file << at << (write ? " W\n" : " R\n"); break;
    case trace_reader::ramulator2: m_file << (write ? "ST " : "LD ") << at << "\n"; break;
    }
}

} // namespace tensorloom::activity
