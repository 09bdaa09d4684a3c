#include <tensorloom/workloads/fft_operations.h>

#include <algorithm>
#include <cmath>

namespace tensorloom::workloads {

fft_operations operations_of_fft(const shape3& n, const shape3& k, bool complex_data)
{
    shape3 size{};
    double points = 1;
    for (std::size_t mode = 0; mode < 3; ++mode) {
        size[mode] = std::max(n[mode], k[mode]);
        points *= static_cast<double>(size[mode]);
    }
    fft_operations operations;
    for (std::size_t mode = 0; mode < 3; ++mode) {
        operations.by_mode[mode] = (complex_data ? 5 : 2.5) * points * std::log2(static_cast<double>(size[mode]));
        operations.total += operations.by_mode[mode];
    }
    return operations;
}

} // namespace tensorloom::workloads
