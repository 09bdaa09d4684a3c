#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tensorloom/models/rtl/pins.h>

namespace tensorloom::rtl {

// Floats in ports whose fields have the upper `bits` bits of them: 32, or 16 where all numbers are of bfloat16.

template <unsigned bits, class Port> float number(const Port& port, std::size_t at)
{
    const auto field = static_cast<std::uint32_t>(get(port, at * bits, bits)) << (32 - bits);
    float value = 0;
    std::memcpy(&value, &field, sizeof value);
    return value;
}

template <unsigned bits, class Port> void put_number(Port& port, std::size_t at, float value)
{
    std::uint32_t field = 0;
    std::memcpy(&field, &value, sizeof field);
    put(port, at * bits, bits, field >> (32 - bits));
}

} // namespace tensorloom::rtl
