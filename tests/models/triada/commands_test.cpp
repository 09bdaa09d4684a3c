// Programs of GEMT commands: batches with resident matrices, completion words, and everything that is refused.
#include <algorithm>
#include <functional>
#include <ostream>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using triada::gemt_command;

class commands : public sim_test {
protected:
    // Runs a program made from a small dense case; `change` may do anything to the commands first.
    isa::program_result run(const std::function<void(triada_bench&, std::vector<gemt_command>&)>& change)
    {
        isa::program_result result;
        triada_bench bench("bench", m_config, [&](triada_bench& b) {
            std::vector<gemt_command> list{b.place(m_case)};
            change(b, list);
            const auto outcome = b.run(list);
            result = outcome.result;
            m_rows = outcome.rows;
            m_result.resize(m_case.volume());
            if (result.done) {
                b.cpu().read_block(list.back().y.base, m_result.data(), m_result.size() * sizeof(double));
            }
        });
        run_to_end(bench);
        return result;
    }
    static triada::config small_config()
    {
        triada::config config;
        config.mesh = {4, 4, 4};
        return config;
    }

    triada::config m_config = small_config();
    gemt_case<double> m_case = case_maker(21).make<double>({4, 4, 4}, case_maker::specials::none);
    std::vector<double> m_result;
    std::vector<triada_row> m_rows;
};

TEST_F(commands, kept_matrices_give_the_same_result_without_a_matrix_phase)
{
    const auto result = run([](triada_bench& b, std::vector<gemt_command>& list) {
        auto again = list[0];
        again.flags |= gemt_command::flag_keep_matrices;
        again.matrix = {};
        again.row_order_address = {};
        again.y.base = b.reserve(4096);
        list.push_back(again);
    });
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(same_bits(m_result, oracle_result(m_case)));
    unsigned matrix_phases = 0;
    for (const auto& r : m_rows) { matrix_phases += r.phase == "matrices" ? 1 : 0; }
    EXPECT_EQ(matrix_phases, 1u);
}

TEST_F(commands, kept_matrices_that_are_not_there_are_an_error_of_that_command)
{
    const auto result = run([](triada_bench&, std::vector<gemt_command>& list) {
        list[0].flags |= gemt_command::flag_keep_matrices;
        list[0].matrix = {};
        list[0].row_order_address = {};
    });
    EXPECT_EQ(result.error, error_code::not_resident);
    EXPECT_EQ(result.error_command, 0u);
}

TEST_F(commands, completion_word_holds_the_token_after_the_result)
{
    std::uint32_t word = 0;
    triada_bench bench("bench", m_config, [&](triada_bench& b) {
        auto c = b.place(m_case);
        c.flags |= gemt_command::flag_completion;
        c.completion_address = b.reserve(16);
        b.run({c});
        word = b.cpu().read_word(c.completion_address);
    });
    run_to_end(bench);
    EXPECT_EQ(word, 1u);
}

TEST_F(commands, bus_error_reports_its_address_and_command)
{
    constexpr std::uint64_t nowhere = 0x1000'0000;
    const auto result = run([](triada_bench&, std::vector<gemt_command>& list) {
        list.insert(list.begin(), list.front());
        list[1].x.base = nowhere;
    });
    EXPECT_EQ(result.error, error_code::bus_error);
    EXPECT_EQ(result.error_command, 1u);
    EXPECT_EQ(result.error_address, nowhere);
}

TEST_F(commands, row_order_that_is_no_permutation_is_an_error)
{
    const auto result = run([](triada_bench& b, std::vector<gemt_command>& list) {
        list[0].row_order_address[1] = b.store(std::vector<std::uint32_t>{0, 0, 1, 2});
    });
    EXPECT_EQ(result.error, error_code::bad_row_order);
}

