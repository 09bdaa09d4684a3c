#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include <algorithm>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

// Whole numbers of 0 to `most`; `kind`: what they are, for the message.
std::vector<std::int64_t> numbers_up_to(std::int64_t most, const tensor_unit_values& values, const char* what,
                                        const std::string& kind)
{
    auto numbers = whole_numbers(values, what);
    for (const std::int64_t& x : numbers) {
        if (x < 0 || x > most) {
            base::refuse(std::string(what) + ", element " + std::to_string(&x - numbers.data()), std::to_string(x),
                         kind + "0 to " + std::to_string(most));
        }
    }
    return numbers;
}

// Weights hold q columns at once: adds up whole groups in a loop, then what is left.
template <class Add> void add_by_groups(tensor_unit_program& program, std::uint64_t columns, const Add& add_group)
{
    const std::uint64_t q = program.side();
    if (columns >= q) {
        program.loop(columns / q);
        add_group(0, q);
        program.end();
    }
    if (columns % q != 0) { add_group(columns / q * q, columns % q); }
}

// A program of numbers with limbs of so many bits.
struct limb_program {
    tensor_unit_program& program;
    unsigned bits;

    // z = the digits of x; what is left over stays in the last one.
    void carry(const scratchpad_matrix& z, const scratchpad_matrix& x, std::uint64_t cpu_ops) const
    {
        program.scalar(opcode::s_carry, z, x, cpu_ops, bits);
    }
};

// Records the product of two numbers, which are rows; it has 2n limbs.
using long_product_recorder = void (*)(const limb_program&, const scratchpad_matrix& x, const scratchpad_matrix& y,
                                       const scratchpad_matrix& product);

void record_long_product(const limb_program& limbs, const scratchpad_matrix& x, const scratchpad_matrix& y,
                         const scratchpad_matrix& product)
{
    auto& program = limbs.program;
    const scratch_scope room(program.builder());
    const std::uint64_t q = program.side(), n = x.columns, columns = program.tiles(n), rows = n + q - 1;
    const auto width = static_cast<std::int64_t>(q);

    // The limbs of x backwards, with zeros around them: row i begins i before the highest limb's place of row 0.
    const std::uint64_t before = program.whole_tiles(rows) - n;
    const auto backwards = program.cleared_row_of(before + n + q - 1);
    scratchpad_matrix reversed = backwards.block(0, before + n - 1, 1, n);
    reversed.column_stride = -1;
    program.scalar(opcode::move, reversed, x, program.charge_of_moves(n));
    scratchpad_matrix left = backwards.block(0, before + n - 1, rows, q);
    left.row_stride = -1;

    const auto weights = program.by_columns(y);
    const auto sums = program.cleared_row_of(n + columns * q);
    const auto piece = program.place(rows, q);
    const auto add_group = [&](std::uint64_t first, std::uint64_t count) {
        scratchpad_matrix to = sums.block(0, first * q, count, rows).stepped(width * width);
        to.row_stride = width;
        program.call(left, weights.block(0, first, q, q).stepped(width), piece);
        program.scalar(opcode::s_add, to, to, piece.block(0, 0, rows, count).transposed(), count * rows);
    };
    add_by_groups(program, columns, add_group);
    limbs.carry(product, sums.block(0, 0, 1, 2 * n), 6 * n);
}

// |high - low| in n limbs; the factor that made it positive.
struct difference {
    scratchpad_matrix magnitude, sign;
};
difference record_difference(const limb_program& limbs, const scratchpad_matrix& high, const scratchpad_matrix& low,
                             std::uint64_t cpu_ops)
{
    auto& program = limbs.program;
    const std::uint64_t n = low.columns;
    const auto signed_limbs = program.cleared_row_of(n + 1), digits = program.row_of(n + 1);
    const auto sign = program.row_of(1);
    program.scalar(opcode::s_sub, signed_limbs.block(0, 0, 1, n), high, low, cpu_ops);
    limbs.carry(digits, signed_limbs, 0); // the last one is 0 or -1
    program.set(sign, 1);
    for (unsigned twice = 0; twice < 2; ++twice) {
        program.scalar(opcode::s_add, sign, sign, digits.block(0, n, 1, 1), 0);
    }
    program.scalar(opcode::s_mul, signed_limbs, signed_limbs, sign.with_repeated_column(n + 1), 0);
    limbs.carry(digits, signed_limbs, 0);
    return {digits.block(0, 0, 1, n), sign};
}

