#include <tensorloom/models/torus/systolic_product.h>
#include <cstring>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/blocks/tensor_planes.h>

namespace tensorloom::torus {
namespace {

/// From Number to Number, which may be narrower or wider.
template <class From, class To> void convert(const unsigned char* from, unsigned char* to, std::uint64_t numbers)
{
    for (std::uint64_t n = 0; n < numbers; ++n, from += sizeof(From), to += sizeof(To)) {
        From number;
        std::memcpy(&number, from, sizeof number);
        const To converted(number);
        std::memcpy(to, &converted, sizeof converted);
    }
}

/// Calls visit(place in a memory of rows of `side` numbers, count, numbers before these).
template <class Visit>
void for_each_piece(const shape2& sizes, std::size_t side, std::uint64_t first, std::uint64_t numbers,
                    const Visit& visit)
{
    blocks::for_each_row_piece({1, sizes[0], sizes[1]}, first, numbers,
                               [&](const blocks::shape3& at, std::uint64_t count, std::uint64_t done) {
                                   visit(at[1] * side + at[2], count, done);
                               });
}

} // namespace

systolic_product::systolic_product(const char* name, const config& config, const bus::device_clock& clock,
                                   const bus::stop_request& stop)
    : m_config(config), m_element_bytes(base::element_bytes(config.format)),
      m_sum_bytes(base::element_bytes(base::accumulator_type(config.format)))
{
    if (!has_systolic_array(config.format)) { return; }
    blocks::systolic_array_config array;
    array.side = config.side;
    array.format = config.format;
    array.model = config.fidelity;
    array.clock_period = clock;
    m_array = blocks::make_systolic_array(name, array, stop);
}

// ---- memory port ----

void systolic_product::clear(matrix which)
{
    held(which).assign(std::size_t{m_config.side} * m_config.side * width_of(which), 0);
}

void systolic_product::write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                             std::uint64_t elements)
{
    const std::size_t width = width_of(to);
    for_each_piece(sizes, m_config.side, first, elements, [&](std::size_t at, std::uint64_t count, std::uint64_t done) {
        unsigned char* const stored = held(to).data() + at * width;
        if (width == m_element_bytes) {
            std::memcpy(stored, bytes + done * width, count * width);
        } else {
            convert<arithmetic::bfloat16, float>(bytes + done * m_element_bytes, stored, count);
        }
    });
}

void systolic_product::write_sums(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                                  std::uint64_t sums)
{
    for_each_piece(sizes, m_config.side, first, sums, [&](std::size_t at, std::uint64_t count, std::uint64_t done) {
        std::memcpy(held(to).data() + at * m_sum_bytes, bytes + done * m_sum_bytes, count * m_sum_bytes);
    });
}

void systolic_product::read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                            std::uint64_t elements) const
{
    const auto& held = m_held[static_cast<unsigned>(from)];
    const std::size_t width = width_of(from);
    for_each_piece(sizes, m_config.side, first, elements, [&](std::size_t at, std::uint64_t count, std::uint64_t done) {
        const unsigned char* const stored = held.data() + at * width;
        if (width == m_element_bytes) {
            std::memcpy(bytes + done * width, stored, count * width);
        } else {
            convert<float, arithmetic::bfloat16>(stored, bytes + done * m_element_bytes, count);
        }
    });
}

void systolic_product::read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                                 std::uint64_t sums) const
{
    const auto& held = m_held[static_cast<unsigned>(from)];
    for_each_piece(sizes, m_config.side, first, sums, [&](std::size_t at, std::uint64_t count, std::uint64_t done) {
        std::memcpy(bytes + done * m_sum_bytes, held.data() + at * m_sum_bytes, count * m_sum_bytes);
    });
}

// ---- the array ----

systolic_product::outcome systolic_product::run(std::uint32_t rows, bool accumulate)
{
    const std::uint64_t side = m_config.side;
    blocks::array_weights weights;
    weights.first = held(matrix::b).data();
    weights.stride = m_config.side;
    weights.rows = weights.columns = m_config.side;
    blocks::array_rows stream;
    stream.left = held(matrix::a).data();
    stream.result = held(matrix::c).data();
    stream.left_stride = stream.result_stride = m_config.side;
    stream.left_columns = stream.result_columns = m_config.side;
    stream.elements = rows * side;
    stream.accumulate = accumulate;

    outcome done;
    const auto loaded = m_array->load(weights);
    done.load_cycles = loaded.cycles;
    done.stopped = loaded.stopped;
    if (done.stopped) { return done; }
    done.loaded[event::enter_word] = done.loaded[event::block_read] = side * side;

    const auto streamed = m_array->stream(stream);
    done.stream_cycles = streamed.cycles;
    done.stopped = streamed.stopped;
    if (done.stopped) { return done; }
    const std::uint64_t sum_words = m_sum_bytes / m_element_bytes;
    const auto moved = systolic_movement(m_config.side, rows);
    auto& counted = done.streamed;
    counted[event::step] = counted[event::compute_cycle] = streamed.cycles;
    counted[event::mac] = counted[event::register_write] = moved.macs;
    counted[event::register_read] = 3 * moved.macs;
    counted[event::enter_word] = counted[event::block_read] = moved.entered - side * side;
    counted[event::block_write] = rows * side * sum_words;
    for (const auto& roll : moved.rolled) {
        const std::uint64_t words = roll.words * (roll.which == matrix::c ? sum_words : 1);
        counted[roll_word(roll.along)] += words;
        counted[link_word_pitch(roll.along)] += words;
    }
    return done;
}

} // namespace tensorloom::torus
