// How fast an MMU/VCU pair is simulated: 256 rows through the matrix unit of side 16, weights resident, on one thread,
// with all of its bookkeeping, in multiply-adds per CPU second and against OpenBLAS doing a product of that shape in
// f64. Ratios are medians over rounds taken in turns; CPU time.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/matrix_unit.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/blas_cores.h"
#include "benchmarks/case_list.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr unsigned side = 16;
constexpr unsigned rows = 256;
constexpr double macs_per_call = double{rows} * side * side;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

/// A matrix unit with operands in a scratchpad of its own.
template <class Element> class unit_speed {
public:
    using word = arithmetic::accumulator_of<Element>;

    /// Operands of magnitude `largest` at most. `calls`: per round.
    unit_speed(const std::string& name, blocks::fidelity fidelity, double largest, unsigned calls)
        : m_name(name), m_calls(calls), m_config(settings(fidelity)),
          m_memory((module_name() + "_memory").c_str(), 1u << 18, sizeof(word), m_config.banks),
          m_unit((module_name() + "_unit").c_str(), m_config, m_config.clock_period, m_stop)
    {
        m_unit.pad.bind(m_memory.port);
        m_command.left.address = 0;
        m_command.weights.address = left_bytes;
        m_command.result.address = left_bytes + side * side * sizeof(Element);
        m_command.left.row_stride = m_command.weights.row_stride = m_command.result.row_stride = side;
        m_command.words = rows * side;
        m_command.left_columns = m_command.result_columns = side;
        std::mt19937_64 random(1);
        const auto draw = [&](std::size_t n) {
            std::vector<double> all(n);
            for (auto& x : all) {
                x = std::uniform_real_distribution<double>(-largest, largest)(random);
                if (base::is_integer(m_config.format)) { x = std::trunc(x); }
            }
            return all;
        };
        m_left = draw(rows * side);
        m_weights = draw(side * side);
        m_product.resize(rows * side);
    }

    void measure()
    {
        place(0, m_left);
        place(m_command.weights.address, m_weights);
        call();
        multiply_by_blas();
        require_equal();
        const auto times = times_in_turns(
            m_calls, [&] { multiply_by_blas(); }, [&] { call(); });
        const double macs_per_s = m_calls * macs_per_call / median(times.measured_s);
        std::printf("  %-22s %9.3f G multiply-adds per CPU second, %.3f times OpenBLAS in f64\n", m_name.c_str(),
                    macs_per_s / 1e9, times.speed_ratio());
        std::fflush(stdout);
        records.push_back({{"case", m_name}, {"macs_per_cpu_s", macs_per_s}, {"ratio", times.speed_ratio()}});
    }

private:
    static constexpr std::uint32_t left_bytes = rows * side * sizeof(Element);

    static mmv::config settings(blocks::fidelity fidelity)
    {
        mmv::config c;
        c.side = side;
        c.format = base::element_type_of<Element>;
        c.fidelity = fidelity;
        return c;
    }
    std::string module_name() const
    {
        std::string name = m_name;
        std::replace(name.begin(), name.end(), ' ', '_');
        return name;
    }

    void place(std::uint64_t address, const std::vector<double>& values)
    {
        std::vector<Element> elements(values.begin(), values.end());
        std::uint64_t words = 0;
        std::memcpy(m_memory.port->write(address, elements.size() * sizeof(Element), words), elements.data(),
                    elements.size() * sizeof(Element));
    }
    void call()
    {
        if (!m_unit.execute(m_command).ok()) { throw std::runtime_error(m_name + ": a call ended in an error"); }
    }
    void multiply_by_blas()
    {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, side, side, 1, m_left.data(), side,
                    m_weights.data(), side, 0, m_product.data(), side);
    }
    /// Up to rounding; imaginary parts are 0.
    void require_equal()
    {
        const double scale = *std::max_element(m_product.begin(), m_product.end());
        for (std::size_t i = 0; i < m_product.size(); ++i) {
            word z;
            std::memcpy(&z, m_memory.port->at(m_command.result.address + i * sizeof z), sizeof z);
            if (std::abs(std::complex<double>(z) - m_product[i]) > 1e-12 * scale) {
                throw std::runtime_error(m_name + ": the product is wrong");
            }
        }
    }

    std::string m_name;
    unsigned m_calls;
    mmv::config m_config;
    bus::stop_request m_stop;
    memory::scratchpad m_memory;
    mmv::matrix_unit m_unit;
    mmv::matmul_command m_command;
    std::vector<double> m_left, m_weights, m_product;
};

/// The case joins the list if that wants it.
template <class Element>
void add(case_list& all, const std::string& name, blocks::fidelity fidelity, double largest, unsigned calls)
{
    if (!all.wants(name)) { return; }
    auto bench = std::make_shared<unit_speed<Element>>(name, fidelity, largest, calls);
    all.add([bench] { bench->measure(); });
}

nlohmann::ordered_json run(const std::string& filter)
{
    const std::string blas = use_fastest_blas();
    std::printf("%u rows through the matrix unit, side %u, one thread\n", rows, side);
    using blocks::fidelity;
    case_list all(filter);
    add<double>(all, "f64 fast", fidelity::fast, 1, 500);
    add<std::complex<double>>(all, "c128 fast", fidelity::fast, 1, 200);
    add<std::int64_t>(all, "int64 fast", fidelity::fast, 1e6, 300);
    // So large that no bound rules overflow out, though none happens: every sum is followed.
    add<std::int64_t>(all, "int64 fast followed", fidelity::fast, 1.2e9, 30);
    add<std::int32_t>(all, "int32 fast", fidelity::fast, 1e3, 500);
    add<std::int8_t>(all, "int8 fast", fidelity::fast, 127, 500);
    add<double>(all, "f64 detailed", fidelity::detailed, 1, 4);
    add<std::complex<double>>(all, "c128 detailed", fidelity::detailed, 1, 4);
    add<std::int64_t>(all, "int64 detailed", fidelity::detailed, 1e6, 4);
    all.run();
    return compared_with(blas, records);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "mmv_speed", "How fast an MMU/VCU pair is simulated.", true, run);
}
