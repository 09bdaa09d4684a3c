// What the shipped DRAMs achieve of their peak, the first also by traffic and by controller, and how fast the model
// runs.
//
// Bandwidth comes from the timing model with accesses waiting at all times; it does not depend on the machine. Speed is
// CPU time of blocking and of four-phase transactions of 64 bytes through the module, median of rounds. Ends with 1
// when the counters do not prove themselves: streaming below 90 % of peak, rows of one bank not at tRC, refreshes not
// at tRFC/tREFI.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/costs/dram/dram_mapping.h>
#include <tensorloom/models/memory/dram.h>
#include "benchmarks/rounds.h"

namespace {

using namespace tensorloom;
using costs::dram_event;

bool all_right = true;

void require(bool right, const char* what)
{
    if (!right) { std::printf("WRONG: %s\n", what); }
    all_right = all_right && right;
}

// ---- bandwidth ------------------------------------------------------------------------------------------------------

struct traffic {
    const char* name;
    std::function<std::uint64_t(std::uint64_t)> address; ///< of the n-th access
    unsigned bytes;
};

struct mix {
    const char* name;
    std::function<bool(std::uint64_t)> writes; ///< the n-th access
};

struct result {
    double of_peak = 0;
    double hits = 0;                             ///< of bursts
    double turnaround = 0, row = 0, refresh = 0; ///< stalls, of all clock periods
};

result run(const costs::dram_config& config, const traffic& t, const mix& m)
{
    memory::dram_controller dram(config);
    const std::uint64_t accesses = (std::uint64_t{8} << 20) / t.bytes;
    std::uint64_t end = 0;
    for (std::uint64_t n = 0; n < accesses; ++n) {
        end = std::max(end, dram.access(t.address(n), t.bytes, m.writes(n), 0));
    }
    dram.settle(end);
    const auto& counts = dram.counts();
    const double bursts = static_cast<double>(counts[dram_event::read_burst] + counts[dram_event::write_burst]);
    const double cycles = static_cast<double>(end) * config.organisation.channels;
    const auto share = [&](dram_event e) { return static_cast<double>(counts[e]) / cycles; };
    const double ns = static_cast<double>(end) * config.tCK_ps * 1e-3;
    return {static_cast<double>(accesses * t.bytes) / ns / config.peak_bytes_per_ns(),
            static_cast<double>(counts[dram_event::row_hit]) / bursts, share(dram_event::turnaround_stall_cycle),
            share(dram_event::row_stall_cycle), share(dram_event::refresh_stall_cycle)};
}

void print(const char* controller, const traffic& t, const mix& m, const result& r, double peak)
{
    std::printf("%-22s %-18s %-14s %6.1f %% %6.2f GB/s %7.1f %% %6.1f %% %6.1f %% %6.1f %%\n", controller, t.name,
                m.name, 100 * r.of_peak, peak * r.of_peak, 100 * r.hits, 100 * r.row, 100 * r.turnaround,
                100 * r.refresh);
}

const traffic sequential{"sequential 256 B", [](auto n) { return 256 * n; }, 256};

traffic random_places(const costs::dram_config& config)
{
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> places(1 << 18);
    for (auto& p : places) { p = random() % config.organisation.bytes() / 64 * 64; }
    return {"random 64 B", [places](auto n) { return places[n % places.size()]; }, 64};
}

const mix mixes[] = {{"reads", [](auto) { return false; }},
                     {"writes", [](auto) { return true; }},
                     {"1:1 in turns", [](auto n) { return n % 2 == 1; }},
                     {"1:1 runs of 16", [](auto n) { return n / 16 % 2 == 1; }}};

void bandwidth()
{
    const auto shipped = costs::load_dram("lpddr4-3200");
    const auto row = [mapping = costs::dram_mapping(shipped)](std::uint64_t number) {
        return mapping.address({0, 0, static_cast<unsigned>(number), 0});
    };
    const traffic traffics[] = {sequential,
                                {"stride 4 KiB, 64 B", [](auto n) { return 4096 * n; }, 64},
                                {"one bank's rows", [&](auto n) { return row(n % shipped.organisation.rows); }, 32},
                                random_places(shipped)};
    auto closed = shipped, closed_banks = shipped, per_bank = shipped, no_refresh = shipped;
    closed.controller.page = costs::dram_page::closed;
    closed_banks.controller.page = costs::dram_page::closed;
    closed_banks.controller.mapping = "row:column:bank:channel";
    per_bank.controller.refresh = costs::dram_refresh::per_bank;
    no_refresh.controller.refresh = costs::dram_refresh::off;
    const std::pair<const char*, costs::dram_config> controllers[] = {{"shipped", shipped},
                                                                      {"refresh per bank", per_bank},
                                                                      {"refresh off", no_refresh},
                                                                      {"closed page", closed},
                                                                      {"closed page, banks low", closed_banks}};

    std::printf("%-22s %-18s %-14s %8s %11s %9s %8s %8s %8s\n", "controller", "traffic", "mix", "of peak", "bandwidth",
                "row hits", "row", "turn", "refresh");
    const double peak = shipped.peak_bytes_per_ns();
    for (const auto& [name, config] : controllers) {
        for (const auto& t : traffics) {
            for (const auto& m : mixes) {
                const auto r = run(config, t, m);
                print(name, t, m, r, peak);
                if (config.controller.page == costs::dram_page::open && &t == &traffics[0] && &m <= &mixes[1]) {
                    require(r.of_peak >= 0.9, "streaming reaches 90 % of peak");
                }
            }
        }
    }
}

void shipped_parts()
{
    for (const auto& name : costs::shipped_dram_names()) {
        const auto config = costs::load_dram(name);
        const double peak = config.peak_bytes_per_ns();
        for (const auto& t : {sequential, random_places(config)}) {
            for (const auto& m : mixes) { print(name.c_str(), t, m, run(config, t, m), peak); }
        }
        const auto energy = costs::dram_energy(config);
        const auto pj_per_bit = [&](dram_event e) {
            return energy.costs[static_cast<std::size_t>(e)].pj / (8.0 * config.organisation.burst_bytes());
        };
        std::printf("%-12s %2u channels %5.1f GB/s, %.1f pJ/bit read, %.1f pJ/bit written\n", name.c_str(),
                    config.organisation.channels, peak, pj_per_bit(dram_event::read_burst),
                    pj_per_bit(dram_event::write_burst));
    }
}

void proofs()
{
    auto config = costs::load_dram("lpddr4-3200");
    memory::dram_controller streamed(config);
    std::uint64_t end = 0;
    for (std::uint64_t a = 0; a < 16 << 20; a += 256) { end = std::max(end, streamed.access(a, 256, false, 0)); }
    const auto& t = config.timing;
    const double share = static_cast<double>(streamed.counts()[dram_event::refresh]) / config.organisation.channels *
                         t.tRFCab / static_cast<double>(end);
    std::printf("\nrefresh share of a streamed channel: %.3f %%, tRFCab / tREFI = %.3f %%\n", 100 * share,
                100.0 * t.tRFCab / t.tREFI);
    require(std::abs(share - double(t.tRFCab) / t.tREFI) < 2.0 * t.tRFCab / static_cast<double>(end), "refresh share");

    config.controller.refresh = costs::dram_refresh::off;
    config.controller.channel_hash = costs::dram_channel_hash::none;
    memory::dram_controller rows(config);
    std::vector<std::uint64_t> activates;
    rows.log_to([&](const memory::dram_command& c) {
        if (c.kind == memory::dram_command_kind::activate) { activates.push_back(c.tick); }
    });
    for (std::uint64_t row = 0; row < 1000; ++row) { rows.access(row * 65536, 32, false, 0); }
    const double interval = static_cast<double>(activates.back() - activates.front()) / (activates.size() - 1.0);
    std::printf("row misses of one bank: every %.2f tCK, tRCpb = %u tCK\n", interval, t.tRCpb);
    require(interval == t.tRCpb, "row misses of one bank come at tRC");
}

// ---- speed ----------------------------------------------------------------------------------------------------------

using benchmarks::rounds;
constexpr unsigned transactions = 200000; // in a round
constexpr unsigned block = 64;

/// Blocking and non-blocking streams of neighbouring reads, in turns, each at a memory of its own.
class stream_initiator : public sc_core::sc_module, private tlm::tlm_mm_interface {
public:
    tlm_utils::simple_initiator_socket<stream_initiator, 64> blocking, non_blocking;
    benchmarks::paired_times times; // blocking transactions, then those of four phases

