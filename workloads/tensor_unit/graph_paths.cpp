#include <tensorloom/workloads/tensor_unit/graph_paths.h>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/recursive_product.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

void check_closure(const mmv_session& session, const tensor_unit_values& edges, std::uint64_t vertices)
{
    require_format(session, "closures",
                   {element_type::int64, element_type::int32, element_type::f64, element_type::f32});
    require_count("edges", count_of(edges), vertices * vertices);
    const auto numbers = whole_numbers(edges, "edges");
    for (const std::int64_t& e : numbers) {
        if (e != 0 && e != 1) {
            base::refuse("edges, element " + std::to_string(&e - numbers.data()), std::to_string(e), "0 or 1");
        }
    }
}

// What lies before and after block k, of rows or of columns: first, size.
struct range {
    std::uint64_t first, size;
};
std::vector<range> beside(std::uint64_t k, std::uint64_t q, std::uint64_t size)
{
    std::vector<range> ranges;
    if (k > 0) { ranges.push_back({0, k * q}); }
    if ((k + 1) * q < size) { ranges.push_back({(k + 1) * q, size - (k + 1) * q}); }
    return ranges;
}

// x has whole tiles.
void record_closure(tensor_unit_program& program, const scratchpad_matrix& x)
{
    const std::uint64_t q = program.side();
    const auto width = static_cast<std::int64_t>(q);
    const auto staged = program.place(x.rows, q), product = program.place(x.rows, q);
    for (std::uint64_t k = 0; k < x.rows / q; ++k) {
        const auto others = beside(k, q, x.rows);
        const auto diagonal = x.block(k * q, k * q, q, q);
        program.scalar(opcode::close_diagonal, diagonal, 2 * q * q * q);
        for (const auto& o : others) {
            program.scalar(opcode::close_row, x.block(k * q, o.first, q, o.size), diagonal, 2 * q * q * o.size);
        }
        std::uint64_t rows = 0;
        for (const auto& o : others) {
            const auto column = x.block(o.first, k * q, o.size, q);
            program.scalar(opcode::close_column, column, diagonal, 2 * q * q * o.size);
            program.scalar(opcode::move, staged.block(rows, 0, o.size, q), column, program.charge_of_moves(o.size * q));
            rows += o.size;
        }
        for (const auto& columns : others) {
            program.loop(columns.size / q);
            program.call(staged.block(0, 0, rows, q), x.block(k * q, columns.first, q, q).stepped(width), product);
            std::uint64_t done = 0;
            for (const auto& o : others) {
                const auto to = x.block(o.first, columns.first, o.size, q).stepped(width);
                program.scalar(opcode::s_add_clamped, to, to, product.block(done, 0, o.size, q), 2 * o.size * q);
                done += o.size;
            }
            program.end();
        }
    }
}

} // namespace

tensor_unit_result transitive_closure(mmv_session& session, const tensor_unit_terms& terms,
                                      const tensor_unit_values& edges, std::uint64_t vertices)
{
    check_closure(session, edges, vertices);
    tensor_unit_program program(session, terms);
    const auto x = program.operand(edges, vertices, vertices);
    const std::uint64_t size = program.whole_tiles(vertices);
    record_closure(program, x.block(0, 0, size, size));
    return program.result_of(x, {vertices, vertices});
}

tensor_unit_result transitive_closure_scalar(mmv_session& session, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    check_closure(session, edges, vertices);
    tensor_unit_program program(session, call_shape::tall);
    const auto x = program.loaded(edges, vertices, vertices);
    program.scalar(opcode::close_diagonal, x, 2 * vertices * vertices * vertices);
    return program.result_of(x, {vertices, vertices});
}

namespace {

void check_connected(const std::vector<std::int64_t>& edges, std::uint64_t n)
{
    std::vector<bool> reached(n);
    std::vector<std::uint64_t> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const std::uint64_t from = open.back();
        open.pop_back();
        for (std::uint64_t to = 0; to < n; ++to) {
            if (edges[from * n + to] != 0 && !reached[to]) {
                reached[to] = true;
                open.push_back(to);
            }
        }
    }
    for (std::uint64_t v = 0; v < n; ++v) {
        if (!reached[v]) {
            base::refuse("edges", "no path from vertex 0 to " + std::to_string(v), "a connected graph");
        }
    }
}

