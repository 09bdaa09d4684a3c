#include "conformance/small_job.h"
#include <cstring>
#include <random>
#include <tuple>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/triada/isa/driver.h>
#include "models/fetta/fetta_program.h"
#include "models/mmv/mmv_program.h"
#include "models/shell/toil_device.h"
#include "models/triada/gemt_case.h"

namespace tensorloom::test {
namespace {

constexpr std::uint64_t program_offset = 0x100;
constexpr std::uint64_t data_offset = 0x1000;
constexpr std::uint64_t output_offset = 0x8000;

template <class T> std::vector<unsigned char> bytes_of(const std::vector<T>& values)
{
    std::vector<unsigned char> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::uint64_t place(small_job& job, std::uint64_t& next, std::vector<unsigned char> bytes)
{
    const std::uint64_t at = next;
    next += (bytes.size() + 15) / 16 * 16;
    job.data.emplace_back(at, std::move(bytes));
    return at;
}

/// x of 10 x 4, r of 4 x 4, and x r + x, of whole numbers.
template <class T> std::tuple<std::vector<T>, std::vector<T>, std::vector<T>> small_product()
{
    constexpr std::uint32_t side = 4, rows = 10, words = side * rows;
    std::vector<T> x(words), r(side * side), z(words);
    for (std::uint32_t i = 0; i < words; ++i) { x[i] = static_cast<T>(i * i % 31) - 15; }
    for (std::uint32_t i = 0; i < side * side; ++i) { r[i] = static_cast<T>(i * 7 % 11) - 5; }
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t j = 0; j < side; ++j) {
            z[i * side + j] = x[i * side + j];
            for (std::uint32_t k = 0; k < side; ++k) { z[i * side + j] += x[i * side + k] * r[k * side + j]; }
        }
    }
    return {x, r, z};
}

} // namespace

small_job triada_job(std::uint64_t base)
{
    gemt_case<double> g;
    g.shape = {4, 5, 3};
    std::mt19937 engine(1);
    const auto number = [&] { return engine() % 4 == 0 ? 0.0 : static_cast<double>(engine() % 1000) / 64 - 5; };
    g.x.resize(g.volume());
    for (auto& x : g.x) { x = number(); }
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m].resize(std::size_t{g.shape[m]} * g.shape[m]);
        for (auto& c : g.matrices[m]) { c = number(); }
    }

    small_job job;
    std::uint64_t next = base + data_offset;
    const std::vector<std::uint32_t> shape(g.shape.begin(), g.shape.end());
    triada::gemt_command c;
    c.flags = triada::gemt_command::flag_esop;
    for (unsigned s = 0; s < 3; ++s) { c.order[s] = static_cast<std::uint8_t>(g.order[s]); }
    c.x = isa::dense_descriptor(place(job, next, bytes_of(g.x)), base::element_type::f64, shape);
    for (unsigned m = 0; m < 3; ++m) {
        c.matrix[m] = isa::dense_descriptor(place(job, next, bytes_of(g.matrices[m])), base::element_type::f64,
                                            {shape[m], shape[m]});
    }
    job.output_at = base + output_offset;
    c.y = isa::dense_descriptor(job.output_at, base::element_type::f64, shape);
    job.expected_output = bytes_of(oracle_result(g));
    job.program_at = base + program_offset;
    job.program = triada::driver::program({c});
    job.phases = {"fetch", "matrices", "load", "stage_1", "stage_2", "stage_3", "unload"};
    return job;
}

small_job mmv_job(std::uint64_t base)
{
    constexpr std::uint32_t side = 4, rows = 10, words = side * rows;
    const auto [x, r, z] = small_product<std::int64_t>();
    small_job job;
    std::uint64_t next = base + data_offset;
    const auto x_at = place(job, next, bytes_of(x));
    const auto r_at = place(job, next, bytes_of(r));
    constexpr std::uint32_t local_x = 0, local_r = 1024, local_z = 2048;
    mmv::limits limits;
    limits.side = side;
    job.output_at = base + output_offset;
    job.expected_output = bytes_of(z);
    job.program_at = base + program_offset;
    job.program = mmv_program(limits)
                      .load(x_at, local_x, words)
                      .load(r_at, local_r, side * side)
                      .matmul(local_z, local_x, local_r, words)
                      .vector(isa::vector::opcode::add, local_z, local_z, local_x, words)
                      .store(local_z, job.output_at, words)
                      .bytes();
    job.phases = {"fetch", "load", "matmul", "add", "store"};
    return job;
}

