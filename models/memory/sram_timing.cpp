#include <tensorloom/models/memory/sram_timing.h>
#include <algorithm>

namespace tensorloom::memory {
namespace {

bool power_of_two_up_to(unsigned value, unsigned limit)
{
    return value != 0 && value <= limit && (value & (value - 1)) == 0;
}

std::uint64_t periods_begun(std::uint64_t ticks, std::uint64_t period) { return (ticks + period - 1) / period; }

} // namespace

std::optional<std::string> validate(const sram_geometry& g, bool read_only)
{
    if (g.bytes_per_cycle == 0) { return std::string("SRAM port of 0 bytes per cycle, expected at least 1"); }
    const std::uint64_t ports = std::uint64_t{g.ports} + g.read_ports + g.write_ports;
    if (ports == 0 || ports > 64) { return "SRAM of " + std::to_string(ports) + " ports, expected 1 to 64"; }
    if (g.ports + g.read_ports == 0) { return std::string("SRAM without a port for reads"); }
    if (g.ports + g.write_ports == 0 && !read_only) { return std::string("SRAM without a port for writes"); }
    if (!power_of_two_up_to(g.banks, 4096)) {
        return "SRAM of " + std::to_string(g.banks) + " banks, expected a power of two from 1 to 4096";
    }
    if (!power_of_two_up_to(g.interleave_bytes, 65536)) {
        return "SRAM banks interleaved by " + std::to_string(g.interleave_bytes) +
               " bytes, expected a power of two from 1 to 65536";
    }
    if (!power_of_two_up_to(g.modify_bytes, 65536)) {
        return "SRAM that reads blocks of " + std::to_string(g.modify_bytes) +
               " bytes before it writes parts of them, expected a power of two from 1 to 65536";
    }
    if (g.accesses_per_bank == 0 || g.accesses_per_bank > 64) {
        return "SRAM bank of " + std::to_string(g.accesses_per_bank) + " accesses at a time, expected 1 to 64";
    }
    return std::nullopt;
}

sram_timing::sram_timing(const sram_geometry& geometry, std::uint64_t period) : m_geometry(geometry), m_period(period)
{
    for (unsigned i = 0; i < geometry.read_ports; ++i) { m_ports.push_back({true, false, {}}); }
    for (unsigned i = 0; i < geometry.write_ports; ++i) { m_ports.push_back({false, true, {}}); }
    for (unsigned i = 0; i < geometry.ports; ++i) { m_ports.push_back({true, true, {}}); }
    m_first_reader = free_port(true, 0, 1).at;
    m_first_writer = free_port(false, 0, 1).at; // none in a read-only memory without write port
    // One port never uses two banks at a time.
    if (m_ports.size() > 1) { m_banks.resize(std::size_t{geometry.banks} * geometry.accesses_per_bank); }
}

sram_timing::booking sram_timing::book_among_others(const access& a, std::uint64_t arrival)
{
    const std::uint64_t beats = beats_of(a);
    const std::uint64_t lead = lead_of(a), length = lead + beats * m_period;
    const bool alone = m_ports.size() == 1; // no other port uses a bank
    if (!alone) { book_undisturbed(arrival); }
    const auto last_beat_from = [&](std::uint64_t start) {
        return alone ? start + length : plan_beats(a, start + lead, beats);
    };
    choice taken = free_port(a.reads, arrival, length);
    std::uint64_t end = last_beat_from(taken.free.begin);
    while (end > taken.free.end) { // bank stalls make it too long for this gap
        taken = free_port(a.reads, arrival, end - taken.free.begin);
        end = last_beat_from(taken.free.begin);
    }
    const std::uint64_t start = taken.free.begin;
    taken.at->times.book(start, end);
    for (std::uint64_t beat = 0; !alone && beat < beats; ++beat) { book_banks(a, beat, m_beats[beat]); }
    m_last_end = std::max(m_last_end, end);
    return {start, end, periods_begun(start - arrival, m_period), periods_begun(end - start - length, m_period)};
}

void sram_timing::clear()
{
    for (auto& p : m_ports) { p.times.clear(); }
    for (auto& b : m_banks) { b.clear(); }
    m_undisturbed.clear();
    m_last_end = 0;
}

void sram_timing::remember(const undisturbed& u)
{
    if (m_undisturbed.size() == bus::reservation_table::limit) { m_undisturbed.pop_front(); }
    m_undisturbed.push_back(u);
}

void sram_timing::forget_before(std::uint64_t time)
{
    for (auto& p : m_ports) { p.times.forget_before(time); }
    for (auto& b : m_banks) { b.forget_before(time); }
    while (!m_undisturbed.empty() && m_undisturbed.front().end <= time) { m_undisturbed.pop_front(); }
}

// The port that is free first for `length`, and its free interval.
sram_timing::choice sram_timing::free_port(bool reads, std::uint64_t from, std::uint64_t length)
{
    choice best{nullptr, {bus::reservation_table::for_ever, 0}};
    for (auto& p : m_ports) {
        if (!(reads ? p.reads : p.writes)) { continue; }
        const auto free = p.times.free_from(from, length);
        if (free.begin < best.free.begin) { best = {&p, free}; }
    }
    return best;
}

// Computes the times of an access's beats from `start` on into m_beats; returns the end of the last one.
std::uint64_t sram_timing::plan_beats(const access& a, std::uint64_t start, std::uint64_t beats)
{
    m_beats.clear();
    std::uint64_t time = start;
    for (std::uint64_t beat = 0; beat < beats; ++beat) {
        touch_banks(a, beat);
        std::uint64_t asked;
        do {
            asked = time;
            for (const unsigned bank : m_touched) { time = std::max(time, lane_of(bank, time).free.begin); }
        } while (time != asked);
        m_beats.push_back(time);
        time += m_period;
    }
    return time;
}

void sram_timing::book_banks(const access& a, std::uint64_t beat, std::uint64_t time)
{
    touch_banks(a, beat);
    for (const unsigned bank : m_touched) { lane_of(bank, time).at->book(time, time + m_period); }
}

// Books the beats of the accesses that end after `from`.
void sram_timing::book_undisturbed(std::uint64_t from)
{
    for (; !m_undisturbed.empty() && m_undisturbed.back().end > from; m_undisturbed.pop_back()) {
        const undisturbed& u = m_undisturbed.back();
        for (std::uint64_t beat = 0, time = u.start + lead_of(u.what); time < u.end; ++beat, time += m_period) {
            book_banks(u.what, beat, time);
        }
    }
}

// Among the parallel lanes of a bank, the one that is free first for a period from `time` on.
sram_timing::lane sram_timing::lane_of(unsigned bank, std::uint64_t time)
{
    lane best{nullptr, {bus::reservation_table::for_ever, 0}};
    for (unsigned i = 0; i < m_geometry.accesses_per_bank; ++i) {
        auto& calendar = m_banks[std::size_t{bank} * m_geometry.accesses_per_bank + i];
        const auto free = calendar.free_from(time, m_period);
        if (free.begin < best.free.begin) { best = {&calendar, free}; }
    }
    return best;
}

// Writes the distinct banks of one beat into m_touched.
void sram_timing::touch_banks(const access& a, std::uint64_t beat)
{
    m_touched.clear();
    const std::uint64_t first = beat * m_geometry.bytes_per_cycle;
    const std::uint64_t bytes = std::min<std::uint64_t>(m_geometry.bytes_per_cycle, a.length - first);
    const std::uint64_t offset = first % a.width;
    if (bytes >= a.width) {
        touch_range(a.address, a.width);
    } else {
        const std::uint64_t before_wrap = std::min(bytes, a.width - offset);
        touch_range(a.address + offset, before_wrap);
        if (bytes > before_wrap) { touch_range(a.address, bytes - before_wrap); }
    }
}

void sram_timing::touch_range(std::uint64_t address, std::uint64_t bytes)
{
    const std::uint64_t first = address / m_geometry.interleave_bytes;
    const std::uint64_t last = (address + bytes - 1) / m_geometry.interleave_bytes;
    for (std::uint64_t word = first; word <= last && word - first < m_geometry.banks; ++word) {
        const auto bank = static_cast<unsigned>(word % m_geometry.banks);
        if (std::find(m_touched.begin(), m_touched.end(), bank) == m_touched.end()) { m_touched.push_back(bank); }
    }
}

} // namespace tensorloom::memory
