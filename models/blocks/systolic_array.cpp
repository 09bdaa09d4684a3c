#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::blocks {

systolic_schedule schedule_of(const systolic_array_config& config)
{
    const auto words = [&](unsigned given) { return given == 0 ? config.side : given; };
    return {config.side, words(config.in_words), words(config.out_words), config.pipeline_depth};
}

std::optional<std::string> validate(const systolic_array_config& config)
{
    const auto& c = config;
    const auto text = [](std::uint64_t n) { return std::to_string(n); };
    if (c.side < 1 || c.side > 1024) { return "side is " + text(c.side) + ", not 1 to 1024"; }
    if (c.in_words > c.side) { return "in_words is " + text(c.in_words) + ", not 0 to side (" + text(c.side) + ")"; }
    if (c.out_words > c.side) { return "out_words is " + text(c.out_words) + ", not 0 to side (" + text(c.side) + ")"; }
    if (c.pipeline_depth < 1 || c.pipeline_depth > 64) {
        return "pipeline_depth is " + text(c.pipeline_depth) + ", not 1 to 64";
    }
    if (c.clock_period.period() == sc_core::SC_ZERO_TIME) { return "clock_period is 0"; }
    if (!base::element_types(base::systolic_formats).contains(static_cast<std::uint8_t>(c.format))) {
        return "format is " + std::string(base::element_type_name(c.format)) +
               ", not f64, f32, c128, bf16, f16, int8, int32 or int64";
    }
    return config.model == fidelity::rtl ? rtl_error(config) : std::nullopt;
}

std::vector<array_tile> tiles_of(const array_product& product, const systolic_array_config& config)
{
    const auto& p = product;
    const std::uint64_t side = config.side;
    const std::size_t element = base::element_bytes(config.format);
    const std::size_t word = base::element_bytes(base::accumulator_type(config.format));
    const std::uint64_t wide = p.tile_columns == 0 ? side : p.tile_columns;
    const auto blocks = [](std::uint64_t n, std::uint64_t of) { return (n + of - 1) / of; };
    const auto in_block = [](std::uint64_t n, std::uint64_t b, std::uint64_t of) {
        return static_cast<unsigned>(std::min(of, n - b * of));
    };
    const auto stride = [](std::optional<std::ptrdiff_t> given, std::uint64_t columns) {
        return given.value_or(static_cast<std::ptrdiff_t>(columns));
    };
    const std::ptrdiff_t left = stride(p.left_stride, p.depth), weights = stride(p.weights_stride, p.columns),
                         result = stride(p.result_stride, p.columns);
    std::vector<array_tile> tiles;
    tiles.reserve(p.batch * blocks(p.depth, side) * blocks(p.columns, wide));
    for (std::uint64_t g = 0; g < p.batch; ++g) {
        for (std::uint64_t n = 0; n < blocks(p.columns, wide); ++n) {
            for (std::uint64_t k = 0; k < blocks(p.depth, side); ++k) {
                array_tile t;
                const auto block = static_cast<std::ptrdiff_t>(k * side) * weights;
                t.weights.first = p.weights + (g * p.depth * p.columns + n * wide) * element +
                                  block * static_cast<std::ptrdiff_t>(element);
                t.weights.stride = weights;
                t.weights.row_cycles = p.weight_row_cycles;
                t.weights.rows = t.rows.left_columns = in_block(p.depth, k, side);
                t.weights.columns = t.rows.result_columns = in_block(p.columns, n, wide);
                t.rows.left = p.left + (g * p.rows * p.depth + k * side) * element;
                t.rows.left_stride = left;
                t.rows.result = p.result + (g * p.rows * p.columns + n * wide) * word;
                t.rows.result_stride = result;
                t.rows.elements = p.rows * side;
                t.rows.pace = p.pace;
                t.rows.accumulate = p.accumulate || k > 0;
                tiles.push_back(t);
            }
        }
    }
    return tiles;
}

systolic_array::systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                               const bus::stop_request& stop)
    : sc_core::sc_module(name), m_config(config), m_schedule(schedule_of(config)), m_stop(stop)
{}

namespace {

/// Forwards the results of several streams to a listener as those of one stream.
class counting_on : public output_listener {
public:
    explicit counting_on(output_listener& told) : m_told(told) {}
    void result_out(std::uint64_t row, unsigned column, std::uint64_t cycle) override
    {
        m_told.result_out(rows + row, column, cycles + cycle);
    }
    std::uint64_t rows = 0; ///< before this stream
    std::uint64_t cycles = 0;

private:
    output_listener& m_told;
};

} // namespace

stream_outcome systolic_array::multiply(const std::vector<array_tile>& tiles)
{
    if (tiles.empty()) { return {}; }
    if (m_config.streaming) { return stream_tiles(tiles); }
    output_listener* const told = m_listener;
    std::optional<counting_on> counting;
    if (told != nullptr) { m_listener = &counting.emplace(*told); }
    stream_outcome all;
    for (auto tile = tiles.begin(); tile != tiles.end() && !all.stopped; ++tile) {
        const load_outcome loaded = load(tile->weights);
        all.cycles += loaded.cycles;
        all.stopped = loaded.stopped;
        if (all.stopped) { break; }
        if (counting) { counting->cycles = all.cycles; }
        const stream_outcome streamed = stream(tile->rows);
        all.cycles += streamed.cycles;
        all.overflowed += streamed.overflowed;
        all.stopped = streamed.stopped;
        if (counting) { counting->rows += tile->rows.rows(m_config.side); }
    }
    m_listener = told;
    if (all.stopped) { all.overflowed = 0; }
    return all;
}

const array_waveform& systolic_array::watch()
{
    m_is_watched = true;
    return m_waveform;
}

std::unique_ptr<systolic_array> make_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                                                    const bus::stop_request& stop)
{
    if (const auto wrong = validate(config)) {
        bus::report_error(bus::name_to_be(name), "/tensorloom/systolic_array/config", *wrong);
    }
    switch (config.model) {
    case fidelity::detailed: return make_detailed_systolic_array(name, config, stop);
    case fidelity::rtl: return make_rtl_systolic_array(name, config, stop);
    case fidelity::fast: break;
    }
    return make_fast_systolic_array(name, config, stop);
}

} // namespace tensorloom::blocks
