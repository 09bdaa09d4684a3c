#include "integration/random_host.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include "integration/random_transactions.h"

namespace tensorloom::test {
namespace {

constexpr std::uint32_t ctrl = 0x020;
constexpr std::uint32_t status = 0x024;
constexpr std::uint32_t irq_status = 0x028;
constexpr std::uint32_t irq_enable = 0x02c;
constexpr std::uint32_t program_addr_lo = 0x030;
constexpr std::uint32_t error_code_at = 0x040;
constexpr std::uint32_t error_command = 0x044;
constexpr std::uint32_t commands_done = 0x058;
constexpr std::uint32_t cycles_lo = 0x050;
constexpr std::uint32_t token = 0x05c;
constexpr std::uint32_t start_bit = 1, abort_bit = 2, reset_bit = 4;
constexpr std::uint32_t busy = 1, done = 2, error = 4, aborted = 8;
constexpr std::uint32_t irq_done = 1, irq_error = 2, irq_command = 4;

std::vector<unsigned char> little_endian(std::uint64_t value, std::size_t n)
{
    std::vector<unsigned char> b(n);
    for (auto& x : b) {
        x = static_cast<unsigned char>(value);
        value >>= 8;
    }
    return b;
}

std::uint32_t word_of(const std::vector<unsigned char>& b)
{
    return b[0] | static_cast<std::uint32_t>(b[1]) << 8 | static_cast<std::uint32_t>(b[2]) << 16 |
           static_cast<std::uint32_t>(b[3]) << 24;
}

} // namespace

/// The payload of non-blocking transactions, one after the other.
class random_host::lone_payload : public tlm::tlm_generic_payload, private tlm::tlm_mm_interface {
public:
    lone_payload() { set_mm(this); }
    std::vector<unsigned char> data;
    std::uint64_t taken = 0;
    std::uint64_t freed = 0;

private:
    void free(tlm::tlm_generic_payload*) override
    {
        reset();
        ++freed;
    }
};

random_host::random_host(sc_core::sc_module_name name, const settings& s, bus_model& bus)
    : sc_core::sc_module(name), out("out"), irq("irq"), rst("rst"), m_settings(s), m_bus(bus), m_random(s.seed),
      m_registers(s.caps, {4, 4, 4}), m_payload(std::make_unique<lone_payload>())
{
    SC_HAS_PROCESS(random_host);
    out.register_nb_transport_bw(this, &random_host::nb_transport_bw);
    SC_THREAD(run);
}

random_host::~random_host() = default;

bool random_host::payloads_are_back() const { return m_payload->taken == m_payload->freed; }

void random_host::wrong(const std::string& what)
{
    if (++m_wrongs <= max_errors) { ADD_FAILURE() << name() << " at " << sc_core::sc_time_stamp() << ": " << what; }
}

void random_host::run()
{
    while (m_tally.accesses + m_tally.debug < m_settings.accesses) {
        idle_accesses();
        run_program();
    }
    settle();
    m_finished = true;
}

void random_host::catch_up()
{
    if (m_ahead > sc_core::SC_ZERO_TIME) { wait(m_ahead); }
    m_ahead = sc_core::SC_ZERO_TIME;
}

// Signals have their values.
void random_host::settle()
{
    catch_up();
    for (unsigned i = 0; i < 4; ++i) { wait(sc_core::SC_ZERO_TIME); }
}

// ---- accesses ----

bus_access random_host::access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char> data)
{
    bus_access a;
    a.command = command;
    a.address = address;
    a.length = static_cast<unsigned>(data.size());
    a.width = a.length;
    a.before = std::move(data);
    return a;
}

void random_host::send(bus_access& a)
{
    ++m_tally.accesses;
    count_illegal(a, m_tally.illegal);
    if (m_random.one_in(4)) { return send_in_phases(a); }
    send_blocking(a);
    if (m_ahead >= tlm::tlm_global_quantum::instance().get()) { catch_up(); }
}

void random_host::send_blocking(bus_access& a)
{
    tlm::tlm_generic_payload t;
    std::vector<unsigned char> data;
    set_up(t, a, data);
    const auto sent = sc_core::sc_time_stamp() + m_ahead;
    out->b_transport(t, m_ahead);
    if (sc_core::sc_time_stamp() + m_ahead < sent) { wrong("b_transport took time back"); }
    if (!fields_kept(t, a, data)) { wrong("a field changed that is the initiator's"); }
    take_answer(t, data, a);
}