void check_distances(const mmv_session& session, const tensor_unit_values& values, std::uint64_t n)
{
    require_format(session, "distances",
                   {element_type::int64, element_type::int32, element_type::f64, element_type::f32});
    require_count("edges", count_of(values), n * n);
    if (n == 0) { base::refuse("vertices", "0", "at least 1"); }
    constexpr std::uint64_t most_in_f32 = 4097; // sums of distances below n, one per neighbour, are at most 2^24
    if (session.limits().format == element_type::f32 && n > most_in_f32) {
        base::refuse("vertices", std::to_string(n), "at most " + std::to_string(most_in_f32) + " in f32");
    }
    const auto edges = whole_numbers(values, "edges");
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j <= i; ++j) {
            const std::int64_t e = edges[i * n + j];
            if ((e != 0 && e != 1) || e != edges[j * n + i] || (i == j && e != 0)) {
                base::refuse("edge " + std::to_string(i) + ", " + std::to_string(j), std::to_string(e),
                             "a symmetric matrix of 0 and 1 with a diagonal of 0");
            }
        }
    }
    check_connected(edges, n);
}

tensor_unit_result distances(mmv_session& session, call_shape shape, product_recorder product,
                             const tensor_unit_values& edges, std::uint64_t n)
{
    check_distances(session, edges, n);
    tensor_unit_program program(session, shape);
    const std::uint64_t all = n * n;
    // A of every level; the last one is that of a complete graph, and its distances.
    std::vector<scratchpad_matrix> paths{program.operand(edges, n, n)};
    const auto work = program.place(n, n);
    for (std::uint64_t level = 0; level < distance_levels(n); ++level) {
        const auto& a = paths.back();
        const auto two = program.cleared(n, n);
        product(program, a, a, work);
        program.scalar(opcode::s_add, work, work, a, all);
        program.scalar(opcode::s_positive, two, work, all);
        scratchpad_matrix diagonal = two.block(0, 0, n, 1);
        diagonal.row_stride = two.row_stride + 1;
        program.set(diagonal, 0);
        paths.push_back(two);
    }
    const auto t = paths.back();
    paths.pop_back();
    const auto degrees = program.row_of(n), bound = program.place(n, n), ones = program.row_of(1);
    program.set(ones, 1);
    for (; !paths.empty(); paths.pop_back()) {
        const auto& a = paths.back();
        product(program, t, a, work);
        program.set(degrees, 0);
        program.scalar(opcode::s_mac, degrees.with_repeated_row(n), a,
                       ones.with_repeated_row(n).with_repeated_column(n), 0);
        program.scalar(opcode::s_mul, bound.block(0, 0, n, n), t, degrees.with_repeated_row(n), all);
        program.scalar(opcode::s_less, work, work, bound, all);
        program.scalar(opcode::s_add, t, t, t, all);
        program.scalar(opcode::s_sub, t, t, work, all);
    }
    return program.result_of(t, {n, n});
}

} // namespace

tensor_unit_result shortest_distances(mmv_session& session, call_shape shape, const tensor_unit_values& edges,
                                      std::uint64_t vertices)
{
    return distances(session, shape, record_tensor_product, edges, vertices);
}

tensor_unit_result shortest_distances_by_strassen(mmv_session& session, call_shape shape,
                                                  const tensor_unit_values& edges, std::uint64_t vertices,
                                                  std::uint64_t cutoff)
{
    require_format(session, "distances by Strassen's products",
                   {element_type::int64, element_type::int32, element_type::f64});
    require_recursive_size(vertices, session.limits().side, strassen_scheme().parts);
    const auto product = [cutoff](tensor_unit_program& program, const scratchpad_matrix& left,
                                  const scratchpad_matrix& right, const scratchpad_matrix& result) {
        record_recursive_product(program, strassen_scheme(), cutoff, left, right, result);
    };
    return distances(session, shape, product, edges, vertices);
}

tensor_unit_result shortest_distances_scalar(mmv_session& session, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    return distances(session, call_shape::tall, record_scalar_product, edges, vertices);
}

namespace {

using whole = std::vector<std::int64_t>;

// A search from every vertex, and its operations.
class graph_search {
public:
    graph_search(tensor_unit_program& program, const tensor_unit_values& edges, std::uint64_t vertices, search_end end)
        : m_program(program), m_end(end), m_vertices(vertices), m_neighbours(vertices)
    {
        const whole matrix = whole_numbers(edges, "edges");
        std::uint64_t appended = 0;
        for (std::uint64_t i = 0; i < matrix.size(); ++i) {
            if (matrix[i] == 0) { continue; }
            m_neighbours[i / vertices].push_back(i % vertices);
            ++appended;
        }
        m_program.charge(matrix.size() + appended);
    }

