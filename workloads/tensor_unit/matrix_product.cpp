#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <algorithm>
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

template <class Record>
tensor_unit_result product(const Record& record, placing place, mmv_runtime& runtime, call_shape shape,
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

using term = product_scheme::term;
using terms = product_scheme::terms;

// "11+22-12": blocks by row and column from 1; without `parts` "1-12": products from 1.
terms parsed(const std::string& text, std::uint64_t parts)
{
    terms sum;
    for (std::size_t at = 0; at < text.size();) {
        const bool minus = text[at] == '-', has_sign = minus || text[at] == '+';
        const std::size_t first = at + (has_sign ? 1 : 0), end = std::min(text.find_first_of("+-", first), text.size());
        const std::size_t number = std::stoul(text.substr(first, end - first));
        sum.push_back({parts == 0 ? number - 1 : (number / 10 - 1) * parts + number % 10 - 1, minus});
        at = end;
    }
    return sum;
}

product_scheme make_scheme(std::uint64_t parts, const std::vector<std::pair<std::string, std::string>>& products,
                           const std::vector<std::string>& results)
{
    product_scheme scheme;
    scheme.parts = parts;
    for (const auto& [left, right] : products) {
        scheme.products.push_back({parsed(left, parts), parsed(right, parts)});
    }
    for (const auto& sum : results) { scheme.results.push_back(parsed(sum, 0)); }
    return scheme;
}

void add(tensor_unit_program& program, const scratchpad_matrix& z, const scratchpad_matrix& x,
         const scratchpad_matrix& y, bool minus)
{
    program.scalar(minus ? opcode::s_sub : opcode::s_add, z, x, y, z.rows * z.columns);
}

// Where the products of a scheme go: into a place of their own; or, where only one block of the result has them,
// straight there: as its first term, or added to the terms before it.
enum class product_place { own, first_of_result, added_to_result };

struct placed_product {
    product_place place = product_place::own;
    std::size_t result = 0;
};

std::vector<placed_product> placed_products(const product_scheme& scheme, std::vector<std::size_t>& terms_there)
{
    std::vector<placed_product> placed(scheme.products.size());
    terms_there.assign(scheme.results.size(), 0);
    for (std::size_t p = 0; p < placed.size(); ++p) {
        std::size_t uses = 0, result = 0, position = 0;
        for (std::size_t r = 0; r < scheme.results.size(); ++r) {
            for (std::size_t i = 0; i < scheme.results[r].size(); ++i) {
                if (scheme.results[r][i].index != p) { continue; }
                ++uses;
                result = r;
                position = i;
            }
        }
        const bool next = position == terms_there[result] && !(position == 0 && scheme.results[result][0].minus);
        if (uses != 1 || !next) { continue; }
        placed[p] = {position == 0 ? product_place::first_of_result : product_place::added_to_result, result};
        ++terms_there[result];
    }
    return placed;
}

class recursive_recorder {
public:
    recursive_recorder(tensor_unit_program& program, const product_scheme& scheme, std::uint64_t cutoff)
        : m_program(program), m_scheme(scheme), m_leaf(std::max(cutoff, program.side())),
          m_placed(placed_products(scheme, m_terms_there))
    {}

    void record(const scratchpad_matrix& left, const scratchpad_matrix& right, const scratchpad_matrix& result) const
    {
        if (result.rows <= m_program.side()) { return m_program.call(left, right, result); }
        if (result.rows <= m_leaf) { return record_tensor_product(m_program, left, right, result); }
        const scratch_scope room(m_program.session());
        const auto x = blocks(left), y = blocks(right), z = blocks(result);
        const std::uint64_t h = z[0].rows;
        const auto place_if = [&](bool needed) { return needed ? m_program.place(h, h) : scratchpad_matrix{}; };
        const auto s = place_if(any([](const auto& p) { return p.left.size() > 1; }));
        const auto t = place_if(any([](const auto& p) { return p.right.size() > 1; }));
        const auto added = place_if(std::any_of(m_placed.begin(), m_placed.end(), [](const placed_product& p) {
            return p.place == product_place::added_to_result;
        }));
        std::vector<scratchpad_matrix> m;
        for (const auto& p : m_placed) {
            m.push_back(p.place == product_place::own               ? m_program.place(h, h)
                        : p.place == product_place::first_of_result ? z[p.result]
                                                                    : added);
        }
        for (std::size_t p = 0; p < m.size(); ++p) {
            const auto a = sum(s, x, m_scheme.products[p].left), b = sum(t, y, m_scheme.products[p].right);
            record(a, b, m[p]);
            if (m_placed[p].place != product_place::added_to_result) { continue; }
            const auto& to = z[m_placed[p].result];
            add(m_program, to, to, m[p], is_subtracted(p));
        }
        for (std::size_t r = 0; r < z.size(); ++r) {
            const auto& sums = m_scheme.results[r];
            std::size_t next = m_terms_there[r];
            if (next == 0) {
                add(m_program, z[r], m[sums[0].index], m[sums[1].index], sums[1].minus);
                next = 2;
            }
            for (; next < sums.size(); ++next) { add(m_program, z[r], z[r], m[sums[next].index], sums[next].minus); }
        }
    }

private:
    std::vector<scratchpad_matrix> blocks(const scratchpad_matrix& whole) const
    {
        const std::uint64_t n = m_scheme.parts, h = whole.rows / n;
        std::vector<scratchpad_matrix> all;
        for (std::uint64_t i = 0; i < n * n; ++i) { all.push_back(whole.block(i / n * h, i % n * h, h, h)); }
        return all;
    }
    template <class Is> bool any(const Is& is) const
    {
        return std::any_of(m_scheme.products.begin(), m_scheme.products.end(), is);
    }
    // Made in `place` where there is something to add up.
    scratchpad_matrix sum(const scratchpad_matrix& place, const std::vector<scratchpad_matrix>& from,
                          const terms& of) const
    {
        if (of.size() == 1) { return from[of[0].index]; }
        add(m_program, place, from[of[0].index], from[of[1].index], of[1].minus);
        for (std::size_t i = 2; i < of.size(); ++i) { add(m_program, place, place, from[of[i].index], of[i].minus); }
        return place;
    }
    bool is_subtracted(std::size_t product) const
    {
        const auto& sums = m_scheme.results[m_placed[product].result];
        return std::any_of(sums.begin(), sums.end(), [&](const term& t) { return t.index == product && t.minus; });
    }

    tensor_unit_program& m_program;
    const product_scheme& m_scheme;
    std::uint64_t m_leaf;
    std::vector<std::size_t> m_terms_there; // of each block of the result, when all products are made
    std::vector<placed_product> m_placed;
};

} // namespace

