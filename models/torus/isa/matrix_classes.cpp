#include <tensorloom/models/torus/isa/matrix_classes.h>

namespace tensorloom::torus {
namespace {

// The vector's axes count indices here.
constexpr unsigned i_sign = 0, j_sign = 1, k_sign = 2;

std::uint32_t modulo(std::int64_t n, std::uint32_t side)
{
    const std::int64_t p = side;
    return static_cast<std::uint32_t>((n % p + p) % p);
}

// Solves ai i + aj j + ak k = t for one index; the others are x and y.
std::uint32_t index_of(const matrix_schedule& s, unsigned wanted, std::uint32_t x, unsigned x_sign, std::uint32_t y,
                       unsigned y_sign, std::uint32_t step)
{
    const auto& sign = s.vector.sign;
    const std::int64_t rest = std::int64_t{step} - sign[x_sign] * std::int64_t{x} - sign[y_sign] * std::int64_t{y};
    return modulo(sign[wanted] * rest, s.side);
}

std::uint64_t words_of(matrix which, const matrix_blocks& blocks)
{
    const auto shape = shape_of(which, blocks);
    return std::uint64_t{shape[0]} * shape[1];
}

} // namespace

std::array<std::uint32_t, 2> shape_of(matrix which, const matrix_blocks& blocks)
{
    switch (which) {
    case matrix::a: return {blocks.i, blocks.k};
    case matrix::b: return {blocks.k, blocks.j};
    case matrix::c: return {blocks.i, blocks.j};
    }
    return {};
}

std::uint32_t summed_block(const matrix_schedule& s, std::uint32_t i, std::uint32_t j, std::uint32_t step)
{
    switch (s.cls) {
    case matrix_class::bcr_row: return modulo(std::int64_t{i} + step, s.side);
    case matrix_class::bcr_column: return modulo(std::int64_t{j} + step, s.side);
    case matrix_class::cra: return index_of(s, k_sign, i, i_sign, j, j_sign, step);
    case matrix_class::bbc:
    case matrix_class::asc: break; // a systolic array sums in the order of k
    }
    return step;
}

std::array<std::uint32_t, 2> home_label(matrix which, const matrix_schedule& s, std::uint32_t i, std::uint32_t j)
{
    if (s.cls != matrix_class::cra || which == matrix::c) { return {i, j}; }
    const std::uint32_t k = summed_block(s, i, j, 0);
    if (which == matrix::a) { return {i, k}; }
    return {k, j};
}

std::uint32_t term_block(const matrix_schedule& s, std::uint32_t row, std::uint32_t column, std::uint32_t step)
{
    switch (s.form) {
    case matrix_form::a_cb: return index_of(s, j_sign, row, i_sign, column, k_sign, step);
    case matrix_form::b_ac: return index_of(s, i_sign, row, k_sign, column, j_sign, step);
    case matrix_form::c_ab: break;
    }
    return summed_block(s, row, column, step);
}

plane_program program_of(const matrix_schedule& s)
{
    plane_program program;
    program.steps = s.side;
    if (s.form == matrix_form::a_cb) {
        program = {matrix::a, matrix::c, matrix::b, false, true, s.side, {}, {}};
    } else if (s.form == matrix_form::b_ac) {
        program = {matrix::b, matrix::a, matrix::c, true, false, s.side, {}, {}};
    }
    const matrix_drive rows{matrix::a, axis::s, s.cls == matrix_class::bcr_row};
    const matrix_drive columns{matrix::b, axis::q, s.cls == matrix_class::bcr_column};
    switch (s.cls) {
    case matrix_class::bbc: program.drives = {rows, columns}; break;
    case matrix_class::bcr_row:
        program.drives = {rows};
        program.rolls = {{matrix::b, axis::q, -1}};
        break;
    case matrix_class::bcr_column:
        program.drives = {columns};
        program.rolls = {{matrix::a, axis::s, -1}};
        break;
    case matrix_class::cra:
        program.rolls = {{matrix::a, axis::s, s.vector.sign[j_sign]}, {matrix::b, axis::q, s.vector.sign[i_sign]}};
        break;
    case matrix_class::asc: break;
    }
    if (s.side == 1) { program.rolls.clear(); }
    return program;
}

step_profile profile_of(const plane_program& program, const matrix_blocks& blocks, std::uint64_t accumulator_words)
{
    step_profile profile;
    profile.sums = words_of(program.accumulator, blocks);
    profile.depth = shape_of(program.left, blocks)[program.left_transposed ? 0 : 1];
    profile.planes = shape_of(program.accumulator, blocks)[0]; // rows, of which the left operand has as many
    for (const auto& roll : program.rolls) {
        const std::uint64_t words = words_of(roll.which, blocks);
        if (roll.which == program.accumulator) {
            profile.accumulator = words * accumulator_words;
        } else {
            profile.operands.push_back({words, roll.which == program.left});
        }
    }
    if (program.steps == 1) { return profile; } // a line of one node has no other node
    for (const auto& drive : program.drives) { profile.driven.push_back(words_of(drive.which, blocks)); }
    return profile;
}

matrix_movement movement_of(const matrix_schedule& schedule, const matrix_blocks& blocks, bool folded)
{
    if (schedule.cls == matrix_class::asc) { return systolic_movement(schedule.side, schedule.side); }
    const auto program = program_of(schedule);
    const std::uint64_t p = schedule.side;
    matrix_movement m;
    m.steps = program.steps;
    m.macs = p * p * p * blocks.i * blocks.j * blocks.k;
    for (const auto& drive : program.drives) {
        const std::uint64_t words = p * p * words_of(drive.which, blocks); // a block on each line in each step
        m.driven += words;
        m.delivered += words * (p - 1);
        m.word_pitches += words * (p - 1);
        m.longest_line = p - 1;
    }
    for (const auto& roll : program.rolls) {
        const std::uint64_t words = p * p * p * words_of(roll.which, blocks);
        m.rolled.push_back({roll.which, roll.along, roll.sign, words});
        m.word_pitches += words / p * 2 * (p - 1);
        m.longest_line = std::max(m.longest_line, longest_link(schedule.side, folded));
    }
    return m;
}

matrix_movement systolic_movement(std::uint32_t side, std::uint64_t rows)
{
    const std::uint64_t s = side;
    matrix_movement m;
    m.steps = rows + 2 * (s - 1);
    m.macs = rows * s * s;
    m.entered = rows * s + s * s;
    m.longest_line = 1;
    if (s == 1) { return m; }
    const std::uint64_t hops = rows * s * (s - 1); // an operand crosses a row of elements, a sum a column
    m.rolled = {{matrix::a, axis::s, 1, hops}, {matrix::c, axis::q, 1, hops}};
    m.word_pitches = 2 * hops;
    return m;
}

} // namespace tensorloom::torus
