#include <tensorloom/models/fetta/device.h>
#include <cstring>
#include <string>
#include <tensorloom/models/arch/program/device_description.h>
#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/vector/accesses.h>

namespace tensorloom::fetta {

using arch::error_code;
using arch::fetta::contract_command;
using arch::fetta::event;
using arch::fetta::unit;
using arch::vector::instruction;
using arch::vector::payload_kind;
using arch::vector::strided_command;
using arch::vector::vector_command;
using shell::command_outcome;

namespace {

constexpr auto contract_code = static_cast<std::uint8_t>(arch::fetta::opcode::contract);

shell::shell_config shell_settings(const config& c)
{
    shell::shell_config s;
    s.id = arch::device_id(arch::fetta::id);
    s.caps = static_cast<std::uint32_t>(c.geometry.operand) | static_cast<std::uint32_t>(arch::fetta::event_count) << 8;
    s.caps_size = arch::fetta::caps_size_of(c.geometry);
    s.clock_period = c.clock_period;
    s.dma = dma_settings(c);
    s.tolerance = c.tolerance;
    s.overlap = c.overlap;
    s.units = arch::fetta::unit_count;
    s.overlapped_cycle = static_cast<std::size_t>(event::overlapped_cycle);
    return s;
}

const config& checked(const config& c)
{
    if (const auto wrong = complaint(c)) { SC_REPORT_ERROR("/tensorloom/fetta/config", wrong->c_str()); }
    return c;
}

blocks::vector_unit_config vector_settings(const config& c, const arch::vector::limits& limits)
{
    blocks::vector_unit_config v;
    v.word = limits.word;
    v.lanes = c.lanes;
    v.costs = c.vector_costs;
    v.blocks = limits.blocks;
    v.word_bits = arch::element_bits(limits.word);
    v.fidelity = c.fidelity;
    v.clock_period = c.clock_period;
    return v;
}

// Calls action with the vector instruction as its payload decodes it.
template <class Action>
auto decoded(const instruction& what, const arch::command_header& header, const std::uint8_t* payload,
             const Action& action)
{
    if (what.payload == payload_kind::vector) { return action(vector_command::decode(header.flags, payload)); }
    return action(strided_command::decode(payload));
}

std::optional<arch::refusal> refusal_of(const instruction& what, std::uint16_t, const vector_command& c,
                                        const arch::vector::limits& l)
{
    return check(what.code, c, l);
}
std::optional<arch::refusal> refusal_of(const instruction& what, std::uint16_t flags, const strided_command& c,
                                        const arch::vector::limits& l)
{
    return check(what.code, c, flags, l);
}

std::vector<shell::byte_range> spans(const arch::vector::address_ranges& ranges)
{
    std::vector<shell::byte_range> all;
    for (const auto& r : ranges) { all.push_back({r.first, r.end() - r.first}); }
    return all;
}

shell::byte_range span(const arch::fetta::memory_range& r) { return {r.first, r.end - r.first}; }

// The vector unit counts by the events of its table; a lane or a block handles a word.
arch::fetta::counts counts_of(const arch::mmv::counts& vector)
{
    using from = arch::mmv::event;
    arch::fetta::counts n;
    n[event::vector_instruction] = vector[from::vector_instruction];
    for (const auto e : {from::lane_add, from::lane_multiply, from::lane_multiply_add, from::lane_function,
                         from::lane_logic, from::lane_move}) {
        n[event::vector_op] += vector[e];
    }
    n[event::vector_word_read] = vector[from::scratchpad_read];
    n[event::vector_word_write] = vector[from::scratchpad_write];
    return n;
}

} // namespace

// ---- construction ----

device_body::device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, shell_settings(checked(config)), arch::fetta::events, activity), m_config(config),
      m_vector_limits(arch::fetta::vector_limits_of(config.geometry)), m_memory("unified_memory", config.geometry),
      m_contractions(make_tensor_contraction_unit("tensor_contraction_unit", config, stop())),
      m_vector("vector_unit", vector_settings(config, m_vector_limits), stop())
{
    m_contractions->ia(m_memory.ia);
    m_contractions->ib(m_memory.ib);
    m_contractions->result(m_memory.result);
    m_vector.pad(m_memory.words);
}

device_body::~device_body() = default;

void device_body::trace(sc_core::sc_trace_file& file, const contraction_trace& contraction)
{
    static constexpr const char* units[] = {"tensor_contraction_unit", "vector_unit"};
    const std::string prefix = std::string(name()) + ".";
    trace_shell(file);
    for (unsigned u = 0; u < arch::fetta::unit_count; ++u) {
        sc_core::sc_trace(&file, m_activity[u].opcode, prefix + units[u] + ".opcode");
        sc_core::sc_trace(&file, m_activity[u].command, prefix + units[u] + ".command");
    }
    const auto& vector = m_vector.watch();
    sc_core::sc_trace(&file, vector.busy, prefix + "vector_unit.busy");
    sc_core::sc_trace(&file, vector.group, prefix + "vector_unit.group");
    sc_core::sc_trace(&file, vector.results, prefix + "vector_unit.results");
    m_contractions->trace(file, contraction);
}

