#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/vector_unit.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::test {

/// A vector unit with a scratchpad of its own, and who asks it to stop.
struct vector_bench {
    vector_bench(const std::string& name, const blocks::vector_unit_config& settings, unsigned banks,
                 std::uint64_t bytes = 1u << 16)
        : config(settings), bank_count(banks),
          scratchpad((name + "_pad").c_str(), bytes, static_cast<unsigned>(base::element_bytes(config.word)), banks),
          unit((name + "_unit").c_str(), config, stop)
    {
        unit.pad(scratchpad.port);
    }

    memory::scratchpad_if& pad() { return *unit.pad.operator->(); }
    std::vector<unsigned char> contents() { return {pad().at(0), pad().at(0) + pad().size()}; }
    void fill(const std::vector<unsigned char>& bytes)
    {
        std::uint64_t words = 0;
        std::memcpy(pad().write(0, bytes.size(), words), bytes.data(), bytes.size());
    }

    blocks::vector_unit_config config;
    std::uint64_t bank_count;
    bus::stop_request stop;
    memory::scratchpad scratchpad;
    blocks::vector_unit unit;
};

/// A thread of the simulation.
class bench_thread : public sc_core::sc_module {
public:
    bench_thread(sc_core::sc_module_name name, std::function<void()> body)
        : sc_core::sc_module(name), m_body(std::move(body))
    {
        SC_HAS_PROCESS(bench_thread);
        SC_THREAD(run);
    }
    bool ended() const { return m_ended; }

private:
    void run()
    {
        m_body();
        m_ended = true;
    }

    std::function<void()> m_body;
    bool m_ended = false;
};

template <class Counts> std::uint64_t cycles_of(const blocks::unit_outcome<Counts>& outcome, const std::string& cause)
{
    std::uint64_t sum = 0;
    for (const auto& s : outcome.segments) { sum += cause == s.cause ? s.cycles : 0; }
    return sum;
}

inline bool same_outcome(const blocks::vector_outcome& a, const blocks::vector_outcome& b)
{
    const auto same = [](const blocks::cycle_segment& x, const blocks::cycle_segment& y) {
        return std::string(x.cause) == y.cause && x.cycles == y.cycles;
    };
    return a.error == b.error && a.counts == b.counts && a.segments.size() == b.segments.size() &&
           std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), same);
}

} // namespace tensorloom::test
