#include <tensorloom/tlm/router.h>
#include <algorithm>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

std::optional<std::string> address_map::add(const range& added)
{
    if (added.last < added.first) { return std::string("address range ends before it begins"); }
    for (const auto& r : m_ranges) {
        if (added.first <= r.last && r.first <= added.last) {
            return "address range overlaps that of target " + std::to_string(r.target);
        }
    }
    m_ranges.push_back(added);
    return std::nullopt;
}

const address_map::range* address_map::find(std::uint64_t address) const
{
    for (const auto& r : m_ranges) {
        if (address >= r.first && address <= r.last) { return &r; }
    }
    return nullptr;
}

namespace {

constexpr std::size_t index_of(router_event event) { return static_cast<std::size_t>(event); }

// The bytes of the address space that a transaction accesses.
std::uint64_t extent(const tlm::tlm_generic_payload& transaction)
{
    const unsigned length = transaction.get_data_length();
    const unsigned streaming = transaction.get_streaming_width();
    return streaming != 0 && streaming < length ? streaming : length;
}

} // namespace

std::optional<std::string> validate(const router_config& config)
{
    if (const auto wrong = validate_clock(config.clock_period)) { return "router " + *wrong; }
    if (config.queue_depth < 1 || config.queue_depth > 1024) {
        return "router queue of " + std::to_string(config.queue_depth) + " requests, expected 1 to 1024";
    }
    if (const auto wrong = validate(config.ranks)) { return "router " + *wrong; }
    return std::nullopt;
}

router_core::router_core(sc_core::sc_module_name name, const router_config& config, activity_sink* activity)
    : sc_core::sc_module(name), m_config(config), m_wake("wake")
{
    SC_HAS_PROCESS(router_core);
    if (const auto wrong = validate(config)) { report_error(this->name(), "/tensorloom/router/config", *wrong); }
    SC_METHOD(act);
    sensitive << m_wake;
    dont_initialize();
    if (activity != nullptr) { activity->attach(this->name(), router_events, m_counts); }
}

void router_core::map(std::uint64_t first, std::uint64_t last, unsigned target, bool relative)
{
    if (const auto wrong = m_map.add({first, last, target, relative})) {
        report_error(name(), "/tensorloom/router/map", *wrong);
    }
}

void router_core::end_of_elaboration()
{
    m_initiators.resize(bound_initiators());
    m_targets.resize(bound_targets());
    const auto ranked = std::max(m_config.ranks.priorities.size(), m_config.ranks.weights.size());
    if (ranked > m_initiators.size()) {
        report_error(name(), "/tensorloom/router/config",
                     std::to_string(ranked) + " initiators have a rank, but " + std::to_string(m_initiators.size()) +
                         " are bound");
    }
    for (unsigned r = 0; r < m_targets.size(); ++r) {
        auto& side = m_targets[r];
        side.socket = &to_target(r);
        side.waiting.resize(m_initiators.size());
        side.policy = make_arbitration(m_config.arbitration, m_config.ranks);
    }
    for (const auto& r : m_map.ranges()) {
        if (r.target < m_targets.size()) { continue; }
        report_error(name(), "/tensorloom/router/map",
                     "a range is mapped to target " + std::to_string(r.target) + ", but " +
                         std::to_string(m_targets.size()) + " are bound");
    }
}

// ---- common to both transports ----

const address_map::range* router_core::route(std::uint64_t address, std::uint64_t length) const
{
    const auto* r = m_map.find(address);
    if (r == nullptr || r->target >= m_targets.size()) { return nullptr; }
    return length != 0 && length - 1 > r->last - address ? nullptr : r;
}

const address_map::range* router_core::route(const tlm::tlm_generic_payload& transaction) const
{
    return route(transaction.get_address(), extent(transaction));
}

sc_core::sc_time router_core::link_time(const tlm::tlm_generic_payload& transaction) const
{
    if (m_config.bytes_per_cycle == 0) { return sc_core::SC_ZERO_TIME; }
    const std::uint64_t beats =
        (std::uint64_t{transaction.get_data_length()} + m_config.bytes_per_cycle - 1) / m_config.bytes_per_cycle;
    return sc_core::sc_time::from_value(beats * m_config.clock_period.value());
}