void record_scalar_convolution(const limb_program& limbs, const scratchpad_matrix& x, const scratchpad_matrix& y,
                               const scratchpad_matrix& product)
{
    auto& program = limbs.program;
    const scratch_scope room(program.builder());
    const std::uint64_t n = x.columns;
    const auto sums = program.cleared_row_of(2 * n);
    scratchpad_matrix to = sums.block(0, 0, n, n), a = x.transposed().with_repeated_column(n);
    to.row_stride = 1;
    a.row_stride = 1;
    program.scalar(opcode::s_mac, to, a, y.with_repeated_row(n), 2 * n * n);
    limbs.carry(product, sums, 6 * n);
}

// `leaf`: records the products of numbers of at most `cutoff` limbs.
void record_karatsuba(const limb_program& limbs, const scratchpad_matrix& x, const scratchpad_matrix& y,
                      const scratchpad_matrix& product, std::uint64_t cutoff, long_product_recorder leaf)
{
    const std::uint64_t n = x.columns;
    if (n <= cutoff) { return leaf(limbs, x, y, product); }
    auto& program = limbs.program;
    const scratch_scope room(program.builder());
    const std::uint64_t half = (n + 1) / 2;
    const auto low = [&](const scratchpad_matrix& number) { return number.block(0, 0, 1, half); };
    const auto high = [&](const scratchpad_matrix& number) {
        const auto upper = number.block(0, half, 1, n - half);
        if (n % 2 == 0) { return upper; }
        const auto whole = program.cleared_row_of(half);
        program.scalar(opcode::move, whole.block(0, 0, 1, n - half), upper, program.charge_of_moves(n - half));
        return whole;
    };
    const auto x0 = low(x), x1 = high(x), y0 = low(y), y1 = high(y);
    const auto sums = program.row_of(4 * half);
    const auto p0 = program.row_of(2 * half), p1 = program.row_of(2 * half), p2 = program.row_of(2 * half);
    const auto dx = record_difference(limbs, x1, x0, n), dy = record_difference(limbs, y1, y0, n);
    record_karatsuba(limbs, x0, y0, p0, cutoff, leaf);
    record_karatsuba(limbs, x1, y1, p2, cutoff, leaf);
    record_karatsuba(limbs, dx.magnitude, dy.magnitude, p1, cutoff, leaf);

    const std::uint64_t copied = program.charge_of_moves(2 * half);
    program.scalar(opcode::move, sums.block(0, 0, 1, 2 * half), p0, copied);
    program.scalar(opcode::move, sums.block(0, 2 * half, 1, 2 * half), p2, copied);
    program.scalar(opcode::s_mul, dx.sign, dx.sign, dy.sign, 0);
    program.scalar(opcode::s_mul, p1, p1, dx.sign.with_repeated_column(2 * half), n);
    program.scalar(opcode::s_sub, p0, p0, p1, n);
    program.scalar(opcode::s_add, p0, p0, p2, n);
    const auto middle = sums.block(0, half, 1, 2 * half);
    program.scalar(opcode::s_add, middle, middle, p0, n);
    limbs.carry(product, sums.block(0, 0, 1, 2 * n), 2 * n);
}

template <class Recorder>
tensor_unit_result product_of(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& x,
                              const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t kappa,
                              const Recorder& record)
{
    require_format(session, "long integers", {element_type::int64});
    if (limbs == 0) { base::refuse("limbs", "0", "at least 1"); }
    tensor_unit_program program(session, terms);
    const auto loaded = [&](const tensor_unit_values& values, const char* what) {
        require_count(what, count_of(values), limbs);
        return program.loaded_row(numbers_up_to((1 << limb_bits(kappa)) - 1, values, what, "limbs of "));
    };
    const auto a = loaded(x, "x"), b = loaded(y, "y");
    const auto product = program.row_of(2 * limbs);
    record(limb_program{program, limb_bits(kappa)}, a, b, product);
    return program.result_of(product, {2 * limbs});
}

} // namespace

std::uint64_t most_limb_products(std::uint64_t kappa)
{
    const std::uint64_t limb = (std::uint64_t{1} << limb_bits(kappa)) - 1;
    return ((std::uint64_t{1} << (kappa - 1)) - 1) / (limb * limb);
}

void require_kappa(std::uint64_t kappa)
{
    if (kappa < 4 || kappa > largest_kappa || kappa % 4 != 0) {
        base::refuse("kappa", std::to_string(kappa),
                     "a multiple of 4 from 4 to " + std::to_string(largest_kappa) + ", a limb is a quarter of a word");
    }
}

void require_limbs(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t kappa)
{
    require_kappa(kappa);
    while (limbs > cutoff) { limbs = (limbs + 1) / 2; }
    if (limbs > most_limb_products(kappa)) {
        base::refuse("limbs of a product without divisions", std::to_string(limbs),
                     "at most " + std::to_string(most_limb_products(kappa)) +
                         ", whose sums fit in words of kappa = " + std::to_string(kappa) + " bits");
    }
}

