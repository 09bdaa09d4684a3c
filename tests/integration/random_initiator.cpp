#include "integration/random_initiator.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include "integration/random_transactions.h"

namespace tensorloom::test {
namespace {

constexpr unsigned stripes_per_initiator = 4;

sc_core::sc_time now() { return sc_core::sc_time_stamp(); }

} // namespace

/// An extension that nobody on the bus knows.
class random_initiator::foreign : public tlm::tlm_extension<foreign> {
public:
    explicit foreign(std::uint64_t& live) : m_live(live) { ++m_live; }
    ~foreign() override { --m_live; }
    tlm::tlm_extension_base* clone() const override { return new foreign(m_live); }
    void copy_from(const tlm::tlm_extension_base&) override {}

private:
    std::uint64_t& m_live;
};

class random_initiator::pooled : public tlm::tlm_generic_payload {
public:
    explicit pooled(tlm::tlm_mm_interface* owner) : tlm::tlm_generic_payload(owner) {}
    std::vector<unsigned char> data;
    flight* of = nullptr;
    foreign* mark = nullptr;
};

class random_initiator::pool : public tlm::tlm_mm_interface {
public:
    explicit pool(random_initiator& owner) : m_owner(owner) {}
    pooled& take();
    void free(tlm::tlm_generic_payload* p) override;

private:
    random_initiator& m_owner;
    std::vector<std::unique_ptr<pooled>> m_all;
    std::vector<pooled*> m_unused;
};

void traffic_tally::add(const traffic_tally& o)
{
    blocking += o.blocking;
    non_blocking += o.non_blocking;
    debug += o.debug;
    dmi_requests += o.dmi_requests;
    dmi_grants += o.dmi_grants;
    dmi_accesses += o.dmi_accesses;
    cut_off += o.cut_off;
    forwarded += o.forwarded;
    unmapped += o.unmapped;
    for (std::size_t i = 0; i < illegal.size(); ++i) { illegal[i] += o.illegal[i]; }
    for (std::size_t i = 0; i < answers.size(); ++i) { answers[i] += o.answers[i]; }
}

random_initiator::random_initiator(sc_core::sc_module_name name, const settings& s, bus_model& model)
    : sc_core::sc_module(name), out("out"), m_settings(s), m_model(model), m_random(s.seed),
      m_pool(std::make_unique<pool>(*this)), m_end_response("end_response")
{
    SC_HAS_PROCESS(random_initiator);
    out.register_nb_transport_bw(this, &random_initiator::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &random_initiator::invalidate);
    SC_THREAD(run);
    SC_METHOD(end_responses);
    sensitive << m_end_response.get_event();
    dont_initialize();
}

random_initiator::~random_initiator() = default;

void random_initiator::wrong(const std::string& what)
{
    if (++m_wrongs <= max_errors) { ADD_FAILURE() << name() << " at " << now() << ": " << what; }
}

bool random_initiator::holds_grant(std::uint64_t first, std::uint64_t last) const
{
    return std::any_of(m_grants.begin(), m_grants.end(), [&](const tlm::tlm_dmi& g) {
        return g.get_start_address() <= last && first <= g.get_end_address();
    });
}

// ---- what to send ----

unsigned random_initiator::draw_length(std::uint64_t most)
{
    const auto kind = m_random.below(100);
    const std::uint64_t length = kind < 40   ? m_random.between(1, 8)
                                 : kind < 70 ? m_random.between(1, 64)
                                 : kind < 90 ? m_random.between(65, 512)
                                 : kind < 98 ? m_random.between(513, 4096)
                                             : m_random.between(4097, 16384);
    return static_cast<unsigned>(std::min(length, most));
}

// The offset of one of this initiator's stripes.
std::uint64_t random_initiator::own_stripe(const bus_model::memory& m, std::uint64_t& size)
{
    size = m.size() / (m_settings.initiators * stripes_per_initiator);
    return (m_random.below(stripes_per_initiator) * m_settings.initiators + m_settings.number) * size;
}

std::uint64_t random_initiator::unmapped_address()
{
    const auto& m = m_model.at(static_cast<unsigned>(m_random.below(m_model.memories())));
    while (true) {
        const std::uint64_t address = m_random.one_in(3)   ? m.first - m_random.between(1, 9)
                                      : m_random.one_in(2) ? m.last + m_random.between(1, 9)
                                                           : m_random.word() >> m_random.below(40);
        if (m_model.unmapped(address)) { return address; }
    }
}

void random_initiator::draw_enables(bus_access& a)
{
    a.has_enables = true;
    const auto kind = m_random.below(4);
    a.enables.resize(m_random.one_in(3) ? m_random.between(1, 9) : m_random.between(1, std::uint64_t{a.length} + 8));
    for (auto& e : a.enables) { e = kind == 0 || (kind > 1 && m_random.one_in(2)) ? 0xff : 0x00; }
}

bus_access random_initiator::draw_legal()
{
    const auto& m = m_model.at(static_cast<unsigned>(m_random.below(m_model.memories())));
    std::uint64_t size = 0;
    const std::uint64_t stripe = own_stripe(m, size);
    bus_access a;
    const auto kind = m_random.below(100);
    a.command = kind < 47 ? tlm::TLM_READ_COMMAND : kind < 94 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_IGNORE_COMMAND;
    a.length = draw_length(UINT32_MAX);
    const auto width = m_random.below(100);
    a.width = width < 60   ? a.length
              : width < 65 ? a.length + static_cast<unsigned>(m_random.between(1, 100))
              : width < 68 ? UINT32_MAX
              : width < 72 ? 0
              : width < 85 ? 1u << m_random.below(6)
                           : static_cast<unsigned>(m_random.between(1, a.length));
    if (extent(a) > size) { // too long without streaming
        a.length = static_cast<unsigned>(size);
        a.width = a.length;
    }
    const std::uint64_t room = size - extent(a);
    a.address = m.first + stripe + (m_random.one_in(8) ? room : m_random.one_in(8) ? 0 : m_random.below(room + 1));
    if (m_random.one_in(4)) { draw_enables(a); }
    return a;
}

bus_access random_initiator::draw_refused()
{
    bus_access a = draw_legal();
    switch (m_random.below(6)) {
    case 0:
    case 1: { // begins inside and ends outside, or around the end of all addresses
        const auto& m = m_model.at(static_cast<unsigned>(m_random.below(m_model.memories())));
        const std::uint64_t inside = m_random.between(1, std::min<std::uint64_t>(m.size(), 4096));
        a.address = m.last - (inside - 1);
        a.length = static_cast<unsigned>(inside + m_random.between(1, 64));
        a.width = a.length + static_cast<unsigned>(m_random.below(2) * m_random.below(100));
        break;
    }
    case 2: a.address = unmapped_address(); break;
    case 3:
        a.length = 0;
        a.width = static_cast<unsigned>(m_random.below(3));
        break;
    case 4: a.null_data = true; break;
    default:
        a.has_enables = true;
        a.enables.clear();
        break;
    }
    return a;
}

bus_access random_initiator::draw_access()
{
    bus_access a = m_random.one_in(10) ? draw_refused() : draw_legal();
    if (a.command == tlm::TLM_IGNORE_COMMAND && m_random.one_in(3)) {
        a.length = 0;
        a.null_data = true;
    }
    if (!a.null_data) { a.before = m_random.bytes(a.length); }
    return a;
}

// ---- how ----

void random_initiator::run()
{
    const auto left = [this] { return m_settings.transactions > m_tally.transactions(); };
    while (left()) {
        if (m_random.one_in(2)) {
            catch_up();
            const std::uint64_t burst = m_random.between(1, 200);
            const std::uint64_t most_under_way = m_random.between(1, 40);
            for (std::uint64_t i = 0; i < burst && left(); ++i) {
                while (m_under_way >= most_under_way) { wait(m_changed); }
                non_blocking(draw_access());
                if (m_random.one_in(16)) { wait(m_random.time(50'000)); }
            }
            drain();
        } else {
            const std::uint64_t burst = m_random.between(1, 100);
            for (std::uint64_t i = 0; i < burst && left(); ++i) {
                const auto kind = m_random.below(100);
                if (kind < 80) {
                    blocking(draw_access());
                } else if (kind < 88) {
                    debug();
                } else if (kind < 91) {
                    request_dmi();
                } else {
                    use_dmi();
                }
            }
        }
    }
    drain();
    catch_up();
    m_finished = true;
}

void random_initiator::catch_up()
{
    if (m_ahead > sc_core::SC_ZERO_TIME) { wait(m_ahead); }
    m_ahead = sc_core::SC_ZERO_TIME;
}

void random_initiator::drain()
{
    while (m_under_way > 0) { wait(m_changed); }
    retire_all();
    if (!m_flights.empty()) { wrong("a transaction is lost"); }
}

void random_initiator::tally_sent(const bus_access& a)
{
    ++(m_model.forwarded(a) ? m_tally.forwarded : m_tally.unmapped);
    count_illegal(a, m_tally.illegal);
}

void random_initiator::blocking(bus_access a)
{
    drain();
    ++m_tally.blocking;
    tally_sent(a);
    if (m_random.one_in(10)) { m_ahead += m_random.time(20'000); }
    const auto begun = now();
    const auto sent_with = m_ahead;
    if (m_random.one_in(2)) {
        tlm::tlm_generic_payload t;
        std::vector<unsigned char> data;
        set_up(t, a, data);
        foreign mark(m_live_extensions);
        t.set_extension(&mark);
        out->b_transport(t, m_ahead);
        if (t.get_extension<foreign>() != &mark) { wrong("an extension was touched"); }
        t.clear_extension(&mark);
        if (!fields_kept(t, a, data)) { wrong("a field changed that is the initiator's"); }
        take_answer(t, data, a);
    } else {
        pooled& t = take();
        set_up(t, a, t.data);
        out->b_transport(t, m_ahead);
        if (!fields_kept(t, a, t.data)) { wrong("a field changed that is the initiator's"); }
        take_answer(t, t.data, a);
        t.release();
    }
    if (now() + m_ahead < begun + sent_with) { wrong("b_transport went back in time"); }
    retire(a, begun, now(), now() == begun);
    const auto& quantum = tlm::tlm_global_quantum::instance().get();
    if (m_ahead >= quantum) { catch_up(); }
}

random_initiator::pooled& random_initiator::pool::take()
{
    if (m_unused.empty()) {
        m_all.push_back(std::make_unique<pooled>(this));
        m_unused.push_back(m_all.back().get());
    }
    pooled& p = *m_unused.back();
    m_unused.pop_back();
    ++m_owner.m_taken;
    p.acquire();
    return p;
}

void random_initiator::pool::free(tlm::tlm_generic_payload* p)
{
    if (p->get_ref_count() != 0) { m_owner.wrong("freed with references"); }
    p->reset();
    ++m_owner.m_freed;
    m_unused.push_back(static_cast<pooled*>(p));
}

random_initiator::pooled& random_initiator::take()
{
    pooled& p = m_pool->take();
    p.mark = nullptr;
    if (m_random.one_in(8)) {
        p.mark = new foreign(m_live_extensions);
        p.set_auto_extension(p.mark);
    }
    return p;
}

void random_initiator::non_blocking(bus_access a)
{
    while (m_requesting != nullptr) { wait(m_changed); }
    if (m_request_free > now()) { wait(m_request_free - now()); }
    ++m_tally.non_blocking;
    tally_sent(a);
    pooled& p = take();
    m_flights.push_back({std::move(a), &p, now()});
    p.of = &m_flights.back();
    set_up(p, p.of->access, p.data);
    ++m_under_way;
    m_requesting = &p;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = m_random.one_in(4) ? m_random.time(3'000) : sc_core::SC_ZERO_TIME;
    const auto result = out->nb_transport_fw(p, phase, delay);
    if (result == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        end_request(p, now() + delay);
    } else if (result == tlm::TLM_COMPLETED) {
        end_request(p, now() + delay);
        response(p, now() + delay);
        end(p);
    } else if (result != tlm::TLM_ACCEPTED) {
        wrong("BEGIN_REQ was answered by phase " + std::to_string(phase));
    }
    retire_all();
}

void random_initiator::end_request(pooled& p, const sc_core::sc_time& at)
{
    if (m_requesting != &p) { wrong("END_REQ of another request"); }
    m_requesting = nullptr;
    m_request_free = at;
    m_changed.notify(sc_core::SC_ZERO_TIME);
}

void random_initiator::response(pooled& p, const sc_core::sc_time& at)
{
    if (p.of == nullptr || p.of->done || p.of->payload != &p) {
        wrong("a response that nobody waits for");
        return;
    }
    flight& f = *p.of;
    if (!fields_kept(p, f.access, p.data)) { wrong("a field changed that is the initiator's"); }
    if (p.mark != nullptr && p.get_extension<foreign>() != p.mark) { wrong("an extension was touched"); }
    take_answer(p, p.data, f.access);
    f.came = at;
}

void random_initiator::end(pooled& p)
{
    if (p.data != p.of->access.after) { wrong("data changed after BEGIN_RESP"); }
    p.of->done = true;
    p.of->payload = nullptr;
    p.of = nullptr;
    --m_under_way;
    m_changed.notify(sc_core::SC_ZERO_TIME);
    p.release();
}

tlm::tlm_sync_enum random_initiator::nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay)
{
    auto& p = static_cast<pooled&>(t);
    if (phase == tlm::END_REQ) {
        end_request(p, now() + delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) {
        wrong("phase " + std::to_string(phase) + " came back");
        return tlm::TLM_ACCEPTED;
    }
    if (m_requesting == &p) { end_request(p, now() + delay); }
    response(p, now() + delay);
    const auto how = m_random.below(3);
    if (how == 0) {
        end(p);
        return tlm::TLM_COMPLETED;
    }
    const auto held = m_random.one_in(20) ? m_random.time(1'000'000) : m_random.time(5'000); // back-pressure
    if (how == 1) {
        phase = tlm::END_RESP;
        delay += held;
        end(p);
        return tlm::TLM_UPDATED;
    }
    m_end_response.notify(p, delay + held);
    return tlm::TLM_ACCEPTED;
}

void random_initiator::end_responses()
{
    while (auto* t = m_end_response.get_next_transaction()) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay;
        out->nb_transport_fw(*t, phase, delay);
        end(static_cast<pooled&>(*t));
    }
}

// In the order in which they were sent: targets keep the order of the requests of one initiator.
void random_initiator::retire_all()
{
    while (!m_flights.empty() && m_flights.front().done) {
        const flight& f = m_flights.front();
        retire(f.access, f.sent, f.came, false);
        m_flights.pop_front();
    }
}

void random_initiator::retire(const bus_access& a, const sc_core::sc_time& sent, const sc_core::sc_time& came,
                              bool exact_hint)
{
    const auto answer = static_cast<std::size_t>(1 - a.status);
    if (answer < m_tally.answers.size()) { ++m_tally.answers[answer]; }
    const bool may_fail = std::any_of(m_resets.begin(), m_resets.end(), [&](const reset& r) {
        return r.first <= a.address && a.address <= r.last && sent <= r.at && r.at <= came;
    });
    const auto error = m_model.retire(a, may_fail);
    if (!error.empty()) { wrong(error); }
    if (a.status != m_model.expected_status(a)) { ++m_tally.cut_off; }
    const auto* m = m_model.find(a.address);
    const bool moved = a.status == tlm::TLM_OK_RESPONSE && a.command != tlm::TLM_IGNORE_COMMAND;
    const bool hint = moved && m_settings.router_allows_dmi && m->grants_dmi;
    if (exact_hint ? a.dmi_hint != hint : a.dmi_hint && !(moved && m_settings.router_allows_dmi)) {
        wrong("DMI hint is " + std::to_string(a.dmi_hint));
    }
}

// ---- debug and direct memory ----

void random_initiator::debug()
{
    ++m_tally.debug;
    drain();
    auto& m = m_model.at(static_cast<unsigned>(m_random.below(m_model.memories())));
    std::uint64_t size = 0;
    const std::uint64_t stripe = own_stripe(m, size);
    const std::uint64_t offset = stripe + m_random.below(size);
    const bool mine = !m_random.one_in(4);
    const std::uint64_t address = mine ? m.first + offset : unmapped_address();
    // It may go past the end of the window, of which the part inside is moved.
    const bool last_stripe = stripe + size == m.size();
    const std::uint64_t length = draw_length(last_stripe ? UINT32_MAX : stripe + size - offset);
    auto data = m_random.bytes(length);
    tlm::tlm_generic_payload t;
    t.set_command(m_random.one_in(8)   ? tlm::TLM_IGNORE_COMMAND
                  : m_random.one_in(2) ? tlm::TLM_READ_COMMAND
                                       : tlm::TLM_WRITE_COMMAND);
    t.set_address(address);
    t.set_data_ptr(data.data());
    t.set_data_length(static_cast<unsigned>(length));
    const auto before = data;
    const std::uint64_t done = out->transport_dbg(t);
    const std::uint64_t expected =
        !mine || t.get_command() == tlm::TLM_IGNORE_COMMAND ? 0 : std::min(length, m.size() - offset);
    if (done != expected) {
        wrong("debug transport of " + std::to_string(length) + " bytes moved " + std::to_string(done) +
              " bytes instead of " + std::to_string(expected));
        return;
    }
    if (t.get_address() != address) { wrong("debug transport changed the address"); }
    const std::uint64_t read = t.is_read() ? done : 0;
    if (!std::equal(data.begin() + static_cast<std::ptrdiff_t>(read), data.end(),
                    before.begin() + static_cast<std::ptrdiff_t>(read))) {
        wrong("debug transport changed bytes past its end");
    }
    if (t.is_read()) {
        const auto error = m_model.seen(m, offset, data.data(), done);
        if (!error.empty()) { wrong("debug: " + error); }
    } else {
        m_model.wrote(m, offset, data.data(), done);
    }
}

void random_initiator::request_dmi()
{
    ++m_tally.dmi_requests;
    const bool mapped = !m_random.one_in(8);
    const auto& m = m_model.at(static_cast<unsigned>(m_random.below(m_model.memories())));
    const std::uint64_t address = mapped ? m.first + m_random.below(m.size()) : unmapped_address();
    tlm::tlm_generic_payload t;
    t.set_command(m_random.one_in(2) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    t.set_address(address);
    tlm::tlm_dmi dmi;
    dmi.init();
    const bool granted = out->get_direct_mem_ptr(t, dmi);
    if (dmi.get_start_address() > address || address > dmi.get_end_address()) {
        wrong("the DMI range does not hold the address");
    }
    const bool expected = mapped && m_settings.router_allows_dmi && m.grants_dmi && !(m.read_only && t.is_write());
    if (granted != expected) { wrong(expected ? "DMI was refused" : "DMI was granted"); }
    if (!granted) { return; }
    ++m_tally.dmi_grants;
    if (dmi.get_start_address() < m.first || dmi.get_end_address() > m.last) {
        wrong("DMI was granted beyond the window");
        return;
    }
    if (m.read_only && dmi.is_write_allowed()) { wrong("DMI may write to a read-only memory"); }
    m_grants.push_back(dmi);
}

void random_initiator::use_dmi()
{
    drain();
    if (m_grants.empty()) { return request_dmi(); }
    const auto& g = m_random.of(m_grants);
    auto& m = *m_model.find(g.get_start_address());
    std::uint64_t size = 0;
    const std::uint64_t stripe = own_stripe(m, size);
    const std::uint64_t length = draw_length(size);
    const std::uint64_t offset = stripe + (m_random.one_in(4) ? size - length : m_random.below(size - length + 1));
    if (m.first + offset < g.get_start_address() || m.first + offset + (length - 1) > g.get_end_address()) {
        return request_dmi();
    }
    ++m_tally.dmi_accesses;
    unsigned char* bytes = g.get_dmi_ptr() + (m.first + offset - g.get_start_address());
    if (g.is_write_allowed() && m_random.one_in(2)) {
        const auto data = m_random.bytes(length);
        std::memcpy(bytes, data.data(), length);
        m_model.wrote(m, offset, data.data(), length);
    } else {
        const auto error = m_model.seen(m, offset, bytes, length);
        if (!error.empty()) { wrong("DMI: " + error); }
    }
}

void random_initiator::invalidate(sc_dt::uint64 first, sc_dt::uint64 last)
{
    m_grants.erase(std::remove_if(m_grants.begin(), m_grants.end(),
                                  [&](const tlm::tlm_dmi& g) {
                                      return g.get_start_address() <= last && first <= g.get_end_address();
                                  }),
                   m_grants.end());
}

} // namespace tensorloom::test