void router_core::count_forwarded(unsigned initiator, unsigned target, unsigned bytes)
{
    ++m_counts[index_of(router_event::transaction)];
    m_counts[index_of(router_event::byte)] += bytes;
    for (auto* traffic : {&m_initiators[initiator].traffic, &m_targets[target].traffic}) {
        ++traffic->transactions;
        traffic->bytes += bytes;
    }
}

void router_core::count_wait(unsigned initiator, unsigned target, const sc_core::sc_time& waited)
{
    if (waited == sc_core::SC_ZERO_TIME) { return; }
    const std::uint64_t period = m_config.clock_period.value();
    const std::uint64_t cycles = (waited.value() + period - 1) / period;
    ++m_counts[index_of(router_event::contended)];
    m_counts[index_of(router_event::contention_cycle)] += cycles;
    for (auto* traffic : {&m_initiators[initiator].traffic, &m_targets[target].traffic}) {
        ++traffic->contended;
        traffic->contention_cycles += cycles;
    }
}

// Takes the first gap of the link; returns when the transaction proceeds.
sc_core::sc_time router_core::pass_link(unsigned initiator, unsigned target,
                                        const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival)
{
    const auto duration = link_time(transaction);
    const auto now = sc_core::sc_time_stamp();
    auto& link = m_targets[target].link;
    link.forget_before(now.value());
    const std::uint64_t from = link.free_from(std::max(arrival, now).value(), duration.value()).begin;
    if (duration > sc_core::SC_ZERO_TIME) { link.book(from, from + duration.value()); }
    const auto start = sc_core::sc_time::from_value(from);
    m_counts[index_of(router_event::busy_cycle)] += duration.value() / m_config.clock_period.value();
    count_wait(initiator, target, start - arrival);
    return start;
}

// ---- blocking transport ----

