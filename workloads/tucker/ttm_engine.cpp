#include <tensorloom/workloads/tucker/ttm_engine.h>

#include <stdexcept>
#include <string>

namespace tensorloom::workloads {

shape3 product_shape(const tensor<double>& x, const ttm_chain& chain)
{
    if (x.shape.size() != 3) {
        throw std::invalid_argument("tensor of " + std::to_string(x.shape.size()) + " modes found, expected 3");
    }
    shape3 shape{};
    bool any = false;
    for (std::size_t m = 0; m < 3; ++m) {
        shape[m] = x.shape[m];
        if (chain[m] == nullptr) { continue; }
        any = true;
        const auto& matrix = chain[m]->shape;
        if (matrix.size() != 2 || matrix[0] != x.shape[m]) {
            throw std::invalid_argument("matrix of mode " + std::to_string(m + 1) + " does not have " +
                                        std::to_string(x.shape[m]) + " rows");
        }
        shape[m] = matrix[1];
    }
    if (!any) { throw std::invalid_argument("a chain without a matrix found, expected at least one"); }
    return shape;
}

} // namespace tensorloom::workloads
