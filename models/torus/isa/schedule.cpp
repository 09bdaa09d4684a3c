#include <tensorloom/models/torus/isa/schedule.h>

namespace tensorloom::torus {
namespace {

constexpr unsigned q = 0, r = 1, s = 2;

} // namespace

std::optional<scheduling_vector> scheduling_vector_of(const std::string& text)
{
    scheduling_vector vector;
    if (text.size() != axes) { return std::nullopt; }
    for (unsigned a = 0; a < axes; ++a) {
        if (text[a] != '+' && text[a] != '-') { return std::nullopt; }
        vector.sign[a] = text[a] == '+' ? 1 : -1;
    }
    return vector;
}

std::string text_of(const scheduling_vector& vector)
{
    std::string text;
    for (const int sign : vector.sign) { text += sign > 0 ? '+' : '-'; }
    return text;
}

std::uint32_t skew_of(const place& node, const scheduling_vector& vector, std::uint32_t side)
{
    std::uint64_t sum = 0;
    for (unsigned a = 0; a < axes; ++a) { sum += vector.sign[a] > 0 ? node[a] : side - node[a]; }
    return static_cast<std::uint32_t>(sum % side);
}

block_shape shape_of(slot which, const block_sizes& sizes)
{
    const auto& b = sizes.in_block;
    const auto& d = sizes.out_block;
    switch (which) {
    case slot::x: return {{b[0], b[1], b[2]}, 3};
    case slot::x1: return {{b[0], b[1], d[2]}, 3};
    case slot::x2: return {{d[0], b[1], d[2]}, 3};
    case slot::x3: return {{d[0], d[1], d[2]}, 3};
    case slot::c_i: return {{b[2], d[2], 1}, 2};
    case slot::c_ii: return {{b[0], d[0], 1}, 2};
    case slot::c_iii: return {{b[1], d[1], 1}, 2};
    }
    return {};
}

block_label home_label(slot which, const place& node, const scheduling_vector& vector, std::uint32_t side)
{
    const std::uint32_t t = skew_of(node, vector, side);
    switch (which) {
    case slot::x: return {node[q], node[r], node[s]};
    case slot::x1: return {node[q], node[r], t};
    case slot::x2: return {node[s], node[r], t};
    case slot::x3: return {node[s], node[q], t};
    case slot::c_i: return {node[s], t, 0};
    case slot::c_ii: return {node[q], node[s], 0};
    case slot::c_iii: return {node[r], node[q], 0};
    }
    return {};
}

std::array<stage_descriptor, stages> stages_of(direction way, const scheduling_vector& vector, std::uint32_t side)
{
    const bool back = way == direction::inverse;
    const auto roll_of = [&](slot which, axis along) {
        const int sign = vector.sign[static_cast<unsigned>(along)];
        return roll{which, along, back ? -sign : sign};
    };
    const auto stage = [&](slot to, slot from, slot coefficient, unsigned mode, std::vector<roll> rolls) {
        if (side == 1) { rolls.clear(); }
        return stage_descriptor{to, from, coefficient, mode, back, side, std::move(rolls)};
    };
    if (back) {
        return {stage(slot::x2, slot::x3, slot::c_iii, 1, {roll_of(slot::x2, axis::q), roll_of(slot::x3, axis::r)}),
                stage(slot::x1, slot::x2, slot::c_ii, 0, {roll_of(slot::x1, axis::s), roll_of(slot::x2, axis::q)}),
                stage(slot::x, slot::x1, slot::c_i, 2, {roll_of(slot::x1, axis::s), roll_of(slot::c_i, axis::q)})};
    }
    return {stage(slot::x1, slot::x, slot::c_i, 2, {roll_of(slot::x1, axis::s), roll_of(slot::c_i, axis::q)}),
            stage(slot::x2, slot::x1, slot::c_ii, 0, {roll_of(slot::x2, axis::q), roll_of(slot::x1, axis::s)}),
            stage(slot::x3, slot::x2, slot::c_iii, 1, {roll_of(slot::x3, axis::r), roll_of(slot::x2, axis::q)})};
}

std::uint64_t macs_of(const stage_descriptor& stage, const block_sizes& sizes)
{
    const auto& out_block = stage.transposed ? sizes.in_block : sizes.out_block;
    return shape_of(stage.operand, sizes).words() * out_block[stage.mode];
}

roll_counts counts_of(const roll& roll, const block_sizes& sizes, std::uint32_t side)
{
    roll_counts counts;
    if (side == 1) { return counts; }
    const std::uint64_t p = side;
    counts.blocks = p * p * p * p; // from every node, after every step
    counts.words = counts.blocks * shape_of(roll.which, sizes).words();
    counts.wrap_words = counts.words / p;
    counts.word_pitches = counts.words / p * 2 * (p - 1); // P-1 links of 1 and one of P-1, or folded
    return counts;
}

} // namespace tensorloom::torus