    /// Edges of the shortest paths of at least one edge from a vertex to all; 0 where there is none. If the start
    /// `counts` as reached, it has 0 as well.
    whole lengths_from(std::uint64_t start, bool counts) const
    {
        whole length(m_vertices);
        std::vector<bool> reached(m_vertices);
        std::vector<std::uint64_t> queue{start};
        std::uint64_t followed = 0, marked = counts ? 1 : 0;
        reached[start] = counts;
        for (std::size_t next = 0; next < queue.size() && !ends_with(marked); ++next) {
            const std::uint64_t from = queue[next];
            // A start that counts only as another vertex does is in the queue twice.
            const std::int64_t away = (next == 0 ? 0 : length[from]) + 1;
            for (const std::uint64_t to : m_neighbours[from]) {
                ++followed;
                if (reached[to]) { continue; }
                reached[to] = true;
                length[to] = away;
                queue.push_back(to);
                if (ends_with(++marked)) { break; }
            }
        }
        m_program.charge(m_vertices + followed + (m_end == search_end::all_reached ? 3 : 2) * marked);
        return length;
    }

private:
    bool ends_with(std::uint64_t marked) const { return m_end == search_end::all_reached && marked == m_vertices; }

    tensor_unit_program& m_program;
    search_end m_end;
    std::uint64_t m_vertices;
    std::vector<std::vector<std::uint64_t>> m_neighbours;
};

// Searches from every vertex; a row of the result is `row` of the lengths from a vertex.
template <class Row>
tensor_unit_result searched(mmv_session& session, search_end end, const tensor_unit_values& edges, std::uint64_t n,
                            bool start_counts, const Row& row)
{
    tensor_unit_program program(session, call_shape::tall);
    program.loaded(edges, n, n);
    const graph_search search(program, edges, n, end);
    whole result;
    result.reserve(n * n);
    for (std::uint64_t start = 0; start < n; ++start) {
        for (const std::int64_t length : search.lengths_from(start, start_counts)) { result.push_back(row(length)); }
    }
    return program.result_of(program.loaded(result, n, n), {n, n});
}

} // namespace

tensor_unit_result transitive_closure_search(mmv_session& session, search_end end, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    check_closure(session, edges, vertices);
    return searched(session, end, edges, vertices, false,
                    [](std::int64_t length) -> std::int64_t { return length > 0 ? 1 : 0; });
}

tensor_unit_result shortest_distances_search(mmv_session& session, search_end end, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    check_distances(session, edges, vertices);
    return searched(session, end, edges, vertices, true, [](std::int64_t length) { return length; });
}

tensor_unit_result transitive_closure_words(mmv_session& session, const tensor_unit_values& edges,
                                            std::uint64_t vertices)
{
    constexpr std::uint64_t flags_per_word = 64;
    check_closure(session, edges, vertices);
    tensor_unit_program program(session, call_shape::tall);
    program.loaded(edges, vertices, vertices);
    const whole matrix = whole_numbers(edges, "edges");
    const std::uint64_t n = vertices, words = (n + flags_per_word - 1) / flags_per_word;
    std::vector<std::vector<std::uint64_t>> rows(n, std::vector<std::uint64_t>(words));
    const auto flag = [](std::uint64_t v) { return std::uint64_t{1} << v % flags_per_word; };
    const auto is_set = [&](std::uint64_t i, std::uint64_t v) { return (rows[i][v / flags_per_word] & flag(v)) != 0; };
    std::uint64_t set = 0;
    for (std::uint64_t e = 0; e < matrix.size(); ++e) {
        if (matrix[e] == 0) { continue; }
        rows[e / n][e % n / flags_per_word] |= flag(e % n);
        ++set;
    }
    program.charge(n * n + set);
    for (std::uint64_t k = 0; k < n; ++k) {
        std::uint64_t joined = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            if (i == k || !is_set(i, k)) { continue; }
            for (std::uint64_t w = 0; w < words; ++w) { rows[i][w] |= rows[k][w]; }
            ++joined;
        }
        program.charge(n - 1 + joined * words);
    }
    whole result(n * n);
    for (std::uint64_t e = 0; e < result.size(); ++e) { result[e] = is_set(e / n, e % n) ? 1 : 0; }
    program.charge(n * n);
    return program.result_of(program.loaded(result, n, n), {n, n});
}

} // namespace tensorloom::workloads
