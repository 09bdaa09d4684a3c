#include <array>
#include <limits>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/layers/pool/pool_layer.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

// A tap is a place in the kernel. Its values for all positions of the kernel are a picture of the size of the output.
class pool_operations : public layer_operations {
public:
    pool_operations(const pool_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_layer(layer), m_with_dx(contractions.with_dx), m_of(" of " + name)
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto all = length(to);
        const auto picture = with_rim(to, to.words_of(x));
        m_taps = to.words("taps" + m_of, m_layer.taps() * all);
        copy_taps(to, picture, {m_taps, all}, direction::from_picture);
        m_z = m_taps;
        const auto combine = [&](opcode code, const std::string& what) {
            if (m_layer.taps() > 1) { m_z = to.words("Z" + m_of, all); }
            for (std::uint64_t tap = 1; tap < m_layer.taps(); ++tap) {
                to.vector(code, {m_z}, {tensor_part{tap == 1 ? m_taps : m_z}, tensor_part{m_taps, tap * all}, {}}, all,
                          what + m_of);
            }
        };
        if (is_max()) {
            combine(opcode::max, "largest tap");
        } else {
            combine(opcode::add, "sum of taps");
            to.by_word(opcode::mul, {m_z}, {m_z}, to.literal(share()), all, "average" + m_of);
        }
        return {all, m_z, std::nullopt, "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        if (!m_with_dx) { return std::nullopt; }
        if (is_max()) { return sum_of_taps(to, {gradients_of_taps(to, dz), length(to)}); }
        const auto of_tap = to.words("gradient of every tap" + m_of, length(to));
        to.by_word(opcode::mul, {of_tap}, {dz}, to.literal(share()), length(to), "gradient of every tap" + m_of);
        return sum_of_taps(to, {of_tap, 0});
    }

private:
    enum class direction : std::uint8_t { from_picture, to_picture };
    /// Tap after tap, so many words apart.
    struct tap_words {
        std::size_t tensor = 0;
        std::uint64_t apart = 0;
    };

    bool is_max() const { return m_layer.function == pool_function::max; }
    float share() const { return 1 / static_cast<float>(m_layer.taps()); }
    std::uint64_t length(const step_builder& to) const { return to.batch() * m_layer.outputs(); }
    std::uint64_t corner() const { return m_layer.padding * (m_layer.padded_width() + 1) * m_layer.channels; }
    std::uint64_t positions() const { return m_layer.rows() * m_layer.columns(); }

    // Strides of [sample][row][number of the row], for a picture with its rim or without.
    std::array<std::int64_t, 3> strides(std::uint64_t inputs, std::uint64_t width) const
    {
        return {static_cast<std::int64_t>(inputs), static_cast<std::int64_t>(width * m_layer.channels), 1};
    }
    copy_operation inside_of_rim(const step_builder& to, std::size_t padded, std::size_t plain, direction way) const
    {
        const auto& l = m_layer;
        const tensor_part with{padded, corner()}, without{plain};
        const auto of_padded = strides(l.padded_inputs(), l.padded_width()), of_plain = strides(l.inputs(), l.width);
        const std::array<std::uint64_t, 3> size{to.batch(), l.height, l.width * l.channels};
        if (way == direction::to_picture) { return {with, without, size, of_padded, of_plain}; }
        return {without, with, size, of_plain, of_padded};
    }

    std::size_t with_rim(step_builder& to, std::size_t x) const
    {
        if (m_layer.padding == 0) { return x; }
        const auto all = to.batch() * m_layer.padded_inputs();
        const auto padded = to.words("X with its rim" + m_of, all);
        const float rim = is_max() ? -std::numeric_limits<float>::infinity() : 0.0f;
        to.fill({padded}, to.literal(rim), all, "rim" + m_of);
        to.add("X into its rim" + m_of, inside_of_rim(to, padded, x, direction::to_picture));
        return padded;
    }

    // Rows of all samples are at one distance, or the samples are in a LOOP.
    void copy_taps(step_builder& to, std::size_t picture, tap_words taps, direction way) const
    {
        const auto& l = m_layer;
        const bool at_once = to.batch() == 1 || l.padded_height() == l.rows() * l.stride_height;
        const auto step = [at_once](std::uint64_t words) { return at_once ? 0 : static_cast<std::int64_t>(words); };
        const auto channels = static_cast<std::int64_t>(l.channels);
        const std::array<std::int64_t, 3> of_tap{static_cast<std::int64_t>(l.columns()) * channels, channels, 1};
        const std::array<std::int64_t, 3> of_picture{static_cast<std::int64_t>(l.stride_height * l.padded_width()) *
                                                         channels,
                                                     static_cast<std::int64_t>(l.stride_width) * channels, 1};
        const std::array<std::uint64_t, 3> size{at_once ? to.batch() * l.rows() : l.rows(), l.columns(), l.channels};
        if (!at_once) { to.add("loop over samples" + m_of, loop_operation{to.batch()}); }
        for (std::uint64_t tap = 0; tap < l.taps(); ++tap) {
            const auto pixel = tap / l.kernel_width * l.padded_width() + tap % l.kernel_width;
            const tensor_part words{taps.tensor, tap * taps.apart, step(l.outputs())},
                pixels{picture, pixel * l.channels, step(l.padded_inputs())};
            if (way == direction::from_picture) {
                to.add("copy a tap" + m_of, copy_operation{words, pixels, size, of_tap, of_picture});
            } else {
                to.add("gradient of a tap" + m_of, copy_operation{pixels, words, size, of_picture, of_tap});
            }
        }
        if (!at_once) { to.add("end", end_operation{}); }
    }

    // dZ where the tap is the largest and none before it is.
    std::size_t gradients_of_taps(step_builder& to, std::size_t dz) const
    {
        const auto all = length(to);
        const tensor_part free{to.words("not passed on" + m_of, all)}, hit{to.words("largest" + m_of, all)},
            less{to.words("less than the largest" + m_of, all)};
        const auto d = to.words("gradients of taps" + m_of, m_layer.taps() * all);
        for (std::uint64_t tap = 0; tap < m_layer.taps(); ++tap) {
            const bool is_first = tap == 0, is_last = tap + 1 == m_layer.taps();
            const auto rest = is_first ? free : less;
            to.vector(opcode::sub, rest, {tensor_part{m_taps, tap * all}, tensor_part{m_z}, {}}, all,
                      "tap less the largest" + m_of);
            to.vector(opcode::is_zero, hit, {rest, {}, {}}, all, "largest" + m_of);
            if (!is_first) {
                to.vector(opcode::and_, hit, {hit, free, {}}, all, "first of the largest" + m_of);
                if (!is_last) { to.vector(opcode::and_, free, {free, less, {}}, all, "not passed on" + m_of); }
            }
            to.vector(opcode::mask, {d, tap * all}, {tensor_part{dz}, hit, {}}, all, "gradient of a tap" + m_of);
        }
        return d;
    }

    // dX: 0, then the pixels of every tap, added sample by sample, tap by tap, if a pixel can have two.
    std::size_t sum_of_taps(step_builder& to, tap_words taps) const
    {
        const auto& l = m_layer;
        const auto all = to.batch() * l.padded_inputs();
        const auto padded = to.words("dX with its rim" + m_of, all);
        to.clear({padded}, all, "clear dX" + m_of);
        if (l.overlaps()) {
            add_taps(to, padded, taps);
        } else {
            copy_taps(to, padded, taps, direction::to_picture);
        }
        if (l.padding == 0) { return padded; }
        const auto dx = to.words("dX" + m_of, to.batch() * l.inputs());
        to.add("dX without its rim" + m_of, inside_of_rim(to, padded, dx, direction::from_picture));
        return dx;
    }

    void add_taps(step_builder& to, std::size_t padded, tap_words taps) const
    {
        const auto& l = m_layer;
        const tensor_part indices = to.literals(pixels_of_taps());
        to.add("loop over samples" + m_of, loop_operation{to.batch()});
        for (std::uint64_t tap = 0; tap < l.taps(); ++tap) {
            to.add_rows({padded, 0, static_cast<std::int64_t>(l.padded_inputs())}, l.padded_height() * l.padded_width(),
                        {taps.tensor, tap * taps.apart, static_cast<std::int64_t>(l.outputs())},
                        {indices.tensor, indices.offset + tap * positions()}, positions(), l.channels,
                        "add a tap to dX" + m_of);
        }
        to.add("end", end_operation{});
    }

    // For each tap and each position of the kernel: the number of the pixel in the picture with its rim.
    std::vector<float> pixels_of_taps() const
    {
        const auto& l = m_layer;
        std::vector<float> all;
        for (std::uint64_t tap = 0; tap < l.taps(); ++tap) {
            for (std::uint64_t at = 0; at < positions(); ++at) {
                const auto row = at / l.columns() * l.stride_height + tap / l.kernel_width,
                           column = at % l.columns() * l.stride_width + tap % l.kernel_width;
                all.push_back(static_cast<float>(row * l.padded_width() + column));
            }
        }
        return all;
    }

    pool_layer m_layer;
    bool m_with_dx;
    std::string m_of;
    std::size_t m_taps = 0, m_z = 0;
};

} // namespace

std::unique_ptr<layer_operations> pool_layer::operations(const layer_contractions& contractions,
                                                         const std::string& name) const
{
    return std::make_unique<pool_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
