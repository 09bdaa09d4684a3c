#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::mmv::opcode;

constexpr auto product_formats = {element_type::int64, element_type::int32, element_type::int8, element_type::f64,
                                  element_type::c128};

// How operands are placed: as elements that calls take, or as words.
using placing = scratchpad_matrix (tensor_unit_program::*)(const tensor_unit_values&, std::uint64_t, std::uint64_t);

tensor_unit_result product(product_recorder record, placing place, mmv_runtime& runtime, call_shape shape,
                           const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size)
{
    require_count("left operand", count_of(a), size.rows * size.inner);
    require_count("right operand", count_of(b), size.inner * size.columns);
    tensor_unit_program program(runtime, shape);
    const auto left = (program.*place)(a, size.rows, size.inner);
    const auto right = (program.*place)(b, size.inner, size.columns);
    const auto result = program.place(size.rows, size.columns);
    record(program, left, right, result);
    return program.result_of(result, {size.rows, size.columns});
}

} // namespace

void record_tensor_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result)
{
    const scratch_scope room(program.session());
    const std::uint64_t q = program.side();
    const auto width = static_cast<std::int64_t>(q);
    const std::uint64_t inner_tiles = program.tiles(left.columns);
    const auto piece = program.place(result.rows, q);
    for (std::uint64_t j = 0; j < program.tiles(right.columns); ++j) {
        const auto to = result.block(0, j * q, result.rows, q);
        program.call(left.block(0, 0, left.rows, q), right.block(0, j * q, q, q), to);
        if (inner_tiles == 1) { continue; }
        program.loop(inner_tiles - 1);
        program.call(left.block(0, q, left.rows, q).stepped(width),
                     right.block(q, j * q, q, q).stepped(width * right.row_stride), piece);
        program.scalar(opcode::s_add, to, to, piece, result.rows * q);
        program.end();
    }
}

void record_scalar_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result)
{
    program.set(result, 0);
    arch::vector::strided_command c;
    const auto stride = [](const scratchpad_matrix& m) { return static_cast<std::int32_t>(m.row_stride); };
    c.result = {result.address, {stride(result), 1, 0}, {}};
    c.a = {left.address, {stride(left), 0, 1}, {}};
    c.b = {right.address, {0, 1, stride(right)}, {}};
    c.size = {static_cast<std::uint32_t>(result.rows), static_cast<std::uint32_t>(result.columns),
              static_cast<std::uint32_t>(left.columns)};
    c.cpu_ops = 2 * c.elements();
    program.scalar(opcode::s_mac, c);
}

tensor_unit_result tensor_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size)
{
    require_format(runtime, "products", product_formats);
    return product(record_tensor_product, &tensor_unit_program::operand, runtime, shape, a, b, size);
}

tensor_unit_result scalar_product(mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size)
{
    require_format(runtime, "products", product_formats);
    return product(record_scalar_product, &tensor_unit_program::loaded, runtime, call_shape::tall, a, b, size);
}

