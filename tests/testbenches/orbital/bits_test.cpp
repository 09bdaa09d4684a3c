// What the program writes, bit for bit beside the order of sums of the schedule.
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/orbital/ordered_transform.h>
#include <tensorloom/workloads/transform.h>
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using namespace workloads;

struct bits_case {
    const char* options;
    unsigned side;
    std::array<int, 3> signs;
    bool inverse = false;
    std::array<unsigned, 3> sums{3, 1, 2}; // the modes as they are summed
};

template <class T> class bits : public scratch_folder {
protected:
    static constexpr shape3 from{5, 9, 6}, to{7, 4, 6};

    tensor<T> expected(const bits_case& c) const
    {
        const auto x = fill_tensor<T>(fill_kind::random, from, 0, 1);
        orbital_problem<T> problem;
        problem.side = c.side;
        problem.vector.sign = c.signs;
        problem.way = c.inverse ? torus::direction::inverse : torus::direction::forward;
        problem.order = c.inverse ? std::array<unsigned, 3>{c.sums[2], c.sums[1], c.sums[0]} : c.sums;
        problem.input = &x;
        std::array<std::vector<T>, 3> matrices;
        for (unsigned m = 0; m < 3; ++m) {
            // Real and orthonormal: the transpose of the inverse is the matrix itself.
            const auto rows = c.inverse ? to[m] : from[m], columns = c.inverse ? from[m] : to[m];
            matrices[m] = transform_matrix<T>(parse_transform("dct"), rows, columns, normalization::orthonormal, false);
            problem.matrices[m] = &matrices[m];
            problem.sizes[m] = static_cast<std::uint32_t>(to[m]);
        }
        return ordered_transform(problem);
    }

    tensor<T> found(const std::string& options) const
    {
        const auto file = path("y.npy");
        const std::string line =
            std::string(ORBITAL_PROGRAM) + " --quiet --shape 5x9x6 --out-shape 7x4x6 " + options + " --output " + file;
        EXPECT_EQ(std::system(line.c_str()), 0) << line;
        return load_npy_as<T>(file);
    }
};

constexpr bits_case cases[] = {
    {"--grid 1", 1, {1, 1, 1}},
    {"--grid 3", 3, {1, 1, 1}},
    {"--grid 4 --schedule +-- --overlap sliced", 4, {1, -1, -1}},
    {"--grid 3 --schedule=--- --order 132 --fidelity detailed", 3, {-1, -1, -1}, false, {1, 3, 2}},
    {"--grid 3 --schedule -++ --inverse", 3, {-1, 1, 1}, true},
    {"--grid 4 --schedule +-+ --inverse --order 213 --fidelity detailed", 4, {1, -1, 1}, true, {2, 1, 3}},
};

using elements = ::testing::Types<double, float, std::complex<float>>;
TYPED_TEST_SUITE(bits, elements);

TYPED_TEST(bits, are_those_of_the_schedule)
{
    const std::string format = std::is_same_v<TypeParam, double>  ? " --format f64"
                               : std::is_same_v<TypeParam, float> ? " --format f32"
                                                                  : " --format c64";
    for (const auto& c : cases) {
        const auto expected = this->expected(c);
        const auto found = this->found(c.options + format);
        ASSERT_EQ(found.shape, expected.shape) << c.options;
        EXPECT_EQ(std::memcmp(found.data.data(), expected.data.data(), found.data.size() * sizeof(TypeParam)), 0)
            << c.options;
    }
}

} // namespace
} // namespace tensorloom::test
