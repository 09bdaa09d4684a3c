#include <tensorloom/workloads/chain.h>

#include <gmock/gmock.h>

#include <tensorloom/workloads/npy_file.h>

#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using workloads::chain_operation;
using workloads::chain_step;
using workloads::normalization;
using workloads::shape3;
using workloads::transform_kind;

constexpr shape3 small{4, 3, 2};

class chain_file : public scratch_folder {
protected:
    std::vector<chain_step> parsed(const std::string& steps, const shape3& shape = small) const
    {
        return workloads::parse_chain("chain:\n" + steps, "c.yaml", m_folder.string(), shape);
    }
    std::string complaint(const std::string& steps) const
    {
        return message_of([&] { parsed(steps); });
    }
    std::string tensor_file(const std::string& name, const std::vector<std::size_t>& shape) const
    {
        workloads::save_npy(path(name), workloads::tensor<double>(shape));
        return path(name);
    }
};

TEST_F(chain_file, every_step_and_option)
{
    tensor_file("filter.npy", {4, 2, 2});
    const auto chain =
        parsed("  - transform: [dct, dst, none]\n    out_shape: 4x2x2\n    norm: backward\n    order: 123\n"
               "  - multiply: filter.npy\n    resident: true\n"
               "  - add: ./filter.npy\n    scale: -0.5\n"
               "  - scale: [1, -2]\n    shift: 7\n"
               "  - threshold: 0.25\n"
               "  - relu: true\n"
               "  - transform: dft\n    inverse: true\n    shift: [1, 2, 3]\n    out_shape: 1x5x6\n");
    ASSERT_EQ(chain.size(), 7u);
    EXPECT_EQ(chain[0].transforms[1].kind, transform_kind::dst);
    EXPECT_EQ(chain[0].transforms[2].kind, transform_kind::none);
    EXPECT_FALSE(chain[0].inverse);
    EXPECT_EQ(chain[0].scaling, normalization::backward);
    EXPECT_THAT(chain[0].order, ElementsAre(1, 2, 3));
    EXPECT_EQ(chain[0].in_shape, small);
    EXPECT_EQ(chain[0].out_shape, (shape3{4, 2, 2}));
    EXPECT_EQ(chain[1].what, chain_operation::multiply);
    EXPECT_EQ(chain[1].path, path("filter.npy"));
    EXPECT_TRUE(chain[1].resident);
    EXPECT_EQ(chain[1].in_shape, (shape3{4, 2, 2}));
    EXPECT_EQ(chain[2].what, chain_operation::add);
    EXPECT_EQ(chain[2].path, path("filter.npy"));
    EXPECT_FALSE(chain[2].resident);
    EXPECT_EQ(chain[2].value, -0.5);
    EXPECT_EQ(chain[3].what, chain_operation::scale);
    EXPECT_EQ(chain[3].value, std::complex<double>(1, -2));
    EXPECT_EQ(chain[3].shift, 7u);
    EXPECT_EQ(chain[4].what, chain_operation::threshold);
    EXPECT_EQ(chain[4].value, 0.25);
    EXPECT_EQ(chain[5].what, chain_operation::relu);
    EXPECT_TRUE(chain[6].inverse);
    EXPECT_THAT(chain[6].shifts, ElementsAre(1, 2, 3));
    EXPECT_EQ(chain[6].out_shape, (shape3{1, 5, 6}));
}

TEST_F(chain_file, an_added_operand_counts_once_without_a_scale)
{
    tensor_file("bias.npy", {4, 3, 2});
    EXPECT_EQ(parsed("  - add: bias.npy\n").front().value, 1.0);
    EXPECT_EQ(parsed("  - scale: 3\n    add: bias.npy\n").front().what, chain_operation::add);
}

TEST_F(chain_file, paths_are_relative_to_the_file)
{
    std::filesystem::create_directories(m_folder / "data");
    tensor_file("data/filter.npy", {4, 3, 2});
    tensor_file("data/matrix.npy", {4, 4});
    write("data/c.yaml", "chain:\n  - multiply: filter.npy\n  - transform: [\"file:matrix.npy\", none, none]\n");
    const auto chain = workloads::read_chain(path("data/c.yaml"), small);
    EXPECT_EQ(chain[0].path, path("data/filter.npy"));
    EXPECT_EQ(chain[1].transforms[0].path, path("data/matrix.npy"));
    EXPECT_EQ(workloads::step_text(chain[1]), "transform file:matrix.npy,none,none");
}