    explicit stream_initiator(sc_core::sc_module_name name)
        : sc_core::sc_module(name), blocking("blocking"), non_blocking("non_blocking"), m_data(block)
    {
        SC_HAS_PROCESS(stream_initiator);
        non_blocking.register_nb_transport_bw(this, &stream_initiator::nb_transport_bw);
        SC_THREAD(run);
    }
    ~stream_initiator() override
    {
        for (auto* t : m_all) { delete t; }
    }

private:
    void run()
    {
        times = benchmarks::times_in_turns(
            1, [this] { stream_blocking(); }, [this] { stream_non_blocking(); });
        sc_core::sc_stop();
    }

    void fill(tlm::tlm_generic_payload& t, unsigned n)
    {
        t.set_read();
        t.set_address(std::uint64_t{block} * n);
        t.set_data_ptr(m_data.data());
        t.set_data_length(block);
        t.set_streaming_width(block);
        t.set_dmi_allowed(false);
        t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }

    void stream_blocking()
    {
        tlm::tlm_generic_payload t;
        sc_core::sc_time delay;
        for (unsigned n = 0; n < transactions; ++n) {
            fill(t, n);
            blocking->b_transport(t, delay);
        }
        wait(delay);
    }

    void stream_non_blocking()
    {
        m_left = transactions;
        for (unsigned n = 0; n < transactions; ++n) {
            if (m_free.empty()) {
                m_all.push_back(new tlm::tlm_generic_payload(this));
                m_free.push_back(m_all.back());
            }
            auto& t = *m_free.back();
            m_free.pop_back();
            t.acquire();
            fill(t, n);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            if (non_blocking->nb_transport_fw(t, phase, delay) == tlm::TLM_UPDATED) {
                wait(delay);
            } else {
                wait(m_request_taken);
            }
        }
        if (m_left > 0) { wait(m_done); }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        if (phase == tlm::END_REQ) {
            m_request_taken.notify(delay);
            return tlm::TLM_ACCEPTED;
        }
        t.release();
        if (--m_left == 0) { m_done.notify(delay); }
        return tlm::TLM_COMPLETED;
    }
    void free(tlm::tlm_generic_payload* t) override { m_free.push_back(t); }

