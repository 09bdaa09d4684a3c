// How fast the orbital torus is simulated: its array from the start of stage I to the end of stage III, tensor and
// matrices in the nodes, counts on, against single-thread OpenBLAS doing the same three products. Ratios are medians of
// CPU time over rounds in which the array and OpenBLAS take turns.
//
// Goals, in f64: fast at least 0.9 with P b = 128 and 256, b at least 16; detailed (P, b) = (8, 4) 0.06, (8, 8) 0.10,
// (8, 16) 0.14, (16, 16) 0.15; at (16, 16) less than 600 MB, four tensors and the matrices being 538 of them. Fails on
// wrong results, not on slow ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/torus/node_array.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/blas_cores.h"
#include "benchmarks/blas_transform.h"
#include "benchmarks/case_list.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

using torus::slot;

constexpr unsigned most_rounds = 201;
constexpr double macs_per_case = 6e9; // small cases are noisy, so they take more rounds

nlohmann::ordered_json records = nlohmann::ordered_json::array();

template <class T> const char* const format_name = std::is_same_v<T, double> ? "f64" : "f32";

torus::config config_of(std::uint32_t side, std::uint32_t block, base::element_type format, torus::fidelity fidelity)
{
    torus::config c;
    c.side = side;
    c.block = {block, block, block};
    c.format = format;
    c.fidelity = fidelity;
    return c;
}

std::size_t allocated_bytes()
{
    const auto heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

/// A cube that fills a torus.
template <class T> class array_speed {
public:
    array_speed(std::string name, const char* module, const torus::config& config)
        : m_name(std::move(name)), m_config(config), m_n(config.side * config.block[0]), m_shape{m_n, m_n, m_n},
          m_before(allocated_bytes()), m_array(make_node_array(module, config)), m_made(allocated_bytes() - m_before),
          m_x(std::size_t{m_n} * m_n * m_n)
    {
        for (std::size_t i = 0; i < m_x.size(); ++i) {
            m_x[i] = static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
        }
        for (unsigned m = 0; m < 3; ++m) {
            for (std::size_t i = 0; i < std::size_t{m_n} * m_n; ++i) {
                m_matrices[m].push_back(static_cast<T>(std::cos(2.0 + m + static_cast<double>(i))));
            }
        }
    }

    void measure()
    {
        const std::size_t before = allocated_bytes();
        load();
        transform();
        const double megabytes = static_cast<double>(m_made + allocated_bytes() - before) / 1e6;
        blas_transform<T> blas(m_shape, m_x, m_matrices);
        blas.run();
        blas.require_equal(result());
        const double macs = 3.0 * static_cast<double>(m_x.size()) * m_n;
        paired_times times;
        const auto count = static_cast<unsigned>(std::clamp<double>(macs_per_case / macs, rounds, most_rounds));
        for (unsigned r = 0; r < count; ++r) {
            const double reference = cpu_seconds_of([&] { blas.run(); });
            times.add(reference, cpu_seconds_of([&] { transform(); }));
        }
        const double gmacs = macs / median(times.measured_s) / 1e9;
        std::printf("  %-24s %.3f of OpenBLAS (%5.1f GMAC/s), %.1f MB\n", m_name.c_str(), times.speed_ratio(), gmacs,
                    megabytes);
        std::fflush(stdout);
        records.push_back({{"case", m_name},
                           {"grid", m_config.side},
                           {"block", m_config.block[0]},
                           {"format", format_name<T>},
                           {"ratio", times.speed_ratio()},
                           {"gmac_per_s", gmacs},
                           {"megabytes", megabytes}});
    }

private:
    static unsigned char* bytes(std::vector<T>& values) { return reinterpret_cast<unsigned char*>(values.data()); }

    void load()
    {
        torus::array_layout layout;
        const auto& b = m_config.block;
        layout.sizes = {b, b};
        m_array->memory->lay_out(layout);
        m_array->memory->write(slot::x, m_shape, 0, bytes(m_x), m_x.size());
        const std::array<slot, 3> of_mode{slot::c_ii, slot::c_iii, slot::c_i};
        for (unsigned m = 0; m < 3; ++m) {
            m_array->memory->resize_matrix(of_mode[m], m_n, m_n);
            m_array->memory->write_matrix(of_mode[m], 0, bytes(m_matrices[m]), m_matrices[m].size());
        }
    }
    void transform()
    {
        torus::counts counts;
        for (const auto& stage : stages_of(torus::direction::forward, {}, m_config.side)) {
            m_array->control->begin({stage});
            for (std::uint32_t t = 0; t < stage.steps; ++t) {
                m_array->control->compute(counts);
                m_array->control->roll(counts);
            }
            m_array->control->end();
        }
    }
    std::vector<T> result()
    {
        std::vector<T> y(m_x.size());
        m_array->memory->read(slot::x3, m_shape, 0, bytes(y), y.size());
        return y;
    }

    const std::string m_name;
    const torus::config m_config;
    const std::uint32_t m_n;
    const torus::shape3 m_shape;
    const std::size_t m_before; // bytes allocated ahead of the array
    std::unique_ptr<torus::node_array> m_array;
    const std::size_t m_made; // bytes that the array took when it was made
    std::vector<T> m_x;
    std::array<std::vector<T>, 3> m_matrices;
};

class suite : public case_list {
public:
    using case_list::case_list;

    /// P nodes along each side, blocks of b along each mode.
    template <class T> void add_cube(torus::fidelity fidelity, std::uint32_t side, std::uint32_t block)
    {
        const std::string name = std::string(fidelity == torus::fidelity::fast ? "fast" : "detailed") +
                                 " P=" + std::to_string(side) + " b=" + std::to_string(block) + " " + format_name<T>;
        if (!wants(name)) { return; }
        const auto config = config_of(side, block, base::element_type_of<T>, fidelity);
        const auto cube =
            std::make_shared<array_speed<T>>(name, ("array_" + std::to_string(m_arrays++)).c_str(), config);
        add([cube] { cube->measure(); });
    }

private:
    unsigned m_arrays = 0;
};

nlohmann::ordered_json run(const std::string& filter)
{
    const std::string blas = use_fastest_blas();
    std::printf("%u rounds or more\n", rounds);
    suite all(filter);
    for (const auto& [side, block] : {std::pair{8u, 16u}, {16u, 16u}, {8u, 32u}, {8u, 8u}, {16u, 8u}, {8u, 4u}}) {
        all.add_cube<double>(torus::fidelity::fast, side, block);
        all.add_cube<float>(torus::fidelity::fast, side, block);
    }
    for (const auto& [side, block] : {std::pair{8u, 4u}, {8u, 8u}, {8u, 16u}, {16u, 16u}}) {
        all.add_cube<double>(torus::fidelity::detailed, side, block);
    }
    all.run();
    return compared_with(blas, records);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "torus_speed", "How fast the orbital torus is simulated, against OpenBLAS.", true,
                          run);
}
