#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include <tensorloom/workloads/contraction/plan.h>
#include "benchmarks/rounds.h"
#include "workloads/contraction/ordered_sums.h"
#include "workloads/contraction/spec_cycles.h"

namespace tensorloom::benchmarks {

/// A tensor contraction unit that multiplies 256 x 256 matrices of bfloat16 in a unified memory of its own, ws-v over
/// 16 parts of B's columns: one CONTRACT, as a plan whose layout is ideal writes it. Against OpenBLAS in f32 on one
/// thread, taken in turns.
class contraction_unit_speed {
public:
    /// Elaboration. `calls` per round.
    contraction_unit_speed(const std::string& name, blocks::fidelity fidelity, base::element_type psum, unsigned calls)
        : m_name(name), m_calls(calls), m_config(settings(fidelity, psum)), m_plan(plan_of(m_config)),
          m_command(m_plan.command(m_plan.steps().at(0))), m_memory((name + "_memory").c_str(), m_config.limits),
          m_unit(fetta::make_tensor_contraction_unit((name + "_unit").c_str(), m_config, m_stop)), m_a(operand(1)),
          m_b(operand(2)), m_blas_y(m_a.size())
    {
        m_unit->ia.bind(m_memory.ia);
        m_unit->ib.bind(m_memory.ib);
        m_unit->result.bind(m_memory.result);
    }

    const std::string& name() const { return m_name; }

    /// The record of the case, from a thread of the simulation. Throws std::runtime_error when the product is not that
    /// of the order of the sums, bit for bit, when multiply-adds are missing, or when the cycles are not those of the
    /// formula.
    nlohmann::ordered_json measure()
    {
        using workloads::command_index;
        using workloads::contraction_tensor;
        put(contraction_tensor::a, offsets(command_index::ia_free, command_index::contracted), m_a);
        put(contraction_tensor::b, offsets(command_index::contracted, command_index::ib_free), m_b);
        multiply_by_blas();
        check(execute());
        const auto times = times_in_turns(
            m_calls, [&] { multiply_by_blas(); }, [&] { execute(); });
        check(execute());
        const double macs_per_s = m_calls * macs / median(times.measured_s);
        std::printf("  %-22s %8.3f G multiply-adds per CPU second, %.4f times OpenBLAS in f32\n", m_name.c_str(),
                    macs_per_s / 1e9, times.speed_ratio());
        std::fflush(stdout);
        return {{"case", m_name}, {"macs_per_cpu_s", macs_per_s}, {"ratio", times.speed_ratio()}};
    }

private:
    static constexpr std::size_t size = 256;
    static constexpr double macs = double{size} * size * size;

    static fetta::config settings(blocks::fidelity fidelity, base::element_type psum)
    {
        fetta::config c;
        c.fidelity = fidelity;
        c.limits.psum = psum;
        return c;
    }
    static workloads::contraction_plan plan_of(const fetta::config& config)
    {
        workloads::contraction_settings s;
        s.overlap = false;
        s.request.mapping = fetta::mapping::ws_v;
        s.request.split = workloads::engine_split{1, 1, 1, 16};
        auto plan =
            workloads::plan_contraction(workloads::parse_einsum("ik,kj->ij", "i=256,k=256,j=256"), config.limits, s);
        if (plan.commands != 1) { throw std::runtime_error("the product does not fit the unified memory"); }
        return plan;
    }
    static std::vector<float> operand(unsigned seed)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> part(-1, 1);
        std::vector<float> all(size * size);
        for (float& x : all) { x = static_cast<float>(arithmetic::bfloat16(part(random))); }
        return all;
    }
    /// Of a matrix in C order: the index of its rows, and that of its columns.
    static workloads::index_offsets offsets(workloads::command_index row, workloads::command_index column)
    {
        workloads::index_offsets result;
        result[static_cast<unsigned>(workloads::command_index::batch)] = {0};
        for (std::uint64_t i = 0; i < size; ++i) {
            result[static_cast<unsigned>(row)].push_back(i * size);
            result[static_cast<unsigned>(column)].push_back(i);
        }
        return result;
    }
    std::uint64_t address(workloads::contraction_tensor tensor) const
    {
        return fetta::row_address(m_config.limits, m_plan.type_of(tensor), 0, 0) +
               m_plan.place[static_cast<unsigned>(tensor)][0];
    }
    void put(workloads::contraction_tensor tensor, const workloads::index_offsets& of, const std::vector<float>& matrix)
    {
        const std::vector<arithmetic::bfloat16> elements(matrix.begin(), matrix.end());
        std::vector<std::uint16_t> bits(elements.size());
        std::memcpy(bits.data(), elements.data(), bits.size() * sizeof bits[0]);
        const auto image = m_plan.image(tensor, {});
        std::vector<std::uint16_t> packed(image.elements());
        workloads::pack_image(image, of, bits.data(), packed.data());
        m_memory.transfers().write(address(tensor), reinterpret_cast<const unsigned char*>(packed.data()),
                                   packed.size() * sizeof packed[0]);
    }
    std::vector<float> product() const
    {
        constexpr auto c = workloads::contraction_tensor::c;
        const auto image = m_plan.image(c, {});
        std::vector<float> packed(image.elements()), matrix(size * size);
        m_memory.transfers().read(address(c), reinterpret_cast<unsigned char*>(packed.data()),
                                  packed.size() * sizeof packed[0]);
        workloads::unpack_image(image, offsets(workloads::command_index::ia_free, workloads::command_index::ib_free),
                                packed.data(), matrix.data());
        return matrix;
    }

    fetta::contract_outcome execute()
    {
        const auto outcome = m_unit->execute(m_command);
        if (outcome.stopped) { throw std::runtime_error(m_name + ": stopped"); }
        return outcome;
    }
    void check(const fetta::contract_outcome& outcome)
    {
        if (m_expected.empty()) { m_expected = test::ordered_sums(m_plan, m_a, m_b); }
        const auto found = product();
        if (std::memcmp(found.data(), m_expected.data(), found.size() * sizeof found[0]) != 0) {
            throw std::runtime_error(m_name + ": the product is wrong");
        }
        const std::uint64_t rows = m_config.limits.psum == base::element_type::f32 ? 512 : 1024;
        const auto cycles = test::spec_cycles({1, size, size, size}, m_plan.choice.mapping, m_plan.choice.split, rows);
        if (outcome.counts[fetta::event::mac] != size * size * size || outcome.cycles.total() != cycles ||
            outcome.conflict_cycles != 0) {
            throw std::runtime_error(m_name + ": multiply-adds or cycles are wrong");
        }
    }
    void multiply_by_blas()
    {
        constexpr int n = size;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, m_a.data(), n, m_b.data(), n, 0,
                    m_blas_y.data(), n);
    }

    std::string m_name;
    unsigned m_calls;
    fetta::config m_config;
    workloads::contraction_plan m_plan;
    fetta::contract_command m_command;
    bus::stop_request m_stop;
    fetta::unified_memory m_memory;
    std::unique_ptr<fetta::tensor_contraction_unit> m_unit;
    std::vector<float> m_a, m_b, m_blas_y, m_expected;
};

} // namespace tensorloom::benchmarks
