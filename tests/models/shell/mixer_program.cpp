#include "models/shell/mixer_program.h"
#include <algorithm>
#include <functional>

namespace tensorloom::test {

using isa::opcode;

namespace {

std::vector<std::uint8_t> payload_of(const program_step& s)
{
    if (s.code == mixer_device::mix) { return s.mix.encode(); }
    switch (s.code) {
    case opcode::load:
    case opcode::store: return s.transfer.encode();
    case opcode::signal:
    case opcode::wait: return isa::signal_command{s.signal}.encode();
    case opcode::loop: return isa::loop_command{s.count}.encode();
    default: return {};
    }
}

void add(const program_steps& steps, isa::program_builder& to, std::uint32_t& token)
{
    for (const auto& s : steps) {
        to.add(s.code == mixer_device::mix ? mixer_device::mix_on(s.mix.unit) : s.code, 0, token++, payload_of(s));
        if (s.code == opcode::loop) {
            add(s.body, to, token);
            to.add(opcode::end, 0, token++);
        }
    }
}

// Commands of a piece of program.
std::uint32_t size_of(const program_steps& steps)
{
    std::uint32_t n = 0;
    for (const auto& s : steps) { n += s.code == opcode::loop ? size_of(s.body) + 2 : 1; }
    return n;
}

struct turn {
    std::uint32_t iteration;
    std::uint32_t count;
};

void unroll(const program_steps& steps, std::uint32_t index, std::vector<turn>& turns, std::vector<executed_step>& all)
{
    const auto execute = [&](std::uint32_t i, opcode code, const program_step* s) {
        executed_step e{i, code, s, {}, 0};
        if (!turns.empty()) { e.iteration[0] = turns.back().iteration; }
        if (turns.size() > 1) { e.iteration[1] = turns[turns.size() - 2].iteration; }
        for (const auto& t : turns) { e.execution = e.execution * t.count + t.iteration; }
        all.push_back(e);
    };
    for (const auto& s : steps) {
        execute(index++, s.code, &s);
        if (s.code != opcode::loop) { continue; }
        const std::uint32_t inside = size_of(s.body);
        for (std::uint32_t i = 0; i < s.count; ++i) {
            turns.push_back({i, s.count});
            unroll(s.body, index, turns, all);
            execute(index + inside, opcode::end, &s);
            turns.pop_back();
        }
        index += inside + 1;
    }
}

struct element_place {
    std::uint64_t bus;
    std::uint64_t local;
};

// Where the elements of a transfer lie, in C order, index by index.
std::vector<element_place> places_of_elements(const executed_step& e)
{
    const auto& t = e.step->transfer;
    std::int64_t base = static_cast<std::int64_t>(t.tensor.base);
    std::int64_t local = static_cast<std::int64_t>(t.local);
    for (unsigned l = 0; l < 2; ++l) {
        base += t.tensor_step[l] * std::int64_t{e.iteration[l]};
        local += t.local_step[l] * std::int64_t{e.iteration[l]};
    }
    std::vector<element_place> all;
    const std::function<void(unsigned, std::int64_t)> visit = [&](unsigned mode, std::int64_t at) {
        if (mode == t.tensor.order) {
            all.push_back({static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(local) + 4 * all.size()});
            return;
        }
        for (std::int64_t i = 0; i < std::int64_t{t.tensor.size[mode]}; ++i) {
            visit(mode + 1, at + 4 * i * t.tensor.stride[mode]);
        }
    };
    visit(0, base);
    return all;
}

struct bytes_used {
    std::vector<bool> read = std::vector<bool>(mixer_device::memory_bytes);
    std::vector<bool> written = std::vector<bool>(mixer_device::memory_bytes);
};

bytes_used use_of(const executed_step& e)
{
    bytes_used u;
    if (e.code == mixer_device::mix) {
        const auto c = e.step->mix.at(e.iteration);
        for (std::uint32_t i = 0; i < c.from_bytes; ++i) { u.read[c.from + i] = true; }
        for (std::uint32_t i = 0; i < c.to_bytes; ++i) { u.written[c.to + i] = true; }
    } else {
        for (const auto& p : places_of_elements(e)) {
            for (unsigned b = 0; b < 4; ++b) { (e.code == opcode::load ? u.written : u.read)[p.local + b] = true; }
        }
    }
    return u;
}

bool meet(const std::vector<bool>& a, const std::vector<bool>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] && b[i]) { return true; }
    }
    return false;
}