namespace {

// The quarters of a matrix: [[a, b], [c, d]].
struct quarters {
    explicit quarters(const scratchpad_matrix& whole)
        : half(whole.rows / 2), a(whole.block(0, 0, half, half)), b(whole.block(0, half, half, half)),
          c(whole.block(half, 0, half, half)), d(whole.block(half, half, half, half))
    {}
    std::uint64_t half;
    scratchpad_matrix a, b, c, d;
};

void add(tensor_unit_program& program, const scratchpad_matrix& z, const scratchpad_matrix& x,
         const scratchpad_matrix& y)
{
    program.scalar(opcode::s_add, z, x, y, z.rows * z.columns);
}

void subtract(tensor_unit_program& program, const scratchpad_matrix& z, const scratchpad_matrix& x,
              const scratchpad_matrix& y)
{
    program.scalar(opcode::s_sub, z, x, y, z.rows * z.columns);
}

void strassen(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
              const scratchpad_matrix& result)
{
    if (result.rows <= program.side()) { return program.call(left, right, result); }
    const scratch_scope room(program.session());
    const quarters x(left), y(right), z(result);
    const std::uint64_t h = x.half;
    const auto s = program.place(h, h), t = program.place(h, h);
    std::array<scratchpad_matrix, 7> m;
    for (auto& one : m) { one = program.place(h, h); }

    add(program, s, x.a, x.d);
    add(program, t, y.a, y.d);
    strassen(program, s, t, m[0]);
    add(program, s, x.c, x.d);
    strassen(program, s, y.a, m[1]);
    subtract(program, t, y.b, y.d);
    strassen(program, x.a, t, m[2]);
    subtract(program, t, y.c, y.a);
    strassen(program, x.d, t, m[3]);
    add(program, s, x.a, x.b);
    strassen(program, s, y.d, m[4]);
    subtract(program, s, x.c, x.a);
    add(program, t, y.a, y.b);
    strassen(program, s, t, m[5]);
    subtract(program, s, x.b, x.d);
    add(program, t, y.c, y.d);
    strassen(program, s, t, m[6]);

    add(program, z.a, m[0], m[3]);
    subtract(program, z.a, z.a, m[4]);
    add(program, z.a, z.a, m[6]);
    add(program, z.b, m[2], m[4]);
    add(program, z.c, m[1], m[3]);
    subtract(program, z.d, m[0], m[1]);
    add(program, z.d, z.d, m[2]);
    add(program, z.d, z.d, m[5]);
}

void eightfold(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
               const scratchpad_matrix& result)
{
    if (result.rows <= program.side()) { return program.call(left, right, result); }
    const scratch_scope room(program.session());
    const quarters x(left), y(right), z(result);
    const auto second = program.place(x.half, x.half);
    const auto sum_of_two = [&](const scratchpad_matrix& x0, const scratchpad_matrix& y0, const scratchpad_matrix& x1,
                                const scratchpad_matrix& y1, const scratchpad_matrix& to) {
        eightfold(program, x0, y0, to);
        eightfold(program, x1, y1, second);
        add(program, to, to, second);
    };
    sum_of_two(x.a, y.a, x.b, y.c, z.a);
    sum_of_two(x.a, y.b, x.b, y.d, z.b);
    sum_of_two(x.c, y.a, x.d, y.c, z.c);
    sum_of_two(x.c, y.b, x.d, y.d, z.d);
}

tensor_unit_result recursive_product(product_recorder record, mmv_runtime& runtime, call_shape shape,
                                     const tensor_unit_values& a, const tensor_unit_values& b, std::uint64_t size)
{
    require_format(runtime, "recursive products",
                   {element_type::int64, element_type::int32, element_type::f64, element_type::c128});
    require_recursive_size(size, runtime.limits().side);
    return product(record, &tensor_unit_program::operand, runtime, shape, a, b, {size, size, size});
}

} // namespace

bool halves_to_tiles(std::uint64_t size, std::uint64_t side)
{
    if (size <= side) { return size > 0; }
    while (size > side && size % 2 == 0) { size /= 2; }
    return size == side;
}

void require_recursive_size(std::uint64_t size, std::uint64_t side)
{
    if (!halves_to_tiles(size, side)) {
        refuse("size of a recursive product", std::to_string(size),
               "at most " + std::to_string(side) + ", or " + std::to_string(side) + " times a power of two");
    }
}

tensor_unit_result strassen_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                    const tensor_unit_values& b, std::uint64_t size)
{
    return recursive_product(strassen, runtime, shape, a, b, size);
}

tensor_unit_result eightfold_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                     const tensor_unit_values& b, std::uint64_t size)
{
    return recursive_product(eightfold, runtime, shape, a, b, size);
}

