#include <tensorloom/tlm/burst_transport.h>
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/tlm/simulated_time.h>
#include <tensorloom/tlm/transaction_pool.h>

namespace tensorloom::bus {
namespace {

bool lies_in(const tlm::tlm_generic_payload& transaction, const unsigned char* first, const unsigned char* end)
{
    const std::less<const unsigned char*> before;
    return !before(transaction.get_data_ptr(), first) && before(transaction.get_data_ptr(), end);
}

// ---- blocking ----

/// Sends bursts by b_transport, in the order of issue, each with its issue time as annotated delay.
///
/// Bursts overlap in annotated time. A target that waits inside b_transport blocks the thread, so later bursts are
/// issued when it has returned. Runs ahead of simulated time by at most the global quantum.
class blocking_carrier : public burst_transport {
public:
    blocking_carrier(dma_port& port, answer_handlers handlers);

    void begin() override { m_time.reset(); }
    std::optional<sc_core::sc_time> open(const sc_core::sc_time& earliest) override;
    bool send(dma_burst& burst) override;
    void retire(dma_burst&) override {}
    dma_burst* abandon_bursts() override;
    bool refers_to(const unsigned char* first, const unsigned char* end) const override
    {
        return m_abandoned && lies_in(m_transaction, first, end);
    }
    tlm::tlm_sync_enum receive(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        return tlm::TLM_ACCEPTED;
    }

private:
    dma_port& m_port;
    answer_handlers m_handlers;
    tlm::tlm_generic_payload m_transaction;
    tlm_utils::tlm_quantumkeeper m_time; // local time: that of the next request
    dma_burst* m_called = nullptr;       // the burst whose call has not returned
    bool m_abandoned = false;            // this burst was abandoned
};

blocking_carrier::blocking_carrier(dma_port& port, answer_handlers handlers)
    : m_port(port), m_handlers(std::move(handlers))
{}

std::optional<sc_core::sc_time> blocking_carrier::open(const sc_core::sc_time& earliest)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (earliest <= now) {
        m_time.set(sc_core::SC_ZERO_TIME);
        return now;
    }
    m_time.set(earliest - now);
    if (m_time.need_sync()) { m_time.sync(); }
    return earliest;
}

bool blocking_carrier::send(dma_burst& burst)
{
    burst.describe(m_transaction);
    sc_core::sc_time delay = burst.issued - sc_core::sc_time_stamp();
    m_called = &burst;
    m_port.target().b_transport(m_transaction, delay);
    m_called = nullptr;
    if (m_abandoned) {
        m_handlers.answered_late();
        return false;
    }
    burst.done = sc_core::sc_time_stamp() + delay;
    burst.status = m_transaction.get_response_status();
    burst.dmi_hinted = m_transaction.is_dmi_allowed();
    burst.answered = true;
    m_handlers.answered(burst);
    return true;
}

dma_burst* blocking_carrier::abandon_bursts()
{
    m_abandoned = m_called != nullptr;
    return m_called;
}

// ---- non-blocking ----

/// Sends bursts by nb_transport: a four-phase initiator of the base protocol.
///
/// - BEGIN_REQ is sent at its time, without annotation. The next one follows when the previous request has ended: by
///   END_REQ, BEGIN_RESP or TLM_COMPLETED, at the annotated time.
/// - Every short-cut of the target is accepted: END_REQ or BEGIN_RESP as TLM_UPDATED, immediate TLM_COMPLETED, omitted
///   END_REQ.
/// - A BEGIN_RESP by nb_transport_bw is answered with TLM_COMPLETED; one that is returned, with END_RESP at the
///   annotated time. Responses are never held back, and may arrive in any order.
/// - Other phases are ignored, and so are calls for a transaction that is not in flight.
/// - Payloads come from a pool; one reference is held from BEGIN_REQ until the burst is retired.
/// - With a time-out, an answer at or after BEGIN_REQ plus the time-out is too late, however it is announced. The burst
///   is given up at that time and its transaction abandoned: later calls for it are accepted as above, change nothing,
///   and end it. Its payload is not reused before its end, and no other request is sent before its request has ended.
///   Each payload has its own data buffer, so that a late answer has a place to write to.
/// - A burst that is abandoned is given up in the same way, but its data stay where they are.
class non_blocking_carrier : public burst_transport {
public:
    non_blocking_carrier(dma_port& port, answer_handlers handlers, const dma_config& config);

