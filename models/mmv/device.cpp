#include <tensorloom/models/mmv/device.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <tensorloom/models/arch/program/device_description.h>
#include <tensorloom/models/arch/vector/accesses.h>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/events.h>

namespace tensorloom::mmv {

using arch::error_code;
using arch::mmv::event;
using arch::mmv::matmul_command;
using arch::vector::strided_command;
using arch::vector::vector_command;
using shell::command_outcome;

namespace {

shell::shell_config shell_settings(const config& c)
{
    shell::shell_config s;
    s.id = arch::device_id(arch::mmv::id);
    s.caps = static_cast<std::uint32_t>(c.format) | static_cast<std::uint32_t>(arch::mmv::event_count) << 8;
    s.caps_size = {c.side, c.lanes, static_cast<std::uint32_t>(c.scratchpad_bytes / scratchpad_unit)};
    s.clock_period = c.clock_period;
    s.dma = dma_settings(c);
    s.tolerance = c.tolerance;
    s.overlap = c.overlap;
    s.units = unit_count;
    s.overlapped_cycle = static_cast<std::size_t>(arch::mmv::event::overlapped_cycle);
    return s;
}

std::optional<unit_instruction> find_instruction(std::uint8_t code)
{
    const unit_instruction what{arch::vector::find_instruction(code), arch::mmv::find_instruction(code)};
    if (what.vector == nullptr && what.other == nullptr) { return std::nullopt; }
    return what;
}

const config& checked(const config& c)
{
    if (const auto wrong = complaint(c)) { SC_REPORT_ERROR("/tensorloom/mmv/config", wrong->c_str()); }
    return c;
}

blocks::vector_unit_config vector_settings(const config& c)
{
    const arch::element_type word = arch::accumulator_type(c.format);
    blocks::vector_unit_config v;
    v.word = word;
    v.lanes = c.lanes;
    v.costs = c.vector_costs;
    v.blocks = c.blocks;
    v.word_bits = c.word_bits != 0 ? c.word_bits : arch::element_bits(word);
    v.fidelity = c.fidelity;
    v.clock_period = c.clock_period;
    return v;
}

auto reads_of(const unit_instruction& what, const matmul_command& c, const arch::mmv::limits& l)
{
    static_cast<void>(what);
    return arch::mmv::reads(c, l);
}
auto reads_of(const unit_instruction& what, const vector_command& c, const arch::mmv::limits& l)
{
    return arch::vector::reads(what.vector->code, c, l);
}
auto reads_of(const unit_instruction& what, const strided_command& c, const arch::mmv::limits& l)
{
    return what.vector != nullptr ? arch::vector::reads(what.vector->code, c, l)
                                  : arch::mmv::reads(what.other->code, c, l);
}
auto writes_of(const unit_instruction& what, const matmul_command& c, const arch::mmv::limits& l)
{
    static_cast<void>(what);
    return arch::mmv::writes(c, l);
}
auto writes_of(const unit_instruction& what, const vector_command& c, const arch::mmv::limits& l)
{
    return arch::vector::writes(what.vector->code, c, l);
}
auto writes_of(const unit_instruction& what, const strided_command& c, const arch::mmv::limits& l)
{
    return what.vector != nullptr ? arch::vector::writes(what.vector->code, c, l)
                                  : arch::mmv::writes(what.other->code, c, l);
}

std::optional<arch::refusal> refusal_of(const unit_instruction&, std::uint16_t flags, const matmul_command& c,
                                        const arch::mmv::limits& l)
{
    return check(c, flags, l);
}
std::optional<arch::refusal> refusal_of(const unit_instruction& what, std::uint16_t, const vector_command& c,
                                        const arch::mmv::limits& l)
{
    return check(what.vector->code, c, l);
}
std::optional<arch::refusal> refusal_of(const unit_instruction& what, std::uint16_t flags, const strided_command& c,
                                        const arch::mmv::limits& l)
{
    return what.vector != nullptr ? check(what.vector->code, c, flags, l) : check(what.other->code, c, flags, l);
}

// Calls action with the command as its instruction decodes it.
template <class Action>
auto decoded(const unit_instruction& what, std::uint16_t flags, const std::uint8_t* payload, const Action& action)
{
    if (what.executed_by() == unit::matrix) { return action(matmul_command::decode(payload)); }
    if (what.vector != nullptr && what.vector->payload == arch::vector::payload_kind::vector) {
        return action(vector_command::decode(flags, payload));
    }
    return action(strided_command::decode(payload));
}
template <class Action>
auto iterated(const unit_instruction& what, const shell::issued_command& c, const Action& action)
{
    return decoded(what, c.header.flags, c.payload,
                   [&](const auto& command) { return action(command.at(c.iteration)); });
}

// From the first byte to the last: what lies between rows counts, too.
std::vector<shell::byte_range> spans(const arch::vector::address_ranges& ranges)
{
    std::vector<shell::byte_range> all;
    for (const auto& r : ranges) { all.push_back({r.first, r.end() - r.first}); }
    return all;
}

// The cause of the cycles in which a unit does an instruction's own work.
const char* main_cause(unit u)
{
    switch (u) {
    case unit::matrix: return "compute";
    case unit::vector: return "vector";
    default: return "scalar";
    }
}

} // namespace

// ---- what LOAD and STORE see ----

void device_body::transfer_port::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
{
    std::memcpy(to, m_scratchpad.at(address), bytes);
}

void device_body::transfer_port::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)
{
    std::memcpy(m_scratchpad.at(address), from, bytes);
    m_scratchpad.note_written({address, 1, bytes, 0});
}

