// Chains with numbers changed at random: refused when they are loaded as the checks say, or run to the same end in both
// fidelities.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include "models/random_programs.h"
#include "models/saved_state.h"
#include "models/triada/chain_maker.h"
#include "models/triada/chain_run.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using triada::gemt_command;

constexpr unsigned hostile_chains_per_process = 12;

/// Changes chains of one device, and knows what its checks say of them.
class chain_changer {
public:
    chain_changer(std::uint64_t seed, const triada::config& config) : m_maker(seed), m_config(config) {}

    /// A few changes, each accepted by the checks but for the last one of every other chain.
    void change(std::vector<chain_command>& commands)
    {
        for (unsigned left = 1 + m_maker.below(4); left != 0; --left) {
            auto& c = commands[m_maker.below(static_cast<std::uint32_t>(commands.size()))];
            for (unsigned tries = 0; tries < 30; ++tries) {
                auto changed = c;
                change(changed);
                const bool refused = refusal(changed).has_value();
                if (refused ? left != 1 || m_maker.chance(0.5) : works_long(changed)) { continue; }
                c = changed;
                break;
            }
        }
    }

    std::optional<isa::error_code> refusal(const chain_command& c) const
    {
        std::optional<isa::check_error> error;
        if (is_gemt(c)) {
            error = check(
                gemt_command::decode(c.flags, c.payload.data()),
                triada::gemt_limits{m_config.mesh, m_config.format, m_config.matrix_elements, m_config.cell_registers});
        } else {
            error = check(isa::pointwise_command::decode(c.flags, c.payload.data()), m_config.mesh, m_config.format);
        }
        if (!error) { return std::nullopt; }
        return error->code;
    }

private:
    static bool is_gemt(const chain_command& c)
    {
        return c.code.value == static_cast<std::uint8_t>(triada::opcode::gemt);
    }

    // A flag, a byte, a word, or a size of one tensor and of those that must follow it.
    void change(chain_command& c)
    {
        switch (m_maker.below(4)) {
        case 0: c.flags = static_cast<std::uint16_t>(c.flags ^ 1u << m_maker.below(is_gemt(c) ? 16 : 7)); break;
        case 1:
            c.payload[m_maker.below(32)] = static_cast<std::uint8_t>(m_maker.below(m_maker.chance(0.8) ? 8 : 256));
            break;
        case 2: {
            static constexpr std::uint64_t extremes[] = {0,  1,           2,           3,           5,
                                                         16, 0x8000'0000, 0x8000'8000, 0x7fff'ffff, UINT64_MAX};
            const std::uint64_t value = extremes[m_maker.below(std::size(extremes))];
            const std::uint32_t bytes = m_maker.chance(0.5) ? 4 : 8;
            std::memcpy(c.payload.data() + m_maker.below(static_cast<std::uint32_t>(c.payload.size() / 8)) * 8, &value,
                        bytes);
            break;
        }
        default: stay_or_move(c); break;
        }
    }

    // X or Y in the cells instead of memory or the other way round, with the descriptor that this takes.
    void stay_or_move(chain_command& c)
    {
        const bool y = m_maker.chance(0.5);
        const bool gemt = is_gemt(c);
        const unsigned bit =
            gemt ? (y ? gemt_command::flag_hold_result : gemt_command::flag_keep_tensor)
                 : (y ? isa::pointwise_command::flag_hold_result : isa::pointwise_command::flag_keep_tensor);
        c.flags = static_cast<std::uint16_t>(c.flags ^ bit);
        std::uint64_t base = (c.flags & bit) != 0 ? 0 : triada_bench::data_at + 64 * m_maker.below(512);
        const std::uint32_t at = gemt ? (y ? triada::gemt_fields::y.offset : triada::gemt_fields::x.offset)
                                      : (y ? isa::pointwise_fields::y.offset : isa::pointwise_fields::x.offset);
        std::memcpy(c.payload.data() + at, &base, sizeof base);
    }

    static bool works_long(const chain_command& c)
    {
        if (!is_gemt(c)) { return false; }
        const auto g = gemt_command::decode(c.flags, c.payload.data());
        std::uint64_t steps = 1;
        for (unsigned m = 0; m < 3; ++m) {
            const std::uint64_t n = std::max(g.x.size[m], g.y.size[m]);
            if (n > 64) { return true; }
            steps *= n;
        }
        return steps > 2000;
    }

    case_maker m_maker;
    triada::config m_config;
};

struct hostile_end {
    isa::program_result result;
    std::vector<triada_row> rows;
    std::string memory;
};

template <class T> void compare_hostile_chains(std::uint64_t seed)
{
    case_maker maker(seed + 77);
    triada::config config = random_device(maker, base::element_type_of<T>);
    config.cell_registers = 1 + maker.below(4);
    draw_control(seed, config);
    chain_maker<T> chains(seed + 3000, config.mesh, true);
    chain_changer changer(seed, config);
    std::vector<chain<T>> all;
    for (unsigned i = 0; i < hostile_chains_per_process; ++i) {
        all.push_back(chains.make(2 + maker.below(5), case_maker::specials::zeros));
    }
    std::vector<std::vector<chain_command>> programs;
    std::vector<hostile_end> fast, detailed;
    const auto running = [&](std::vector<hostile_end>& ends) {
        return [&](triada_bench& bench) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                std::vector<chain_command> commands;
                bench.restart();
                for (const auto& step : all[i]) { commands.push_back(place_step(bench, step)); }
                if (programs.size() == i) {
                    programs.push_back(commands);
                    changer.change(programs.back());
                }
                const auto outcome = bench.run(program_of(programs[i]));
                ends.push_back({outcome.result, outcome.rows, saved(bench.memory())});
            }
        };
    };
    triada_bench a("fast", config, running(fast));
    config.fidelity = triada::fidelity::detailed;
    triada_bench b("detailed", config, running(detailed));
    run_to_end(a, b);
    for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE("chain " + std::to_string(i) + " of seed " + std::to_string(seed));
        EXPECT_STREQ(isa::error_text(fast[i].result.error), isa::error_text(detailed[i].result.error));
        EXPECT_EQ(fast[i].result.error_command, detailed[i].result.error_command);
        EXPECT_EQ(fast[i].result.cycles, detailed[i].result.cycles);
        EXPECT_TRUE(fast[i].rows == detailed[i].rows);
        EXPECT_TRUE(fast[i].memory == detailed[i].memory);
        for (std::size_t c = 0; c < programs[i].size(); ++c) {
            const auto expected = changer.refusal(programs[i][c]);
            if (!expected) { continue; }
            EXPECT_STREQ(isa::error_text(fast[i].result.error), isa::error_text(*expected));
            EXPECT_EQ(fast[i].result.error_command, c);
            break;
        }
    }
}

class hostile_chains : public sim_test_with_param<int> {};

TEST_P(hostile_chains, are_refused_or_end_alike_in_both_fidelities)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare_hostile_chains<decltype(element)>(seed); });
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_chains, ::testing::Range(0, 24));

} // namespace
