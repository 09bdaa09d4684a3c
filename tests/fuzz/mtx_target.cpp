// Bytes as a MatrixMarket file, read as integers and as real numbers.
#include <tensorloom/workloads/csr_matrix.h>
#include "fuzz/fuzz_target.h"

using namespace tensorloom;
using namespace tensorloom::test;

namespace {

constexpr std::uint64_t most_rows = 1u << 16; // 8 bytes for each are promised, whatever the file has

template <class T> void load_as(const std::string& path)
{
    done_or_refused([&] {
        const auto file = workloads::load_matrix_market<T>(path);
        expect(!validate(file.matrix), "a matrix was read that is not in order");
        expect(file.matrix.rows == file.header.rows && file.matrix.columns == file.header.columns, "another shape");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    const auto path = as_file(data, bytes);
    done_or_refused([&] {
        if (workloads::read_matrix_market_header(path).rows > most_rows) { return; }
        load_as<std::int64_t>(path);
        load_as<double>(path);
    });
    return 0;
}
