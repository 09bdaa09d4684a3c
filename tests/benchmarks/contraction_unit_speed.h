#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include "benchmarks/contraction_unit_bench.h"
#include "benchmarks/rounds.h"

namespace tensorloom::benchmarks {

/// A tensor contraction unit that multiplies 256 x 256 matrices, against OpenBLAS in f32 on one thread, taken in turns.
class contraction_unit_speed {
public:
    /// Elaboration. `calls` per round.
    contraction_unit_speed(const std::string& name, blocks::fidelity fidelity, base::element_type psum, unsigned calls)
        : m_calls(calls), m_unit(name, settings(fidelity, psum), size), m_blas_y(size * size)
    {}

    const std::string& name() const { return m_unit.name(); }

    /// The record of the case, from a thread of the simulation.
    nlohmann::ordered_json measure()
    {
        multiply_by_blas();
        m_unit.multiply_checked();
        const auto times = times_in_turns(
            m_calls, [&] { multiply_by_blas(); }, [&] { m_unit.multiply(); });
        m_unit.multiply_checked();
        const double macs_per_s = m_calls * m_unit.macs() / median(times.measured_s);
        std::printf("  %-22s %8.3f G multiply-adds per CPU second, %.4f times OpenBLAS in f32\n", name().c_str(),
                    macs_per_s / 1e9, times.speed_ratio());
        std::fflush(stdout);
        return {{"case", name()}, {"macs_per_cpu_s", macs_per_s}, {"ratio", times.speed_ratio()}};
    }

private:
    static constexpr std::size_t size = 256;

    static fetta::config settings(blocks::fidelity fidelity, base::element_type psum)
    {
        fetta::config c;
        c.fidelity = fidelity;
        c.limits.psum = psum;
        return c;
    }
    void multiply_by_blas()
    {
        constexpr int n = size;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, m_unit.a().data(), n, m_unit.b().data(), n,
                    0, m_blas_y.data(), n);
    }

    unsigned m_calls;
    contraction_unit_bench m_unit;
    std::vector<float> m_blas_y;
};

} // namespace tensorloom::benchmarks
