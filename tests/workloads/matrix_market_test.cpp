#include <tensorloom/workloads/csr_matrix.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>
#include <gmock/gmock.h>
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using workloads::csr_matrix;
using workloads::load_matrix_market;

template <class T> std::vector<std::vector<T>> dense(const csr_matrix<T>& m)
{
    std::vector<std::vector<T>> rows(m.rows, std::vector<T>(m.columns));
    for (std::uint64_t r = 0; r < m.rows; ++r) {
        for (std::uint64_t e = m.row_starts[r]; e < m.row_starts[r + 1]; ++e) { rows[r][m.column[e]] += m.value[e]; }
    }
    return rows;
}

class matrix_market : public scratch_folder {
protected:
    template <class T = std::int64_t> csr_matrix<T> loaded(const std::string& text) const
    {
        const auto m = load_matrix_market<T>(write("m.mtx", text)).matrix;
        EXPECT_EQ(validate(m), std::nullopt);
        return m;
    }
    template <class T = double> std::string refusal(const std::string& text) const
    {
        const std::string file = write("m.mtx", text);
        std::string found = message_of([&] { load_matrix_market<T>(file); });
        EXPECT_THAT(found, StartsWith(file + ":")) << text;
        return found.substr(std::min(found.size(), file.size()));
    }
};