void router_core::b_transport(int from, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const auto initiator = static_cast<unsigned>(from);
    const std::uint64_t address = transaction.get_address();
    const auto* r = route(transaction);
    delay += m_config.latency;
    if (r == nullptr) {
        ++m_counts[index_of(router_event::unmapped)];
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (m_config.arbitrate_blocking) {
        wait_for_turn(initiator, *r, transaction, delay);
    } else if (m_config.bytes_per_cycle != 0) {
        const auto now = sc_core::sc_time_stamp();
        delay = pass_link(initiator, r->target, transaction, now + delay) - now;
    }
    count_forwarded(initiator, r->target, transaction.get_data_length());
    transaction.set_address(r->relative ? address - r->first : address);
    m_targets[r->target].socket->b_transport(transaction, delay);
    transaction.set_address(address);
    if (!m_config.allow_dmi) { transaction.set_dmi_allowed(false); }
}

void router_core::wait_for_turn(unsigned initiator, const address_map::range& range,
                                tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    sc_core::sc_event turn;
    transfer t;
    t.transaction = &transaction;
    t.range = &range;
    t.initiator = initiator;
    t.address = transaction.get_address();
    t.eligible = sc_core::sc_time_stamp() + delay;
    t.turn = &turn;
    auto& queue = m_targets[range.target].waiting[initiator];
    struct leave_queue { // also when the calling process is killed
        std::deque<transfer*>& queue;
        transfer* t;
        ~leave_queue() { queue.erase(std::remove(queue.begin(), queue.end(), t), queue.end()); }
    } leave{queue, &t};
    queue.push_back(&t);
    wake_at(t.eligible);
    sc_core::wait(turn);
    delay = sc_core::SC_ZERO_TIME;
}

// ---- non-blocking transport ----

void router_core::show_target(transfer& t)
{
    t.transaction->set_address(t.range->relative ? t.address - t.range->first : t.address);
}

void router_core::show_initiator(transfer& t) { t.transaction->set_address(t.address); }

tlm::tlm_sync_enum router_core::nb_transport_fw(int from, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay)
{
    const auto initiator = static_cast<unsigned>(from);
    const auto now = sc_core::sc_time_stamp();
    if (phase == tlm::END_RESP) {
        transfer* const found = m_live.find(transaction);
        if (found != nullptr && m_initiators[initiator].responding == found) {
            finish(*found, now + delay);
            return tlm::TLM_COMPLETED;
        }
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_REQ || m_live.find(transaction) != nullptr) { return tlm::TLM_ACCEPTED; }

    const auto* r = route(transaction);
    if (r == nullptr) {
        ++m_counts[index_of(router_event::unmapped)];
        delay += m_config.latency;
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    transaction.acquire();
    transfer& t = m_live.begin(transaction);
    t = {};
    t.transaction = &transaction;
    t.range = r;
    t.initiator = initiator;
    t.address = transaction.get_address();
    t.eligible = now + delay + m_config.latency;
    m_targets[r->target].waiting[initiator].push_back(&t);
    wake_at(t.eligible);
    auto& side = m_initiators[initiator];
    if (++side.held <= m_config.queue_depth) {
        phase = tlm::END_REQ;
        delay += m_config.clock_period;
        t.accept_from = now + delay;
        return tlm::TLM_UPDATED;
    }
    t.accept_from = now + delay;
    side.unaccepted = &t;
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum router_core::nb_transport_bw(int from, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay)
{
    transfer* const found = m_live.find(transaction);
    if (found == nullptr || found->range->target != static_cast<unsigned>(from)) { return tlm::TLM_ACCEPTED; }
    transfer& t = *found;
    const auto at = sc_core::sc_time_stamp() + delay;
    const bool requested = t.stage == transfer_stage::requested;
    if (phase == tlm::END_REQ && requested) {
        m_targets[t.range->target].request_free = at;
        accepted(t);
    } else if (phase == tlm::BEGIN_RESP && (requested || t.stage == transfer_stage::accepted)) {
        accepted(t);
        responded(t, at);
    }
    return tlm::TLM_ACCEPTED;
}

// A target has accepted the request: its request channel is free, and the router holds one fewer.
void router_core::accepted(transfer& t)
{
    if (t.stage != transfer_stage::requested) { return; }
    t.stage = transfer_stage::accepted;
    auto& target = m_targets[t.range->target];
    if (target.requesting == &t) { target.requesting = nullptr; }
    --m_initiators[t.initiator].held;
    wake_at(sc_core::sc_time_stamp());
}

// The response has arrived; it goes to the initiator at this time or when its response channel is free.
void router_core::responded(transfer& t, const sc_core::sc_time& at)
{
    t.stage = transfer_stage::responded;
    t.response = std::max(at, t.accept_from);
    auto& queue = m_initiators[t.initiator].responses;
    const auto next =
        std::find_if(queue.begin(), queue.end(), [&](const transfer* o) { return o->response > t.response; });
    queue.insert(next, &t);
    wake_at(t.response);
}

void router_core::grant(target_side& side, unsigned target, transfer& chosen)
{
    const auto now = sc_core::sc_time_stamp();
    side.waiting[chosen.initiator].pop_front();
    const auto start = pass_link(chosen.initiator, target, *chosen.transaction, chosen.eligible);
    if (chosen.turn != nullptr) {
        chosen.turn->notify(start - now);
        return;
    }
    count_forwarded(chosen.initiator, target, chosen.transaction->get_data_length());
    side.requesting = &chosen;
    chosen.stage = transfer_stage::requested;
    show_target(chosen);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = start - now;
    const auto answer = side.socket->nb_transport_fw(*chosen.transaction, phase, delay);
    if (answer == tlm::TLM_ACCEPTED || chosen.stage != transfer_stage::requested) { return; }
    side.request_free = now + delay;
    accepted(chosen);
    if (answer == tlm::TLM_COMPLETED) { chosen.responds_early = true; }
    if (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) { responded(chosen, now + delay); }
}

// The initiator has accepted the response: the target may send its next one, and the transaction leaves the router.
void router_core::finish(transfer& t, const sc_core::sc_time& at)
{
    auto& side = m_initiators[t.initiator];
    side.responding = nullptr;
    side.response_free = at;
    if (!t.responds_early) {
        show_target(t);
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = at - sc_core::sc_time_stamp();
        m_targets[t.range->target].socket->nb_transport_fw(*t.transaction, phase, delay);
        show_initiator(t);
    }
    auto* transaction = t.transaction;
    m_live.end(*transaction);
    transaction->release();
    if (!side.responses.empty()) { wake_at(at); }
}

bool router_core::serve_initiator(initiator_side& side, unsigned initiator)
{
    const auto now = sc_core::sc_time_stamp();
    if (side.unaccepted != nullptr && side.held <= m_config.queue_depth && side.unaccepted->accept_from <= now) {
        transfer& t = *side.unaccepted;
        side.unaccepted = nullptr;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        show_initiator(t);
        to_initiator(initiator).nb_transport_bw(*t.transaction, phase, delay);
        show_target(t);
        return true;
    }
    if (side.responding != nullptr || side.responses.empty() || side.response_free > now ||
        side.responses.front()->response > now) {
        return false;
    }
    transfer& t = *side.responses.front();
    side.responses.pop_front();
    if (side.unaccepted == &t) { side.unaccepted = nullptr; } // BEGIN_RESP implies END_REQ
    side.responding = &t;
    show_initiator(t);
    if (!m_config.allow_dmi) { t.transaction->set_dmi_allowed(false); }
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const auto answer = to_initiator(initiator).nb_transport_bw(*t.transaction, phase, delay);
    const bool ended = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (ended && side.responding == &t) { finish(t, now + delay); }
    return true;
}

// Several initiators wait: adds the bytes granted to one of them to the contest of each.
void router_core::count_contest(const arbitration::candidate& chosen)
{
    double weights = 0;
    for (const auto& c : m_candidates) { weights += m_config.ranks.weight(c.initiator); }
    for (const auto& c : m_candidates) {
        auto& contests = m_initiators[c.initiator].contests;
        contests.bytes += chosen.bytes;
        contests.due_bytes += chosen.bytes * (m_config.ranks.weight(c.initiator) / weights);
    }
    m_initiators[chosen.initiator].contests.won_bytes += chosen.bytes;
}

bool router_core::serve_target(target_side& side, unsigned target)
{
    const auto now = sc_core::sc_time_stamp();
    if (side.requesting != nullptr || side.request_free > now) { return false; }
    m_candidates.clear();
    for (auto& queue : side.waiting) {
        if (!queue.empty() && queue.front()->eligible <= now) {
            const transfer& first = *queue.front();
            m_candidates.push_back({first.initiator, first.eligible, first.transaction->get_data_length()});
        }
    }
    if (m_candidates.empty() || side.link.free_from(now.value(), 1).begin != now.value()) { return false; }
    const auto& chosen = m_candidates[side.policy->choose(m_candidates)];
    if (m_candidates.size() > 1) { count_contest(chosen); }
    grant(side, target, *side.waiting[chosen.initiator].front());
    return true;
}

void router_core::act()
{
    m_acts = true;
    bool again = true;
    while (again) {
        again = false;
        for (unsigned i = 0; i < m_initiators.size(); ++i) { again = serve_initiator(m_initiators[i], i) || again; }
        for (unsigned r = 0; r < m_targets.size(); ++r) { again = serve_target(m_targets[r], r) || again; }
    }
    m_acts = false;
    const auto due = next_due();
    if (due != sc_core::sc_max_time()) { wake_at(due); }
}

// The next time at which an action is due.
sc_core::sc_time router_core::next_due() const
{
    auto due = sc_core::sc_max_time();
    const auto take = [&due](const sc_core::sc_time& t) { due = std::min(due, t); };
    for (const auto& side : m_initiators) {
        if (side.unaccepted != nullptr && side.held <= m_config.queue_depth) { take(side.unaccepted->accept_from); }
        if (side.responding == nullptr && !side.responses.empty()) {
            take(std::max(side.responses.front()->response, side.response_free));
        }
    }
    for (const auto& side : m_targets) {
        if (side.requesting != nullptr) { continue; }
        for (const auto& queue : side.waiting) {
            if (queue.empty()) { continue; }
            const auto from = std::max(std::max(queue.front()->eligible, side.request_free), sc_core::sc_time_stamp());
            take(sc_core::sc_time::from_value(side.link.free_from(from.value(), 1).begin));
        }
    }
    return due;
}

void router_core::wake_at(const sc_core::sc_time& time)
{
    if (m_acts) { return; }
    const auto now = sc_core::sc_time_stamp();
    if (time <= now) {
        m_wake.notify(sc_core::SC_ZERO_TIME);
    } else {
        m_wake.notify(time - now);
    }
}

} // namespace tensorloom::bus
