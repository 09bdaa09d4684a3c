#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/shell/command_processor.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/shell/dma_turn.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Fetches a program while its commands run (shell_config::program_prefetch).
///
/// The bytes after the program's header are fetched in pieces, each of which is one DMA transfer. Between two pieces
/// LOAD and STORE may use the DMA: the next piece begins one cycle after the previous piece, or after the transfer in
/// between. A LOAD or STORE waits for the piece in flight.
/// Stops     as for every transfer: at the next burst
/// Arrival times depend on simulated times alone, not on the order of processes at one time.
/// Not modelled: a limit of the bytes that are kept. A program is fetched once; loops run from the fetched copy.
///
/// Example
///
///     shell::program_fetch fetch("fetch", 4096, dma.first(), turn, clock, stop);
///     fetch.begin(0x8000'0000, program);
///     const shell::command_outcome outcome = fetch.wait_for(program.size());
class program_fetch : public sc_core::sc_module {
public:
    /// Elaboration. `piece_bytes`: above 0.
    program_fetch(sc_core::sc_module_name name, std::uint32_t piece_bytes, bus::dma_engine& dma, dma_turn& turn,
                  const program_clock& clock, const bus::stop_request& stop);

    /// Starts the fetch of a program whose header is valid; `program` has its full size and must stay in place.
    void begin(std::uint64_t address, std::vector<std::uint8_t>& program);
    /// Returns when the first `bytes` bytes of the program have arrived, at a cycle boundary; or the error that
    /// prevents it.
    command_outcome wait_for(std::size_t bytes);
    /// Returns when no transfer is in flight, at a cycle boundary.
    void finish();

private:
    struct arrival {
        std::size_t first; // range of program bytes
        std::size_t end;
        sc_core::sc_time at;
    };

    void fetch_programs(); // thread
    command_outcome fetch_pieces();
    void wait_for_turn();
    void arrived(const arrival& burst);

    std::size_t m_piece_bytes;
    bus::dma_engine& m_dma;
    dma_turn& m_turn;
    const program_clock& m_clock;
    const bus::stop_request& m_stop;
    sc_core::sc_event m_begin;
    sc_core::sc_event m_news; // bytes have arrived, or no more will arrive
    std::uint64_t m_address = 0;
    std::vector<std::uint8_t>* m_program = nullptr;
    bool m_running = false;
    command_outcome m_outcome;      // valid at the end
    std::size_t m_known = 0;        // bytes whose arrival time is known
    std::vector<arrival> m_early;   // after a gap
    std::deque<arrival> m_arrivals; // without gap, in program order; not yet waited for
};

/// The gate of a program that is being fetched: admits a command when it and the header after it have arrived and are
/// valid.
class arriving_commands : public command_gate {
public:
    arriving_commands(const std::vector<std::uint8_t>& program, const unit_table& units, program_fetch& fetch)
        : m_program(program), m_checks(units), m_fetch(fetch)
    {}

    std::optional<program_failure> admit(const isa::program_command& next) override;
    std::optional<program_failure> end(const isa::program_command& place) override
    {
        return m_checks.end(isa::program_commands(m_program).count(), place);
    }

private:
    const std::vector<std::uint8_t>& m_program;
    command_checks m_checks;
    program_fetch& m_fetch;
    std::uint32_t m_admitted = 0;
};

} // namespace tensorloom::shell