namespace {

using numbers = std::vector<std::int64_t>;

constexpr std::uint64_t most_rounds = 64;

struct entry {
    std::uint64_t row, column;
    std::int64_t value;
};

std::vector<entry> entries_of(const tensor_unit_values& values, std::uint64_t size, const char* what)
{
    const auto dense = whole_numbers(values, what);
    require_count(what, dense.size(), size * size);
    std::vector<entry> entries;
    for (std::uint64_t i = 0; i < dense.size(); ++i) {
        if (dense[i] != 0) { entries.push_back({i / size, i % size, dense[i]}); }
    }
    return entries;
}

// splitmix64
std::uint64_t scrambled(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Buckets and random weights of rows and columns in one round.
struct hashing {
    hashing(std::uint64_t round, std::uint64_t size, std::uint64_t buckets) : h(size), g(size), r1(size), r2(size)
    {
        const std::uint64_t base = 2 * size * round;
        for (std::uint64_t i = 0; i < size; ++i) {
            h[i] = scrambled(base + i) % buckets;
            g[i] = scrambled(base + size + i) % buckets;
            r1[i] = static_cast<std::int64_t>(scrambled(std::uint64_t{1} << 40 | (base + i)) % 1009 + 1);
            r2[i] = static_cast<std::int64_t>(scrambled(std::uint64_t{1} << 41 | (base + i)) % 1009 + 1);
        }
    }
    std::vector<std::uint64_t> h, g;
    numbers r1, r2;
};

// By pair of buckets, row by row.
struct sketch {
    numbers v, i, j, r;
};

// Integer sums wrap here as in the device, which reports them; so a difference of wrapped sums is right.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_product(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
void add_to(std::int64_t& sum, std::int64_t a, std::int64_t b) { sum = wrapped_sum(sum, wrapped_product(a, b)); }

sketch compressed_product(tensor_unit_program& program, const std::vector<entry>& a, const std::vector<entry>& b,
                          const hashing& hash, std::uint64_t size, std::uint64_t buckets)
{
    numbers left_12(2 * buckets * size), left_3(buckets * size);
    for (const auto& e : a) {
        const std::uint64_t to = hash.h[e.row] * size + e.column;
        add_to(left_12[to], 1, e.value);
        add_to(left_12[buckets * size + to], static_cast<std::int64_t>(e.row), e.value);
        add_to(left_3[to], hash.r1[e.row], e.value);
    }
    std::array<numbers, 3> right;
    right.fill(numbers(size * buckets));
    for (const auto& e : b) {
        const std::uint64_t to = e.row * buckets + hash.g[e.column];
        add_to(right[0][to], 1, e.value);
        add_to(right[1][to], static_cast<std::int64_t>(e.column), e.value);
        add_to(right[2][to], hash.r2[e.column], e.value);
    }
    program.charge(6 * (a.size() + b.size()));

    const scratch_scope room(program.session());
    const auto a12 = program.operand(left_12, 2 * buckets, size), a3 = program.operand(left_3, buckets, size);
    const auto z = program.place(2 * buckets, buckets);
    const auto product = [&](const scratchpad_matrix& left, const numbers& values) {
        const scratch_scope room_of_right(program.session());
        const auto result = z.block(0, 0, left.rows, buckets);
        record_tensor_product(program, left, program.operand(values, size, buckets), result);
        return std::get<numbers>(program.values_of(result));
    };
    sketch s;
    s.v = product(a12, right[0]);
    const auto half = s.v.begin() + static_cast<std::ptrdiff_t>(buckets * buckets);
    s.i.assign(half, s.v.end());
    s.v.erase(half, s.v.end());
    s.j = product(a12.block(0, 0, buckets, size), right[1]);
    s.r = product(a3, right[2]);
    return s;
}

using results = std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t>;

void subtract_known(const results& known, const hashing& hash, std::uint64_t buckets, sketch& s)
{
    for (const auto& [place, value] : known) {
        const auto& [i, j] = place;
        const std::uint64_t b = hash.h[i] * buckets + hash.g[j];
        add_to(s.v[b], -1, value);
        add_to(s.i[b], -static_cast<std::int64_t>(i), value);
        add_to(s.j[b], -static_cast<std::int64_t>(j), value);
        add_to(s.r[b], -hash.r1[i] * hash.r2[j], value);
    }
}

// Adds the results that are alone in their bucket; false when there is nothing left in any.
bool recover(const sketch& s, const hashing& hash, std::uint64_t size, std::uint64_t buckets, results& known)
{
    const auto n = static_cast<std::int64_t>(size);
    bool left = false;
    for (std::uint64_t b = 0; b < buckets * buckets; ++b) {
        const std::int64_t v = s.v[b];
        left = left || v != 0 || s.i[b] != 0 || s.j[b] != 0 || s.r[b] != 0;
        // -2^63 by -1 would not be a number; no quotient by -1 needs to be taken.
        const auto divides = [v](std::int64_t x) { return v != 0 && (v == -1 || x % v == 0); };
        const auto quotient = [v](std::int64_t x) { return v == -1 ? wrapped_product(x, -1) : x / v; };
        if (!divides(s.i[b]) || !divides(s.j[b])) { continue; }
        const std::int64_t i = quotient(s.i[b]), j = quotient(s.j[b]);
        if (i < 0 || i >= n || j < 0 || j >= n) { continue; }
        const auto row = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(j);
        if (hash.h[row] != b / buckets || hash.g[column] != b % buckets) { continue; }
        if (s.r[b] != wrapped_product(hash.r1[row] * hash.r2[column], v)) { continue; }
        auto& value = known[{row, column}];
        value = wrapped_sum(value, v);
    }
    return left;
}

} // namespace

tensor_unit_result sparse_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros)
{
    require_format(runtime, "the sparse product", {element_type::int64});
    const auto left = entries_of(a, size, "left operand"), right = entries_of(b, size, "right operand");
    tensor_unit_program program(runtime, shape);
    const std::uint64_t buckets = sketch_side(nonzeros, program.side());
    results known;
    std::uint64_t round = 0;
    for (bool more = true; more; ++round) {
        if (round == most_rounds) {
            refuse("non-zeros of the product",
                   "more than " + std::to_string(most_rounds) + " rounds for " + std::to_string(nonzeros) + " of them",
                   "a number near the true one");
        }
        const hashing hash(round, size, buckets);
        auto s = compressed_product(program, left, right, hash, size, buckets);
        program.charge(8 * known.size() + 6 * buckets * buckets);
        subtract_known(known, hash, buckets, s);
        more = recover(s, hash, size, buckets, known);
    }
    numbers values(size * size);
    for (const auto& [place, value] : known) { values[place.first * size + place.second] = value; }
    auto result = program.result_of(values, {size, size});
    result.rounds = round;
    return result;
}

tensor_unit_result sparse_product_scalar(mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
                                         std::uint64_t size)
{
    require_format(runtime, "the sparse product", {element_type::int64});
    const auto left = entries_of(a, size, "left operand"), right = entries_of(b, size, "right operand");
    std::vector<std::vector<std::uint64_t>> of_row(size); // entries of B
    numbers left_values, right_values;
    for (const auto& e : left) { left_values.push_back(e.value); }
    for (const auto& e : right) {
        of_row[e.row].push_back(right_values.size());
        right_values.push_back(e.value);
    }
    tensor_unit_program program(runtime, call_shape::tall);
    const auto z = program.cleared(size, size);
    if (!left.empty() && !right.empty()) {
        const auto x = program.loaded_row(left_values), y = program.loaded_row(right_values);
        for (std::uint64_t e = 0; e < left.size(); ++e) {
            for (const std::uint64_t f : of_row[left[e].column]) {
                program.scalar(opcode::s_mac, z.block(left[e].row, right[f].column, 1, 1), x.block(0, e, 1, 1),
                               y.block(0, f, 1, 1), 2);
            }
        }
    }
    return program.result_of(z, {size, size});
}

} // namespace tensorloom::workloads
