#include <tensorloom/models/triada/stream_control.h>
#include <complex>
#include <cstring>
#include <type_traits>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/triada/isa/step_counts.h>

namespace tensorloom::triada {

using isa::error_code;

void step_log::begin(std::uint64_t dense_macs)
{
    m_dense_macs = dense_macs;
    m_overflowed = false;
    m_skipped.clear();
    m_steps.clear();
}

void step_log::end(bool complete, const sc_core::sc_time& now)
{
    if (complete) { take_skipped_before(3, 0, now); }
    m_skipped.clear();
    for (const auto& step : m_steps) { m_sink(step); }
    m_steps.clear();
}

void step_log::row_skipped(unsigned stage, std::uint32_t step, std::uint32_t tag)
{
    m_skipped.push_back({stage, step, tag});
}

void step_log::step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                         const counts& counted)
{
    take_skipped_before(stage, step, start);
    m_overflowed = m_overflowed || counted[event::mac_overflowed] != 0;
    m_steps.push_back({stage, step, tag, false, start, counted});
}

void step_log::take_skipped_before(unsigned stage, std::uint32_t step, const sc_core::sc_time& now)
{
    while (!m_skipped.empty()) {
        const auto& next = m_skipped.front();
        if (next.stage > stage || (next.stage == stage && next.step > step)) { return; }
        logged_step skipped{next.stage, next.step, next.tag, true, now, {}};
        skipped.counts = counts_of_skipped_row(m_dense_macs);
        m_steps.push_back(skipped);
        m_skipped.pop_front();
    }
}

stream_link link_of(const gemt_command& command, const isa::tiled_stage& stage)
{
    stream_link link{stage.mode, {}};
    auto& s = link.switches;
    s.stage = stage.position;
    s.window = {0, stage.input[stage.mode], 0, stage.output[stage.mode]};
    s.x_mode = x_mode_of(command.order, stage.position);
    s.esop = command.esop();
    s.zero_threshold = command.zero_threshold;
    return link;
}

// A value as an element: rounded once.
static std::vector<unsigned char> element_of(base::element_type format, const std::array<double, 2>& value)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(format, [&](auto element) {
        using type = decltype(element);
        if constexpr (arithmetic::number_format<type>::parts == 2) {
            using real = typename type::value_type;
            element = {static_cast<real>(value[0]), static_cast<real>(value[1])};
        } else if constexpr (std::is_same_v<type, arithmetic::bfloat16>) {
            element = type::from_double(value[0]);
        } else {
            element = static_cast<type>(value[0]);
        }
        std::vector<unsigned char> bytes(sizeof element);
        std::memcpy(bytes.data(), &element, sizeof element);
        return bytes;
    });
}

stream_control::stream_control(base::element_type format, std::array<coefficient_memory_if*, 3> memories,
                               std::array<control_if*, 3> actuators, tensor_core& core, step_log& steps,
                               const bus::stop_request& stop)
    : m_format(format), m_memories(memories), m_actuators(actuators), m_core(core), m_steps(steps), m_stop(stop)
{}

shell::command_outcome stream_control::run(const shape3& box, std::vector<stream_link> chain)
{
    for (std::size_t i = 0; i < chain.size(); ++i) {
        chain[i].switches.successor = i + 1 < chain.size() ? chain[i + 1].mode : to_device;
        m_memories[chain[i].mode]->set_switches(chain[i].switches);
    }
    if (m_verilog != nullptr) { m_verilog->begin(chain); }
    const auto outcome = run_from(chain.front().mode, box);
    if (!outcome.ok() || chain.back().switches.ends_stream) { m_passed = 0; }
    return outcome;
}

shell::command_outcome stream_control::run(const resident_tensor& x, cell_register operand,
                                           const isa::pointwise_command& command)
{
    constexpr unsigned mode = 2, lateral = 0; // the actuator of mode 3 drives lateral lines
    actuator_switches s;
    s.stage = pointwise_stage;
    s.length = x.shape[mode];
    s.source = x.reg;
    s.shift = x.shift;
    s.x_mode = lateral;
    s.successor = to_device;
    s.esop = command.esop();
    s.pointwise = static_cast<arithmetic::pointwise_operation>(command.operation);
    if (command.has_value()) { s.value = element_of(m_format, command.value); }
    if (command.has_operand()) { s.operand = operand; }
    m_memories[mode]->set_switches(s);
    return run_from(mode, x.shape);
}

// The actuator of this mode begins.
shell::command_outcome stream_control::run_from(unsigned actuator, const shape3& box)
{
    m_core.activate(box);
    m_steps.begin(isa::volume_of(box));
    m_actuators[actuator]->take_control(m_passed);
    sc_core::wait(m_returned);
    m_core.sync();
    const bool stopped = m_stop.acts_at(sc_core::sc_time_stamp());
    m_steps.end(!stopped, sc_core::sc_time_stamp());
    if (stopped) { return {error_code::aborted}; }
    return {m_steps.overflowed() ? error_code::accumulator_overflow : error_code::none};
}

} // namespace tensorloom::triada