TEST_F(matrix_market, general_matrix_in_any_order_of_elements)
{
    const auto m = loaded("%%MatrixMarket matrix coordinate integer general\n3 4 4\n3 1 7\n1 4 -2\n1 2 5\n3 3 0\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(0, 5, 0, -2), ElementsAre(0, 0, 0, 0), ElementsAre(7, 0, 0, 0)));
    EXPECT_THAT(m.row_starts, ElementsAre(0, 2, 2, 4));
    EXPECT_THAT(m.column, ElementsAre(1, 3, 0, 2)); // ascending; the stated 0 stays
    EXPECT_EQ(m.empty_rows(), 1u);
}

TEST_F(matrix_market, header_tells_what_the_file_said)
{
    const auto h =
        load_matrix_market<double>(write("h.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"))
            .header;
    EXPECT_TRUE(h.coordinate);
    EXPECT_EQ(h.field, workloads::matrix_market_header::field_kind::pattern);
    EXPECT_EQ(h.symmetry, workloads::matrix_market_header::symmetry_kind::symmetric);
    EXPECT_EQ(h.entries, 1u);
}

TEST_F(matrix_market, symmetric_matrix_is_written_out)
{
    const auto m = loaded("%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(1, 2, 0), ElementsAre(2, 0, 3), ElementsAre(0, 3, 4)));
}

TEST_F(matrix_market, skew_symmetric_matrix_is_written_out)
{
    const auto m = loaded("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 2\n3 1 -3\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(0, -2, 3), ElementsAre(2, 0, 0), ElementsAre(-3, 0, 0)));
}

TEST_F(matrix_market, elements_of_a_pattern_are_1)
{
    const auto m = loaded<double>("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(0, 1), ElementsAre(1, 0)));
}

TEST_F(matrix_market, array_is_read_column_by_column)
{
    const auto m = loaded("%%MatrixMarket matrix array integer general\n2 3\n1\n2\n0\n4\n5\n6\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(1, 0, 5), ElementsAre(2, 4, 6)));
    EXPECT_EQ(m.nonzeros(), 5u); // a 0 of an array is no element
}

TEST_F(matrix_market, symmetric_arrays_state_a_triangle)
{
    EXPECT_THAT(dense(loaded("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")),
                ElementsAre(ElementsAre(1, 2), ElementsAre(2, 3)));
    EXPECT_THAT(dense(loaded("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n")),
                ElementsAre(ElementsAre(0, -1, -2), ElementsAre(1, 0, -3), ElementsAre(2, 3, 0)));
}

TEST_F(matrix_market, comments_blank_lines_carriage_returns_and_capitals_are_fine)
{
    const auto m = loaded<double>("%%MatrixMarket MATRIX Coordinate Real General\r\n% made by hand\r\n\r\n 2\t2  2 \r\n"
                                  "%in between\r\n1 1 +1.5e0\r\n\r\n  2 2 -2.5E-1\r\n\r\n% after\r\n");
    EXPECT_THAT(dense(m), ElementsAre(ElementsAre(1.5, 0), ElementsAre(0, -0.25)));
}

TEST_F(matrix_market, last_line_needs_no_end)
{
    EXPECT_THAT(dense(loaded("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 3")),
                ElementsAre(ElementsAre(3)));
}

TEST_F(matrix_market, whole_numbers_may_be_written_as_real_ones)
{
    EXPECT_THAT(dense(loaded("%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 4.0000e+01\n1 2 -3\n")),
                ElementsAre(ElementsAre(40, -3)));
    EXPECT_THAT(refusal<std::int64_t>("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n"),
                HasSubstr(":3: found '0.5', expected a whole number"));
}

TEST_F(matrix_market, integers_keep_all_of_their_64_bits)
{
    const auto m = loaded("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -9223372036854775808\n");
    EXPECT_EQ(m.value[0], std::numeric_limits<std::int64_t>::min());
}

TEST_F(matrix_market, matrix_without_elements_has_empty_rows)
{
    const auto m = loaded("%%MatrixMarket matrix coordinate integer general\n3 2 0\n");
    EXPECT_THAT(m.value, IsEmpty());
    EXPECT_EQ(m.empty_rows(), 3u);
}

TEST_F(matrix_market, bad_first_line_is_refused)
{
    EXPECT_THAT(refusal("1 1 1\n1 1 1\n"), HasSubstr(":1: found '1 1 1', expected %%MatrixMarket matrix"));
    EXPECT_THAT(refusal("\n"), HasSubstr(":1: found ''"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real\n"), HasSubstr(":1: found '%%MatrixMarket matrix"));
    EXPECT_THAT(refusal(std::string("\x7f\0ELF", 5)), HasSubstr(":1: found '??ELF'"));
}

TEST_F(matrix_market, unknown_or_unsupported_words_are_refused)
{
    const auto banner = [&](const std::string& words) { return refusal("%%MatrixMarket " + words + "\n1 1 0\n"); };
    EXPECT_THAT(banner("vector coordinate real general"), HasSubstr("found 'vector', expected matrix"));
    EXPECT_THAT(banner("matrix dense real general"), HasSubstr("found 'dense', expected coordinate or array"));
    EXPECT_THAT(banner("matrix coordinate complex general"),
                HasSubstr("found 'complex', expected real, integer or pattern"));
    EXPECT_THAT(banner("matrix coordinate complex hermitian"), HasSubstr("found 'complex'"));
    EXPECT_THAT(banner("matrix coordinate real hermitian"),
                HasSubstr("found 'hermitian', expected general, symmetric or skew-symmetric"));
    EXPECT_THAT(banner("matrix array pattern general"), HasSubstr("found 'pattern', expected real or integer"));
    EXPECT_THAT(banner("matrix coordinate pattern skew-symmetric"), HasSubstr("expected general or symmetric"));
}

TEST_F(matrix_market, bad_sizes_are_refused)
{
    const auto sizes = [&](const std::string& line, const char* symmetry = "general") {
        return refusal("%%MatrixMarket matrix coordinate real " + std::string(symmetry) + "\n" + line);
    };
    EXPECT_THAT(sizes(""), HasSubstr(":2: found the end of the file, expected the sizes"));
    EXPECT_THAT(sizes("% nothing but a comment\n"), HasSubstr(":3: found the end of the file, expected the sizes"));
    EXPECT_THAT(sizes("2 2\n"), HasSubstr(":2: found '2 2', expected the sizes: rows, columns and elements"));
    EXPECT_THAT(sizes("2 2 1 1\n"), HasSubstr("found '2 2 1 1'"));
    EXPECT_THAT(sizes("2 two 1\n"), HasSubstr("found 'two', expected a whole number"));
    EXPECT_THAT(sizes("2 -2 1\n"), HasSubstr("found '-2', expected a whole number"));
    EXPECT_THAT(sizes("0 2 0\n"), HasSubstr("found 0 x 2, expected 1 to 67108864 rows and columns"));
    EXPECT_THAT(sizes("2 2 5\n"), HasSubstr("found 5 elements, expected at most 4, the places of 2 x 2"));
    EXPECT_THAT(sizes("2 3 1\n", "symmetric"), HasSubstr("found 2 x 3, expected a square matrix"));
    EXPECT_THAT(sizes("2 2 2\n", "skew-symmetric"), HasSubstr("expected at most 1"));
}

TEST_F(matrix_market, huge_sizes_are_refused_before_memory_is_taken)
{
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real general\n1152921504606846976 2 1\n1 1 1\n"),
                HasSubstr("found 1152921504606846976 x 2"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real general\n99999999999999999999 2 1\n1 1 1\n"),
                HasSubstr("found '99999999999999999999'"));
    // 2^52 elements that are not there.
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real general\n67108864 67108864 4503599627370496\n1 1 1\n"),
                HasSubstr(":4: found the end of the file after 1 elements, expected 4503599627370496 elements"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n67108864 67108864\n1\n"),
                HasSubstr("found the end of the file after 1 elements"));
}

TEST_F(matrix_market, bad_elements_are_refused)
{
    const auto element = [&](const std::string& line, const char* kind = "real general") {
        return refusal("%%MatrixMarket matrix coordinate " + std::string(kind) + "\n3 3 1\n" + line + "\n");
    };
    EXPECT_THAT(element("0 1 1"), HasSubstr(":3: found row '0', expected 1 to 3"));
    EXPECT_THAT(element("1 0 1"), HasSubstr("found column '0', expected 1 to 3"));
    EXPECT_THAT(element("4 1 1"), HasSubstr("found row '4', expected 1 to 3"));
    EXPECT_THAT(element("1 4 1"), HasSubstr("found column '4', expected 1 to 3"));
    EXPECT_THAT(element("-1 1 1"), HasSubstr("found row '-1'"));
    EXPECT_THAT(element("1.5 1 1"), HasSubstr("found row '1.5'"));
    EXPECT_THAT(element("1 1"), HasSubstr("found '1 1', expected a row, a column and a value"));
    EXPECT_THAT(element("1 1 1 0"), HasSubstr("found '1 1 1 0', expected a row, a column and a value"));
    EXPECT_THAT(element("1 1 1", "pattern general"), HasSubstr("found '1 1 1', expected a row and a column"));
    EXPECT_THAT(element("1 1 one"), HasSubstr("found 'one', expected a finite number"));
    EXPECT_THAT(element("1 1 1.0x"), HasSubstr("found '1.0x'"));
    EXPECT_THAT(element("1 1 nan"), HasSubstr("found 'nan', expected a finite number"));
    EXPECT_THAT(element("1 1 -inf"), HasSubstr("found '-inf', expected a finite number"));
    EXPECT_THAT(element("1 1 1e999"), HasSubstr("found '1e999'"));
    EXPECT_THAT(element("1 1 +-1"), HasSubstr("found '+-1'"));
    EXPECT_THAT(element("1 1 1.5", "integer general"), HasSubstr("found '1.5', expected a whole number"));
    EXPECT_THAT(element("1 1 9223372036854775808", "integer general"), HasSubstr("expected a whole number of 64 bits"));
    EXPECT_THAT(element("1 2 1", "real symmetric"),
                HasSubstr("found an element in row 1, column 2, expected one on or below the diagonal"));
    EXPECT_THAT(element("2 2 1", "real skew-symmetric"), HasSubstr("expected one below the diagonal"));
    EXPECT_THAT(refusal<std::int64_t>("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n"
                                      "2 1 -9223372036854775808\n"),
                HasSubstr("expected a value whose negative has 64 bits"));
}

TEST_F(matrix_market, too_few_and_too_many_elements_are_refused)
{
    const std::string start = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n";
    EXPECT_THAT(refusal(start), HasSubstr(":4: found the end of the file after 1 elements, expected 2 elements"));
    EXPECT_THAT(refusal(start + "2 2"), HasSubstr(":4: found '2 2'")); // cut within a line
    EXPECT_THAT(refusal(start + "2 2 2\n3 3 3\n"),
                HasSubstr(":5: found '3 3 3', expected the end of the file after 2 elements"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n1 2\n1 2\n"), HasSubstr(":3: found '1 2'"));
}

TEST_F(matrix_market, element_stated_twice_is_refused)
{
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real general\n3 3 3\n2 3 1\n1 1 1\n2 3 4\n"),
                HasSubstr(":5: found row 2, column 3 again, expected it in line 3 alone"));
}

TEST_F(matrix_market, what_is_no_file_is_refused)
{
    const auto refused = [&](const std::string& name) {
        return message_of([&] { load_matrix_market<double>(path(name)); });
    };
    EXPECT_THAT(refused("none.mtx"), HasSubstr("none.mtx: no such file, expected a MatrixMarket file"));
    EXPECT_THAT(refused("."), HasSubstr("is a directory, expected a MatrixMarket file"));
    write("empty.mtx", "");
    EXPECT_THAT(refused("empty.mtx"), HasSubstr("is empty, expected a MatrixMarket file"));
}

} // namespace
} // namespace tensorloom::test
