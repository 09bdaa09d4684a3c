#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/int8_tile.h>

namespace tensorloom::arithmetic {
namespace {

struct one_word {
    using vector = std::int32_t;
    static constexpr unsigned width = 1;
    static vector zero() { return 0; }
    static vector load(const std::int32_t* p) { return *p; }
    static void store(std::int32_t* p, vector v) { *p = v; }
    static vector broadcast(std::int32_t x) { return x; }
    static vector dot(vector x, vector y, vector sum)
    {
        const std::int32_t lower = std::int32_t{static_cast<std::int16_t>(x)} * static_cast<std::int16_t>(y);
        const std::int32_t upper = (x >> 16) * (y >> 16);
        return static_cast<vector>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(lower) +
                                   static_cast<std::uint32_t>(upper));
    }
};

} // namespace

const int8_kernel int8_kernel::portable = make_int8_kernel<one_word, 4, 4>("portable");

} // namespace tensorloom::arithmetic
