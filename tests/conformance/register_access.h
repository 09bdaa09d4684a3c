#pragma once
#include <cstdint>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/register_map.h>
#include "conformance/accelerator_row.h"

namespace tensorloom::test {

/// A register's value as it is on the bus.
inline std::vector<unsigned char> word(std::uint32_t value)
{
    std::vector<unsigned char> bytes(4);
    base::store_le(bytes.data(), value);
    return bytes;
}

/// The whole block as debug transport shows it.
inline std::vector<unsigned char> state(accelerator_bench& b)
{
    auto t = reading(0, isa::reg::block_bytes);
    EXPECT_EQ(b.regs().transport_dbg(t), isa::reg::block_bytes);
    return t.data;
}

inline void expect_check_error(accelerator_bench& b, payload& t, tlm::tlm_response_status status, const char* what)
{
    const auto registers = state(b);
    const auto data = t.data;
    b.send(t);
    EXPECT_EQ(t.get_response_status(), status) << what << " at " << t.get_address();
    EXPECT_EQ(t.data, data) << what;
    EXPECT_TRUE(state(b) == registers) << what;
    EXPECT_FALSE(t.is_dmi_allowed());
    EXPECT_NE(b.read_word(isa::reg::id), 0u) << "still alive";
}

} // namespace tensorloom::test
