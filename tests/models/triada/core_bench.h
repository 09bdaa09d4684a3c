#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/stop_request.h>
#include "models/triada/core_case.h"

namespace tensorloom::test {

/// A tensor core by itself, with a thread in the place of its actuators and another that loads registers meanwhile.
template <class Element> class core_bench : public sc_core::sc_module, private triada::step_observer {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    /// `stop_ps`: when somebody asks it to stop; 0 for never.
    core_bench(sc_core::sc_module_name name, const triada::config& config, std::vector<core_pass> passes,
               const std::vector<shape3>& watched = {}, std::uint64_t stop_ps = 0)
        : sc_core::sc_module(name), m_stream("stream"), m_cells("cells"), m_config(config), m_passes(std::move(passes)),
          m_step(static_cast<double>(config.step_cycles) * config.clock_period)
    {
        SC_HAS_PROCESS(core_bench);
        m_core = make_tensor_core("core", config, config.clock_period, m_stop, *this);
        m_stream.bind(m_core->streams);
        m_cells.bind(m_core->cells);
        for (const auto& at : watched) { m_watched.push_back(&m_core->watch(at)); }
        SC_THREAD(drive);
        SC_THREAD(load_meanwhile);
        if (stop_ps == 0) { return; }
        m_stop_at = sc_core::sc_time::from_value(stop_ps);
        SC_THREAD(stop);
    }

    const core_record& record() const { return m_record; }
    bool finished() const { return m_finished; }
    /// What each watched cell showed at the end of every step.
    const std::vector<std::vector<triada::cell_waveform>>& shown() const { return m_shown; }

private:
    void step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                   const triada::counts& counts) override
    {
        m_record.steps.push_back({stage, step, tag, start.value(), counts});
    }

    void drive()
    {
        for (const auto& pass : m_passes) {
            for (const auto& l : pass.loads) { load(l); }
            m_cells->activate(pass.box);
            m_pass = &pass;
            m_pass_begins.notify(sc_core::SC_ZERO_TIME);
            if (!stream(pass)) { break; } // what the cells hold is undefined
            for (const auto& r : pass.reads) { read(r); }
        }
        m_record.end_ps = sc_core::sc_time_stamp().value();
        m_finished = true;
    }

    // In the middle of each step: what waveforms show; in that of the first: loads of a register that the pass does not
    // use.
    void load_meanwhile()
    {
        while (true) {
            wait(m_pass_begins);
            const auto& pass = *m_pass;
            wait(0.5 * m_step);
            for (std::size_t step = 0; step < pass.rows.size(); ++step) {
                std::vector<triada::cell_waveform> now;
                for (const auto* w : m_watched) { now.push_back(*w); }
                m_shown.push_back(std::move(now));
                if (step == 0) {
                    for (const auto& l : pass.meanwhile) { load(l); }
                }
                if (step + 1 < pass.rows.size()) { wait(m_step); }
            }
        }
    }

    void stop()
    {
        wait(m_stop_at);
        m_stop.request();
    }

    // False when it was stopped.
    bool stream(const core_pass& pass)
    {
        triada::vector_burst burst;
        burst.stage = pass.stage;
        burst.mode = pass.mode;
        burst.x_mode = pass.x_mode;
        burst.source = pass.source;
        burst.target = pass.target;
        burst.shift = pass.shift;
        burst.length = pass.box[pass.mode];
        burst.columns = pass.columns;
        burst.esop = pass.esop;
        burst.zero_threshold = pass.threshold;
        std::uint32_t step = 0;
        const bool single = blocks::is_stepped(m_config.fidelity);
        const std::vector<std::size_t> bursts = single ? std::vector<std::size_t>(pass.rows.size(), 1) : pass.bursts;
        for (const std::size_t vectors : bursts) {
            burst.vectors.clear();
            for (std::size_t i = 0; i < vectors; ++i, ++step) { burst.vectors.push_back(vector_of(pass, step)); }
            sc_core::sc_time delay;
            m_stream->b_transport(burst, delay);
            if (burst.executed < vectors) { return false; }
        }
        return true;
    }

    static triada::tagged_vector vector_of(const core_pass& pass, std::uint32_t step)
    {
        const auto& row = pass.rows[step];
        triada::tagged_vector v{row.coefficients.data(), step, row.tag, 0, 0};
        bool zero_at_tag = true;
        for (std::uint32_t k = 0; k < pass.columns; ++k) {
            Element c;
            std::memcpy(&c, v.elements + k * sizeof c, sizeof c);
            const bool zero = arithmetic::is_zero(c);
            v.nonzeros += zero ? 0 : 1;
            if (k == row.tag) { zero_at_tag = zero; }
        }
        v.sent = pass.esop ? v.nonzeros + (zero_at_tag ? 1 : 0) : pass.box[pass.mode];
        return v;
    }

    void load(const core_load& l)
    {
        m_cells->clear(l.reg, l.shape);
        for (const auto& [first, elements] : l.pieces) {
            if (l.sums) {
                m_cells->write_sums(l.reg, first, l.data.data() + first * sizeof(accumulator), elements);
            } else {
                m_cells->write(l.reg, first, l.data.data() + first * sizeof(Element), elements);
            }
        }
    }

    void read(const core_read& r)
    {
        bytes out(r.elements * (r.sums ? sizeof(accumulator) : sizeof(Element)), 0xa5);
        std::uint64_t saturated = 0;
        if (r.sums) {
            m_cells->read_sums(r.reg, r.shape, r.first, out.data(), r.elements, r.shift);
        } else {
            saturated = m_cells->read(r.reg, r.shape, r.first, out.data(), r.elements, r.shift);
        }
        m_record.reads.push_back(std::move(out));
        m_record.saturated.push_back(saturated);
    }

    tlm_utils::simple_initiator_socket<core_bench, 32, triada::stream_protocol> m_stream;
    sc_core::sc_port<triada::cell_memory_if> m_cells;
    triada::config m_config;
    std::vector<core_pass> m_passes;
    sc_core::sc_time m_step;
    bus::stop_request m_stop;
    sc_core::sc_time m_stop_at;
    std::unique_ptr<triada::tensor_core> m_core;
    std::vector<const triada::cell_waveform*> m_watched;
    std::vector<std::vector<triada::cell_waveform>> m_shown;
    const core_pass* m_pass = nullptr;
    sc_core::sc_event m_pass_begins;
    core_record m_record;
    bool m_finished = false;
};

} // namespace tensorloom::test
