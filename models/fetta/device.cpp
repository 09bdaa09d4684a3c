#include <tensorloom/models/fetta/device.h>

namespace tensorloom::fetta {

using isa::error_code;
using shell::command_outcome;

namespace {

// One operation per word handled by a lane or a block of the vector unit.
isa::vector::event_map vector_events()
{
    using from = isa::vector::event;
    isa::vector::event_map map;
    map.device_events = event_count;
    const auto count_as = [&](from e, event row) { map[e] = static_cast<std::size_t>(row); };
    count_as(from::vector_instruction, event::vector_instruction);
    for (const auto e : {from::lane_add, from::lane_multiply, from::lane_multiply_add, from::lane_function,
                         from::lane_logic, from::lane_move}) {
        count_as(e, event::vector_op);
    }
    count_as(from::scratchpad_read, event::vector_word_read);
    count_as(from::scratchpad_write, event::vector_word_write);
    return map;
}

shell::byte_range span(const memory_range& r) { return {r.first, r.end - r.first}; }

bool advances(const contract_command& c)
{
    const auto moves = [](const contract_operand& o) { return o.step != decltype(o.step){}; };
    return moves(c.ia) || moves(c.ib) || moves(c.result);
}

} // namespace

// ---- CONTRACT ----

bool contract_unit::executes(std::uint8_t opcode) const
{
    return opcode == static_cast<std::uint8_t>(opcode::contract);
}

std::optional<isa::check_error> contract_unit::check(const isa::command_header& header,
                                                     const std::uint8_t* payload) const
{
    return fetta::check(contract_command::decode(header.flags, payload), m_limits);
}

void contract_unit::begin_program()
{
    m_contractions.clear_accumulators();
    for (auto& d : m_decoded) { d.payload = nullptr; }
}

// A payload keeps its address while its program runs.
const contract_unit::decoded_command& contract_unit::decoded(const shell::issued_command& command) const
{
    decoded_command& d = m_decoded[command.index % m_decoded.size()];
    if (d.payload == command.payload && (!d.advances || d.iteration == command.iteration)) { return d; }
    d.payload = command.payload;
    d.iteration = command.iteration;
    d.command = contract_command::decode(command.header.flags, command.payload);
    d.advances = advances(d.command);
    d.command = d.command.at(command.iteration);
    d.refused = fetta::check(d.command, m_limits);
    d.accesses.reads.clear();
    d.accesses.writes.clear();
    if (!d.refused) {
        d.accesses.reads = {span(ia_range(d.command, m_limits)), span(ib_range(d.command, m_limits))};
        d.accesses.writes = {span(result_range(d.command, m_limits))};
    }
    return d;
}

shell::access_set contract_unit::accesses(const shell::issued_command& command) const
{
    return decoded(command).accesses;
}

command_outcome contract_unit::execute(shell::running_command& running)
{
    const auto& d = decoded(running.command);
    if (d.refused) { return {d.refused->code}; }
    const contract_command c = d.command; // later ones may take its place while it runs
    m_activity.begin(running.command);
    const contract_outcome done = m_contractions.execute(c);
    m_activity.end();
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
        if (p.cycles != 0) { running.report(p.cause, "contract", p.cycles, p.counts ? done.counts.data() : nullptr); }
    }
    return {done.stopped ? error_code::aborted : error_code::none};
}

// ---- the device ----

device_base::device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, description,
                   {checked(name, config, "/tensorloom/fetta/config"), config.limits.operand,
                    caps_size_of(config.limits), config.overlap, event::overlapped_cycle, config.program_prefetch},
                   activity),
      m_config(config), m_memory("unified_memory", config.limits),
      m_contractions(make_tensor_contraction_unit("tensor_contraction_unit", config, clock(), stop())),
      m_vector("vector_unit",
               blocks::vector_settings(config, vector_limits_of(config.limits), 0, vector_events(), clock()), stop()),
      m_contract(config.limits, *m_contractions)
{
    m_contractions->ia(m_memory.ia);
    m_contractions->ib(m_memory.ib);
    m_contractions->result(m_memory.result);
    m_vector.pad(m_memory.words);
    count_banks("unified_memory", *m_contractions); // as the engines see it: N banks of rows
    count_banks("unified_memory.words", m_memory);  // as the vector unit: N x P banks of words at strides and indices
    use_units({&m_contract, &m_vector}, m_memory.transfers(), {event::load_row, event::store_row});
}

void device_base::trace(sc_core::sc_trace_file& file, const contraction_trace& contraction)
{
    trace_units(file);
    m_contractions->trace(file, contraction);
}

} // namespace tensorloom::fetta

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(template, tensorloom::fetta::traits);