std::uint64_t device_body::transfer_port::port_cycles(std::uint64_t address, std::uint64_t bytes) const
{
    const auto& banks = m_scratchpad.banks();
    return banks.contiguous_cycles(banks.words(address, bytes));
}

void device_body::count_transfer(arch::opcode code, const shell::byte_range& moved, std::uint64_t* counts) const
{
    const event e = code == arch::opcode::load ? event::scratchpad_write : event::scratchpad_read;
    counts[static_cast<std::size_t>(e)] += m_scratchpad.port->banks().words(moved.first, moved.bytes);
}

// ---- construction ----

device_body::device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, shell_settings(checked(config)), arch::mmv::events, activity), m_config(config),
      m_limits(limits_of(config)),
      m_scratchpad("scratchpad", config.scratchpad_bytes, m_limits.word_bytes(), config.banks),
      m_transfers(*m_scratchpad.port.operator->()), m_matrix("matrix_unit", config, stop()),
      m_vector("vector_unit", vector_settings(config), stop()),
      m_scalar("scalar_unit", m_limits.word(), config.scalar_ops, config.clock_period, stop())
{
    m_matrix.pad(m_scratchpad.port);
    m_vector.pad(m_scratchpad.port);
    m_scalar.pad(m_scratchpad.port);
}

device_body::~device_body() = default;

void device_body::trace(sc_core::sc_trace_file& file, const std::vector<element_position>& elements)
{
    static constexpr const char* units[] = {"matrix_unit", "vector_unit", "scalar_unit"};
    const std::string prefix = std::string(name()) + ".";
    trace_shell(file);
    for (unsigned u = 0; u < unit_count; ++u) {
        sc_core::sc_trace(&file, m_activity[u].opcode, prefix + units[u] + ".opcode");
        sc_core::sc_trace(&file, m_activity[u].command, prefix + units[u] + ".command");
    }
    const auto& array = m_matrix.array().watch();
    sc_core::sc_trace(&file, array.phase, prefix + "matrix_unit.phase");
    sc_core::sc_trace(&file, array.row, prefix + "matrix_unit.row");
    const auto& vector = m_vector.watch();
    sc_core::sc_trace(&file, vector.busy, prefix + "vector_unit.busy");
    sc_core::sc_trace(&file, vector.group, prefix + "vector_unit.group");
    sc_core::sc_trace(&file, vector.results, prefix + "vector_unit.results");

    for (const auto& [row, column] : elements) {
        const auto* element =
            row < m_config.side && column < m_config.side ? m_matrix.array().watch(row, column) : nullptr;
        if (element == nullptr) {
            SC_REPORT_ERROR("/tensorloom/mmv/trace",
                            "no such processing element: outside of the array, or not detailed");
            continue;
        }
        const std::string pe = prefix + "matrix_unit.pe_" + std::to_string(row) + "_" + std::to_string(column);
        const auto show = [&](const arithmetic::traced_element& shown, const std::string& what) {
            sc_core::sc_trace(&file, shown.re, pe + what);
            if (arch::is_complex(m_config.format)) { sc_core::sc_trace(&file, shown.im, pe + what + "_im"); }
        };
        sc_core::sc_trace(&file, element->valid, pe + ".valid");
        show(element->a_out, ".a_out");
        show(element->c_out, ".c_out");
        show(element->weight, ".weight");
    }
}