void device_body::reset_device()
{
    m_contractions->clear_accumulators();
    m_memory.words->clear();
}

void device_body::count_transfer(arch::opcode code, const shell::byte_range& moved, std::uint64_t* counts) const
{
    const event e = code == arch::opcode::load ? event::load_row : event::store_row;
    counts[static_cast<std::size_t>(e)] += m_memory.transfers().rows(moved);
}

// ---- commands ----

std::optional<arch::refusal> device_body::check_command(const arch::command_header& header, const std::uint8_t* payload,
                                                        std::size_t payload_bytes) const
{
    const auto* described = arch::find_command(arch::fetta::description, header.opcode);
    if (described == nullptr) {
        return arch::refusal{error_code::unknown_opcode, "opcode " + std::to_string(header.opcode)};
    }
    if (payload_bytes != described->payload->bytes()) {
        return arch::refusal{error_code::bad_command, std::string("length of ") + described->opcode.name};
    }
    if (header.opcode == contract_code) {
        return arch::fetta::check(contract_command::decode(header.flags, payload), m_config.geometry);
    }
    const auto& what = *arch::vector::find_instruction(header.opcode);
    return decoded(what, header, payload,
                   [&](const auto& c) { return refusal_of(what, header.flags, c, m_vector_limits); });
}

// Here the addresses are those of the iteration.
command_outcome device_body::execute(const shell::issued_command& command)
{
    const bool is_contract = command.header.opcode == contract_code;
    auto& shown = m_activity[static_cast<std::size_t>(is_contract ? unit::tensor_contraction : unit::vector)];
    shown = {command.header.opcode, command.index};
    const auto done = is_contract ? contract(command) : run_vector(command);
    shown.opcode = 0;
    return done;
}

command_outcome device_body::contract(const shell::issued_command& command)
{
    const auto c = contract_command::decode(command.header.flags, command.payload).at(command.iteration);
    if (const auto refused = arch::fetta::check(c, m_config.geometry)) { return {refused->code}; }
    const contract_outcome done = m_contractions->execute(c);
    const struct {
        const char* cause;
        std::uint64_t cycles;
        bool counts; // the events of a command are those of its compute cycles
    } phases[] = {{"fill", done.cycles.fill, false},
                  {"compute", done.cycles.compute, true},
                  {"reload", done.cycles.reload, false},
                  {"psum", done.cycles.psum, false},
                  {"conflict", done.conflict_cycles, false}};
    for (const auto& p : phases) {
        if (p.cycles != 0) { report(command, p.cause, "contract", p.cycles, p.counts ? done.counts.data() : nullptr); }
    }
    return {done.stopped ? error_code::aborted : error_code::none};
}

command_outcome device_body::run_vector(const shell::issued_command& command)
{
    const auto& what = *arch::vector::find_instruction(command.header.opcode);
    return decoded(what, command.header, command.payload, [&](const auto& of_program) {
        const auto c = of_program.at(command.iteration);
        if (const auto refused = refusal_of(what, command.header.flags, c, m_vector_limits)) {
            return command_outcome{refused->code};
        }
        blocks::unit_outcome done;
        if constexpr (std::is_same_v<std::decay_t<decltype(c)>, vector_command>) {
            done = m_vector.execute(what.code, c);
        } else {
            done = m_vector.execute(c);
        }
        // The events are those of the unit's own work, which comes first.
        const auto counts = counts_of(done.counts);
        bool first = true;
        for (const auto& s : done.segments) {
            report(command, s.cause, what.name, s.cycles, first ? counts.data() : nullptr);
            first = false;
        }
        return command_outcome{done.error};
    });
}

shell::access_set device_body::footprint(const shell::issued_command& command) const
{
    shell::access_set f;
    if (command.header.opcode == contract_code) {
        f.unit = static_cast<unsigned>(unit::tensor_contraction);
        const auto c = contract_command::decode(command.header.flags, command.payload).at(command.iteration);
        // One that will be refused touches nothing.
        if (!arch::fetta::check(c, m_config.geometry)) {
            f.reads = {span(ia_range(c, m_config.geometry)), span(ib_range(c, m_config.geometry))};
            f.writes = {span(result_range(c, m_config.geometry))};
        }
        return f;
    }
    f.unit = static_cast<unsigned>(unit::vector);
    const auto& what = *arch::vector::find_instruction(command.header.opcode);
    decoded(what, command.header, command.payload, [&](const auto& of_program) {
        const auto c = of_program.at(command.iteration);
        if (!refusal_of(what, command.header.flags, c, m_vector_limits)) {
            f.reads = spans(arch::vector::reads(what.code, c, m_vector_limits));
            f.writes = spans(arch::vector::writes(what.code, c, m_vector_limits));
        }
    });
    return f;
}

} // namespace tensorloom::fetta