TEST_F(chain_file, steps_are_refused_with_number_line_and_expectation)
{
    tensor_file("filter.npy", {4, 3, 1});
    EXPECT_THAT(complaint("  - relu: true\n  - transform: fft\n"),
                AllOf(StartsWith("step 2: c.yaml:3: transform 'fft' found, expected one of dft")));
    EXPECT_EQ(complaint("  - multiply: filter.npy\n"),
              "step 1: c.yaml:2: " + path("filter.npy") +
                  " is 4 x 3 x 1, expected 4 x 3 x 2, the tensor's sizes there");
    EXPECT_THAT(complaint("  - transform: dct\n    out_shape: 4x3x3\n  - add: filter.npy\n"),
                HasSubstr("step 2: c.yaml:4: " + path("filter.npy") + " is 4 x 3 x 1, expected 4 x 3 x 3"));
    EXPECT_THAT(complaint("  - multiply: missing.npy\n"),
                AllOf(StartsWith("step 1: c.yaml:2: "), HasSubstr("missing.npy")));
    EXPECT_EQ(complaint("  - threshold: -0.1\n"),
              "step 1: c.yaml:2: found '-0.1', expected a number that is not negative");
    EXPECT_EQ(complaint("  - threshold: nan\n"), "step 1: c.yaml:2: found 'nan', expected a number");
    EXPECT_EQ(complaint("  - scale: [1, 2, 3]\n"), "step 1: c.yaml:2: found a list, expected a number, or [re, im]");
    EXPECT_EQ(complaint("  - scale: inf\n"), "step 1: c.yaml:2: found 'inf', expected a number");
    EXPECT_EQ(complaint("  - relu: false\n"), "step 1: c.yaml:2: found 'false', expected true");
    EXPECT_EQ(complaint("  - transform: [dct, dct]\n"),
              "step 1: c.yaml:2: found a list, expected a transform, or a list of three");
    EXPECT_THAT(complaint("  - transform: dct\n    norm: unitary\n"),
                HasSubstr("c.yaml:3: normalization 'unitary' found"));
    EXPECT_THAT(complaint("  - transform: dct\n    order: 112\n"), HasSubstr("c.yaml:3: order '112' found"));
    EXPECT_THAT(complaint("  - transform: dct\n    out_shape: 4x3\n"), HasSubstr("'4x3', expected three sizes"));
    EXPECT_THAT(complaint("  - transform: dct\n    out_shape: 4x0x3\n"),
                HasSubstr("'4x0x3', expected whole numbers from 1"));
    EXPECT_THAT(complaint("  - transform: dct\n    shift: [0, 0]\n"), HasSubstr("expected a list of three shifts"));
    EXPECT_THAT(complaint("  - transform: dct\n    shift: [0, 0, 32]\n"),
                HasSubstr("'32', expected a shift of 0 to 31"));
    EXPECT_THAT(complaint("  - relu: true\n    shift: 32\n"), HasSubstr("'32', expected a shift of 0 to 31"));
    EXPECT_THAT(complaint("  - transform: [none, none, none]\n"), HasSubstr("c.yaml:2: none in all modes found"));
    EXPECT_THAT(complaint("  - transform: [dct, none, dct]\n    out_shape: 4x4x2\n"),
                HasSubstr("out_shape 4 x 4 x 2 found of 4 x 3 x 2, expected the same size in mode 2"));
    EXPECT_THAT(complaint("  - transform: [dct, none, dct]\n    shift: [0, 0, 1]\n"),
                HasSubstr("shift 1 found for mode 2, expected 0"));
}

TEST_F(chain_file, every_step_has_exactly_one_operation)
{
    const auto one_of =
        HasSubstr("expected a map with exactly one of transform, multiply, add, scale, threshold, relu");
    tensor_file("filter.npy", {4, 3, 2});
    EXPECT_THAT(complaint("  - inverse: true\n"), AllOf(StartsWith("step 1: c.yaml:2"), one_of));
    EXPECT_THAT(complaint("  - relu: true\n    threshold: 1\n"),
                AllOf(HasSubstr("c.yaml:3: found 'threshold'"), one_of));
    EXPECT_THAT(complaint("  - scale: 1\n    multiply: filter.npy\n"), one_of);
    EXPECT_THAT(complaint("  - scale: 1\n    add: filter.npy\n    relu: true\n"), one_of);
    EXPECT_THAT(complaint("  - dct\n"), one_of);
    EXPECT_THAT(complaint("  - relu: true\n    relu: true\n"), HasSubstr("expected each key once"));
    EXPECT_THAT(complaint("  - add: filter.npy\n    scale: 1\n    scale: 2\n"), HasSubstr("expected each key once"));
    EXPECT_THAT(complaint("  - relu: true\n    resident: true\n"),
                HasSubstr("found 'resident', expected one of relu, shift"));
    EXPECT_THAT(complaint("  - threshold: 1\n    inverse: true\n"), HasSubstr("found 'inverse', expected one of"));
    EXPECT_THAT(complaint("  - transform: dct\n    resident: true\n"), HasSubstr("found 'resident', expected one of"));
}

