#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/transform.h>

#include <limits>

#include <gmock/gmock.h>

#include <tensorloom/models/arithmetic/bfloat16.h>

#include "npy_bytes.h"
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using workloads::normalization;
using workloads::transform_kind;
using workloads::transform_matrix;
using c128 = std::complex<double>;
using c64 = std::complex<float>;

class file_matrix : public scratch_folder {
protected:
    workloads::transform real(const std::string& shape, const std::vector<double>& elements) const
    {
        return {transform_kind::file, write("m.npy", npy_bytes("<f8", shape, elements))};
    }
    template <class T> static std::vector<T> matrix(const workloads::transform& which, std::size_t n, bool inverse)
    {
        return transform_matrix<T>(which, n, n, normalization::orthonormal, inverse);
    }
};

TEST_F(file_matrix, is_taken_as_it_is)
{
    const auto file = real("(2, 2)", {1, 2, 3, 0.1});
    EXPECT_THAT(matrix<double>(file, 2, false), ElementsAre(1, 2, 3, 0.1));
    EXPECT_THAT(matrix<float>(file, 2, false), ElementsAre(1, 2, 3, 0.1f));
    EXPECT_THAT(matrix<c64>(file, 2, false), ElementsAre(c64(1), c64(2), c64(3), c64(0.1f)));
    EXPECT_THAT(transform_matrix<double>(file, 2, 2, normalization::backward, false), ElementsAre(1, 2, 3, 0.1));
}

TEST_F(file_matrix, inverse_is_the_inverse_matrix)
{
    EXPECT_THAT(matrix<double>(real("(2, 2)", {0, 2, -4, 0}), 2, true), ElementsAre(0, -0.25, 0.5, 0));
    const std::vector<c128> c{{1, 1}, {0, 2}, {0, 0}, {0, -1}};
    const workloads::transform file{transform_kind::file, write("c.npy", npy_bytes("<c16", "(2, 2)", c))};
    const auto inverse = matrix<c128>(file, 2, true);
    const c128 expected[] = {{0.5, -0.5}, {1, -1}, {0, 0}, {0, 1}};
    for (int i = 0; i < 4; ++i) { EXPECT_LT(std::abs(inverse[i] - expected[i]), 1e-18) << i; }
}

TEST_F(file_matrix, inverse_of_an_ill_conditioned_matrix_is_good_to_double)
{
    std::vector<double> hilbert; // condition 5e8; its elements are rounded, so only the product tells
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 7; ++j) { hilbert.push_back(1.0 / (i + j + 1)); }
    }
    const auto inverse = matrix<double>(real("(7, 7)", hilbert), 7, true);
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 7; ++j) {
            long double sum = 0;
            for (int k = 0; k < 7; ++k) { sum += static_cast<long double>(hilbert[7 * i + k]) * inverse[7 * k + j]; }
            EXPECT_NEAR(static_cast<double>(sum), i == j, 1e-8);
        }
    }
}

TEST_F(file_matrix, another_shape_is_refused_by_name)
{
    const auto error = [&](const std::string& shape, std::size_t elements) {
        const auto file = real(shape, std::vector<double>(elements));
        return message_of([&] { matrix<double>(file, 4, false); });
    };
    EXPECT_THAT(error("(3, 4)", 12), AllOf(HasSubstr("m.npy"), HasSubstr("3 x 4 found"), HasSubstr("expected 4 x 4")));
    EXPECT_THAT(error("(5, 5)", 25), HasSubstr("5 x 5 found"));
    EXPECT_THAT(error("(16,)", 16), HasSubstr("shape 16 found"));
    EXPECT_THAT(error("(4, 4, 1)", 16), HasSubstr("4 x 4 x 1 found"));
    EXPECT_THAT(error("()", 1), HasSubstr("single number"));
}

