#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {

/// A problem divided among devices: each runs one part, all at the same time.
///
///     operation                parts
///
///     scan, compress,          equal numbers of elements
///     copy, product
///     difference               the same, with the element before in front
///     segmented sum and scan   whole segments, cut at the start nearest to equal numbers of elements
///     matrix product           equal numbers of rows, with the whole right operand
///     spmv                     rows, cut nearest to equal numbers of elements and rows together, with all of x
///
/// A scan ends in a second program, which adds the sum of the parts before (run_scan_part()). Everything else runs as
/// on one device. A part may be empty: its device has nothing to do. Sums within a part may be out of range where those
/// of the whole are not, and the other way round. T: int64_t or double.
///
/// Example (host threads a and b; `meet` returns when both have called it)
///
///     segmented_parts<double> parts(variant, problem, 2);
///     results[0] = parts.run(0, session_a, meet);   // in a
///     results[1] = parts.run(1, session_b, meet);   // in b
///     values = parts.joined(results);
template <class T> class segmented_parts {
public:
    /// `parts`: at least 1. The variant and its problem as in run_segmented(), which checks each part.
    segmented_parts(const segmented_variant& variant, const segmented_problem<T>& problem, std::size_t parts);

    std::size_t size() const { return m_problems.size(); }
    /// Without what it shares with other parts: elements of x, spmv of the matrix.
    std::uint64_t elements(std::size_t part) const;
    /// None: the part is empty.
    const std::optional<segmented_problem<T>>& problem(std::size_t part) const { return m_problems[part]; }

    /// In a host's thread. `meet`: returns when the hosts of all parts have called it; a scan calls it once per part.
    /// Throws as run_segmented(), and program_error when the sum of the parts before a part does not fit a word.
    segmented_result<T> run(std::size_t part, mmv_session& session, const std::function<void()>& meet);

    /// The values of all parts, and the bytes of operands and result, as those of one device.
    std::vector<T> joined(const std::vector<segmented_result<T>>& results) const;
    std::uint64_t data_bytes(const std::vector<segmented_result<T>>& results) const;

private:
    bool is_first(std::size_t part) const; // of those that are not empty
    std::optional<T> before(std::size_t part, base::element_type word) const;

    const segmented_variant& m_variant;
    std::vector<std::optional<segmented_problem<T>>> m_problems;
    std::vector<T> m_last; // of a scan: the last result of each part
};

} // namespace tensorloom::workloads