    std::vector<unsigned char> m_data;
    std::vector<tlm::tlm_generic_payload*> m_all, m_free;
    sc_core::sc_event m_request_taken, m_done;
    unsigned m_left = 0;
};

void speed()
{
    stream_initiator cpu("cpu");
    memory::dram<64> loose("loose"), timed("timed");
    cpu.blocking.bind(loose.in);
    cpu.non_blocking.bind(timed.in);
    sc_core::sc_start();
    const auto millions = [](const std::vector<double>& s) { return transactions / benchmarks::median(s) * 1e-6; };
    std::printf("\n64-byte reads, medians of %u rounds of %u: blocking %.2f M/CPU s, four phases %.2f M/CPU s\n",
                rounds, transactions, millions(cpu.times.reference_s), millions(cpu.times.measured_s));
    const double ns = sc_core::sc_time_stamp().to_seconds() * 1e9;
    std::printf("%.1f ms simulated; four-phase bursts: %llu\n", ns * 1e-6,
                static_cast<unsigned long long>(timed.counts()[dram_event::read_burst]));
    require(timed.counts()[dram_event::read_burst] == std::uint64_t{2} * rounds * transactions, "every burst was read");
}

} // namespace

int sc_main(int, char*[])
{
    bandwidth();
    shipped_parts();
    proofs();
    speed();
    return all_right ? 0 : 1;
}
