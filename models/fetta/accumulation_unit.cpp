#include <tensorloom/models/fetta/accumulation_unit.h>
#include <utility>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/rtl/fetta/accumulator_registers.h>

namespace tensorloom::fetta {
namespace {

template <class Action> void for_each_bank(std::uint64_t banks, const Action& action)
{
    for (; banks != 0; banks &= banks - 1) { action(static_cast<unsigned>(__builtin_ctzll(banks))); }
}

// Banks without a row show 0.
void show(const port_beats& rows, unsigned side, port_beats& shown)
{
    std::fill(shown.values.begin(), shown.values.end(), 0.0f);
    shown.valid = rows.valid;
    for_each_bank(rows.valid, [&](unsigned bank) {
        const std::size_t first = std::size_t{bank} * side;
        std::copy_n(rows.values.data() + first, side, shown.values.data() + first);
    });
}

} // namespace

accumulation_unit::accumulation_unit(sc_core::sc_module_name name, const device_limits& limits, blocks::fidelity model)
    : sc_core::sc_module(name), m_side(limits.side), m_bank_rows(limits.accumulator_rows()),
      m_is_narrow(limits.psum == base::element_type::bf16),
      m_rows(std::size_t{limits.engines} * m_bank_rows * limits.side), m_sums(limits.engines, limits.side),
      m_output(limits.engines, limits.side)
{
    if (model != blocks::fidelity::rtl) { return; }
    for (unsigned bank = 0; bank < limits.engines; ++bank) { m_rtl.push_back(rtl::make_accumulator_registers()); }
}

accumulation_unit::~accumulation_unit() = default;

void accumulation_unit::evaluate(const port_beats& psums, const accumulation& what)
{
    m_sums.valid = psums.valid;
    m_what = what;
    if (!m_rtl.empty()) {
        for_each_bank(psums.valid, [&](unsigned bank) {
            m_rtl[bank]->set(psums.values.data() + std::size_t{bank} * m_side, row(bank, what.row), what.adds,
                             what.passes_on);
        });
    } else if (m_is_narrow) {
        add<arithmetic::psum_bf16>(psums);
    } else {
        add<arithmetic::psum_f32>(psums);
    }
    m_psums += std::uint64_t{m_side} * static_cast<unsigned>(__builtin_popcountll(psums.valid));
    if (m_waveform != nullptr) {
        show(psums, m_side, m_waveform->in);
        m_waveform->what = what;
    }
}

void accumulation_unit::evaluate()
{
    m_sums.valid = 0;
    if (m_waveform != nullptr) { show(m_sums, m_side, m_waveform->in); }
}

// Reads accumulators and adds; nothing is written yet.
template <class Psum> void accumulation_unit::add(const port_beats& psums)
{
    for_each_bank(psums.valid, [&](unsigned bank) {
        const float* const come = psums.values.data() + std::size_t{bank} * m_side;
        float* const sum = m_sums.values.data() + std::size_t{bank} * m_side;
        if (!m_what.adds) {
            std::copy_n(come, m_side, sum);
            return;
        }
        const float* const old = row(bank, m_what.row);
        for (unsigned lane = 0; lane < m_side; ++lane) { sum[lane] = Psum::add(old[lane], come[lane]); }
    });
}

void accumulation_unit::commit()
{
    m_output.valid = 0;
    if (!m_rtl.empty()) {
        commit_rtl();
    } else if (m_what.passes_on) {
        std::swap(m_output, m_sums);
        for_each_bank(m_output.valid, [&](unsigned bank) { std::fill_n(row(bank, m_what.row), m_side, 0.0f); });
    } else {
        for_each_bank(m_sums.valid, [&](unsigned bank) {
            std::copy_n(m_sums.values.data() + std::size_t{bank} * m_side, m_side, row(bank, m_what.row));
        });
    }
    m_sums.valid = 0;
    if (m_waveform != nullptr) { show(m_output, m_side, m_waveform->out); }
}

void accumulation_unit::commit_rtl()
{
    for_each_bank(m_sums.valid, [&](unsigned bank) {
        auto& registers = *m_rtl[bank];
        registers.tick(row(bank, m_what.row));
        if (!registers.valid()) { return; }
        registers.out(m_output.values.data() + std::size_t{bank} * m_side);
        m_output.valid |= std::uint64_t{1} << bank;
    });
}

void accumulation_unit::clear()
{
    m_sums.valid = 0;
    m_output.valid = 0;
    m_what = {};
    if (m_waveform != nullptr) {
        show(m_sums, m_side, m_waveform->in);
        m_waveform->what = m_what;
        show(m_output, m_side, m_waveform->out);
    }
}

void accumulation_unit::reset()
{
    clear();
    std::fill(m_rows.begin(), m_rows.end(), 0.0f);
}

const accumulation_waveform& accumulation_unit::watch()
{
    if (m_waveform == nullptr) {
        m_waveform = std::make_unique<accumulation_waveform>();
        m_waveform->in = port_beats(static_cast<unsigned>(m_sums.values.size() / m_side), m_side);
        m_waveform->out = m_waveform->in;
    }
    return *m_waveform;
}

} // namespace tensorloom::fetta
