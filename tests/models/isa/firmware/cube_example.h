#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/firmware/tensorloom_uio.h>

// The jobs of firmware_example.c and uio_example.c.
extern "C" {
tl_status transform_cube(const tl_port* port, uint64_t registers, uint64_t memory, uint32_t n, const double* x,
                         const double* const c[3], double* y, uint64_t* cycles);
tl_status transform_from_linux(const char* path, const tl_uio_buffer* buffer, uint32_t n, const double* x,
                               const double* const c[3], double* y, uint64_t* cycles);
}

namespace tensorloom::test {

/// Numbers for these jobs: a cube of 3 x 3 x 3 and three matrices. Small integers and halves: sums are exact in any
/// order.
struct cube_example {
    static constexpr unsigned n = 3;
    std::vector<double> x, y = std::vector<double>(n * n * n);
    std::vector<double> c[3];

    cube_example()
    {
        for (unsigned i = 0; i < n * n * n; ++i) { x.push_back(i % 5 == 0 ? 0.0 : 0.5 * i - 3); }
        for (unsigned m = 0; m < 3; ++m) {
            for (unsigned i = 0; i < n * n; ++i) { c[m].push_back(static_cast<double>((7 * i + 3 * m) % 11) - 4); }
        }
    }
    std::array<const double*, 3> matrices() const { return {c[0].data(), c[1].data(), c[2].data()}; }
    /// The product as a direct sum.
    std::vector<double> expected() const
    {
        std::vector<double> sums(n * n * n);
        for (unsigned k = 0; k < n * n * n; ++k) {
            for (unsigned i = 0; i < n * n * n; ++i) {
                sums[k] += x[i] * c[0][i / 9 * n + k / 9] * c[1][i / 3 % 3 * n + k / 3 % 3] * c[2][i % 3 * n + k % 3];
            }
        }
        return sums;
    }
};

} // namespace tensorloom::test
