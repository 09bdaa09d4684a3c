#include <tensorloom/workloads/tensor_unit/recursive_product.h>
#include <algorithm>
#include <string>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
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

// Blocks row by row, each divided likewise, down to leaves by panels.
element_order by_blocks(std::uint64_t size, std::uint64_t leaf, std::uint64_t parts, std::uint64_t side)
{
    if (size <= leaf) { return by_panels(size, size, side); }
    const std::uint64_t h = size / parts;
    return {size * size, [h, parts, inside = by_blocks(h, leaf, parts, side)](std::uint64_t row, std::uint64_t column) {
                return (row / h * parts + column / h) * inside.elements + inside.place(row % h, column % h);
            }};
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

// How matrices lie in the scratchpad: where their blocks are, and what adds and multiplies them.
class matrix_layout {
public:
    virtual ~matrix_layout() = default;
    /// The parts x parts blocks, row by row.
    virtual std::vector<scratchpad_matrix> blocks(const scratchpad_matrix& whole, std::uint64_t parts) const = 0;
    virtual void add(tensor_unit_program& program, const scratchpad_matrix& result, const scratchpad_matrix& a,
                     const scratchpad_matrix& b, bool subtract) const = 0;
    virtual void multiply(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                          const scratchpad_matrix& result, std::uint64_t size) const = 0;
};

// One block after the other, leaves by panels: the vector unit adds rows without gaps.
class block_layout : public matrix_layout {
public:
    std::vector<scratchpad_matrix> blocks(const scratchpad_matrix& whole, std::uint64_t parts) const override
    {
        const std::uint64_t n = parts * parts, rows = whole.rows / n;
        std::vector<scratchpad_matrix> all;
        for (std::uint64_t i = 0; i < n; ++i) { all.push_back(whole.block(i * rows, 0, rows, whole.columns)); }
        return all;
    }
    void add(tensor_unit_program& program, const scratchpad_matrix& result, const scratchpad_matrix& a,
             const scratchpad_matrix& b, bool subtract) const override
    {
        program.add(result, a, b, subtract);
    }
    void multiply(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                  const scratchpad_matrix& result, std::uint64_t size) const override
    {
        record_panel_product(program, left, right, result, {size, size, size});
    }
};

// Row by row: the scalar unit adds.
class row_layout : public matrix_layout {
public:
    std::vector<scratchpad_matrix> blocks(const scratchpad_matrix& whole, std::uint64_t parts) const override
    {
        const std::uint64_t h = whole.rows / parts;
        std::vector<scratchpad_matrix> all;
        for (std::uint64_t i = 0; i < parts * parts; ++i) {
            all.push_back(whole.block(i / parts * h, i % parts * h, h, h));
        }
        return all;
    }
    void add(tensor_unit_program& program, const scratchpad_matrix& result, const scratchpad_matrix& a,
             const scratchpad_matrix& b, bool subtract) const override
    {
        program.scalar(subtract ? mmv::opcode::s_sub : mmv::opcode::s_add, result, a, b, result.rows * result.columns);
    }
    void multiply(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                  const scratchpad_matrix& result, std::uint64_t) const override
    {
        record_tensor_product(program, left, right, result);
    }
};

class recursive_recorder {
public:
    recursive_recorder(tensor_unit_program& program, const matrix_layout& layout, const product_scheme& scheme,
                       std::uint64_t cutoff)
        : m_program(program), m_layout(layout), m_scheme(scheme), m_leaf(std::max(cutoff, program.side())),
          m_placed(placed_products(scheme, m_terms_there))
    {}

    // Matrices of size x size.
    void record(std::uint64_t size, const scratchpad_matrix& left, const scratchpad_matrix& right,
                const scratchpad_matrix& result) const
    {
        if (size <= m_program.side()) {
            const auto whole = [size](const scratchpad_matrix& m) { return m.block(0, 0, size, size); };
            return m_program.call(whole(left), whole(right), whole(result));
        }
        if (size <= m_leaf) { return m_layout.multiply(m_program, left, right, result, size); }
        const scratch_scope room(m_program.builder());
        const auto blocks = [&](const scratchpad_matrix& whole) { return m_layout.blocks(whole, m_scheme.parts); };
        const auto x = blocks(left), y = blocks(right), z = blocks(result);
        const std::uint64_t h = size / m_scheme.parts;
        const auto place = [&] { return m_program.place(z[0].rows, z[0].columns); };
        const auto place_if = [&](bool needed) { return needed ? place() : scratchpad_matrix{}; };
        const auto s = place_if(any([](const auto& p) { return p.left.size() > 1; }));
        const auto t = place_if(any([](const auto& p) { return p.right.size() > 1; }));
        const auto added = place_if(std::any_of(m_placed.begin(), m_placed.end(), [](const placed_product& p) {
            return p.place == product_place::added_to_result;
        }));
        std::vector<scratchpad_matrix> m;
        for (const auto& p : m_placed) {
            m.push_back(p.place == product_place::own               ? place()
                        : p.place == product_place::first_of_result ? z[p.result]
                                                                    : added);
        }
        for (std::size_t p = 0; p < m.size(); ++p) {
            const auto a = sum(s, x, m_scheme.products[p].left), b = sum(t, y, m_scheme.products[p].right);
            record(h, a, b, m[p]);
            if (m_placed[p].place != product_place::added_to_result) { continue; }
            const auto& to = z[m_placed[p].result];
            m_layout.add(m_program, to, to, m[p], is_subtracted(p));
        }
        for (std::size_t r = 0; r < z.size(); ++r) {
            const auto& sums = m_scheme.results[r];
            std::size_t next = m_terms_there[r];
            if (next == 0) {
                m_layout.add(m_program, z[r], m[sums[0].index], m[sums[1].index], sums[1].minus);
                next = 2;
            }
            for (; next < sums.size(); ++next) {
                m_layout.add(m_program, z[r], z[r], m[sums[next].index], sums[next].minus);
            }
        }
    }

private:
    template <class Is> bool any(const Is& is) const
    {
        return std::any_of(m_scheme.products.begin(), m_scheme.products.end(), is);
    }
    // Made in `place` where there is something to add up.
    scratchpad_matrix sum(const scratchpad_matrix& place, const std::vector<scratchpad_matrix>& from,
                          const terms& of) const
    {
        if (of.size() == 1) { return from[of[0].index]; }
        m_layout.add(m_program, place, from[of[0].index], from[of[1].index], of[1].minus);
        for (std::size_t i = 2; i < of.size(); ++i) {
            m_layout.add(m_program, place, place, from[of[i].index], of[i].minus);
        }
        return place;
    }
    bool is_subtracted(std::size_t product) const
    {
        const auto& sums = m_scheme.results[m_placed[product].result];
        return std::any_of(sums.begin(), sums.end(), [&](const term& t) { return t.index == product && t.minus; });
    }

    tensor_unit_program& m_program;
    const matrix_layout& m_layout;
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

void record_recursive_product(tensor_unit_program& program, const product_scheme& scheme, std::uint64_t cutoff,
                              const scratchpad_matrix& left, const scratchpad_matrix& right,
                              const scratchpad_matrix& result)
{
    recursive_recorder(program, row_layout(), scheme, cutoff).record(result.rows, left, right, result);
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
        base::refuse("size of a recursive product", std::to_string(size),
                     "at most " + std::to_string(side) + ", or " + std::to_string(side) + " times a power of " +
                         (parts == 2   ? "two"
                          : parts == 3 ? "three"
                                       : std::to_string(parts)));
    }
}

tensor_unit_result recursive_product(mmv_session& session, call_shape shape, const product_scheme& scheme,
                                     const tensor_unit_values& a, const tensor_unit_values& b, std::uint64_t size,
                                     std::uint64_t cutoff)
{
    require_format(
        session, "recursive products",
        {element_type::int64, element_type::int32, element_type::f64, element_type::f32, element_type::c128});
    require_recursive_size(size, session.limits().side, scheme.parts);
    const auto record = [&](tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                            const scratchpad_matrix& result) {
        recursive_recorder(program, block_layout(), scheme, cutoff).record(size, left, right, result);
    };
    const std::uint64_t q = session.limits().side;
    const auto order = by_blocks(size, std::max(cutoff, q), scheme.parts, q);
    return product_in_order(record, session, shape, a, b, {size, size, size}, order, order, order);
}

} // namespace tensorloom::workloads
