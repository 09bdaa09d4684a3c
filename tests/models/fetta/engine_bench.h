#pragma once
#include <cstdint>
#include <map>
#include <ostream>
#include <utility>
#include <vector>
#include <tensorloom/models/fetta/contraction_engine.h>

namespace tensorloom::test {

using engine_row = std::vector<float>;

/// A tile as an engine's ports see it.
struct engine_tile {
    std::vector<engine_row> ia; ///< by step; an empty row is absent from the port
    std::vector<engine_row> ib; ///< stationary: by row of the tile; OS: by step
    std::vector<bool> valid;    ///< stationary: by step; OS: by row; empty: all
};

/// What left an engine as a valid row, at the end of a cycle.
struct engine_output {
    std::int64_t cycle;
    engine_row row;
    friend bool operator==(const engine_output& a, const engine_output& b)
    {
        return a.cycle == b.cycle && a.row == b.row;
    }
    friend std::ostream& operator<<(std::ostream& out, const engine_output& o)
    {
        out << "cycle " << o.cycle << ":";
        for (const float x : o.row) { out << ' ' << x; }
        return out;
    }
};

/// Engines under one clock and one control: tiles are put at cycles, then the cycles run, from the first in which
/// something enters.
class engine_bench {
public:
    /// latency: cycles of a multiply-add; the steps of output-stationary tiles are that far apart.
    engine_bench(std::vector<fetta::contraction_engine*> engines, unsigned side, unsigned latency = 1)
        : m_engines(std::move(engines)), m_side(side), m_latency(latency)
    {}

    void stationary(std::int64_t start, const engine_tile& tile, std::size_t engine = 0)
    {
        const std::int64_t side = m_side;
        for (std::int64_t r = 0; r < side; ++r) {
            auto& control = m_cycles[start - 1 - r].control;
            control.load = true;
            control.load_start = r == side - 1;
            inputs(start - 1 - r, engine).ib = tile.ib[static_cast<std::size_t>(r)];
        }
        for (std::size_t t = 0; t < tile.ia.size(); ++t) {
            step(start + static_cast<std::int64_t>(t), t, tile, engine).valid =
                tile.valid.empty() || tile.valid[t] ? 1 : 0;
        }
    }
    void output_stationary(std::int64_t start, const engine_tile& tile, std::size_t engine = 0)
    {
        const auto at = [&](std::size_t k) { return start + m_latency * static_cast<std::int64_t>(k); };
        for (std::size_t k = 0; k < tile.ia.size(); ++k) { step(at(k), k, tile, engine).ib = tile.ib[k]; }
        const std::int64_t end = at(tile.ia.size());
        m_cycles[end].control.finish = true;
        for (unsigned m = 0; m < m_side; ++m) {
            if (tile.valid.empty() || tile.valid[m]) { inputs(end, engine).valid |= 1u << m; }
        }
    }

    /// Runs until the engines are empty. after_cycle(cycle) is called when a cycle has ended.
    template <class F> std::vector<std::vector<engine_output>> run(F&& after_cycle)
    {
        std::vector<std::vector<engine_output>> outputs(m_engines.size());
        const std::int64_t last = m_cycles.rbegin()->first + (2 + m_latency) * m_side;
        for (std::int64_t c = m_cycles.begin()->first; c <= last; ++c) {
            const auto& now = m_cycles[c];
            for (std::size_t e = 0; e < m_engines.size(); ++e) {
                const port_inputs port = e < now.ports.size() ? now.ports[e] : port_inputs();
                m_engines[e]->evaluate(now.control, {pointer(port.ia), pointer(port.ib), port.valid});
            }
            for (auto* engine : m_engines) { engine->commit(); }
            for (std::size_t e = 0; e < m_engines.size(); ++e) {
                const auto result = m_engines[e]->result();
                if (result.valid) { outputs[e].push_back({c, engine_row(result.row, result.row + m_side)}); }
            }
            after_cycle(c);
        }
        m_cycles.clear();
        return outputs;
    }
    std::vector<std::vector<engine_output>> run()
    {
        return run([](std::int64_t) {});
    }

private:
    struct port_inputs {
        engine_row ia, ib; // empty: absent
        std::uint32_t valid = 0;
    };
    struct cycle_inputs {
        fetta::engine_control control;
        std::vector<port_inputs> ports;
    };

    port_inputs& inputs(std::int64_t cycle, std::size_t engine)
    {
        auto& ports = m_cycles[cycle].ports;
        ports.resize(m_engines.size());
        return ports[engine];
    }
    port_inputs& step(std::int64_t cycle, std::size_t t, const engine_tile& tile, std::size_t engine)
    {
        auto& control = m_cycles[cycle].control;
        control.step = true;
        control.start = t == 0;
        auto& port = inputs(cycle, engine);
        port.ia = tile.ia[t];
        return port;
    }
    static const float* pointer(const engine_row& row) { return row.empty() ? nullptr : row.data(); }

    std::vector<fetta::contraction_engine*> m_engines;
    unsigned m_side;
    std::int64_t m_latency;
    std::map<std::int64_t, cycle_inputs> m_cycles;
};

} // namespace tensorloom::test
