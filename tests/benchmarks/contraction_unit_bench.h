#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include <tensorloom/workloads/contraction/plan.h>
#include "workloads/contraction/ordered_sums.h"
#include "workloads/contraction/spec_cycles.h"

namespace tensorloom::benchmarks {

/// A tensor contraction unit that multiplies square matrices in a unified memory of its own, ws-v over 16 parts of B's
/// columns: one CONTRACT, as a plan whose layout is ideal writes it. The elements are bfloat16 numbers.
class contraction_unit_bench {
public:
    /// Elaboration.
    contraction_unit_bench(const std::string& name, const fetta::config& config, std::size_t size)
        : m_name(name), m_size(size), m_config(config), m_plan(plan_of(m_config, size)),
          m_command(m_plan.command(m_plan.steps().at(0))), m_memory((name + "_memory").c_str(), m_config.limits),
          m_unit(
              fetta::make_tensor_contraction_unit((name + "_unit").c_str(), m_config, m_config.clock_period, m_stop)),
          m_a(operand(1)), m_b(operand(2))
    {
        m_unit->ia.bind(m_memory.ia);
        m_unit->ib.bind(m_memory.ib);
        m_unit->result.bind(m_memory.result);
    }

    const std::string& name() const { return m_name; }
    const std::vector<float>& a() const { return m_a; } ///< in C order, like b()
    const std::vector<float>& b() const { return m_b; }
    double macs() const { return static_cast<double>(m_size * m_size * m_size); }

    /// Writes the operands and multiplies them, from a thread of the simulation. Throws std::runtime_error when the
    /// product is not that of the order of the sums, bit for bit, when multiply-adds are missing, or when the cycles
    /// are not those of the formula.
    fetta::contract_outcome multiply_checked()
    {
        using workloads::command_index;
        using workloads::contraction_tensor;
        put(contraction_tensor::a, offsets(command_index::ia_free, command_index::contracted), m_a);
        put(contraction_tensor::b, offsets(command_index::contracted, command_index::ib_free), m_b);
        const auto outcome = multiply();
        check(outcome);
        return outcome;
    }
    /// Multiplies them again.
    fetta::contract_outcome multiply()
    {
        const auto outcome = m_unit->execute(m_command);
        if (outcome.stopped) { throw std::runtime_error(m_name + ": stopped"); }
        return outcome;
    }

private:
    static workloads::contraction_plan plan_of(const fetta::config& config, std::size_t size)
    {
        workloads::contraction_settings s;
        s.overlap = false;
        s.request.mapping = fetta::mapping::ws_v;
        s.request.split = workloads::engine_split{1, 1, 1, 16};
        const std::string n = std::to_string(size);
        auto plan = workloads::plan_contraction(workloads::parse_einsum("ik,kj->ij", "i=" + n + ",k=" + n + ",j=" + n),
                                                config.limits, s);
        if (plan.commands != 1) { throw std::runtime_error("the product does not fit the unified memory"); }
        return plan;
    }
    std::vector<float> operand(unsigned seed) const
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> part(-1, 1);
        std::vector<float> all(m_size * m_size);
        for (float& x : all) { x = static_cast<float>(arithmetic::bfloat16(part(random))); }
        return all;
    }
    /// Offsets of the elements of a matrix in C order by the indices of its rows and columns.
    workloads::index_offsets offsets(workloads::command_index row, workloads::command_index column) const
    {
        workloads::index_offsets result;
        result[static_cast<unsigned>(workloads::command_index::batch)] = {0};
        for (std::uint64_t i = 0; i < m_size; ++i) {
            result[static_cast<unsigned>(row)].push_back(i * m_size);
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
        if (m_config.limits.operand == base::element_type::f32) { return put_words(tensor, of, matrix); }
        const std::vector<arithmetic::bfloat16> elements(matrix.begin(), matrix.end());
        std::vector<std::uint16_t> bits(elements.size());
        std::memcpy(bits.data(), elements.data(), bits.size() * sizeof bits[0]);
        put_words(tensor, of, bits);
    }
    template <class Word>
    void put_words(workloads::contraction_tensor tensor, const workloads::index_offsets& of,
                   const std::vector<Word>& words)
    {
        const auto image = m_plan.image(tensor, {});
        std::vector<Word> packed(image.elements());
        workloads::pack_image(image, of, words.data(), packed.data());
        m_memory.transfers().write(address(tensor), reinterpret_cast<const unsigned char*>(packed.data()),
                                   packed.size() * sizeof packed[0]);
    }
    std::vector<float> product() const
    {
        constexpr auto c = workloads::contraction_tensor::c;
        const auto image = m_plan.image(c, {});
        std::vector<float> packed(image.elements()), matrix(m_size * m_size);
        m_memory.transfers().read(address(c), reinterpret_cast<unsigned char*>(packed.data()),
                                  packed.size() * sizeof packed[0]);
        workloads::unpack_image(image, offsets(workloads::command_index::ia_free, workloads::command_index::ib_free),
                                packed.data(), matrix.data());
        return matrix;
    }
    void check(const fetta::contract_outcome& outcome)
    {
        if (m_expected.empty()) { m_expected = test::ordered_sums(m_plan, m_a, m_b); }
        const auto found = product();
        if (std::memcmp(found.data(), m_expected.data(), found.size() * sizeof found[0]) != 0) {
            throw std::runtime_error(m_name + ": the product is wrong");
        }
        const std::uint64_t rows = m_config.limits.psum == base::element_type::f32 ? 512 : 1024;
        const auto cycles =
            test::spec_cycles({1, m_size, m_size, m_size}, m_plan.choice.mapping, m_plan.choice.split, rows);
        if (outcome.counts[fetta::event::mac] != m_size * m_size * m_size || outcome.cycles.total() != cycles ||
            outcome.conflict_cycles != 0) {
            throw std::runtime_error(m_name + ": multiply-adds or cycles are wrong");
        }
    }

    std::string m_name;
    std::size_t m_size;
    fetta::config m_config;
    workloads::contraction_plan m_plan;
    fetta::contract_command m_command;
    bus::stop_request m_stop;
    fetta::unified_memory m_memory;
    std::unique_ptr<fetta::tensor_contraction_unit> m_unit;
    std::vector<float> m_a, m_b, m_expected;
};

} // namespace tensorloom::benchmarks