void device_body::reset_device()
{
    m_matrix.forget();
    m_scratchpad.port->clear();
}

// ---- commands ----

std::optional<arch::refusal> device_body::check_command(const arch::command_header& header, const std::uint8_t* payload,
                                                        std::size_t payload_bytes) const
{
    const auto what = find_instruction(header.opcode);
    if (!what) { return arch::refusal{error_code::unknown_opcode, "opcode " + std::to_string(header.opcode)}; }
    const auto* described = arch::find_command(arch::mmv::description, header.opcode);
    if (payload_bytes != described->payload->bytes()) {
        return arch::refusal{error_code::bad_command, std::string("length of ") + what->name()};
    }
    return decoded(*what, header.flags, payload,
                   [&](const auto& c) { return refusal_of(*what, header.flags, c, m_limits); });
}

// Here the addresses are those of the iteration.
command_outcome device_body::execute(const shell::issued_command& command)
{
    const auto what = *find_instruction(command.header.opcode);
    return iterated(what, command, [&](const auto& c) {
        if (const auto refused = refusal_of(what, command.header.flags, c, m_limits)) {
            return command_outcome{refused->code};
        }
        auto& shown = m_activity[static_cast<std::size_t>(what.executed_by())];
        shown = {command.header.opcode, command.index};
        const auto done = run(what, c);
        shown.opcode = 0;
        report_phases(command, what, done);
        return command_outcome{done.error};
    });
}

blocks::unit_outcome device_body::run(const unit_instruction&, const matmul_command& c) { return m_matrix.execute(c); }

blocks::unit_outcome device_body::run(const unit_instruction& what, const vector_command& c)
{
    return m_vector.execute(what.vector->code, c);
}

blocks::unit_outcome device_body::run(const unit_instruction& what, const strided_command& c)
{
    return what.executed_by() == unit::vector ? m_vector.execute(c) : m_scalar.execute(what.other->code, c);
}

// The events are those of the cycles in which the unit does its own work.
void device_body::report_phases(const shell::issued_command& command, const unit_instruction& what,
                                const blocks::unit_outcome& done)
{
    const char* own = main_cause(what.executed_by());
    // Of a matrix of one element there is nothing to eliminate: an instruction without a cycle.
    if (done.segments.empty() && done.ok()) { report(command, own, what.name(), 0, done.counts.data()); }
    auto counted = std::find_if(done.segments.begin(), done.segments.end(),
                                [&](const auto& s) { return std::strcmp(s.cause, own) == 0; });
    if (counted == done.segments.end()) { counted = done.segments.begin(); }
    for (auto s = done.segments.begin(); s != done.segments.end(); ++s) {
        report(command, s->cause, what.name(), s->cycles, s == counted ? done.counts.data() : nullptr);
    }
}

shell::access_set device_body::footprint(const shell::issued_command& command) const
{
    const auto what = *find_instruction(command.header.opcode);
    return iterated(what, command, [&](const auto& c) {
        shell::access_set f;
        f.unit = static_cast<unsigned>(what.executed_by());
        // One that will be refused touches nothing.
        if (!refusal_of(what, command.header.flags, c, m_limits)) {
            f.reads = spans(reads_of(what, c, m_limits));
            f.writes = spans(writes_of(what, c, m_limits));
        }
        return f;
    });
}

} // namespace tensorloom::mmv
