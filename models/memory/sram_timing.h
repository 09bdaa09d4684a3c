#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/tlm/reservation_table.h>

namespace tensorloom::memory {

/// The ports and banks of an SRAM, as far as they affect timing.
struct sram_geometry {
    unsigned bytes_per_cycle = 64; ///< width of a port, at least 1
    unsigned ports = 1;            ///< ports for reads and writes
    unsigned read_ports = 0;       ///< ports for reads only
    unsigned write_ports = 0;      ///< ports for writes only; at most 64 ports in total
    unsigned banks = 1;            ///< a power of two, 1 to 4096
    /// Consecutive words of this size lie in consecutive banks: a power of two, 1 to 65536.
    unsigned interleave_bytes = 8;
    unsigned accesses_per_bank = 1; ///< parallel accesses to one bank: 1 for single-ported cells; 1 to 64
    /// A write of part of a block of this size reads the block first, as words with a common check code and lines of a
    /// cache need: a power of two, 1 to 65536; 1: bytes are written by themselves.
    unsigned modify_bytes = 1;
    unsigned modify_cycles = 0; ///< periods that this takes before the beats of the write, once per access
};

/// The first error of a geometry; a read-only memory needs no write port.
std::optional<std::string> validate(const sram_geometry& geometry, bool read_only);

/// Schedules accesses on the ports and banks of an SRAM. Plain C++; time in ticks, `period` ticks per clock period.
///
/// An access takes the first suitable free port (among several free ones, a port for its direction only before one for
/// both; then by number) and holds it for its beats. A beat moves bytes_per_cycle bytes in one period, and needs in
/// that period every bank that holds its bytes, each once: words of one bank in one beat are accessed together. A beat
/// waits until all its banks are free, and so do the beats after it.
///
///     bank of an address = address / interleave_bytes mod banks
///     end = start + ceil(length / bytes_per_cycle) periods + waits for banks
///           + modify_cycles for a write of part of a block of modify_bytes
///
/// Accesses are booked in the order of the calls and never move: the earlier call has priority. An arrival before
/// booked times uses gaps between them.
/// Not modelled: a clock grid (an access starts when it arrives), unaligned beats that need two rows of one bank.
///
/// Example
///
///     memory::sram_timing timing(memory::sram_geometry{}, 1000);
///     const auto booked = timing.book({true, 0x40, 256, 256}, 0); // booked.end is 4000
class sram_timing {
public:
    struct access {
        bool reads;
        std::uint64_t address;
        std::uint64_t length; ///< bytes, at least 1
        std::uint64_t width;  ///< streaming width, 1..length: byte i lies at address + i mod width
    };
    struct booking {
        std::uint64_t start;                ///< when a port takes the access
        std::uint64_t end;                  ///< when its last beat is done
        std::uint64_t port_conflict_cycles; ///< periods between arrival and start, rounded up
        std::uint64_t bank_conflict_cycles; ///< periods that beats waited for banks, rounded up
    };

    sram_timing(const sram_geometry& geometry, std::uint64_t period);
    sram_timing(const sram_timing&) = delete;

    booking book(const access& a, std::uint64_t arrival)
    {
        if (arrival < m_last_end) { return book_among_others(a, arrival); }
        const std::uint64_t end = arrival + lead_of(a) + beats_of(a) * m_period;
        m_last_end = end;
        (a.reads ? m_first_reader : m_first_writer)->times.book(arrival, end);
        if (m_ports.size() > 1) { remember({a, arrival, end}); }
        return {arrival, end, 0, 0};
    }

    /// No later arrival is before `time`. Call it from time to time to release old bookings.
    void forget_before(std::uint64_t time);

    void clear(); ///< frees all ports and banks

private:
    std::uint64_t beats_of(const access& a) const
    {
        const std::uint64_t width = m_geometry.bytes_per_cycle;
        return a.length <= width ? 1 : (a.length + width - 1) / width;
    }

    // From the start to the first beat.
    std::uint64_t lead_of(const access& a) const
    {
        const std::uint64_t block = m_geometry.modify_bytes;
        const bool is_whole = block == 1 || ((a.address | a.length) & (block - 1)) == 0;
        return a.reads || is_whole ? 0 : m_geometry.modify_cycles * m_period;
    }

    struct port {
        bool reads;
        bool writes;
        bus::reservation_table times;
    };
    // An access whose beats were consecutive, kept until a later access needs to know which banks it used.
    struct undisturbed {
        access what;
        std::uint64_t start;
        std::uint64_t end;
    };

    struct choice {
        port* at;
        bus::reservation_table::stretch free;
    };
    struct lane {
        bus::reservation_table* at;
        bus::reservation_table::stretch free;
    };

    booking book_among_others(const access& a, std::uint64_t arrival);
    void remember(const undisturbed& u);
    choice free_port(bool reads, std::uint64_t from, std::uint64_t length);
    std::uint64_t plan_beats(const access& a, std::uint64_t start, std::uint64_t beats);
    void book_banks(const access& a, std::uint64_t beat, std::uint64_t time);
    void book_undisturbed(std::uint64_t from);
    lane lane_of(unsigned bank, std::uint64_t time);
    void touch_banks(const access& a, std::uint64_t beat);
    void touch_range(std::uint64_t address, std::uint64_t bytes);

    sram_geometry m_geometry;
    std::uint64_t m_period;
    std::vector<port> m_ports;
    port* m_first_reader = nullptr;
    port* m_first_writer = nullptr;
    std::vector<bus::reservation_table> m_banks; // accesses_per_bank of them for each bank
    std::deque<undisturbed> m_undisturbed;       // by time
    std::uint64_t m_last_end = 0;                // of all bookings
    std::vector<std::uint64_t> m_beats;          // times of the current access's beats
    std::vector<unsigned> m_touched;             // banks of the current beat
};

} // namespace tensorloom::memory
