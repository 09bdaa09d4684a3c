#include <tensorloom/models/triada/actuator.h>
#include <cstring>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/triada/isa/step_counts.h>

namespace tensorloom::triada {
namespace {

// Number of non-zeros among `elements` elements from `at` on.
std::uint32_t nonzeros_of(base::element_type format, const unsigned char* at, std::uint32_t elements)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(format, [&](auto value) {
        std::uint32_t nonzeros = 0;
        for (std::uint32_t k = 0; k < elements; ++k) {
            std::memcpy(&value, at + k * sizeof value, sizeof value);
            nonzeros += arithmetic::is_zero(value) ? 0 : 1;
        }
        return nonzeros;
    });
}

} // namespace

actuator::actuator(sc_core::sc_module_name name, unsigned mode, base::element_type format, row_observer& observer)
    : sc_core::sc_module(name), memory("memory"), control("control"), stream("stream"), m_mode(mode), m_format(format),
      m_observer(observer)
{
    SC_HAS_PROCESS(actuator);
    for (unsigned next = 0; next <= to_device; ++next) {
        hand_over.push_back(std::make_unique<sc_core::sc_port<control_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>>(
            ("hand_over_" + std::to_string(next + 1)).c_str()));
    }
    memory.bind(*this);
    control.bind(*this);
    SC_THREAD(run);
}

void actuator::resize(std::uint32_t rows, std::uint32_t columns)
{
    m_rows = rows;
    m_columns = columns;
    m_matrix.assign(std::size_t{rows} * columns * base::element_bytes(m_format), 0);
    m_nonzeros.clear();
    m_order.clear();
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
        const bool completed = m_switches.pointwise ? stream_value() : stream_window();
        m_streaming = false;
        (*hand_over[completed ? m_switches.successor : to_device])->take_control(m_passed);
    }
}

const unsigned char* actuator::element(std::uint32_t row, std::uint32_t column) const
{
    return m_matrix.data() + (std::size_t{row} * m_columns + column) * base::element_bytes(m_format);
}

// Number of non-zeros of each row of the matrix within these columns.
const std::vector<std::uint32_t>& actuator::nonzeros_of_rows(std::uint32_t first_column, std::uint32_t columns)
{
    const auto [entry, is_new] = m_nonzeros.try_emplace({first_column, columns});
    if (is_new) {
        for (std::uint32_t row = 0; row < m_rows; ++row) {
            entry->second.push_back(nonzeros_of(m_format, element(row, first_column), columns));
        }
    }
    return entry->second;
}

// Streams the window's rows; false when the core stopped in between.
bool actuator::stream_window()
{
    const auto& window = m_switches.window;
    m_burst.stage = m_switches.stage;
    m_burst.mode = m_mode;
    m_burst.x_mode = m_switches.x_mode;
    m_burst.source = m_switches.source;
    m_burst.target = m_switches.target;
    m_burst.shift = m_switches.shift;
    m_burst.length = m_switches.length;
    m_burst.columns = window.columns;
    m_burst.esop = m_switches.esop;
    m_burst.zero_threshold = m_switches.zero_threshold;
    m_burst.vectors.clear();
    m_burst.pointwise.reset();
    m_burst.operand.reset();
    if (m_verilog != nullptr) { return stream_rows_of_verilog(); }
    const auto& nonzeros = nonzeros_of_rows(window.first_column, window.columns);
    std::uint32_t step = m_switches.first_step;
    if (m_order.empty()) {
        for (std::uint32_t n = 0; n < window.rows; ++n) {
            if (!stream_row(window.first_row + n, step++, nonzeros)) { return false; }
        }
    } else {
        for (const std::uint32_t row : m_order) {
            const bool within = row - window.first_row < window.rows; // unsigned: rows before the window wrap
            if (within && !stream_row(row, step++, nonzeros)) { return false; }
        }
    }
    return m_burst.vectors.empty() || send_burst();
}

bool actuator::stream_rows_of_verilog()
{
    while (auto vector = m_verilog->next(m_mode, m_observer)) {
        vector->nonzeros = nonzeros_of(m_format, vector->elements, m_burst.columns);
        m_burst.vectors.assign(1, *vector);
        if (!send_burst()) { return false; }
    }
    return true;
}

// One vector of a value for every line of a slice; false when the core stopped before it.
bool actuator::stream_value()
{
    const bool has_value = !m_switches.value.empty();
    const std::size_t bytes = base::element_bytes(m_format);
    m_values.assign(m_switches.length * bytes, 0);
    for (std::size_t k = 0; has_value && k < m_switches.length; ++k) {
        std::memcpy(m_values.data() + k * bytes, m_switches.value.data(), bytes);
    }
    m_burst.stage = m_switches.stage;
    m_burst.mode = m_mode;
    m_burst.x_mode = m_switches.x_mode;
    m_burst.source = m_burst.target = m_switches.source;
    m_burst.shift = m_switches.shift;
    m_burst.length = m_burst.columns = m_switches.length;
    m_burst.esop = m_switches.esop;
    m_burst.pointwise = m_switches.pointwise;
    m_burst.operand = m_switches.operand;
    tagged_vector vector;
    vector.elements = m_values.data();
    vector.sent = has_value ? m_switches.length : 0;
    m_burst.vectors.assign(1, vector);
    return send_burst();
}

// Adds one row to the burst, which is sent when it is full; false when the core stopped in between.
bool actuator::stream_row(std::uint32_t row, std::uint32_t step, const std::vector<std::uint32_t>& nonzeros)
{
    const auto& window = m_switches.window;
    tagged_vector vector;
    vector.step = step;
    vector.tag = row - window.first_row;
    vector.elements = element(row, window.first_column);
    vector.nonzeros = nonzeros[row];
    const bool is_sent = !m_switches.esop || vector.nonzeros > 0;
    if (!is_sent && passes(step)) {
        m_observer.row_skipped(m_switches.stage, step, vector.tag);
        return true;
    }
    m_passed = 0;
    const bool zero_at_tag =
        vector.tag >= window.columns || nonzeros_of(m_format, element(row, window.first_column + vector.tag), 1) == 0;
    vector.sent = is_sent ? coefficients_sent(m_switches.esop, vector.nonzeros, zero_at_tag, m_switches.length) : 0;
    m_burst.vectors.push_back(vector);
    return m_burst.vectors.size() < m_burst_limit || send_burst();
}

// Whether a row of zeros takes no time-step.
bool actuator::passes(std::uint32_t step)
{
    const bool is_last = step + 1 == m_switches.first_step + m_switches.window.rows;
    return ++m_passed != m_look_ahead || (m_switches.ends_stream && is_last);
}

bool actuator::send_burst()
{
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    stream->b_transport(m_burst, delay);
    const bool all = m_burst.executed == m_burst.vectors.size();
    m_burst.vectors.clear();
    return all;
}

} // namespace tensorloom::triada
