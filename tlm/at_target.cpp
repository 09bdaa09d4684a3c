#include <tensorloom/tlm/at_target.h>
#include <algorithm>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

using sc_core::sc_time;

std::optional<std::string> validate(const at_target_config& config)
{
    if (config.queue_depth == 0) { return std::string("queue of 0 transactions, expected at least 1"); }
    if (config.phases != 4 && config.phases != 2 && config.phases != 1) {
        return std::to_string(config.phases) + " phases, expected 4, 2 or 1";
    }
    return std::nullopt;
}

at_target::at_target(sc_core::sc_module_name name, const at_target_config& config, timed_service& service,
                     const target_tolerance& tolerance)
    : sc_core::sc_module(name), m_config(config), m_service(service), m_wait_out_delay(tolerance.wait_out_delay),
      m_wake("wake")
{
    if (const auto wrong = validate(config)) { report_error(this->name(), "/tensorloom/at_target/config", *wrong); }
    SC_HAS_PROCESS(at_target);
    SC_METHOD(run);
    sensitive << m_wake;
    dont_initialize();
}

void at_target::b_transport(tlm::tlm_generic_payload& transaction, sc_time& delay)
{
    const sc_time now = sc_core::sc_time_stamp();
    const sc_time arrival = now + delay;
    delay = std::max(m_service.serve(transaction, arrival).begin_response, arrival) - now;
    if (m_wait_out_delay && in_thread()) { wait_out(delay); }
}

tlm::tlm_sync_enum at_target::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                              sc_time& delay)
{
    switch (phase) {
    case tlm::BEGIN_REQ: return begin_request(transaction, phase, delay);
    case tlm::END_RESP: return end_response(transaction, delay);
    case tlm::UNINITIALIZED_PHASE:
    case tlm::END_REQ:
    case tlm::BEGIN_RESP: ++m_protocol_errors; return tlm::TLM_ACCEPTED;
    default: return tlm::TLM_ACCEPTED; // an extended phase: ignored by base-protocol targets
    }
}