TEST_F(file_matrix, rectangular_is_taken_as_it_is_and_has_no_inverse)
{
    const auto file = real("(2, 3)", {1, 2, 3, 4, 5, 6});
    const auto matrix = [&](std::size_t rows, std::size_t columns, bool inverse) {
        return transform_matrix<float>(file, rows, columns, normalization::orthonormal, inverse);
    };
    EXPECT_THAT(matrix(2, 3, false), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(message_of([&] { matrix(3, 2, false); }), HasSubstr("2 x 3 found, expected 3 x 2"));
    EXPECT_THAT(message_of([&] { matrix(2, 3, true); }),
                AllOf(HasSubstr("m.npy"), HasSubstr("2 x 3 found, expected a square one to invert it")));
}

TEST_F(file_matrix, bfloat16_is_rounded_once)
{
    const auto file = real("(1, 2)", {1 + 0x1p-8 + 0x1p-40, -3}); // float would round it to a tie
    const auto matrix = transform_matrix<arithmetic::bfloat16>(file, 1, 2, normalization::orthonormal, false);
    EXPECT_EQ(static_cast<float>(matrix[0]), 1 + 0x1p-7f);
    EXPECT_EQ(static_cast<float>(matrix[1]), -3);
    EXPECT_THAT(message_of([&] {
                    transform_matrix<arithmetic::bfloat16>(real("(1, 1)", {1e-39}), 1, 1, normalization::orthonormal,
                                                           true);
                }),
                HasSubstr("overflows"));
}

TEST_F(file_matrix, int8_must_be_whole)
{
    EXPECT_THAT(matrix<std::int8_t>(real("(2, 2)", {1, -128, 127, 0}), 2, false), ElementsAre(1, -128, 127, 0));
    EXPECT_THAT(message_of([&] {
                    matrix<std::int8_t>(real("(2, 2)", {1, 2, 128, 0}), 2, false);
                }),
                HasSubstr("m.npy: element 128 at (1, 0) found"));
    EXPECT_THAT(message_of([&] { matrix<std::int8_t>(real("(1, 1)", {std::nan("")}), 1, false); }),
                HasSubstr("nan at (0, 0) found"));
}

TEST_F(file_matrix, int8_inverses_are_whole_but_for_what_the_inversion_rounds)
{
    const auto file = real("(3, 3)", {3, 7, 2, 4, 9, 5, 1, 2, 2}); // determinant 1
    EXPECT_THAT(matrix<std::int8_t>(file, 3, true), ElementsAre(8, -10, 17, -3, 4, -7, -1, 1, -1));
    EXPECT_THAT(message_of([&] {
                    matrix<std::int8_t>(real("(2, 2)", {1, 1, 1, -1}), 2, true);
                }),
                HasSubstr("m.npy inverted: element 0.5 at (0, 0) found"));
}

TEST_F(file_matrix, complex_file_with_a_real_format_is_refused)
{
    const workloads::transform file{transform_kind::file, write("c.npy", npy_bytes<c64>("<c8", "(1, 1)", {{1, 2}}))};
    EXPECT_THAT(message_of([&] { matrix<double>(file, 1, false); }),
                AllOf(HasSubstr("c.npy"), HasSubstr("c128 or c64")));
    EXPECT_THAT(matrix<c128>(file, 1, false), ElementsAre(c128(1, 2)));
}

TEST_F(file_matrix, singular_matrices_have_no_inverse)
{
    EXPECT_EQ(matrix<double>(real("(2, 2)", {0, 0, 0, 0}), 2, false).size(), 4u);
    for (const std::vector<double>& singular :
         {std::vector<double>{0, 0, 0, 0},
          {1, 2, 2, 4},
          {0.1, 0.3, 0.7, 2.1}, // not singular bit by bit, but to double precision
          {1e300, 0, 0, 0}}) {
        const auto file = real("(2, 2)", singular);
        EXPECT_THAT(message_of([&] { matrix<double>(file, 2, true); }),
                    AllOf(HasSubstr("m.npy"), HasSubstr("singular")));
    }
}

TEST_F(file_matrix, only_finite_inverses_of_finite_matrices)
{
    const double infinity = std::numeric_limits<double>::infinity();
    const auto infinite = real("(1, 1)", {infinity});
    EXPECT_THAT(matrix<double>(infinite, 1, false), ElementsAre(infinity));
    EXPECT_THAT(message_of([&] { matrix<double>(infinite, 1, true); }), HasSubstr("infinite or NaN"));
    const auto tiny = real("(1, 1)", {1e-310});
    EXPECT_THAT(message_of([&] { matrix<double>(tiny, 1, true); }), HasSubstr("overflows"));
}

} // namespace
} // namespace tensorloom::test
