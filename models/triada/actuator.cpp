#include <tensorloom/models/triada/actuator.h>
#include <complex>
#include <cstring>
#include <numeric>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::triada {
namespace {

template <class T> bool is_zero_at(const unsigned char* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return arithmetic::is_zero(value);
}

bool is_zero_element(arch::element_type format, const unsigned char* at)
{
    switch (format) {
    case arch::element_type::f64: return is_zero_at<double>(at);
    case arch::element_type::f32: return is_zero_at<float>(at);
    case arch::element_type::c128: return is_zero_at<std::complex<double>>(at);
    case arch::element_type::c64: return is_zero_at<std::complex<float>>(at);
    }
    return false;
}

} // namespace

actuator::actuator(sc_core::sc_module_name name, unsigned mode, arch::element_type format, row_observer& observer)
    : sc_core::sc_module(name), memory("memory"), control("control"), stream("stream"), m_mode(mode), m_format(format),
      m_observer(observer)
{
    SC_HAS_PROCESS(actuator);
    for (unsigned next = 0; next < 4; ++next) {
        hand_over.push_back(std::make_unique<sc_core::sc_port<control_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>>(
            ("hand_over_" + std::to_string(next + 1)).c_str()));
    }
    memory.bind(*this);
    control.bind(*this);
    SC_THREAD(run);
}

void actuator::resize(std::uint32_t n)
{
    m_rows = n;
    m_matrix.assign(std::size_t{n} * n * arch::element_bytes(m_format), 0);
    m_nonzeros.clear();
    m_order.resize(n);
    std::iota(m_order.begin(), m_order.end(), 0u);
}

void actuator::write(std::uint64_t first, const unsigned char* bytes, std::uint64_t count)
{
    std::memcpy(m_matrix.data() + first, bytes, count);
    m_nonzeros.clear();
}

void actuator::set_row_order(std::vector<std::uint32_t> order) { m_order = std::move(order); }

void actuator::run()
{
    while (true) {
        wait(m_control_taken);
        m_streaming = true;
        const bool completed = stream_stage();
        m_streaming = false;
        (*hand_over[completed ? m_switches.successor : 3])->take_control();
    }
}

void actuator::count_nonzeros()
{
    const std::size_t bytes = arch::element_bytes(m_format);
    const unsigned char* at = m_matrix.data();
    m_nonzeros.assign(m_rows, 0);
    for (auto& count : m_nonzeros) {
        for (std::uint32_t k = 0; k < m_rows; ++k, at += bytes) { count += is_zero_element(m_format, at) ? 0 : 1; }
    }
}

// Streams all rows; false when the core stopped in between.
bool actuator::stream_stage()
{
    m_burst.stage = m_switches.stage;
    m_burst.mode = m_mode;
    m_burst.x_mode = m_switches.x_mode;
    m_burst.length = m_rows;
    m_burst.esop = m_switches.esop;
    m_burst.zero_threshold = m_switches.zero_threshold;
    m_burst.vectors.clear();
    if (m_nonzeros.empty()) { count_nonzeros(); }
    const std::size_t bytes = arch::element_bytes(m_format);
    for (std::uint32_t step = 0; step < m_rows; ++step) {
        tagged_vector vector;
        vector.step = step;
        vector.tag = m_order[step];
        vector.elements = m_matrix.data() + std::size_t{vector.tag} * m_rows * bytes;
        vector.nonzeros = m_nonzeros[vector.tag];
        const bool zero_at_tag = is_zero_element(m_format, vector.elements + vector.tag * bytes);
        vector.sent = m_switches.esop ? vector.nonzeros + (zero_at_tag ? 1 : 0) : m_rows;
        if (m_switches.esop && vector.nonzeros == 0) {
            m_observer.row_skipped(m_switches.stage, step, vector.tag);
            continue;
        }
        m_burst.vectors.push_back(vector);
        if (m_burst.vectors.size() >= m_burst_limit && !send(m_burst)) { return false; }
    }
    return m_burst.vectors.empty() || send(m_burst);
}

bool actuator::send(vector_burst& burst)
{
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    stream->b_transport(burst, delay);
    const bool all = burst.executed == burst.vectors.size();
    burst.vectors.clear();
    return all;
}

} // namespace tensorloom::triada
