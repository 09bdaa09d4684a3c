#include <tensorloom/models/blocks/systolic_array.h>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tensorloom/models/blocks/stepped_systolic_array.h>
#include <tensorloom/models/rtl/formats.h>
#include <tensorloom/models/rtl/systolic/systolic_registers.h>

namespace tensorloom::blocks {
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

/// The registers of an array in Verilog, clocked once per cycle of the array.
template <class Element> class rtl_registers {
public:
    static constexpr const char* kind = "rtl_systolic_array";

    explicit rtl_registers(const systolic_array_config& config)
        : m_side(config.side), m_streaming(config.streaming),
          m_array(rtl::make_systolic_registers(config.format, config.side))
    {}

    void empty()
    {
        m_array->clear();
        m_array->tick();
    }
    void begin_load() {} // the first weight that is loaded directly does it
    void shift_in(const Element* row)
    {
        for (unsigned j = 0; j < m_side; ++j) { m_array->load_directly(j, bits_of(row[j])); }
        m_array->tick();
    }
    void operand(unsigned i, const Element& element) { m_array->operand(i, bits_of(element)); }
    void end_of_tile(unsigned i) { m_array->end_of_tile(i); }
    void load(unsigned j, unsigned t, const Element& element) { m_array->load(j, t, bits_of(element)); }
    std::uint64_t tick() { return m_array->tick(); }
    template <class Visit> void for_each_result(const Visit& visit) const
    {
        for (unsigned j = 0; j < m_side; ++j) {
            if (m_array->result_is_valid(j)) { visit(j, from_bits<sum>(m_array->result(j))); }
        }
    }
    bool last_ends() const { return m_array->ends(m_side - 1, m_side - 1); }
    void show(unsigned i, unsigned j, element_waveform& shown) const
    {
        const auto now = m_array->element(i, j);
        shown.valid = now.valid;
        if (shown.valid) {
            shown.a_out = arithmetic::shown(from_bits<Element>(now.right));
            shown.c_out = arithmetic::shown(from_bits<sum>(now.below));
        }
        shown.weight = arithmetic::shown(from_bits<Element>(now.weight));
        if (m_streaming) { shown.shadow = arithmetic::shown(from_bits<Element>(now.shadow)); }
    }

private:
    using sum = arithmetic::accumulator_of<Element>;

    const unsigned m_side;
    const bool m_streaming;
    std::unique_ptr<rtl::systolic_registers> m_array;
};

} // namespace

std::unique_ptr<systolic_array> make_rtl_systolic_array(sc_core::sc_module_name name,
                                                        const systolic_array_config& config,
                                                        const bus::stop_request& stop)
{
    if (rtl_error(config)) { return nullptr; }
    return base::with_element<double, float, arithmetic::bfloat16, std::int8_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            using element_type = decltype(element);
            return std::make_unique<stepped_systolic_array<element_type, rtl_registers<element_type>>>(name, config,
                                                                                                       stop);
        });
}

std::optional<std::string> rtl_error(const systolic_array_config& config)
{
    if (auto missing = rtl::missing(config.format)) { return missing; }
    if (config.side != 4 && config.side != 8 && config.side != 16) {
        return "rtl has no array of side " + std::to_string(config.side) + ", but of 4, 8 and 16";
    }
    if (config.pipeline_depth != 1) {
        return "rtl has no multiply-add of " + std::to_string(config.pipeline_depth) + " cycles, but of one";
    }
    return std::nullopt;
}

} // namespace tensorloom::blocks
