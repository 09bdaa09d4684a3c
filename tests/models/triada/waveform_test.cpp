// Both fidelities write the same waveform, byte for byte: tiles, double buffering, rectangular and low-precision
// products.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <unistd.h>
#include "models/triada/triada_bench.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_case.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr unsigned cases_per_process = 4;

/// A device with a waveform, which runs all cases.
template <class T> class traced_device {
public:
    traced_device(const std::string& name, const triada::config& config, const std::vector<gemt_case<T>>& cases,
                  const std::vector<shape3>& cells)
        : m_path((std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))).string()),
          m_file(sc_core::sc_create_vcd_trace_file(m_path.c_str())), m_bench(name, config, [&cases](triada_bench& b) {
              for (const auto& g : cases) { b.run(g); }
          })
    {
        m_file->set_time_unit(1, sc_core::SC_PS);
        m_bench.device().trace(*m_file, cells);
    }
    ~traced_device() { std::filesystem::remove(m_path + ".vcd"); }

    bool finished() const { return m_bench.finished(); }

    /// What follows the header; closes the file.
    std::string changes()
    {
        sc_core::sc_close_vcd_trace_file(m_file);
        std::ifstream file(m_path + ".vcd");
        std::stringstream text;
        text << file.rdbuf();
        const std::string all = text.str();
        const auto end = all.find("$enddefinitions");
        return end == std::string::npos ? std::string() : all.substr(end);
    }

private:
    std::string m_path;
    sc_core::sc_trace_file* m_file;
    triada_bench m_bench;
};

template <class T>
void expect_same_changes(triada::config config, const std::vector<gemt_case<T>>& cases,
                         const std::vector<shape3>& cells)
{
    traced_device<T> fast("fast", config, cases, cells);
    config.fidelity = triada::fidelity::detailed;
    traced_device<T> detailed("detailed", config, cases, cells);
    sc_core::sc_start();
    ASSERT_TRUE(fast.finished());
    ASSERT_TRUE(detailed.finished());
    const std::string expected = detailed.changes();
    EXPECT_GT(std::count(expected.begin(), expected.end(), '#'), 20);
    EXPECT_TRUE(fast.changes() == expected);
}

template <class T> void compare(std::uint64_t seed)
{
    case_maker maker(seed);
    triada::config config = random_device(maker, arch::element_type_of<T>);
    std::vector<gemt_case<T>> cases;
    for (unsigned i = 0; i < cases_per_process; ++i) {
        const shape3 most{config.mesh[0] * 5 / 2, config.mesh[1] * 5 / 2, config.mesh[2] * 5 / 2};
        const auto kind = maker.chance(0.5) ? case_maker::specials::zeros : case_maker::specials::wild;
        cases.push_back(maker.make_any<T>(i % 2 == 0 ? config.mesh : most, kind));
    }
    std::vector<shape3> cells;
    for (unsigned w = 0; w < 3; ++w) {
        const shape3 at{maker.below(config.mesh[0]), maker.below(config.mesh[1]), maker.below(config.mesh[2])};
        if (std::find(cells.begin(), cells.end(), at) == cells.end()) { cells.push_back(at); }
    }
    expect_same_changes(config, cases, cells);
}

class waveform_test : public sim_test_with_param<int> {};

TEST_P(waveform_test, same_bytes_after_the_header)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare<decltype(element)>(seed); });
}

INSTANTIATE_TEST_SUITE_P(seeds, waveform_test, ::testing::Range(0, 24)); // 96 products

class dense_waveform : public sim_test {};

// Infinities times the padding leave NaN in cells that the box of the last, short pass does not hold.
TEST_F(dense_waveform, shows_what_a_pass_left_outside_of_a_smaller_box)
{
    triada::config config;
    config.mesh = {8, 2, 2};
    gemt_case<double> g;
    g.shape = {13, 4, 2};
    g.out = {3, 4, 2};
    g.order = {1, 2, 3};
    g.mask = 1;
    g.esop = false;
    g.x.assign(g.volume(), 1);
    g.x[0] = std::numeric_limits<double>::infinity();
    g.matrices[0].assign(13 * 3, 2);
    std::vector<gemt_case<double>> cases(2, g);
    cases[1].double_buffer = true;
    expect_same_changes(config, cases, {{6, 0, 0}});
}

} // namespace