std::uint64_t product_scheme::sums() const
{
    std::size_t count = 0;
    for (const auto& p : products) { count += p.left.size() - 1 + p.right.size() - 1; }
    for (const auto& r : results) { count += r.size() - 1; }
    return count;
}

const product_scheme& strassen_scheme()
{
    static const product_scheme scheme = make_scheme(2,
                                                     {{"11+22", "11+22"},
                                                      {"21+22", "11"},
                                                      {"11", "12-22"},
                                                      {"22", "21-11"},
                                                      {"11+12", "22"},
                                                      {"21-11", "11+12"},
                                                      {"12-22", "21+22"}},
                                                     {"1+4-5+7", "3+5", "2+4", "1-2+3+6"});
    return scheme;
}

const product_scheme& eightfold_scheme()
{
    static const product_scheme scheme = make_scheme(2,
                                                     {{"11", "11"},
                                                      {"12", "21"},
                                                      {"11", "12"},
                                                      {"12", "22"},
                                                      {"21", "11"},
                                                      {"22", "21"},
                                                      {"21", "12"},
                                                      {"22", "22"}},
                                                     {"1+2", "3+4", "5+6", "7+8"});
    return scheme;
}

const product_scheme& laderman_scheme()
{
    static const product_scheme scheme =
        make_scheme(3,
                    {{"11+12+13-21-22-32-33", "22"},
                     {"11-21", "22-12"},
                     {"22", "12+21+33-11-22-23-31"},
                     {"21+22-11", "11-12+22"},
                     {"21+22", "12-11"},
                     {"11", "11"},
                     {"31+32-11", "11-13+23"},
                     {"31-11", "13-23"},
                     {"31+32", "13-11"},
                     {"11+12+13-22-23-31-32", "23"},
                     {"32", "13+21+32-11-22-23-31"},
                     {"32+33-13", "22+31-32"},
                     {"13-33", "22-32"},
                     {"13", "31"},
                     {"32+33", "32-31"},
                     {"22+23-13", "23+31-33"},
                     {"13-23", "23-33"},
                     {"22+23", "33-31"},
                     {"12", "21"},
                     {"23", "32"},
                     {"21", "13"},
                     {"31", "12"},
                     {"33", "33"}},
                    {"19+6+14", "1+4+5+6+12+14+15", "10+6+7+9+14+16+18", "3+2+4+6+14+16+17", "20+2+4+5+6",
                     "21+14+16+17+18", "11+6+7+8+12+13+14", "22+12+13+14+15", "23+6+7+8+9"});
    return scheme;
}

bool divides_to_tiles(std::uint64_t size, std::uint64_t side, std::uint64_t parts)
{
    if (size <= side) { return size > 0; }
    while (size > side && size % parts == 0) { size /= parts; }
    return size == side;
}

void require_recursive_size(std::uint64_t size, std::uint64_t side, std::uint64_t parts)
{
    if (!divides_to_tiles(size, side, parts)) {
        refuse("size of a recursive product", std::to_string(size),
               "at most " + std::to_string(side) + ", or " + std::to_string(side) + " times a power of " +
                   (parts == 2   ? "two"
                    : parts == 3 ? "three"
                                 : std::to_string(parts)));
    }
}

tensor_unit_result recursive_product(mmv_runtime& runtime, call_shape shape, const product_scheme& scheme,
                                     const tensor_unit_values& a, const tensor_unit_values& b, std::uint64_t size,
                                     std::uint64_t cutoff)
{
    require_format(runtime, "recursive products",
                   {element_type::int64, element_type::int32, element_type::f64, element_type::c128});
    require_recursive_size(size, runtime.limits().side, scheme.parts);
    const auto record = [&](tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                            const scratchpad_matrix& result) {
        recursive_recorder(program, scheme, cutoff).record(left, right, result);
    };
    return product(record, &tensor_unit_program::operand, runtime, shape, a, b, {size, size, size});
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
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros,
                                  std::uint64_t seed)
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