bool runs_on_unit(const executed_step& e)
{
    return e.code == mixer_device::mix || e.code == opcode::load || e.code == opcode::store;
}

unsigned unit_of(const executed_step& e)
{
    return e.code == mixer_device::mix ? e.step->mix.unit : mixer_device::units;
}

bool must_wait(const executed_step& later, const executed_step& earlier)
{
    if (unit_of(later) == unit_of(earlier)) { return true; }
    const auto a = use_of(later);
    const auto b = use_of(earlier);
    return meet(a.read, b.written) || meet(a.written, b.read) || meet(a.written, b.written);
}

} // namespace

std::vector<std::uint8_t> program_bytes(const program_steps& steps)
{
    isa::program_builder builder;
    std::uint32_t token = 100;
    add(steps, builder, token);
    return builder.bytes();
}

std::vector<executed_step> unrolled(const program_steps& steps)
{
    std::vector<executed_step> all;
    std::vector<turn> turns;
    unroll(steps, 0, turns, all);
    return all;
}

void execute_plainly(const executed_step& e, two_memories& m)
{
    if (e.code == mixer_device::mix) {
        const auto c = e.step->mix.at(e.iteration);
        const unsigned d = digest(m.local, c.from, c.from_bytes);
        mix_into(m.local, c, d, d);
    } else if (runs_on_unit(e)) {
        for (const auto& p : places_of_elements(e)) {
            for (unsigned b = 0; b < 4; ++b) {
                auto& local = m.local[p.local + b];
                auto& bus = m.bus[p.bus - m.bus_base + b];
                if (e.code == opcode::load) {
                    local = bus;
                } else {
                    bus = local;
                }
            }
        }
    }
}

std::uint64_t duration(const executed_step& e, std::uint64_t port_cycles_per_byte)
{
    if (e.code == mixer_device::mix) { return e.step->mix.cycles; }
    if (e.code == opcode::end) { return 1; }
    if (!runs_on_unit(e)) { return 0; }
    const std::uint64_t elements = places_of_elements(e).size();
    return std::max(elements, 4 * elements * port_cycles_per_byte);
}

base::resource resource_of(const executed_step& e)
{
    if (e.code == mixer_device::mix) { return mixer_resource(e.step->mix.unit); }
    return runs_on_unit(e) ? base::resource::bus : base::resource::control;
}

naive_schedule schedule(const std::vector<executed_step>& steps,
                        const std::function<std::uint64_t(const executed_step&)>& cycles_of)
{
    naive_schedule s;
    std::uint64_t issue = 0;                           // nothing begins before
    std::vector<std::size_t> given(isa::signal_count); // commands before the SIGNAL
    const auto wait_for_first = [&](std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) { issue = std::max(issue, s.end[i]); }
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& e = steps[i];
        if (e.code == opcode::signal) { given[e.step->signal] = i; }
        if (e.code == opcode::wait) { wait_for_first(given[e.step->signal]); }
        if (e.code == opcode::irq || e.code == opcode::halt) { wait_for_first(i); }
        if (runs_on_unit(e)) {
            for (std::size_t k = 0; k < i; ++k) {
                if (runs_on_unit(steps[k]) && s.end[k] > issue && must_wait(e, steps[k])) { issue = s.end[k]; }
            }
        }
        s.begin.push_back(issue);
        s.end.push_back(issue + cycles_of(e));
        if (e.code == opcode::end) { issue = s.end.back(); }
        s.total = std::max(s.total, s.end.back());
    }
    return s;
}

} // namespace tensorloom::test