tensor_unit_result long_product(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& x,
                                const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t kappa)
{
    require_limbs(limbs, limbs, kappa);
    return product_of(session, terms, x, y, limbs, kappa, record_long_product);
}

namespace {

tensor_unit_result karatsuba_by(long_product_recorder leaf, mmv_session& session, const tensor_unit_terms& terms,
                                const tensor_unit_values& x, const tensor_unit_values& y, std::uint64_t limbs,
                                std::uint64_t cutoff, std::uint64_t kappa)
{
    if (cutoff == 0) { base::refuse("limbs where Karatsuba stops", "0", "at least 1"); }
    require_limbs(limbs, cutoff, kappa);
    return product_of(
        session, terms, x, y, limbs, kappa,
        [&](const limb_program& program, const scratchpad_matrix& a, const scratchpad_matrix& b,
            const scratchpad_matrix& product) { record_karatsuba(program, a, b, product, cutoff, leaf); });
}

} // namespace

tensor_unit_result karatsuba_product(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& x,
                                     const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t cutoff,
                                     std::uint64_t kappa)
{
    return karatsuba_by(record_long_product, session, terms, x, y, limbs, cutoff, kappa);
}

tensor_unit_result karatsuba_product_scalar(mmv_session& session, const tensor_unit_values& x,
                                            const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t cutoff,
                                            charge_table charges, std::uint64_t kappa)
{
    return karatsuba_by(record_scalar_convolution, session, {call_shape::tall, charges}, x, y, limbs, cutoff, kappa);
}

tensor_unit_result long_product_scalar(mmv_session& session, const tensor_unit_values& x, const tensor_unit_values& y,
                                       std::uint64_t limbs, std::uint64_t kappa)
{
    require_limbs(limbs, limbs, kappa);
    return product_of(session, call_shape::tall, x, y, limbs, kappa, record_scalar_convolution);
}

std::uint64_t residue_of_limbs(const std::vector<std::int64_t>& limbs)
{
    constexpr std::uint64_t modulus = 2147483647;
    std::uint64_t residue = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
        residue = ((residue << limb_bits(largest_kappa)) + static_cast<std::uint64_t>(limbs[i])) % modulus;
    }
    return residue;
}

namespace {

std::vector<std::int64_t> checked(const tensor_unit_values& values, const char* what)
{
    auto numbers = numbers_up_to(evaluation_modulus - 1, values, what, "");
    if (numbers.empty()) { base::refuse(what, "none", "at least one"); }
    return numbers;
}

// z = a b mod the modulus, or added to z.
void modular(tensor_unit_program& program, opcode code, const scratchpad_matrix& z, const scratchpad_matrix& a,
             const scratchpad_matrix& b, std::uint64_t cpu_ops)
{
    program.scalar(code, z, a, b, cpu_ops, static_cast<std::uint64_t>(evaluation_modulus));
}

} // namespace

tensor_unit_result evaluate_polynomial(mmv_session& session, const tensor_unit_terms& terms,
                                       const tensor_unit_values& coefficients, const tensor_unit_values& points)
{
    require_format(session, "polynomials", {element_type::int64});
    const auto a = checked(coefficients, "coefficients"), x = checked(points, "points");
    tensor_unit_program program(session, terms);
    const std::uint64_t q = program.side(), p = x.size();
    const auto at = program.loaded_row(x).transposed();
    const auto weights = program.by_columns(program.loaded_row(a));

    const auto powers = program.cleared(p, q);
    const auto column = [&](const scratchpad_matrix& m, std::uint64_t j) { return m.block(0, j, p, 1); };
    const auto power_of_q = program.row_of(p).transposed(), factor = program.row_of(p).transposed();
    program.set(column(powers, 0), 1);
    for (std::uint64_t j = 1; j <= q; ++j) {
        modular(program, opcode::s_mul_mod, j < q ? column(powers, j) : power_of_q, column(powers, j - 1), at, p);
    }
    program.set(factor, 1);

    const auto result = program.cleared_row_of(p).transposed();
    const auto piece = program.place(p, q);
    const auto add_group = [&](std::uint64_t first, std::uint64_t count) {
        program.call(powers, weights.block(0, first, q, q).stepped(static_cast<std::int64_t>(q)), piece);
        program.loop(count);
        modular(program, opcode::s_mac_mod, result, column(piece, 0).stepped(1), factor, 2 * p);
        modular(program, opcode::s_mul_mod, factor, factor, power_of_q, p);
        program.end();
    };
    add_by_groups(program, program.tiles(a.size()), add_group);
    return program.result_of(result.transposed(), {p});
}