TEST_F(commands, matrix_that_fills_its_actuator_is_taken)
{
    const std::uint32_t largest = *std::max_element(m_case.shape.begin(), m_case.shape.end());
    m_config.matrix_elements = largest * largest;
    EXPECT_TRUE(run([](triada_bench&, std::vector<gemt_command>&) {}).done);
}
TEST_F(commands, matrix_larger_than_its_actuator_by_one_is_refused)
{
    const std::uint32_t largest = *std::max_element(m_case.shape.begin(), m_case.shape.end());
    m_config.matrix_elements = largest * largest - 1;
    EXPECT_EQ(run([](triada_bench&, std::vector<gemt_command>&) {}).error, error_code::too_large);
}

struct refused_command {
    const char* name;
    error_code code;
    std::function<void(gemt_command&)> change;
};
void PrintTo(const refused_command& r, std::ostream* out) { *out << r.name; }

class refused_commands : public commands, public ::testing::WithParamInterface<refused_command> {};

TEST_P(refused_commands, end_a_program_before_its_first_command)
{
    const auto result = run([](triada_bench&, std::vector<gemt_command>& list) {
        list.insert(list.begin(), list.front());
        GetParam().change(list[1]);
    });
    EXPECT_FALSE(result.done);
    EXPECT_EQ(result.error, GetParam().code);
    EXPECT_EQ(result.error_command, 1u); // refused when loaded: command 0 has not run either
    for (const auto& r : m_rows) { EXPECT_EQ(r.cause, "fetch"); }
}

INSTANTIATE_TEST_SUITE_P(
    when_loaded, refused_commands,
    ::testing::Values(
        refused_command{"other_format", error_code::unsupported_format,
                        [](gemt_command& c) { c.x.type = static_cast<std::uint8_t>(base::element_type::f32); }},
        refused_command{"problem_larger_than_the_mesh_without_a_workspace", error_code::bad_descriptor,
                        [](gemt_command& c) {
                            c.x.size[0] = c.y.size[0] = 5;
                            c.matrix[0].size[0] = c.matrix[0].size[1] = 5;
                        }},
        refused_command{"matrix_of_another_shape_than_x_and_y", error_code::bad_field,
                        [](gemt_command& c) { ++c.matrix[2].size[1]; }},
        refused_command{"reserved_bytes_of_a_descriptor", error_code::bad_descriptor,
                        [](gemt_command& c) { c.y.reserved = 1; }},
        refused_command{"too_many_partials", error_code::too_large, [](gemt_command& c) { c.partials = 3; }},
        refused_command{"order_that_is_no_permutation", error_code::bad_field,
                        [](gemt_command& c) {
                            c.order = {1, 1, 2};
                        }},
        refused_command{"stage_mask_without_a_stage", error_code::bad_field, [](gemt_command& c) { c.stage_mask = 0; }},
        refused_command{"shift_of_a_real_format", error_code::bad_field, [](gemt_command& c) { c.shifts[1] = 1; }},
        refused_command{"workspace_of_order_3", error_code::bad_descriptor, [](gemt_command& c) { c.workspace = c.x; }},
        refused_command{"threshold_that_is_not_a_number", error_code::bad_field,
                        [](gemt_command& c) { c.zero_threshold = std::nan(""); }},
        refused_command{"missing_result", error_code::bad_descriptor, [](gemt_command& c) { c.y = {}; }},
        refused_command{"unknown_flag", error_code::bad_command, [](gemt_command& c) { c.flags |= 0x8000; }}),
    ::testing::PrintToStringParamName());

TEST_F(commands, device_works_again_after_an_error)
{
    gemt_outcome<double> second;
    triada_bench bench("bench", m_config, [&](triada_bench& b) {
        auto c = b.place(m_case);
        c.x.base = 0x1000'0000;
        EXPECT_EQ(b.run({c}).result.error, error_code::bus_error);
        second = b.run(m_case);
    });
    run_to_end(bench);
    EXPECT_TRUE(second.result.done);
    EXPECT_TRUE(same_bits(second.y, oracle_result(m_case)));
}

} // namespace