void random_host::send_in_phases(bus_access& a)
{
    catch_up();
    lone_payload& p = *m_payload;
    p.acquire();
    ++p.taken;
    set_up(p, a, p.data);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    m_waiting = true;
    const auto result = out->nb_transport_fw(p, phase, delay);
    if (result == tlm::TLM_COMPLETED) {
        m_waiting = false;
        wait(delay);
    } else {
        while (m_waiting) { wait(m_answered); }
        if (m_random.one_in(2)) { wait(m_random.time(10'000)); }
        phase = tlm::END_RESP;
        delay = sc_core::SC_ZERO_TIME;
        out->nb_transport_fw(p, phase, delay);
    }
    if (!fields_kept(p, a, p.data)) { wrong("a field changed that is the initiator's"); }
    take_answer(p, p.data, a);
    p.release();
    wait(sc_core::sc_time(1, sc_core::SC_NS)); // END_REQ may have been annotated that much ahead
}

tlm::tlm_sync_enum random_host::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&)
{
    if (phase == tlm::BEGIN_RESP) {
        m_waiting = false;
        m_answered.notify(sc_core::SC_ZERO_TIME);
    }
    return tlm::TLM_ACCEPTED;
}

void random_host::register_access(bus_access a)
{
    a.address += m_settings.registers_at;
    send(a);
    a.address -= m_settings.registers_at;
    const auto error = m_registers.check(a);
    if (!error.empty()) { wrong(error); }
}

std::uint32_t random_host::read(std::uint32_t offset)
{
    auto a = access(tlm::TLM_READ_COMMAND, m_settings.registers_at + offset, std::vector<unsigned char>(4));
    send(a);
    if (a.status != tlm::TLM_OK_RESPONSE) { wrong("register " + std::to_string(offset) + " cannot be read"); }
    return word_of(a.after);
}

void random_host::write(std::uint32_t offset, std::uint32_t value)
{
    register_access(access(tlm::TLM_WRITE_COMMAND, offset, little_endian(value, 4)));
}

// From now on the model knows the register.
std::uint32_t random_host::learn(std::uint32_t offset)
{
    const std::uint32_t value = read(offset);
    m_registers.set(offset, value);
    return value;
}

bus_access random_host::draw_access()
{
    const auto place = m_random.below(100);
    std::uint64_t address = place < 75   ? m_random.below(0x80)
                            : place < 90 ? m_random.below(register_model::block_bytes)
                                         : register_model::block_bytes - 8 + m_random.below(24);
    const auto size = m_random.below(10);
    const std::uint64_t length = size < 7   ? std::uint64_t{1} << m_random.below(4)
                                 : size < 9 ? m_random.between(1, 70)
                                            : 0;
    if (length != 0 && !m_random.one_in(6)) { address = address / length * length; }
    const auto kind = m_random.below(20);
    auto a = access(kind < 10   ? tlm::TLM_READ_COMMAND
                    : kind < 19 ? tlm::TLM_WRITE_COMMAND
                                : tlm::TLM_IGNORE_COMMAND,
                    address, m_random.bytes(length));
    const auto width = m_random.below(20);
    if (width < 3) {
        a.width = static_cast<unsigned>(m_random.below(10));
    } else if (width == 3) {
        a.width = UINT32_MAX;
    }
    if (m_random.one_in(4)) {
        a.has_enables = true;
        a.enables.resize(m_random.below(9));
        for (auto& e : a.enables) { e = m_random.one_in(2) ? 0xff : 0x00; }
    }
    if (m_random.one_in(30)) {
        a.null_data = true;
        a.before.clear();
    }
    return a;
}

void random_host::debug_access()
{
    ++m_tally.debug;
    const std::uint64_t address = m_random.below(register_model::block_bytes + 16);
    auto data = m_random.bytes(m_random.between(1, 100));
    const auto before = data;
    tlm::tlm_generic_payload t;
    t.set_command(m_random.one_in(3) ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    t.set_address(m_settings.registers_at + address);
    t.set_data_ptr(data.data());
    t.set_data_length(static_cast<unsigned>(data.size()));
    const unsigned moved = out->transport_dbg(t);
    const std::uint64_t there = address < register_model::block_bytes ? register_model::block_bytes - address : 0;
    if (moved != (t.is_read() ? std::min<std::uint64_t>(data.size(), there) : 0)) {
        wrong("debug transport moved " + std::to_string(moved) + " bytes");
        return;
    }
    const auto error = m_registers.seen(address, data.data(), moved);
    if (!error.empty()) { wrong("debug: " + error); }
    if (!std::equal(data.begin() + moved, data.end(), before.begin() + moved)) { wrong("debug wrote too much"); }
}

// ---- what a host does ----

void random_host::idle_accesses()
{
    for (auto n = m_random.below(40); n > 0; --n) {
        auto a = draw_access();
        if (m_random.one_in(10)) {
            debug_access();
            continue;
        }
        const std::uint32_t started =
            m_registers.expected_status(a) == tlm::TLM_OK_RESPONSE ? register_model::written_to(ctrl, a) : 0;
        if ((started & start_bit) != 0 && (started & reset_bit) == 0) { continue; } // programs are started elsewhere
        register_access(std::move(a));
        if ((started & reset_bit) != 0) { m_registers.reset(); } // an abort does nothing
    }
    settle();
    const bool expected = (*m_registers.get(irq_status) & *m_registers.get(irq_enable)) != 0;
    if (irq.read() != expected) { wrong("irq is " + std::to_string(irq.read())); }
}

void random_host::write_inputs(const random_program& p)
{
    auto& memory = m_bus.at(0);
    for (const auto& input : p.inputs) {
        for (std::size_t at = 0; at < input.bytes.size();) {
            const std::size_t n = std::min<std::size_t>(m_random.between(1, 600), input.bytes.size() - at);
            const auto from = input.bytes.begin() + static_cast<std::ptrdiff_t>(at);
            auto a = access(tlm::TLM_WRITE_COMMAND, input.address + at, {from, from + static_cast<std::ptrdiff_t>(n)});
            send(a);
            const auto error = m_bus.retire(a, false);
            if (!error.empty()) { wrong(memory.name + ": " + error); }
            at += n;
        }
    }
}

void random_host::run_program()
{
    const auto p = draw_program(m_random, m_settings.memory);
    write_inputs(p);
    if (m_random.one_in(2)) {
        register_access(access(tlm::TLM_WRITE_COMMAND, program_addr_lo, little_endian(p.address, 8)));
    } else {
        write(program_addr_lo + 4, static_cast<std::uint32_t>(p.address >> 32));
        write(program_addr_lo, static_cast<std::uint32_t>(p.address));
    }
    m_irq_before = *m_registers.get(irq_status);
    const auto chosen = m_random.below(10);
    const stop how = chosen < 6    ? stop::none
                     : chosen == 6 ? stop::reset_register
                     : chosen == 7 ? stop::reset_pin
                                   : stop::abort;
    m_registers.program_runs();
    if (m_random.one_in(4)) {
        start_twice();
    } else {
        write(ctrl, start_bit);
    }
    if (m_random.one_in(2)) { accesses_while_busy(); }
    if (how != stop::none) {
        catch_up();
        wait(m_random.time(m_random.one_in(2) ? 60'000 : 500'000));
    }
    switch (how) {
    case stop::none: break;
    case stop::abort: write(ctrl, abort_bit); break;
    case stop::reset_register:
        write(ctrl, reset_bit);
        m_registers.reset();
        ++m_tally.reset_by_register;
        break;
    case stop::reset_pin: pulse_reset(); break;
    }
    await_end();
    check_end(p, how);
}

// The second time, before the device can have done anything, is ignored.
void random_host::start_twice()
{
    for (unsigned i = 0; i < 2; ++i) {
        auto a = access(tlm::TLM_WRITE_COMMAND, m_settings.registers_at + ctrl, little_endian(start_bit, 4));
        ++m_tally.accesses;
        send_blocking(a);
        if (a.status != tlm::TLM_OK_RESPONSE) { wrong("START was refused"); }
    }
    catch_up();
}

void random_host::accesses_while_busy()
{
    for (auto n = m_random.below(12); n > 0; --n) {
        auto a = draw_access();
        const bool acts = a.command == tlm::TLM_WRITE_COMMAND &&
                          (register_model::written_to(ctrl, a) != 0 || register_model::written_to(irq_status, a) != 0);
        if (!a.null_data && acts && !(a.has_enables && a.enables.empty())) { continue; }
        register_access(std::move(a));
        if (m_random.one_in(3)) { debug_access(); }
        if (m_random.one_in(2)) { wait(m_random.time(50'000)); }
    }
}

void random_host::pulse_reset()
{
    ++m_tally.reset_by_pin;
    rst.write(true);
    wait(sc_core::SC_ZERO_TIME);
    wait(sc_core::SC_ZERO_TIME);
    m_registers.reset();
    for (auto n = m_random.below(3); n > 0; --n) { // nothing is written while it is high
        auto a = access(tlm::TLM_WRITE_COMMAND, m_settings.registers_at + irq_enable, little_endian(7, 4));
        send(a);
        catch_up();
    }
    wait(m_random.time(20'000));
    rst.write(false);
    settle();
}

void random_host::await_end()
{
    for (unsigned polls = 0; (read(status) & busy) != 0; ++polls) {
        if (polls == 100'000) {
            wrong("the device does not end");
            return;
        }
        catch_up();
        if (m_random.one_in(2)) { wait(m_random.time(100'000)); }
    }
    settle();
}

void random_host::check_end(const random_program& p, stop how)
{
    if (how == stop::reset_register || how == stop::reset_pin) {
        m_registers.reset(); // but for what the host wrote since: it has written nothing
        check_results(p, false);
    } else if ((read(status) & aborted) != 0) {
        if (how != stop::abort) { wrong("nobody asked for an abort"); }
        ++m_tally.aborted;
        check_abort(p);
        check_results(p, false);
    } else {
        expect_end(p);
        check_results(p, true);
    }
    check_registers();
}

void random_host::expect_end(const random_program& p)
{
    const bool failed = p.anything_goes || p.error != isa::error_code::none;
    ++(failed ? m_tally.failed : m_tally.done);
    m_registers.set(status, failed ? error : done);
    m_registers.set(irq_status,
                    m_irq_before | (failed ? irq_error : irq_done) | (p.raises_irq_command ? irq_command : 0));
    m_registers.set(commands_done, p.commands_done);
    m_registers.set(token, p.token);
    m_registers.set(error_code_at, static_cast<std::uint32_t>(p.error));
    m_registers.set(error_command, p.error_command);
    m_registers.set(0x048, static_cast<std::uint32_t>(p.error_address));
    m_registers.set(0x04c, static_cast<std::uint32_t>(p.error_address >> 32));
    m_registers.set(0x070, static_cast<std::uint32_t>(p.error_response));
    if (p.anything_goes) {
        const auto code = learn(error_code_at);
        if (code == 0 || code > 8) { wrong("a program of random bytes ended with code " + std::to_string(code)); }
        if (learn(error_command) > p.commands) { wrong("command index after the program"); }
    }
    const bool fetched = p.address % 16 == 0;
    if ((learn(cycles_lo) != 0) != fetched) { wrong("cycles of a program"); }
}

void random_host::check_abort(const random_program& p)
{
    m_registers.set(status, error | aborted);
    m_registers.set(error_code_at, 12);
    for (const auto offset : {0x048u, 0x04cu, 0x070u}) { m_registers.set(offset, 0); }
    const std::uint32_t at = learn(error_command);
    const std::uint32_t finished = learn(commands_done);
    if (at > p.commands || finished > p.commands_done) { wrong("aborted after the end of the program"); }
    if (finished == 0) {
        m_registers.set(token, 0);
    } else {
        learn(token);
    }
    const std::uint32_t irqs = learn(irq_status);
    const std::uint32_t least = m_irq_before | irq_error;
    const std::uint32_t most = least | (p.raises_irq_command ? irq_command : 0);
    if ((irqs & least) != least || (irqs & ~most) != 0) { wrong("IRQ_STATUS after an abort"); }
    learn(cycles_lo);
}

// All of memory is as the model has it; where results of an unfinished program go, anything may be.
void random_host::check_results(const random_program& p, bool finished)
{
    auto& memory = m_bus.at(0);
    std::vector<unsigned char> all(memory.size());
    tlm::tlm_generic_payload t;
    t.set_command(tlm::TLM_READ_COMMAND);
    t.set_address(memory.first);
    t.set_data_ptr(all.data());
    t.set_data_length(static_cast<unsigned>(all.size()));
    if (out->transport_dbg(t) != all.size()) { wrong("memory cannot be read"); }
    for (const auto& r : p.results) {
        const std::uint64_t offset = r.address - memory.first;
        m_bus.wrote(memory, offset, finished ? r.bytes.data() : all.data() + offset, r.bytes.size());
    }
    const auto error = m_bus.seen(memory, 0, all.data(), all.size());
    if (!error.empty()) { wrong(error); }
}

void random_host::check_registers()
{
    for (std::uint32_t offset = 0; offset < 0x78; offset += 4) {
        register_access(access(tlm::TLM_READ_COMMAND, offset, std::vector<unsigned char>(4)));
    }
    settle();
    const bool expected = (*m_registers.get(irq_status) & *m_registers.get(irq_enable)) != 0;
    if (irq.read() != expected) { wrong("irq is " + std::to_string(irq.read())); }
}

} // namespace tensorloom::test