    void begin() override;
    std::optional<sc_core::sc_time> open(const sc_core::sc_time& earliest) override;
    bool send(dma_burst& burst) override;
    void retire(dma_burst& burst) override;
    dma_burst* abandon_bursts() override;
    bool refers_to(const unsigned char* first, const unsigned char* end) const override;
    tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) override;

private:
    using buffer = std::vector<unsigned char>;
    struct flight {
        tlm::tlm_generic_payload* transaction;
        dma_burst* burst;       // null when abandoned
        buffer bytes;           // with a time-out
        bool late_came = false; // an abandoned burst got its answer
    };
    bool has_timeout() const { return m_timeout_cycles != 0; }
    sc_core::sc_time timeout_from(const sc_core::sc_time& time) const
    {
        const std::uint64_t period = m_clock.period().value();
        const std::uint64_t left = (sc_core::sc_max_time() - time).value() / period;
        return m_timeout_cycles > left ? sc_core::sc_max_time()
                                       : time + sc_core::sc_time::from_value(m_timeout_cycles * period);
    }
    void abandon_late();
    dma_burst& give_up(flight& of, const sc_core::sc_time& at);
    void wait_for_news(const sc_core::sc_time& longest);
    void let_go(flight& over);
    void request_ended(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    void response_began(const flight& of, const sc_core::sc_time& delay);
    void tell_news();

    dma_port& m_port;
    answer_handlers m_handlers;
    clock_source m_clock;
    std::uint64_t m_timeout_cycles; // 0: none
    transaction_pool m_pool;
    bool m_gave_up = false;                                 // a burst of this transfer
    std::vector<buffer> m_buffers;                          // unused
    std::vector<flight> m_in_flight;                        // until retired or answered late, in the order of issue
    const tlm::tlm_generic_payload* m_requesting = nullptr; // the transaction whose request has not ended
    sc_core::sc_time m_request_ended;                       // end of the last request
    sc_core::sc_event m_news;                               // a request or a burst has ended
    bool m_sends = false;                                   // send() is running
};

non_blocking_carrier::non_blocking_carrier(dma_port& port, answer_handlers handlers, const dma_config& config)
    : m_port(port), m_handlers(std::move(handlers)), m_clock(config.clock_period),
      m_timeout_cycles(config.timeout_cycles)
{}

// Releases late transactions here and not inside the call that brought the answer, where other modules may still read
// the payload.
void non_blocking_carrier::begin()
{
    m_gave_up = false;
    for (auto f = m_in_flight.begin(); f != m_in_flight.end();) {
        if (!f->late_came) {
            ++f;
            continue;
        }
        let_go(*f);
        f = m_in_flight.erase(f);
    }
}

std::optional<sc_core::sc_time> non_blocking_carrier::open(const sc_core::sc_time& earliest)
{
    if (!has_timeout()) {
        while (m_requesting != nullptr && !m_gave_up) { sc_core::wait(m_news); }
        if (m_gave_up) { return std::nullopt; }
        wait_until(std::max(earliest, m_request_ended));
        return sc_core::sc_time_stamp();
    }
    const sc_core::sc_time given_up = timeout_from(std::max(earliest, sc_core::sc_time_stamp()));
    while (true) {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        abandon_late();
        if (m_gave_up || now >= given_up) { return std::nullopt; }
        const bool taken = m_requesting != nullptr;
        const sc_core::sc_time at = taken ? given_up : std::max(earliest, m_request_ended);
        if (at <= now) { return now; }
        sc_core::sc_time next = std::min(at, given_up);
        for (const auto& f : m_in_flight) {
            if (f.burst != nullptr && !f.burst->answered) { next = std::min(next, timeout_from(f.burst->issued)); }
        }
        wait_for_news(next);
    }
}

bool non_blocking_carrier::send(dma_burst& burst)
{
    tlm::tlm_generic_payload& transaction = m_pool.acquire();
    burst.describe(transaction);
    burst.answered = false;
    m_in_flight.push_back({&transaction, &burst, {}});
    flight& of = m_in_flight.back();
    if (has_timeout()) {
        if (!m_buffers.empty()) {
            of.bytes = std::move(m_buffers.back());
            m_buffers.pop_back();
        }
        of.bytes.assign(burst.data, burst.data + burst.bytes);
        transaction.set_data_ptr(of.bytes.data());
    }
    m_requesting = &transaction;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    m_sends = true;
    const tlm::tlm_sync_enum answer = m_port.target().nb_transport_fw(transaction, phase, delay);
    if (answer == tlm::TLM_COMPLETED && !burst.answered) {
        response_began(of, delay);
    } else if (answer == tlm::TLM_UPDATED && !burst.answered && phase == tlm::END_REQ) {
        request_ended(transaction, delay);
    } else if (answer == tlm::TLM_UPDATED && !burst.answered && phase == tlm::BEGIN_RESP) {
        response_began(of, delay);
        phase = tlm::END_RESP;
        m_port.target().nb_transport_fw(transaction, phase, delay);
    }
    m_sends = false;
    return true;
}

void non_blocking_carrier::retire(dma_burst& burst)
{
    while (!burst.answered) {
        wait_for_news(has_timeout() ? timeout_from(burst.issued) : sc_core::sc_max_time());
        abandon_late();
    }
    const auto found =
        std::find_if(m_in_flight.begin(), m_in_flight.end(), [&burst](const flight& f) { return f.burst == &burst; });
    if (found == m_in_flight.end()) { return; }
    let_go(*found);
    m_in_flight.erase(found);
}

void non_blocking_carrier::let_go(flight& over)
{
    over.transaction->release();
    if (has_timeout()) { m_buffers.push_back(std::move(over.bytes)); }
}

// Gives up a burst without an answer at its time-out.
void non_blocking_carrier::abandon_late()
{
    if (!has_timeout()) { return; }
    for (auto& f : m_in_flight) {
        if (f.burst == nullptr || f.burst->answered) { continue; }
        const sc_core::sc_time end = timeout_from(f.burst->issued);
        if (end > sc_core::sc_time_stamp()) { continue; }
        dma_burst& burst = give_up(f, end);
        burst.timed_out = true;
        m_handlers.answered(burst);
    }
}

dma_burst& non_blocking_carrier::give_up(flight& of, const sc_core::sc_time& at)
{
    dma_burst& burst = *std::exchange(of.burst, nullptr);
    burst.done = at;
    burst.answered = true;
    m_gave_up = true;
    return burst;
}

dma_burst* non_blocking_carrier::abandon_bursts()
{
    for (auto& f : m_in_flight) {
        if (f.burst == nullptr || f.burst->answered) { continue; }
        dma_burst& burst = give_up(f, sc_core::sc_time_stamp());
        burst.abandoned = true;
        m_handlers.answered(burst);
    }
    m_gave_up = true;
    tell_news();
    return nullptr;
}

bool non_blocking_carrier::refers_to(const unsigned char* first, const unsigned char* end) const
{
    return std::any_of(m_in_flight.begin(), m_in_flight.end(), [=](const flight& f) {
        return f.burst == nullptr && !f.late_came && lies_in(*f.transaction, first, end);
    });
}

void non_blocking_carrier::wait_for_news(const sc_core::sc_time& longest)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (longest == sc_core::sc_max_time()) {
        sc_core::wait(m_news);
    } else if (longest > now) {
        sc_core::wait(longest - now, m_news);
    }
}