fetta::device_limits fetta_job_limits()
{
    fetta::device_limits g;
    g.engines = 4;
    g.bank_bytes = 4096;
    g.operand = base::element_type::f32;
    return g;
}

small_job fetta_job(std::uint64_t base)
{
    constexpr std::uint32_t side = 4, rows = 10, words = side * rows;
    const auto [x, r, z] = small_product<float>();
    small_job job;
    std::uint64_t next = base + data_offset;
    const auto x_at = place(job, next, bytes_of(x));
    const auto r_at = place(job, next, bytes_of(r));
    constexpr std::uint32_t local_x = 0, local_r = 1024, local_z = 2048;
    const auto g = fetta_job_limits();
    job.output_at = base + output_offset;
    job.expected_output = bytes_of(z);
    job.program_at = base + program_offset;
    job.program = fetta_program(g)
                      .load(x_at, local_x, words)
                      .load(r_at, local_r, side * side)
                      .contract(fetta_program::product(g, local_z, local_x, local_r, rows, side, side))
                      .vector(isa::vector::opcode::add, local_z, local_z, local_x, words)
                      .store(local_z, job.output_at, words)
                      .bytes();
    job.phases = {"fetch", "load", "contract", "add", "store"};
    return job;
}

small_job torus_job(std::uint64_t base)
{
    constexpr auto f64 = base::element_type::f64;
    constexpr std::uint32_t n[] = {4, 5, 3}, k[] = {4, 6, 4};
    std::mt19937 engine(2);
    const auto numbers = [&](std::size_t count) {
        std::vector<double> all(count); // whole numbers: every order of sums gives the same
        for (auto& x : all) { x = static_cast<double>(engine() % 21) - 10; }
        return all;
    };
    const auto x = numbers(std::size_t{n[0]} * n[1] * n[2]);
    small_job job;
    std::uint64_t next = base + data_offset;
    torus::orbit_command c;
    c.blocks = {{2, 3, 2}, {2, 3, 2}};
    c.x = isa::dense_descriptor(place(job, next, bytes_of(x)), f64, {n[0], n[1], n[2]});
    std::array<std::vector<double>, 3> matrices;
    for (unsigned m = 0; m < 3; ++m) {
        matrices[m] = numbers(std::size_t{n[m]} * k[m]);
        c.matrix[m] = isa::dense_descriptor(place(job, next, bytes_of(matrices[m])), f64, {n[m], k[m]});
    }
    std::vector<double> y;
    for (std::uint32_t i = 0; i < k[0] * k[1] * k[2]; ++i) {
        const std::uint32_t to[] = {i / (k[1] * k[2]), i / k[2] % k[1], i % k[2]};
        double sum = 0;
        for (std::uint32_t j = 0; j < x.size(); ++j) {
            const std::uint32_t from[] = {j / (n[1] * n[2]), j / n[2] % n[1], j % n[2]};
            double product = x[j];
            for (unsigned m = 0; m < 3; ++m) { product *= matrices[m][from[m] * k[m] + to[m]]; }
            sum += product;
        }
        y.push_back(sum);
    }
    job.output_at = base + output_offset;
    c.y = isa::dense_descriptor(job.output_at, f64, {k[0], k[1], k[2]});
    job.expected_output = bytes_of(y);
    job.program_at = base + program_offset;
    job.program = torus::driver::program({c});
    job.phases = {"fetch", "matrices", "load", "stage_I", "stage_II", "stage_III", "unload"};
    return job;
}

small_job toil_job(std::uint64_t base)
{
    small_job job;
    std::uint64_t next = base + data_offset;
    const std::uint64_t load = place(job, next, std::vector<unsigned char>(200, 3));
    isa::program_builder builder;
    builder.add(toil_device::toil, 0, 7, toil_device::payload(40, 200, load));
    job.program_at = base + program_offset;
    job.program = builder.bytes();
    job.output_at = base + output_offset;
    return job;
}

} // namespace tensorloom::test