TEST_F(chain_file, text_that_is_no_chain_is_refused)
{
    const auto of_text = [&](const std::string& text) {
        return message_of([&] { workloads::parse_chain(text, "c.yaml", "", small); });
    };
    EXPECT_THAT(of_text(""), HasSubstr("expected a map with some of chain"));
    EXPECT_THAT(of_text("chain: []\n"), HasSubstr("c.yaml:1: found a list, expected at least one step"));
    EXPECT_THAT(of_text("chain:\n\nx: 1\n"), HasSubstr("c.yaml:1: found nothing, expected a list of steps"));
    EXPECT_THAT(of_text("chain: dct\n"), HasSubstr("expected a list of steps"));
    EXPECT_THAT(of_text("steps: []\n"), HasSubstr("found 'steps', expected one of chain"));
    EXPECT_THAT(of_text("chain: [\n"), StartsWith("c.yaml:2: not valid YAML"));
    EXPECT_THAT(of_text("{}\n"), HasSubstr("expected a map with the key chain"));
    EXPECT_THAT(message_of([&] { workloads::read_chain(path("none.yaml"), small); }),
                HasSubstr("none.yaml: no such file, expected a YAML file with a chain"));
    write("large.yaml", std::string((1u << 20) + 1, '#'));
    EXPECT_THAT(message_of([&] { workloads::read_chain(path("large.yaml"), small); }),
                HasSubstr("has 1048577 bytes, expected at most 1 MiB"));
}

TEST_F(chain_file, steps_that_a_format_has_not_are_refused)
{
    using base::element_type;
    const auto refusal = [&](const std::string& steps, element_type format) {
        return message_of([&] { workloads::check_chain(parsed(steps), format); });
    };
    EXPECT_EQ(refusal("  - relu: true\n  - transform: dft\n", element_type::f64),
              "step 2: c.yaml:3: complex numbers found, expected numbers of format f64");
    EXPECT_THAT(refusal("  - scale: [0, 1]\n", element_type::bf16),
                HasSubstr("step 1: c.yaml:2: complex numbers found"));
    EXPECT_EQ(refusal("  - relu: true\n", element_type::c64),
              "step 1: c.yaml:2: relu of complex numbers found, expected a real format");
    EXPECT_EQ(refusal("  - scale: 0.5\n", element_type::int8),
              "step 1: c.yaml:2: scale 0.5 found, expected an integer from -128 to 127 of format int8");
    EXPECT_THAT(refusal("  - scale: 128\n", element_type::int8), HasSubstr("scale 128 found"));
    EXPECT_EQ(refusal("  - scale: -128\n", element_type::int8), "");
    EXPECT_THAT(refusal("  - threshold: 0.5\n", element_type::int8),
                HasSubstr("threshold 0.5 found, expected an integer from 0 to 127"));
    EXPECT_THAT(refusal("  - scale: 1e300\n", element_type::f32),
                HasSubstr("scale 1e+300 found, expected a number of format f32"));
    EXPECT_EQ(refusal("  - scale: 1e300\n", element_type::f64), "");
    EXPECT_THAT(refusal("  - scale: [0, 1e300]\n", element_type::c64),
                HasSubstr("found, expected a number of format c64"));
    EXPECT_THAT(refusal("  - relu: true\n    shift: 1\n", element_type::f64),
                HasSubstr("a shift found, expected none"));
    EXPECT_THAT(refusal("  - transform: dct\n    shift: [0, 1, 0]\n", element_type::bf16), HasSubstr("a shift found"));
}

TEST_F(chain_file, matrices_and_operands_are_those_of_the_steps)
{
    workloads::tensor<double> filter({4, 3, 2});
    filter.data[5] = 0.1;
    workloads::save_npy(path("filter.npy"), filter);
    const auto chain =
        parsed("  - transform: [dct, none, dst]\n    out_shape: 5x3x2\n  - transform: [dct, none, none]\n"
               "    inverse: true\n    out_shape: 4x3x2\n  - multiply: filter.npy\n");
    const auto data = workloads::chain_data<float>::of(chain);
    EXPECT_EQ(data.matrices[0][0],
              workloads::transform_matrix<float>({transform_kind::dct, {}}, 4, 5, normalization::orthonormal, false));
    EXPECT_TRUE(data.matrices[0][1].empty());
    EXPECT_EQ(data.matrices[1][0],
              workloads::transform_matrix<float>({transform_kind::dct, {}}, 5, 4, normalization::orthonormal, true));
    EXPECT_TRUE(data.operands[1].data.empty());
    EXPECT_EQ(data.operands[2].data[5], 0.1f);
    EXPECT_THAT(message_of([&] { workloads::chain_data<double>::of(parsed("  - relu: true\n  - transform: dwht\n")); }),
                AllOf(StartsWith("step 2: c.yaml:3: "), HasSubstr("power of two")));
}