tlm::tlm_sync_enum non_blocking_carrier::receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay)
{
    const auto found = std::find_if(m_in_flight.begin(), m_in_flight.end(),
                                    [&transaction](const flight& f) { return f.transaction == &transaction; });
    if (found == m_in_flight.end()) { return tlm::TLM_ACCEPTED; }
    const bool abandoned = found->burst == nullptr;
    if (abandoned ? found->late_came : found->burst->answered) { return tlm::TLM_ACCEPTED; }
    if (phase == tlm::END_REQ) { request_ended(transaction, delay); }
    if (phase != tlm::BEGIN_RESP) { return tlm::TLM_ACCEPTED; }
    if (abandoned) {
        request_ended(transaction, delay);
        found->late_came = true;
        m_handlers.answered_late();
    } else {
        response_began(*found, delay);
    }
    return tlm::TLM_COMPLETED;
}

void non_blocking_carrier::request_ended(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
{
    if (m_requesting != &transaction) { return; }
    m_requesting = nullptr;
    m_request_ended = sc_core::sc_time_stamp() + delay;
    tell_news();
}

// In send() there is nobody who waits.
void non_blocking_carrier::tell_news()
{
    if (!m_sends) { m_news.notify(sc_core::SC_ZERO_TIME); }
}

void non_blocking_carrier::response_began(const flight& of, const sc_core::sc_time& delay)
{
    request_ended(*of.transaction, delay);
    dma_burst& burst = *of.burst;
    burst.done = sc_core::sc_time_stamp() + delay;
    burst.status = of.transaction->get_response_status();
    burst.dmi_hinted = of.transaction->is_dmi_allowed();
    burst.answered = true;
    if (has_timeout()) {
        const sc_core::sc_time end = timeout_from(burst.issued);
        burst.timed_out = burst.done >= end;
        burst.done = std::min(burst.done, end);
        if (!burst.timed_out && burst.command == tlm::TLM_READ_COMMAND) {
            std::memcpy(burst.data, of.bytes.data(), burst.bytes);
        }
    }
    m_handlers.answered(burst);
    tell_news();
}

} // namespace

std::unique_ptr<burst_transport> make_burst_transport(const dma_config& config, dma_port& port,
                                                      burst_transport::answer_handlers handlers)
{
    if (config.transport == dma_transport::non_blocking) {
        return std::make_unique<non_blocking_carrier>(port, std::move(handlers), config);
    }
    return std::make_unique<blocking_carrier>(port, std::move(handlers));
}

} // namespace tensorloom::bus
