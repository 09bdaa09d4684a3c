#include "orbital/fft_baselines.h"
#include <numeric>
#include <string>
#include <tensorloom/models/base/values/integers.h>
#include "platform/report/report_table.h"

namespace tensorloom::testbench {
namespace {

using torus::event;

constexpr std::uint64_t real_of_complex = 4; // multiply-adds
constexpr std::uint64_t reads_of_mac = 3, writes_of_mac = 1;

/// Energies of a node and of its links.
class node_costs {
public:
    node_costs(const costs::technology& technology, const torus::energy_parameters& node)
        : m_model(torus::device_energy(technology, node)), m_node(node),
          m_read(technology.energy("cell", "register_read", base::accumulator_type(node.format))),
          m_write(technology.energy("cell", "register_write", base::accumulator_type(node.format)))
    {}

    void charge(fft_baseline& b, std::uint64_t volume) const
    {
        const auto& c = b.counts;
        const double macs = static_cast<double>(c.multiply_adds) / real_of_complex;
        const auto forwarded = static_cast<double>(c.forwarded());
        b.mac_pj = macs * cost(event::mac).pj;
        b.registers_pj =
            macs * (reads_of_mac * m_read.pj + writes_of_mac * m_write.pj) + forwarded * (m_write.pj + m_read.pj);
        const auto accesses = static_cast<double>(c.memory_accesses + 2 * c.words + 2 * volume);
        b.node_memory_pj = accesses * cost(event::block_read).pj;
        const double pitches = 2.0 * (m_node.side - 1) / m_node.side; // of a ring's links on average
        b.estimate =
            m_read.estimate || m_write.estimate || cost(event::mac).estimate || cost(event::block_read).estimate;
        for (const auto along : {torus::axis::q, torus::axis::r, torus::axis::s}) {
            const auto link = cost(torus::link_word_pitch(along));
            const double passed = pitches * static_cast<double>(c.word_hops[static_cast<std::size_t>(along)]);
            b.word_pitches += passed;
            b.links_pj += passed * link.pj;
            b.estimate = b.estimate || (passed > 0 && link.estimate);
        }
    }

private:
    const costs::event_cost& cost(event e) const { return m_model.costs[static_cast<std::size_t>(e)]; }

    costs::energy_model m_model;
    torus::energy_parameters m_node;
    costs::event_cost m_read, m_write;
};

// The least overhead of a round with which the torus takes less time; none if no overhead makes it so.
std::optional<double> overhead_of_round(const fft_baseline& torus, const fft_baseline& other)
{
    if (torus.cycles <= other.cycles) { return 0; }
    if (other.counts.rounds <= torus.counts.rounds) { return std::nullopt; }
    return static_cast<double>(torus.cycles - other.cycles) /
           static_cast<double>(other.counts.rounds - torus.counts.rounds);
}

json json_of(const fft_baseline& b, const std::optional<double>& overhead)
{
    return {{"algorithm", b.algorithm},
            {"nodes", b.counts.nodes},
            {"rounds", b.counts.rounds},
            {"words", b.counts.words},
            {"word_hops", b.counts.word_hops},
            {"hops", b.counts.hops()},
            {"word_pitches", b.word_pitches},
            {"farthest_hops", b.counts.farthest_hops},
            {"multiply_adds", b.counts.multiply_adds},
            {"node_memory_words", b.counts.node_words},
            {"cycles", b.cycles},
            {"overhead_of_round_cycles", or_null(overhead)},
            {"energy_pJ",
             {{"total", b.pj()},
              {"mac", b.mac_pj},
              {"registers", b.registers_pj},
              {"node_memory", b.node_memory_pj},
              {"links", b.links_pj}}},
            {"energy_estimated", b.estimate}};
}

} // namespace

std::vector<fft_baseline> fft_baselines(const costs::technology& technology, const torus::energy_parameters& node,
                                        std::uint64_t words_per_cycle, const workloads::shape3& shape)
{
    const node_costs costs(technology, node);
    std::vector<fft_baseline> all;
    for (const auto& division : workloads::fft_division_values) {
        const auto plan = plan_fft(static_cast<workloads::fft_division>(division.value), node.side, shape);
        if (!plan) { continue; }
        fft_baseline b;
        b.algorithm = division.name;
        b.text = std::string(division.name) + " (" + division.meaning + ")";
        b.counts = counts_of(*plan);
        b.cycles = base::quotient_up(b.counts.multiply_adds, real_of_complex * node.macs_per_cycle * b.counts.nodes) +
                   base::quotient_up(b.counts.busiest_link_words, words_per_cycle);
        costs.charge(b, workloads::volume_of(shape));
        all.push_back(std::move(b));
    }
    return all;
}

fft_baseline baseline_of(const measured_run& torus)
{
    fft_baseline b;
    b.algorithm = b.text = "torus";
    b.counts.nodes = torus.fit->nodes();
    b.counts.rounds = torus.steps;
    b.counts.word_hops = torus.words; // each to a neighbour
    b.counts.words = b.counts.hops();
    b.counts.farthest_hops = b.counts.words > 0 ? 1 : 0;
    b.counts.multiply_adds = real_of_complex * torus.macs_done;
    b.counts.node_words = torus.memory_words / b.counts.nodes;
    b.word_pitches = std::accumulate(torus.word_pitches.begin(), torus.word_pitches.end(), 0.0);
    b.cycles = torus.working_cycles;
    b.mac_pj = torus.costs.pj_of("mac");
    b.registers_pj = torus.costs.pj_of("registers");
    b.node_memory_pj = torus.costs.pj_of("node_memory");
    b.links_pj = torus.costs.pj_of("links");
    for (const auto& part : torus.costs.energy) { b.estimate = b.estimate || part.estimate; }
    return b;
}

void write_baselines(run_report& report, const measured_run& torus, const std::vector<fft_baseline>& baselines)
{
    report["baselines"] = nullptr;
    if (baselines.empty()) { return; }
    const auto own = baseline_of(torus);
    report.text() << "  fast Fourier transforms on these nodes\n";
    cell_table table(report.text(), 27, {8, 8, 14, 14, 10, 16, 14, 14, 14});
    table.print("", {"nodes", "rounds", "words sent", "word-hops", "farthest", "multiply-adds", "cycles", "energy",
                     "overhead"});
    json list = json::array();
    const auto add = [&](const fft_baseline& b, const std::optional<double>& overhead) {
        table.print(b.text, {grouped_text(b.counts.nodes), grouped_text(b.counts.rounds), grouped_text(b.counts.words),
                             grouped_text(b.counts.hops()), grouped_text(b.counts.farthest_hops),
                             grouped_text(b.counts.multiply_adds), (&b == &own ? "" : ">= ") + grouped_text(b.cycles),
                             quantity_text(b.pj(), "J"), &b == &own || !overhead ? "-" : number_text(*overhead)});
        list.push_back(json_of(b, overhead));
    };
    add(own, std::nullopt);
    for (const auto& b : baselines) { add(b, overhead_of_round(own, b)); }
    report["baselines"] = std::move(list);
}

} // namespace tensorloom::testbench