TEST(there_and_back, stages_that_run_keep_their_shifts)
{
    chain_step there;
    there.in_shape = there.out_shape = {2, 3, 4};
    for (const std::size_t mode : {0, 1}) { there.transforms[mode].kind = workloads::transform_kind::dct; }
    there.transforms[2].kind = workloads::transform_kind::none;
    there.order = {3, 1, 2};
    there.shifts = {0, 5, 7};
    const auto back = workloads::there_and_back(there, std::nullopt).back();
    EXPECT_EQ(back.order, (std::array<unsigned, 3>{2, 1, 3}));
    EXPECT_EQ(back.shifts, (std::array<unsigned, 3>{5, 7, 0}));
}

TEST(there_and_back, has_the_conjugate_transpose_of_its_matrices_and_the_threshold_between)
{
    chain_step there;
    there.transforms.fill({transform_kind::dft, {}});
    there.in_shape = {3, 4, 5};
    there.out_shape = {3, 2, 7};
    there.order = {2, 3, 1};
    const auto chain = workloads::there_and_back(there, 0.5);
    ASSERT_EQ(chain.size(), 3u);
    EXPECT_EQ(chain[1].what, chain_operation::threshold);
    EXPECT_EQ(chain[1].value, 0.5);
    EXPECT_EQ(chain[1].in_shape, there.out_shape);
    EXPECT_THAT(chain[2].order, ElementsAre(1, 3, 2));
    EXPECT_EQ(chain[2].out_shape, there.in_shape);
    const auto data = workloads::chain_data<std::complex<double>>::of(chain);
    for (std::size_t m = 0; m < 3; ++m) {
        const std::size_t rows = there.in_shape[m], columns = there.out_shape[m];
        for (std::size_t n = 0; n < rows; ++n) {
            for (std::size_t k = 0; k < columns; ++k) {
                EXPECT_EQ(data.matrices[2][m][k * rows + n], std::conj(data.matrices[0][m][n * columns + k]));
            }
        }
    }
    EXPECT_EQ(workloads::step_text(chain[2]), "conjugate transpose of step 1");
    EXPECT_EQ(workloads::place_text(chain, 1), "step 2");
    EXPECT_EQ(workloads::there_and_back(there, {}).size(), 2u);
    EXPECT_THAT(message_of([&] { workloads::there_and_back(there, -1.0); }), HasSubstr("threshold -1 found"));
}

TEST_F(chain_file, steps_have_names_and_multiply_adds)
{
    tensor_file("filter.npy", {4, 3, 5});
    const auto chain = parsed("  - transform: [dct, none, dst]\n    out_shape: 4x3x5\n  - multiply: filter.npy\n"
                              "  - add: filter.npy\n    scale: 2\n  - scale: [1, 2]\n  - threshold: 0.5\n"
                              "  - transform: dct\n    inverse: true\n");
    EXPECT_EQ(workloads::step_text(chain[0]), "transform dct,none,dst to 4 x 3 x 5");
    EXPECT_EQ(workloads::step_text(chain[1]), "multiply filter.npy");
    EXPECT_EQ(workloads::step_text(chain[2]), "add filter.npy times 2");
    EXPECT_EQ(workloads::step_text(chain[3]), "scale [1, 2]");
    EXPECT_EQ(workloads::step_text(chain[4]), "threshold 0.5");
    EXPECT_EQ(workloads::step_text(chain[5]), "inverse transform dct,dct,dct");
    const auto more = parsed("  - transform: dct\n    norm: backward\n    order: 123\n    out_shape: 4x3x5\n"
                             "  - multiply: filter.npy\n    resident: true\n    shift: 3\n"
                             "  - transform: identity\n    shift: [0, 1, 2]\n  - relu: true\n    shift: 1\n");
    EXPECT_EQ(workloads::step_text(more[0]), "transform dct,dct,dct to 4 x 3 x 5 (norm backward, order 123)");
    EXPECT_EQ(workloads::step_text(more[1]), "multiply filter.npy (resident, shift 3)");
    EXPECT_EQ(workloads::step_text(more[2]), "transform identity,identity,identity (shift 0,1,2)");
    EXPECT_EQ(workloads::step_text(more[3]), "relu (shift 1)");
    EXPECT_EQ(workloads::multiply_adds(chain[0]), 2 * (4 * 3 * 5) + 4 * (4 * 3 * 5)); // mode 3, then 1
    EXPECT_EQ(workloads::multiply_adds(chain[1]), 60);
    EXPECT_EQ(workloads::multiply_adds(chain[4]), 0);
}

} // namespace
} // namespace tensorloom::test
