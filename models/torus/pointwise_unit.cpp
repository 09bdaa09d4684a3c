#include <tensorloom/models/torus/pointwise_unit.h>
#include <algorithm>
#include <utility>

namespace tensorloom::torus {

using isa::error_code;
using isa::pointwise_command;
using shell::command_outcome;

namespace {

shape3 sizes_of(const isa::tensor_descriptor& tensor) { return {tensor.size[0], tensor.size[1], tensor.size[2]}; }

bool fits(const shape3& sizes, const shape3& most)
{
    return sizes[0] <= most[0] && sizes[1] <= most[1] && sizes[2] <= most[2];
}

} // namespace

pointwise_unit::pointwise_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                               const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                               std::string device)
    : m_config(config), m_nodes(*nodes.control.operator->()), m_contents(contents), m_stop(stop), m_clock(clock),
      m_log(log), m_device(std::move(device)), m_transfers(config, *nodes.memory.operator->(), dma, stop, clock)
{}

bool pointwise_unit::executes(std::uint8_t opcode) const
{
    return opcode == static_cast<std::uint8_t>(opcode::pointwise);
}

std::optional<isa::check_error> pointwise_unit::check(const isa::command_header& header,
                                                      const std::uint8_t* payload) const
{
    return isa::check(pointwise_command::decode(header.flags, payload),
                      filled({m_config.block, m_config.block}, m_config.side).in_size, m_config.format);
}

command_outcome pointwise_unit::execute(shell::running_command& running)
{
    const auto command = pointwise_command::decode(running.command.header.flags, running.command.payload);
    m_activity.begin(running.command);
    m_command = running.command.index;
    auto outcome = run(command);
    if (outcome.ok() && command.completion()) {
        outcome =
            m_transfers.write_completion(command.completion_address, running.command.header.token, m_log, m_command);
    }
    if (!outcome.ok()) { m_contents.clear(); }
    m_activity.end();
    return outcome;
}

command_outcome pointwise_unit::run(const pointwise_command& command)
{
    if (auto outcome = take_tensor(command); !outcome.ok()) { return outcome; }
    if (command.has_operand()) {
        if (auto outcome = take_operand(command); !outcome.ok()) { return outcome; }
    }
    if (auto outcome = step(command); !outcome.ok()) { return outcome; }
    m_tensor.shift = command.shift;
    auto& lies = m_is_given ? m_contents.given : m_contents.transformed;
    lies.reset();
    m_contents.held = held_tensor::none;
    if (command.hold_result()) {
        lies = m_tensor;
        m_contents.held = m_is_given ? held_tensor::given : held_tensor::transformed;
        return {};
    }
    return add("unload", 0, m_transfers.unload(m_tensor.place, command.y, command.shift));
}

// Where X lies, or is loaded.
command_outcome pointwise_unit::take_tensor(const pointwise_command& command)
{
    const auto sizes = sizes_of(command.x);
    if (command.keep_tensor()) {
        const auto* held = m_contents.held_one();
        if (held == nullptr || held->size != sizes) { return {error_code::not_resident}; }
        m_is_given = m_contents.held == held_tensor::given;
        m_tensor = *held;
        return {};
    }
    if (!fits(sizes, filled(m_contents.laid_out().blocks, m_config.side).in_size)) {
        array_contents::layout layout;
        for (unsigned m = 0; m < 3; ++m) {
            layout.blocks.in_block[m] = layout.blocks.out_block[m] = (sizes[m] + m_config.side - 1) / m_config.side;
        }
        m_contents.lay_out(layout);
    }
    m_contents.given.reset();
    m_contents.transformed.reset();
    m_contents.next.reset();
    m_is_given = true;
    m_tensor = {{slot::x, *free_memory(slot::x, m_contents.taken())}, sizes, 0};
    return add("load", 0, m_transfers.load(command.x, m_tensor.place));
}

command_outcome pointwise_unit::take_operand(const pointwise_command& command)
{
    auto& held = m_contents.operand;
    const auto as = m_tensor.place.as;
    if (command.keep_operand()) {
        if (!held || held->place.as != as || held->size != m_tensor.size) { return {error_code::not_resident}; }
        m_operand = *held;
        if (!command.hold_operand()) { held.reset(); }
        return {};
    }
    held.reset();
    auto taken = m_contents.taken();
    taken.add(m_tensor.place.in);
    m_operand = {{as, *free_memory(m_tensor.place.in, taken)}, m_tensor.size, 0}; // of four memories two are taken
    m_contents.overwrite(m_operand.place.in);
    if (command.hold_operand()) { held = m_operand; }
    return add("load", 1, m_transfers.load(command.operand, m_operand.place));
}

command_outcome pointwise_unit::step(const pointwise_command& command)
{
    pointwise_pass pass;
    pass.command = &command;
    pass.x = m_tensor.place;
    pass.shift = m_tensor.shift;
    if (command.has_operand()) { pass.operand = m_operand.place; }
    torus::counts counted;
    const std::uint64_t start = m_clock.now();
    m_nodes.apply(pass, counted);
    const auto block = shape_of(pass.x.as, by_index(m_contents.laid_out().blocks, m_contents.laid_out().order));
    const std::uint64_t cycles =
        (block.words() + m_config.macs_per_cycle - 1) / m_config.macs_per_cycle + m_config.mac_latency - 1;
    m_clock.wait_until(start + cycles); // also when stopped
    m_clock.settle();
    counted[event::compute_cycle] = cycles;
    m_log.add(bus::log_record("compute", "pointwise")
                  .of_command(m_command)
                  .during(start, cycles)
                  .with_counts(counted.data()));
    return {m_stop.acts_at(sc_core::sc_time_stamp()) ? error_code::aborted : error_code::none};
}

command_outcome pointwise_unit::add(const char* name, std::uint32_t detail, const slot_transfer::report& transfer)
{
    m_log.add(bus::log_record(name)
                  .of_command(m_command)
                  .with_detail(detail)
                  .during(transfer.start_cycle, transfer.cycles)
                  .with_counts(transfer.counts.data())
                  .with_freed(&transfer.freed));
    return transfer.outcome;
}

} // namespace tensorloom::torus
