#include <tensorloom/tlm/interrupt_lines.h>
#include <algorithm>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {
namespace {

constexpr unsigned largest_value = 8; // bytes

std::optional<std::string> error_of(const std::optional<irq_write>& write, const char* edge)
{
    if (!write) { return std::nullopt; }
    const unsigned bytes = write->bytes;
    const std::string where = std::string(edge) + ".";
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
        return where + "bytes is " + std::to_string(bytes) + ", expected 1, 2, 4 or 8";
    }
    if (bytes < largest_value && write->value >> (8 * bytes) != 0) {
        return where + "value is " + std::to_string(write->value) + ", expected one of " + std::to_string(bytes) +
               " bytes";
    }
    return std::nullopt;
}

} // namespace

// ---- a line to transactions ----

std::optional<std::string> validate(const irq_initiator_config& config)
{
    if (auto wrong = error_of(config.raised, "raised")) { return wrong; }
    return error_of(config.lowered, "lowered");
}

irq_initiator::irq_initiator(sc_core::sc_module_name name, const irq_initiator_config& config)
    : sc_core::sc_module(name), irq("irq"), out("out"), m_config(config)
{
    if (const auto wrong = validate(config)) { report_error(this->name(), "/tensorloom/irq_initiator/config", *wrong); }
    SC_HAS_PROCESS(irq_initiator);
    SC_METHOD(note_edge);
    sensitive << irq;
    dont_initialize();
    SC_THREAD(send_edges);
}

void irq_initiator::start_of_simulation()
{
    if (irq.read()) { m_edges.push_back(true); }
}

void irq_initiator::note_edge()
{
    m_edges.push_back(irq.read());
    m_edge.notify();
}

void irq_initiator::send_edges()
{
    while (true) {
        while (m_edges.empty()) { wait(m_edge); }
        const auto& write = m_edges.front() ? m_config.raised : m_config.lowered;
        m_edges.pop_front();
        if (write) { send(*write); }
    }
}

void irq_initiator::send(const irq_write& write)
{
    std::uint8_t data[largest_value];
    base::store_le(data, write.value);
    tlm::tlm_generic_payload transaction;
    transaction.set_write();
    transaction.set_address(write.address);
    transaction.set_data_ptr(data);
    transaction.set_data_length(write.bytes);
    transaction.set_streaming_width(write.bytes);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    out->b_transport(transaction, delay);
    wait_out(delay);
    ++m_sent;
    if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE) {
        ++m_refused;
        report_warning(name(), "/tensorloom/irq_initiator/response",
                       transaction.get_response_string() + " to the write of an edge at address " +
                           std::to_string(write.address));
    }
}

// ---- transactions to a line ----

std::optional<std::string> validate(const irq_target_config& config)
{
    using output = irq_target_config::output;
    if (config.drives != output::level && config.drives != output::pulse) {
        return std::string("unknown output of the line, expected level or pulse");
    }
    if (config.pulse == sc_core::SC_ZERO_TIME) {
        return "pulse is 0, or finer than the time resolution of " + sc_core::sc_get_time_resolution().to_string();
    }
    return std::nullopt;
}

irq_target::irq_target(sc_core::sc_module_name name, const irq_target_config& config)
    : sc_core::sc_module(name), in("in"), irq("irq"), m_config(config)
{
    if (const auto wrong = validate(config)) { report_error(this->name(), "/tensorloom/irq_target/config", *wrong); }
    SC_HAS_PROCESS(irq_target);
    in.register_b_transport(this, &irq_target::b_transport);
    SC_METHOD(drive);
    sensitive << m_next;
    dont_initialize();
}

void irq_target::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const unsigned length = transaction.get_data_length();
    const auto answer = [&](tlm::tlm_response_status status) { transaction.set_response_status(status); };
    transaction.set_dmi_allowed(false);
    if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) { return answer(tlm::TLM_OK_RESPONSE); }
    if (transaction.is_read()) { return answer(tlm::TLM_COMMAND_ERROR_RESPONSE); }
    if (transaction.get_byte_enable_ptr() != nullptr) { return answer(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE); }
    const unsigned streaming = transaction.get_streaming_width();
    if (length == 0 || length > largest_value || (streaming != 0 && streaming < length)) {
        return answer(tlm::TLM_BURST_ERROR_RESPONSE);
    }
    const unsigned char* const data = transaction.get_data_ptr();
    if (data == nullptr) { return answer(tlm::TLM_GENERIC_ERROR_RESPONSE); }
    answer(tlm::TLM_OK_RESPONSE);
    const sc_core::sc_time at = annotated(delay);
    if (m_config.drives == irq_target_config::output::level) {
        m_due.emplace(at, std::any_of(data, data + length, [](unsigned char byte) { return byte != 0; }));
    } else {
        const sc_core::sc_time begin = std::max(at, m_quiet);
        m_due.emplace(begin, true);
        m_due.emplace(begin + m_config.pulse, false);
        m_quiet = begin + 2 * m_config.pulse;
    }
    m_next.notify(m_due.begin()->first - sc_core::sc_time_stamp());
}

void irq_target::drive()
{
    while (!m_due.empty() && m_due.begin()->first <= sc_core::sc_time_stamp()) {
        irq.write(m_due.begin()->second);
        m_due.erase(m_due.begin());
    }
    if (!m_due.empty()) { m_next.notify(m_due.begin()->first - sc_core::sc_time_stamp()); }
}

// ---- several lines to one ----

irq_or::irq_or(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in"), out("out")
{
    SC_HAS_PROCESS(irq_or);
    SC_METHOD(combine);
    sensitive << in;
}

void irq_or::combine()
{
    bool high = false;
    for (int line = 0; line < in.size(); ++line) { high = high || in[line]->read(); }
    out.write(high);
}

} // namespace tensorloom::bus
