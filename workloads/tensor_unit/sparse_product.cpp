#include <tensorloom/workloads/tensor_unit/sparse_product.h>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/scrambled.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;
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

// Buckets and random weights of rows and columns in one round.
struct hashing {
    hashing(std::uint64_t round, std::uint64_t size, std::uint64_t buckets, std::uint64_t seed)
        : h(size), g(size), r1(size), r2(size)
    {
        // Rows and columns of all rounds are numbered; another seed looks at other numbers.
        const auto base = [start = 2 * size * round, salt = (seed - 1) * 0xD1B54A32D192ED03u](std::uint64_t kind) {
            return [=](std::uint64_t i) { return scrambled((kind | (start + i)) + salt); };
        };
        const auto bucket = base(0), weight_1 = base(std::uint64_t{1} << 40), weight_2 = base(std::uint64_t{1} << 41);
        for (std::uint64_t i = 0; i < size; ++i) {
            h[i] = bucket(i) % buckets;
            g[i] = bucket(size + i) % buckets;
            r1[i] = static_cast<std::int64_t>(weight_1(i) % 1009 + 1);
            r2[i] = static_cast<std::int64_t>(weight_2(i) % 1009 + 1);
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

    const scratch_scope room(program.builder());
    const auto a12 = program.operand(left_12, 2 * buckets, size), a3 = program.operand(left_3, buckets, size);
    const auto z = program.place(2 * buckets, buckets);
    const auto product = [&](const scratchpad_matrix& left, const numbers& values) {
        const scratch_scope room_of_right(program.builder());
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

tensor_unit_result sparse_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros,
                                  std::uint64_t seed)
{
    require_format(session, "the sparse product", {element_type::int64});
    const auto left = entries_of(a, size, "left operand"), right = entries_of(b, size, "right operand");
    tensor_unit_program program(session, shape);
    const std::uint64_t buckets = sketch_side(nonzeros, program.side());
    results known;
    std::uint64_t round = 0;
    for (bool more = true; more; ++round) {
        if (round == most_rounds) {
            base::refuse("non-zeros of the product",
                         "more than " + std::to_string(most_rounds) + " rounds for " + std::to_string(nonzeros) +
                             " of them",
                         "a number near the true one");
        }
        const hashing hash(round, size, buckets, seed);
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

tensor_unit_result sparse_product_scalar(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                         std::uint64_t size)
{
    require_format(session, "the sparse product", {element_type::int64});
    const auto left = entries_of(a, size, "left operand"), right = entries_of(b, size, "right operand");
    std::vector<std::vector<std::uint64_t>> of_row(size); // entries of B
    numbers left_values, right_values;
    for (const auto& e : left) { left_values.push_back(e.value); }
    for (const auto& e : right) {
        of_row[e.row].push_back(right_values.size());
        right_values.push_back(e.value);
    }
    tensor_unit_program program(session, call_shape::tall);
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
