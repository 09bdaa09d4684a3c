#include <tensorloom/models/triada/tensor_core.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <tensorloom/models/rtl/formats.h>
#include <tensorloom/models/rtl/triada/mesh_cells.h>
#include <tensorloom/models/triada/cellwise_tensor_core.h>

namespace tensorloom::triada {
namespace {

template <class Value> std::uint64_t bits_of(const Value& value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class Value> Value from_bits(std::uint64_t bits)
{
    Value value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}

/// The largest element that is not above a threshold: moduli of elements compare with it as with the threshold.
template <class Element> std::uint64_t threshold_bits(double threshold)
{
    if constexpr (std::is_same_v<Element, std::int8_t>) {
        return static_cast<std::uint64_t>(std::min(std::floor(threshold), 255.0));
    } else if constexpr (std::is_same_v<Element, double>) {
        return bits_of(threshold);
    } else {
        auto below = static_cast<float>(std::min(threshold, double{std::numeric_limits<float>::infinity()}));
        if (below > threshold) { below = std::nextafterf(below, 0); }
        return std::is_same_v<Element, float> ? bits_of(below) : bits_of(below) >> 16;
    }
}

/// The tensor core with cells in Verilog (models/rtl/triada), wired here. Every time-step is three clocks of theirs.
template <class Element> class rtl_tensor_core : public cellwise_tensor_core<Element, rtl_tensor_core<Element>> {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    rtl_tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                    const bus::stop_request& stop, step_observer& observer)
        : base_type(name, config, clock, stop, observer), m_cells(rtl::make_mesh_cells(config.format, config.mesh))
    {}

    void activate(const shape3& new_box) override
    {
        m_cells->activate(new_box);
        this->set_box(new_box);
    }
    void write_cell(const shape3& at, cell_register reg, const accumulator& sum)
    {
        m_cells->write(at, static_cast<unsigned>(reg), bits_of(sum));
    }
    accumulator read_cell(const shape3& at, cell_register reg) const
    {
        return from_bits<accumulator>(m_cells->read(at, static_cast<unsigned>(reg)));
    }
    const char* kind() const override { return "rtl_tensor_core"; }

private:
    using base_type = cellwise_tensor_core<Element, rtl_tensor_core<Element>>;

    void execute(const vector_burst& burst, counts* counted) override;
    void show(std::size_t index, cell_waveform& waveform, const vector_burst& burst,
              const tagged_vector& vector) override;

    std::unique_ptr<rtl::mesh_cells> m_cells;
};

template <class Element> void rtl_tensor_core<Element>::execute(const vector_burst& burst, counts* counted)
{
    rtl::mesh_step step;
    step.x_mode = burst.x_mode;
    step.y_mode = burst.mode;
    step.source = static_cast<unsigned>(burst.source);
    step.target = static_cast<unsigned>(burst.target);
    step.shift = burst.shift;
    step.esop = burst.esop;
    step.threshold = threshold_bits<Element>(burst.zero_threshold);
    if (burst.pointwise) { step.pointwise = static_cast<unsigned>(*burst.pointwise); }
    if (burst.operand) { step.operand = static_cast<unsigned>(*burst.operand); }
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        auto& c = counted[i];
        this->for_each_sent(burst, burst.vectors[i], [&](std::uint32_t k, const Element& element, bool tag) {
            m_cells->drive(step, k, bits_of(element), tag);
        });
        const auto events = m_cells->execute(step);
        c[event::coefficient_send] = events.sent;
        c[coefficient_hop(burst.x_mode)] = events.sent * this->line_cells(burst.x_mode);
        c[event::mac] = events.multiplied;
        c[event::operand_saturated] = events.saturated;
        if (burst.pointwise) {
            const std::uint64_t elements = this->volume();
            c[event::register_read] = elements * (burst.operand ? 2 : 1) + events.latched;
            c[event::register_write] = elements + events.latched;
            if (*burst.pointwise >= arithmetic::pointwise_operation::threshold) { c[event::compare] = elements; }
            continue;
        }
        c[event::mac_overflowed] = events.overflowed;
        c[event::operand_send] = events.driven;
        c[operand_hop(burst.mode)] = events.driven * this->line_cells(burst.mode);
        c[event::register_read] = events.driven + 2 * events.multiplied;
        c[event::register_write] = events.latched + events.multiplied;
    }
}

template <class Element>
void rtl_tensor_core<Element>::show(std::size_t, cell_waveform& waveform, const vector_burst&, const tagged_vector&)
{
    const auto lines = m_cells->lines(waveform.at);
    const auto shown = [](std::uint64_t bits) { return arithmetic::shown(from_bits<Element>(bits)); };
    waveform.x_valid = lines.x_valid;
    waveform.tag = lines.tag;
    waveform.coefficient = lines.x_valid ? shown(lines.coefficient) : arithmetic::traced_element{};
    waveform.y_valid = lines.y_valid;
    waveform.operand = lines.y_valid ? shown(lines.operand) : arithmetic::traced_element{};
    for (unsigned r = 0; r < this->settings().registers(); ++r) {
        waveform.element[r] = arithmetic::shown(read_cell(waveform.at, static_cast<cell_register>(r)));
    }
}

} // namespace

std::optional<std::string> rtl_error(const config& config)
{
    if (auto missing = rtl::missing(config.format)) { return missing; }
    if (config.look_ahead != 0) {
        return "rtl has no look-ahead of " + std::to_string(config.look_ahead) + " rows, but of all";
    }
    for (const auto cells : config.mesh) {
        if (cells > 8) { return "rtl has no mesh of " + std::to_string(cells) + " cells along a mode, but of up to 8"; }
    }
    return std::nullopt;
}

std::unique_ptr<tensor_core> make_rtl_tensor_core(sc_core::sc_module_name name, const config& config,
                                                  const bus::clock_source& clock, const bus::stop_request& stop,
                                                  step_observer& observer)
{
    if (rtl_error(config)) { return nullptr; }
    return base::with_element<double, float, arithmetic::bfloat16, std::int8_t>(
        config.format, [&](auto element) -> std::unique_ptr<tensor_core> {
            return std::make_unique<rtl_tensor_core<decltype(element)>>(name, config, clock, stop, observer);
        });
}

} // namespace tensorloom::triada
