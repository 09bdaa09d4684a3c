// A TriADA device that was saved and restored goes on as it would have; what a debugger sees of it.
#include <gtest/gtest.h>
#include "models/saved_state.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_case.h"
#include "models/triada/random_device.h"
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

using gemt = triada::gemt_command;

/// The same product of another tensor, by the matrices that the actuators hold.
gemt with_kept_matrices(gemt command)
{
    command.flags |= gemt::flag_keep_matrices;
    command.matrix = {};
    command.row_order_address = {};
    return command;
}

class triada_saved_state : public sim_test_with_param<int> {};

// Random products; the second takes the matrices and row orders of the first.
TEST_P(triada_saved_state, goes_on_when_restored)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) {
        using T = decltype(element);
        case_maker maker(seed + 500);
        const triada::config config = random_device(maker, base::element_type_of<T>);
        const shape3 most{config.mesh[0] * 2, config.mesh[1] * 2, config.mesh[2] * 2};
        const auto zeros = case_maker::specials::zeros;
        const auto first = maker.make_any<T>(seed % 4 == 0 ? most : config.mesh, zeros);
        auto second = first;
        second.x = maker.numbers<T>(first.volume(), zeros);
        const auto third = maker.make_any<T>(seed % 4 == 1 ? most : config.mesh, zeros);
        const std::vector<host_step<triada_bench>> steps{
            [&](triada_bench& b) { return b.run(first); },
            [&](triada_bench& b) { return b.run(std::vector<gemt>{with_kept_matrices(b.place(second))}); },
            [&](triada_bench& b) { return b.run(third); },
        };
        expect_that_it_goes_on_when_restored(config, steps, seed % 2 == 0);
    });
}
INSTANTIATE_TEST_SUITE_P(seeds, triada_saved_state, ::testing::Range(0, 24));

gemt_case<double> small_product()
{
    case_maker maker(7);
    gemt_case<double> g;
    g.shape = {3, 4, 2};
    g.x = maker.numbers<double>(24, case_maker::specials::none);
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
    }
    return g;
}

class triada_debug_test : public sim_test_with_param<triada::fidelity> {
protected:
    static triada::config config()
    {
        triada::config c;
        c.mesh = {4, 5, 3};
        c.matrix_elements = 100;
        c.fidelity = GetParam();
        return c;
    }
    static double number_at(const byte_string& bytes, std::size_t index)
    {
        double x = 0;
        std::memcpy(&x, bytes.data() + 8 * index, 8);
        return x;
    }
};

TEST_P(triada_debug_test, registers_and_coefficients_are_there_for_debuggers)
{
    const auto g = small_product();
    triada_bench bench("bench", config(), [&](triada_bench& b) {
        b.device().debug_memories();
        const auto outcome = b.run(g);
        const auto bytes = debug_bytes(b.device());
        ASSERT_EQ(bytes[0].size(), 4u * 4 * 5 * 3 * 8);
        std::size_t at = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 5; ++j) {
                for (std::size_t k = 0; k < 3; ++k) {
                    const bool inside = i < 3 && j < 4 && k < 2;
                    const std::size_t cell = (i * 5 + j) * 3 + k;
                    EXPECT_EQ(number_at(bytes[0], cell), inside ? g.x[at] : 0.0);                // input
                    EXPECT_EQ(number_at(bytes[0], 3 * 60 + cell), inside ? outcome.y[at] : 0.0); // result
                    at += inside ? 1 : 0;
                }
            }
        }
        for (unsigned m = 0; m < 3; ++m) {
            ASSERT_EQ(bytes[1 + m].size(), 800u);
            for (std::size_t e = 0; e < 100; ++e) {
                EXPECT_EQ(number_at(bytes[1 + m], e), e < g.matrices[m].size() ? g.matrices[m][e] : 0.0);
            }
        }
        expect_debug_access(b, {"mesh_registers", "coefficients_1", "coefficients_2", "coefficients_3"});
        expect_what_a_busy_device_allows(b, triada::driver::program({b.place(g)}), 0);
    });
    run_to_end(bench);
}

TEST_P(triada_debug_test, sources_are_kept_from_the_first_look_on)
{
    const auto g = small_product();
    triada_bench bench("bench", config(), [&](triada_bench& b) {
        b.run(g);
        const auto late = debug_bytes(b.device())[0];
        EXPECT_EQ(number_at(late, 0), 0.0) << "input was given up";
        EXPECT_NE(number_at(late, 2 * 60), 0.0) << "second is the last source";
        b.run(g);
        EXPECT_EQ(number_at(debug_bytes(b.device())[0], 0), g.x[0]);
    });
    run_to_end(bench);
}

// What a debugger writes into the coefficients, a product with kept matrices takes.
TEST_P(triada_debug_test, product_takes_coefficients_that_a_debugger_wrote)
{
    auto g = small_product();
    triada_bench bench("bench", config(), [&](triada_bench& b) {
        b.run(g);
        const auto& memories = b.device().debug_memories();
        for (unsigned m = 0; m < 3; ++m) {
            for (auto& c : g.matrices[m]) { c = -2 * c; }
            g.matrices[m][1] = 0; // ESOP skips it
            memories[1 + m].write(0, reinterpret_cast<const unsigned char*>(g.matrices[m].data()),
                                  8 * g.matrices[m].size());
        }
        const auto command = with_kept_matrices(b.place(g));
        EXPECT_TRUE(b.run(std::vector<gemt>{command}).result.done);
        std::vector<double> y;
        b.fetch(command, y, g.result_volume());
        EXPECT_TRUE(same_bits(y, oracle_result(g)));
    });
    run_to_end(bench);
}

TEST_P(triada_debug_test, reset_clears_all_of_it)
{
    triada_bench bench("bench", config(), [&](triada_bench& b) {
        b.device().debug_memories();
        b.run(small_product());
        b.driver().reset();
        for (const auto& bytes : debug_bytes(b.device())) {
            EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), static_cast<std::ptrdiff_t>(bytes.size()));
        }
    });
    run_to_end(bench);
}

INSTANTIATE_TEST_SUITE_P(fidelities, triada_debug_test,
                         ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

} // namespace
