// Bytes as a .npy file, read in every format.
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/npy_file.h>
#include "fuzz/fuzz_target.h"

using namespace tensorloom;
using namespace tensorloom::test;

namespace {

template <class T> void load_as(const std::string& path, std::size_t elements)
{
    done_or_refused([&] {
        const auto tensor = workloads::load_npy_as<T>(path);
        expect(tensor.data.size() == elements, "another number of elements than the header says");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    const auto path = as_file(data, bytes);
    done_or_refused([&] {
        const auto header = workloads::read_npy_header(path);
        expect(header.data_offset + header.elements * header.element_bytes == bytes,
               "header and data are not the file");
        load_as<double>(path, header.elements);
        load_as<float>(path, header.elements);
        load_as<arithmetic::bfloat16>(path, header.elements);
        load_as<std::complex<double>>(path, header.elements);
        load_as<std::complex<float>>(path, header.elements);
        load_as<std::int8_t>(path, header.elements);
        load_as<std::int32_t>(path, header.elements);
        load_as<std::int64_t>(path, header.elements);
    });
    return 0;
}
