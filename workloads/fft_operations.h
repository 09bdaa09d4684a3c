#pragma once
#include <array>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Real additions and multiplications that a fast Fourier transform of N = N1 x N2 x N3 points is credited with: 5 N
/// log2 N of complex data, half of that of real data; the transforms along mode s have 5 N log2 N_s of it.
///
/// A yardstick for the direct sums of a device, not the exact count of any program: it is that of the radix-2 algorithm
/// to leading order, taken for every size; split-radix needs a fifth less. Real transforms other than the DFT (DCT,
/// DST, DHT) have fast algorithms of the same order as that of a real DFT.
/// Source: the convention of the FFTW benchmark (benchFFT); M. Frigo and S. G. Johnson, The Design and Implementation
/// of FFTW3, Proceedings of the IEEE 93(2), 2005.
struct fft_operations {
    std::array<double, 3> by_mode{};
    double total = 0;
};

/// Of a problem that turns n1 x n2 x n3 points into k1 x k2 x k3: of the larger size in every mode.
fft_operations operations_of_fft(const shape3& n, const shape3& k, bool complex_data);

/// Real additions and multiplications of one multiply-add of the device: 2, of complex elements 8.
constexpr double operations_per_mac(bool complex_data) { return complex_data ? 8 : 2; }

} // namespace tensorloom::workloads
