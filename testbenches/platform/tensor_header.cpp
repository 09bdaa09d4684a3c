#include "platform/tensor_header.h"
#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::testbench {

workloads::npy_header tensor_header(const std::string& option, const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.shape.size() != 3) {
        throw arch::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected 3");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (header.shape[m] == 0) {
            throw arch::input_error("--" + option + ": " + path + ": mode " + std::to_string(m + 1) +
                                    " is empty, expected at least 1 element");
        }
    }
    return header;
}

} // namespace tensorloom::testbench
