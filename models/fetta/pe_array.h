#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/contraction_engine.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::fetta {

/// The registers of a contraction engine of one side and fidelity; contraction_engine.h defines their function and
/// timing.
class pe_array {
public:
    virtual ~pe_array() = default;

    virtual void configure(engine_dataflow path) = 0;
    virtual void evaluate(const engine_control& control, const engine_operands& operands) = 0;
    virtual void commit() = 0;
    virtual engine_result result() const = 0;

    std::uint64_t multiply_adds() const { return m_multiply_adds; }
    void hold()
    {
        m_waveform = {0, 0, 0, 0, result().valid};
        for (const auto& w : m_watched) { w->waveform.step = false; }
    }
    const engine_waveform& watch()
    {
        m_is_watched = true;
        return m_waveform;
    }
    const pe_waveform& watch(unsigned row, unsigned column)
    {
        m_is_watched = true;
        m_watched.push_back(std::make_unique<watched_pe>(watched_pe{row, column, {}}));
        return m_watched.back()->waveform;
    }

protected:
    void count(std::uint64_t multiply_adds) { m_multiply_adds += multiply_adds; }
    /// The waveform of a cycle: its tokens, and show_pe(row, column, waveform) for every PE, whose `step` is set.
    template <class Show>
    void show(std::uint32_t steps, std::uint32_t starts, std::uint32_t loads, std::uint32_t drains, const Show& show_pe)
    {
        if (!m_is_watched) { return; }
        m_waveform = {steps, starts, loads, drains, result().valid};
        for (const auto& w : m_watched) {
            w->waveform.step = (steps >> w->row & 1u) != 0;
            show_pe(w->row, w->column, w->waveform);
        }
    }

private:
    struct watched_pe {
        unsigned row;
        unsigned column;
        pe_waveform waveform;
    };

    std::uint64_t m_multiply_adds = 0;
    std::vector<std::unique_ptr<watched_pe>> m_watched;
    engine_waveform m_waveform;
    bool m_is_watched = false;
};

/// Why a device has no fidelity rtl, as a message; nothing when it has.
std::optional<std::string> rtl_error(const device_limits& limits);

/// The registers in Verilog (models/rtl/fetta); nullptr for a configuration without.
std::unique_ptr<pe_array> make_rtl_pe_array(const contraction_engine_config& config);

} // namespace tensorloom::fetta
