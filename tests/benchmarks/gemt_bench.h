#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/device.h>
#include "platform/system/testbed_platform.h"
#include "platform/triada/triada_testbed.h"

namespace tensorloom::benchmarks {

/// What a gemt_bench computes, and how.
struct gemt_settings {
    std::array<std::uint32_t, 3> shape{};
    triada::fidelity fidelity = triada::fidelity::fast;
    unsigned threads = 1;
    double tensor_zeros = 0;      ///< part of the elements that are zero, anywhere
    double coefficient_zeros = 0; ///< likewise, of every matrix
};

/// A product on a platform of its own, run as often as wanted with resident matrices. T: double, float.
template <class T> class gemt_bench {
public:
    using shape3 = std::array<std::uint32_t, 3>;

    gemt_bench(
        const std::string& name, const gemt_settings& settings, bus::activity_sink* sink,
        std::function<void(gemt_bench&)> program = [](gemt_bench&) {})
        : m_shape(settings.shape), m_program(std::move(program)),
          m_platform(
              name.c_str(), device_settings(settings), platform_settings(m_shape),
              [this](bus::host_thread&) { m_program(*this); }, sink)
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> part(0, 1);
        x.resize(volume());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const bool zero = part(random) < settings.tensor_zeros;
            x[i] = zero ? T(0) : static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
        }
        for (unsigned m = 0; m < 3; ++m) {
            matrices[m].resize(std::size_t{m_shape[m]} * m_shape[m]);
            for (std::size_t i = 0; i < matrices[m].size(); ++i) {
                const bool zero = part(random) < settings.coefficient_zeros;
                matrices[m][i] = zero ? T(0) : static_cast<T>(std::cos(2.0 + m + static_cast<double>(i)));
            }
        }
    }

    std::vector<T> x;
    std::array<std::vector<T>, 3> matrices;

    std::size_t volume() const { return std::size_t{m_shape[0]} * m_shape[1] * m_shape[2]; }
    const shape3& shape() const { return m_shape; }
    double macs() const { return static_cast<double>(volume()) * (m_shape[0] + m_shape[1] + m_shape[2]); }
    const std::string device_name() const { return m_platform.device.name(); }
    bus::host_thread& cpu() { return m_platform.cpu; }

    /// Puts the data into memory and runs once, which leaves the matrices resident. From a simulation thread, like
    /// transform().
    void prepare()
    {
        std::uint64_t at = testbench::memory_base + 65536;
        const auto put = [&](const std::vector<T>& values) {
            cpu().preload(at, values.data(), values.size() * sizeof(T));
            const std::uint64_t placed = at;
            at += (values.size() * sizeof(T) + 4095) / 4096 * 4096;
            return placed;
        };
        m_x = put(x);
        for (unsigned m = 0; m < 3; ++m) { m_matrix[m] = put(matrices[m]); }
        m_y = at;
        start(gemt(false));
    }

    /// One transform of the tensor with resident matrices.
    void transform() { start(gemt(true)); }

    /// `count` transforms with resident matrices, one after the other in the cells: one load, one store.
    void chain(unsigned count)
    {
        std::vector<triada::gemt_command> commands;
        for (unsigned i = 0; i < count; ++i) {
            auto c = gemt(true);
            if (i > 0) {
                c.flags |= triada::gemt_command::flag_keep_tensor;
                c.x.base = 0;
            }
            if (i + 1 < count) {
                c.flags |= triada::gemt_command::flag_hold_result;
                c.y.base = 0;
            }
            commands.push_back(c);
        }
        run(triada::driver::program(commands));
    }

    /// Loads the tensor, and does an operation on it `count` times in the cells.
    void pointwise(const isa::pointwise_command& operation, unsigned count)
    {
        isa::program_builder program;
        const std::vector<std::uint32_t> n(m_shape.begin(), m_shape.end());
        for (unsigned i = 0; i < count; ++i) {
            auto c = operation;
            c.flags |= isa::pointwise_command::flag_hold_result;
            c.x = c.y = isa::dense_descriptor(0, base::element_type_of<T>, n);
            if (c.has_operand()) {
                c.operand = c.x;
                c.operand.base = i == 0 ? m_x : 0;
                c.flags |= isa::pointwise_command::flag_hold_operand;
                if (i > 0) { c.flags |= isa::pointwise_command::flag_keep_operand; }
            }
            if (i == 0) {
                c.x.base = m_x;
            } else {
                c.flags |= isa::pointwise_command::flag_keep_tensor;
            }
            program.add(triada::opcode::pointwise, c.flags, i + 1, c.encode());
        }
        run(program.bytes());
    }

    std::vector<T> result()
    {
        std::vector<T> y(volume());
        cpu().read_block(m_y, y.data(), y.size() * sizeof(T));
        return y;
    }

private:
    static triada::config device_settings(const gemt_settings& settings)
    {
        triada::config c;
        c.mesh = settings.shape;
        c.format = base::element_type_of<T>;
        c.fidelity = settings.fidelity;
        c.threads = settings.threads;
        return c;
    }
    static testbench::platform_config platform_settings(const shape3& n)
    {
        testbench::platform_config c;
        c.memory.bytes =
            65536 + 2 * sizeof(T) * n[0] * n[1] * n[2] + sizeof(T) * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + 65536;
        return c;
    }

    triada::gemt_command gemt(bool keep) const
    {
        triada::gemt_command c;
        c.flags = static_cast<std::uint16_t>(triada::gemt_command::flag_esop |
                                             (keep ? triada::gemt_command::flag_keep_matrices : 0));
        const std::vector<std::uint32_t> n(m_shape.begin(), m_shape.end());
        c.x = isa::dense_descriptor(m_x, base::element_type_of<T>, n);
        c.y = isa::dense_descriptor(m_y, base::element_type_of<T>, n);
        for (unsigned m = 0; !keep && m < 3; ++m) {
            c.matrix[m] = isa::dense_descriptor(m_matrix[m], base::element_type_of<T>, {n[m], n[m]});
        }
        return c;
    }

    void start(const triada::gemt_command& command) { run(triada::driver::program({command})); }

    void run(const std::vector<std::uint8_t>& program)
    {
        triada::driver driver(cpu(), testbench::device_base);
        const auto outcome = driver.run(program, testbench::memory_base, 1'000'000'000'000);
        if (!outcome.done) { throw isa::device_failure(error_text(outcome.error)); }
    }

    shape3 m_shape;
    std::function<void(gemt_bench&)> m_program;
    testbench::testbed_platform<triada::traits> m_platform;
    std::uint64_t m_x = 0;
    std::uint64_t m_y = 0;
    std::array<std::uint64_t, 3> m_matrix{};
};

} // namespace tensorloom::benchmarks
