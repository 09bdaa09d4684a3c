#include <tensorloom/models/blocks/systolic_array.h>

namespace tensorloom::blocks {

systolic_schedule schedule_of(const systolic_array_config& config)
{
    const auto words = [&](unsigned given) { return given == 0 ? config.side : given; };
    return {config.side, words(config.in_words), words(config.out_words)};
}

std::optional<std::string> complaint(const systolic_array_config& config)
{
    const auto& c = config;
    const auto text = [](std::uint64_t n) { return std::to_string(n); };
    if (c.side < 1 || c.side > 1024) { return "side is " + text(c.side) + ", not 1 to 1024"; }
    if (c.in_words > c.side) { return "in_words is " + text(c.in_words) + ", not 0 to side (" + text(c.side) + ")"; }
    if (c.out_words > c.side) { return "out_words is " + text(c.out_words) + ", not 0 to side (" + text(c.side) + ")"; }
    if (c.clock_period == sc_core::SC_ZERO_TIME) { return "clock_period is 0"; }
    if (!arch::element_types(arch::systolic_formats).contains(static_cast<std::uint8_t>(c.format))) {
        return "format is " + std::string(arch::element_type_name(c.format)) + ", not f64, c128, int8, int32 or int64";
    }
    return std::nullopt;
}

systolic_array::systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                               const bus::stop_request& stop)
    : sc_core::sc_module(name), m_config(config), m_schedule(schedule_of(config)), m_stop(stop)
{}

const array_waveform& systolic_array::watch()
{
    m_is_watched = true;
    return m_waveform;
}

std::unique_ptr<systolic_array> make_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                                                    const bus::stop_request& stop)
{
    if (const auto wrong = complaint(config)) { SC_REPORT_ERROR("/tensorloom/systolic_array/config", wrong->c_str()); }
    return config.model == fidelity::detailed ? make_detailed_systolic_array(name, config, stop)
                                              : make_fast_systolic_array(name, config, stop);
}

} // namespace tensorloom::blocks