tensor_unit_result evaluate_polynomial_scalar(mmv_session& session, const tensor_unit_values& coefficients,
                                              const tensor_unit_values& points)
{
    require_format(session, "polynomials", {element_type::int64});
    const auto a = checked(coefficients, "coefficients"), x = checked(points, "points");
    tensor_unit_program program(session, call_shape::tall);
    const std::uint64_t p = x.size();
    const auto at = program.loaded_row(x), row = program.loaded_row(a);
    const auto result = program.cleared_row_of(p), one = program.row_of(1);
    program.set(one, 1);
    scratchpad_matrix coefficient = row.block(0, a.size() - 1, 1, p).stepped(-1); // from the highest on
    coefficient.column_stride = 0;
    program.loop(a.size());
    modular(program, opcode::s_mul_mod, result, result, at, p);
    modular(program, opcode::s_mac_mod, result, coefficient, one.with_repeated_column(p), p);
    program.end();
    return program.result_of(result, {p});
}

namespace {

// Both operands as rows; refuses none.
struct plain_operands {
    plain_operands(tensor_unit_program& program, const tensor_unit_values& a, const tensor_unit_values& x)
        : coefficients(loaded(program, a, "coefficients")), points(loaded(program, x, "points"))
    {}
    scratchpad_matrix coefficients, points;

private:
    static scratchpad_matrix loaded(tensor_unit_program& program, const tensor_unit_values& values, const char* what)
    {
        if (count_of(values) == 0) { base::refuse(what, "none", "at least one"); }
        return program.loaded_row(values);
    }
};

void require_plain_format(const mmv_session& session)
{
    require_format(session, "polynomials without a modulus",
                   {element_type::f64, element_type::f32, element_type::int64});
}

} // namespace

tensor_unit_result evaluate_plain_polynomial(mmv_session& session, const tensor_unit_terms& terms,
                                             const tensor_unit_values& coefficients, const tensor_unit_values& points)
{
    require_plain_format(session);
    tensor_unit_program program(session, terms);
    const plain_operands given(program, coefficients, points);
    const std::uint64_t q = program.side(), n = given.coefficients.columns, p = given.points.columns;
    const std::uint64_t columns = program.tiles(n), powers_needed = std::min(n, q);
    const auto at = given.points.transposed();
    const auto weights = program.by_columns(given.coefficients);

    const auto powers = program.cleared(p, q);
    const auto column = [&](const scratchpad_matrix& m, std::uint64_t j) { return m.block(0, j, p, 1); };
    program.set(column(powers, 0), 1);
    for (std::uint64_t j = 1; j < powers_needed; ++j) {
        program.scalar(opcode::s_mul, column(powers, j), column(powers, j - 1), at, p);
    }
    const auto power_of_q = program.cleared_row_of(p).transposed();
    if (columns > 1) { program.scalar(opcode::s_mul, power_of_q, column(powers, q - 1), at, p); }

    const auto result = program.cleared_row_of(p).transposed();
    const auto piece = program.place(p, q);
    const auto add_group = [&](std::uint64_t first, std::uint64_t count) {
        program.call(powers, weights.block(0, first, q, q).stepped(-static_cast<std::int64_t>(q)), piece);
        program.loop(count);
        program.scalar(opcode::s_mul, result, result, power_of_q, p);
        program.scalar(opcode::s_add, result, result, column(piece, count - 1).stepped(-1), p);
        program.end();
    };
    const std::uint64_t rest = columns % q, whole = columns / q;
    if (rest != 0) { add_group(columns - rest, rest); }
    if (whole != 0) {
        program.loop(whole);
        add_group((whole - 1) * q, q);
        program.end();
    }
    return program.result_of(result.transposed(), {p});
}

tensor_unit_result evaluate_plain_polynomial_scalar(mmv_session& session, const tensor_unit_values& coefficients,
                                                    const tensor_unit_values& points)
{
    require_plain_format(session);
    tensor_unit_program program(session, call_shape::tall);
    const plain_operands given(program, coefficients, points);
    const std::uint64_t n = given.coefficients.columns, p = given.points.columns;
    const auto result = program.cleared_row_of(p);
    scratchpad_matrix coefficient = given.coefficients.block(0, n - 1, 1, p).stepped(-1); // from the highest on
    coefficient.column_stride = 0;
    program.loop(n);
    program.scalar(opcode::s_mul, result, result, given.points, p);
    program.scalar(opcode::s_add, result, result, coefficient, p);
    program.end();
    return program.result_of(result, {p});
}

} // namespace tensorloom::workloads
