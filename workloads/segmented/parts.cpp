#include <tensorloom/workloads/segmented/parts.h>
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace tensorloom::workloads {
namespace {

// Where a whole of so many elements is cut into parts: parts + 1 positions.
std::vector<std::uint64_t> equal_cuts(std::uint64_t whole, std::size_t parts)
{
    std::vector<std::uint64_t> cuts;
    for (std::size_t i = 0; i <= parts; ++i) { cuts.push_back(whole * i / parts); }
    return cuts;
}

// Positions in `places`, which grow, of those nearest to equal cuts of its last one.
std::vector<std::uint64_t> nearest_cuts(const std::vector<std::uint64_t>& places, std::size_t parts)
{
    std::vector<std::uint64_t> cuts;
    for (const std::uint64_t wanted : equal_cuts(places.back(), parts)) {
        auto at = std::lower_bound(places.begin(), places.end(), wanted);
        if (at != places.begin() && wanted - *std::prev(at) < *at - wanted) { --at; }
        cuts.push_back(static_cast<std::uint64_t>(at - places.begin()));
    }
    return cuts;
}

// Cuts in elements at starts of segments.
std::vector<std::uint64_t> segment_cuts(const std::vector<std::uint8_t>& flags, std::size_t parts)
{
    std::vector<std::uint64_t> starts{0};
    for (std::uint64_t i = 1; i < flags.size(); ++i) {
        if (flags[i] != 0) { starts.push_back(i); }
    }
    starts.push_back(flags.size());
    auto cuts = nearest_cuts(starts, parts);
    for (auto& cut : cuts) { cut = starts[cut]; }
    return cuts;
}

template <class T> std::vector<std::uint64_t> row_cuts(const csr_matrix<T>& matrix, std::size_t parts)
{
    std::vector<std::uint64_t> places;
    for (std::uint64_t row = 0; row <= matrix.rows; ++row) { places.push_back(matrix.row_starts[row] + row); }
    return nearest_cuts(places, parts);
}

template <class List> List slice_of(const List& list, std::uint64_t first, std::uint64_t end)
{
    return list.empty() ? list : List(list.data() + first, list.data() + end);
}

template <class T> csr_matrix<T> rows_of(const csr_matrix<T>& whole, std::uint64_t first, std::uint64_t end)
{
    csr_matrix<T> part;
    part.rows = end - first;
    part.columns = whole.columns;
    const std::uint64_t start = whole.row_starts[first];
    for (std::uint64_t row = first; row <= end; ++row) { part.row_starts.push_back(whole.row_starts[row] - start); }
    part.column = slice_of(whole.column, start, whole.row_starts[end]);
    part.value = slice_of(whole.value, start, whole.row_starts[end]);
    return part;
}

template <class T>
std::vector<std::uint64_t> cuts_of(segmented_operation operation, const segmented_problem<T>& problem,
                                   std::size_t parts)
{
    switch (operation) {
    case segmented_operation::spmv: return row_cuts(problem.matrix, parts);
    case segmented_operation::matrix_product: return equal_cuts(problem.shape.rows, parts);
    case segmented_operation::segmented_sum:
    case segmented_operation::segmented_scan: return segment_cuts(problem.flags, parts);
    default: return equal_cuts(problem.x.size(), parts);
    }
}

template <class T>
segmented_problem<T> part_of(segmented_operation operation, const segmented_problem<T>& whole, std::uint64_t first,
                             std::uint64_t end)
{
    segmented_problem<T> part;
    part.bits = whole.bits;
    if (operation == segmented_operation::spmv) {
        part.matrix = rows_of(whole.matrix, first, end);
        part.x = whole.x;
    } else if (operation == segmented_operation::matrix_product) {
        part.shape = {end - first, whole.shape.inner, whole.shape.columns};
        part.x = slice_of(whole.x, first * whole.shape.inner, end * whole.shape.inner);
        part.y = whole.y;
    } else {
        const std::uint64_t in_front = operation == segmented_operation::difference && first > 0 ? 1 : 0;
        part.x = slice_of(whole.x, first - in_front, end);
        part.y = slice_of(whole.y, first, end);
        part.flags = slice_of(whole.flags, first, end);
    }
    return part;
}

[[noreturn]] void end_in_overflow(base::element_type word)
{
    throw program_error(isa::error_code::accumulator_overflow, 0,
                        "the sum of the parts before a part does not fit " +
                            std::string(base::element_type_name(word)));
}

// Exactly, or with the error of a long double; then rounded once.
std::int64_t sum_of(const std::int64_t* first, const std::int64_t* end, base::element_type word)
{
    const std::int64_t most = word == base::element_type::int32 ? std::numeric_limits<std::int32_t>::max()
                                                                : std::numeric_limits<std::int64_t>::max();
    std::int64_t sum = 0;
    for (; first != end; ++first) {
        if (__builtin_add_overflow(sum, *first, &sum) || sum > most || sum < -most - 1) { end_in_overflow(word); }
    }
    return sum;
}

double sum_of(const double* first, const double* end, base::element_type)
{
    long double sum = 0;
    for (; first != end; ++first) { sum += *first; }
    return static_cast<double>(sum);
}

} // namespace

template <class T>
segmented_parts<T>::segmented_parts(const segmented_variant& variant, const segmented_problem<T>& problem,
                                    std::size_t parts)
    : m_variant(variant), m_problems(parts), m_last(parts)
{
    const auto cuts = cuts_of(variant.operation, problem, parts);
    for (std::size_t i = 0; i < parts; ++i) {
        if (cuts[i] < cuts[i + 1]) { m_problems[i] = part_of(variant.operation, problem, cuts[i], cuts[i + 1]); }
    }
}

template <class T>
segmented_result<T> segmented_parts<T>::run(std::size_t part, mmv_session& session, const std::function<void()>& meet)
{
    const auto& own = m_problems[part];
    const bool scan = m_variant.operation == segmented_operation::scan;
    if (!own) {
        if (scan) { meet(); }
        return {};
    }
    if (!scan) { return run_segmented(m_variant, session, *own); }
    return run_scan_part<T>(m_variant, session, *own, [&](T last) {
        m_last[part] = last;
        meet();
        return before(part, session.limits().word());
    });
}

template <class T> bool segmented_parts<T>::is_first(std::size_t part) const
{
    return std::none_of(m_problems.begin(), m_problems.begin() + static_cast<std::ptrdiff_t>(part),
                        [](const auto& problem) { return problem.has_value(); });
}

template <class T> std::optional<T> segmented_parts<T>::before(std::size_t part, base::element_type word) const
{
    if (is_first(part)) { return std::nullopt; }
    return sum_of(m_last.data(), m_last.data() + part, word);
}

template <class T> std::vector<T> segmented_parts<T>::joined(const std::vector<segmented_result<T>>& results) const
{
    std::vector<T> all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto& values = results[i].values;
        const bool in_front = m_variant.operation == segmented_operation::difference && m_problems[i] && !is_first(i);
        all.insert(all.end(), values.begin() + (in_front ? 1 : 0), values.end());
    }
    return all;
}

template <class T> std::uint64_t segmented_parts<T>::elements(std::size_t part) const
{
    const auto& own = m_problems[part];
    if (!own) { return 0; }
    if (m_variant.operation == segmented_operation::spmv) { return own->matrix.nonzeros(); }
    const bool in_front = m_variant.operation == segmented_operation::difference && !is_first(part);
    return own->x.size() - (in_front ? 1 : 0);
}

template <class T> std::uint64_t segmented_parts<T>::data_bytes(const std::vector<segmented_result<T>>& results) const
{
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!m_problems[i]) { continue; }
        bytes += results[i].data_bytes - (is_first(i) ? 0 : results[i].shared_bytes);
    }
    return bytes;
}

template class segmented_parts<std::int64_t>;
template class segmented_parts<double>;

} // namespace tensorloom::workloads
