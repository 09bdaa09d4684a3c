#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/row_kernel.h>

namespace tensorloom::arithmetic {

static_assert(most_in_layer == row_kernel::most_in_layer, "kernels have room for a layer");

void widen_row(const unsigned char* from, std::size_t n, float* to) { best_kernel<row_kernel>().widen(from, n, to); }
void narrow_row(const float* from, std::size_t n, unsigned char* to) { best_kernel<row_kernel>().narrow(from, n, to); }

void widen_layers(const unsigned char* from, std::size_t row, std::size_t rows, std::size_t blocks, float* to)
{
    best_kernel<row_kernel>().widen_layers(from, row, rows, blocks, to);
}

void narrow_layers(const float* from, std::size_t row, std::size_t rows, std::size_t blocks, unsigned char* to)
{
    best_kernel<row_kernel>().narrow_layers(from, row, rows, blocks, to);
}

} // namespace tensorloom::arithmetic