tlm::tlm_sync_enum at_target::begin_request(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                            sc_time& delay)
{
    if (m_request_state != request_state::none) {
        ++m_protocol_errors;
        if (holds(transaction)) { return tlm::TLM_ACCEPTED; }
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const sc_time now = sc_core::sc_time_stamp();
    const sc_time arrival = std::max(now + delay, m_request_free);
    if (m_config.phases == 1 || !transaction.has_mm()) {
        m_protocol_errors += transaction.has_mm() ? 0 : 1;
        delay = std::max(m_service.serve(transaction, arrival).begin_response, arrival) - now;
        return tlm::TLM_COMPLETED;
    }
    transaction.acquire();
    if (m_outstanding >= m_config.queue_depth) {
        m_request = &transaction;
        m_request_time = arrival;
        m_request_state = request_state::no_room;
        return tlm::TLM_ACCEPTED;
    }
    // A transaction whose END_RESP was annotated ahead of time counts as outstanding until then.
    const bool room = m_outstanding + 1 < m_config.queue_depth || m_response_free <= arrival;
    m_request_free = accept(transaction, room ? arrival : m_response_free);
    if (m_config.phases == 4 && m_responses.front().ready >= m_request_free) {
        // No other call may go back before that time: annotated times must not decrease.
        wake_in_time();
        phase = tlm::END_REQ;
        delay = m_request_free - now;
        return tlm::TLM_UPDATED;
    }
    await_end_request(transaction);
    wake_in_time();
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum at_target::end_response(tlm::tlm_generic_payload& transaction, const sc_time& delay)
{
    if (m_responding != &transaction) {
        ++m_protocol_errors;
        return tlm::TLM_ACCEPTED;
    }
    finish(sc_core::sc_time_stamp() + delay);
    wake_in_time();
    return tlm::TLM_COMPLETED;
}

bool at_target::holds(const tlm::tlm_generic_payload& transaction) const
{
    return m_request == &transaction || m_responding == &transaction ||
           std::any_of(m_responses.begin(), m_responses.end(),
                       [&](const response& r) { return r.transaction == &transaction; });
}

// Serves the transaction and queues its response; returns the time of END_REQ.
sc_time at_target::accept(tlm::tlm_generic_payload& transaction, const sc_time& arrival)
{
    ++m_outstanding;
    const service_times times = m_service.serve(transaction, arrival);
    const sc_time accepted = std::max(times.accepted, arrival);
    const sc_time ready = std::max(times.begin_response, accepted);
    auto at = m_responses.end(); // from the back: most services answer in order
    while (at != m_responses.begin() && std::prev(at)->ready > ready) { --at; }
    m_responses.insert(at, response{&transaction, ready});
    return accepted;
}

// The request has been accepted; END_REQ is sent at m_request_free, or is implied.
void at_target::await_end_request(tlm::tlm_generic_payload& transaction)
{
    m_request = &transaction;
    m_request_time = m_request_free;
    m_request_state = m_config.phases == 2 ? request_state::implied : request_state::announced;
}

// END_RESP of the response in flight.
void at_target::finish(const sc_time& time)
{
    tlm::tlm_generic_payload& transaction = *m_responding;
    m_responding = nullptr;
    m_response_free = time;
    leave(transaction, time);
}

// A transaction has ended at this time: there is room for a request.
void at_target::leave(tlm::tlm_generic_payload& transaction, const sc_time& time)
{
    --m_outstanding;
    if (m_request_state == request_state::no_room) {
        m_request_free = accept(*m_request, std::max(m_request_time, time));
        await_end_request(*m_request);
    }
    transaction.release();
}

void at_target::wake_in_time()
{
    const sc_time now = sc_core::sc_time_stamp();
    if (m_request_state == request_state::announced) { m_wake.notify(std::max(m_request_time, now) - now); }
    if (m_responding == nullptr && !m_responses.empty()) {
        m_wake.notify(std::max({m_responses.front().ready, m_response_free, now}) - now);
    }
}

void at_target::run()
{
    const sc_time now = sc_core::sc_time_stamp();
    if (m_request_state == request_state::announced && m_request_time <= now) { send_end_request(); }
    while (m_responding == nullptr && m_response_free <= now && !m_responses.empty() &&
           m_responses.front().ready <= now) {
        send_response();
    }
    wake_in_time();
}

void at_target::send_end_request()
{
    tlm::tlm_generic_payload& transaction = *m_request;
    m_request_state = request_state::none; // before the call, which may bring the next request
    m_request = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_time delay;
    if ((*m_back)->nb_transport_bw(transaction, phase, delay) == tlm::TLM_COMPLETED) {
        // The initiator takes no response.
        const auto at = std::find_if(m_responses.begin(), m_responses.end(),
                                     [&](const response& r) { return r.transaction == &transaction; });
        m_responses.erase(at);
        leave(transaction, sc_core::sc_time_stamp() + delay);
    }
}

void at_target::send_response()
{
    tlm::tlm_generic_payload& transaction = *m_responses.front().transaction;
    m_responses.pop_front();
    m_responding = &transaction;
    if (m_request == &transaction) { // BEGIN_RESP implies END_REQ
        m_request_state = request_state::none;
        m_request = nullptr;
    }
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay;
    const auto answer = (*m_back)->nb_transport_bw(transaction, phase, delay);
    const bool ended = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (ended && m_responding == &transaction) { finish(sc_core::sc_time_stamp() + delay); }
}

void at_target::reset()
{
    const sc_time now = sc_core::sc_time_stamp();
    if (m_request_state == request_state::no_room) {
        ++m_outstanding;
        m_request_free = std::max(now, m_request_time);
        m_responses.push_back({m_request, m_request_free});
        await_end_request(*m_request);
    }
    const sc_time latest = std::max(now, m_request_free); // not before a request annotated ahead of time
    for (response& r : m_responses) {
        r.transaction->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        r.transaction->set_dmi_allowed(false);
        r.ready = std::min(r.ready, latest);
    }
    wake_in_time();
}

} // namespace tensorloom::bus
