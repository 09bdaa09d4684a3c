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
/// What is behind the program's header comes in pieces of so many bytes, each a transfer of the DMA. Between two pieces
/// LOAD and STORE may have the DMA: the next piece begins a cycle after the one before, or after the transfer that came
/// in between. A LOAD or STORE waits for the piece that is under way.
/// Stops     as every transfer: at the next burst
/// What arrives when depends on times alone, not on the order of processes within one time.
/// Not modelled: a bound on the bytes that are kept. A program is fetched once, loops run from what has been fetched.
///
/// Example
///
///     shell::program_fetch fetch("fetch", 4096, dma, turn, clock, stop);
///     fetch.begin(0x8000'0000, program);
///     const shell::command_outcome outcome = fetch.wait_for(program.size());
class program_fetch : public sc_core::sc_module {
public:
    /// Elaboration. `piece_bytes`: above 0.
    program_fetch(sc_core::sc_module_name name, std::uint32_t piece_bytes, bus::dma_engine& dma, dma_turn& turn,
                  const program_clock& clock, const bus::stop_request& stop);

    /// A program whose header is there and right: it has its size, and stays where it is.
    void begin(std::uint64_t address, std::vector<std::uint8_t>& program);
    /// Returns when the first so many bytes of the program are there, at a cycle boundary; or what keeps them away.
    command_outcome wait_for(std::size_t bytes);
    /// Returns when nothing is under way any more, at a cycle boundary.
    void finish();

private:
    struct arrival {
        std::size_t first; // bytes of the program, from there to the end
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
    sc_core::sc_event m_news; // bytes have arrived, or none will any more
    std::uint64_t m_address = 0;
    std::vector<std::uint8_t>* m_program = nullptr;
    bool m_running = false;
    command_outcome m_outcome;      // when it has ended
    std::size_t m_known = 0;        // bytes of which it is known when they are there
    std::vector<arrival> m_early;   // behind a gap
    std::deque<arrival> m_arrivals; // without gap, in the order of the program; not waited for yet
};

/// The commands of a program that is being fetched: each is let through when it has arrived whole, and the header
/// behind it, and nothing is wrong with it.
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
