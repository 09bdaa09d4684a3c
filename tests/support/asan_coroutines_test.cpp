#include <stdexcept>
#include <gtest/gtest.h>
#include <systemc>
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

// Frames with arrays have poisoned borders under the sanitizer; an exception leaves them behind unless it knows the
// stack.
__attribute__((noinline)) int deep_throw(int depth)
{
    volatile char borders[64] = {};
    borders[static_cast<std::size_t>(depth)] = 1;
    if (depth == 0) { throw std::runtime_error("from the bottom"); }
    return deep_throw(depth - 1) + borders[static_cast<std::size_t>(depth)];
}

__attribute__((noinline)) int fill_stack()
{
    volatile char plain[4096];
    for (auto& c : plain) { c = 1; }
    return plain[17];
}

bool throw_and_use_the_stack_again()
{
    for (int i = 0; i < 3; ++i) {
        try {
            deep_throw(20);
            return false;
        } catch (const std::runtime_error&) {
            if (fill_stack() != 1) { return false; }
        }
    }
    return true;
}

class throwing_module : public sc_core::sc_module {
public:
    explicit throwing_module(const sc_core::sc_module_name& name) : sc_module(name)
    {
        SC_HAS_PROCESS(throwing_module);
        SC_THREAD(ends);
        SC_THREAD(stays);
        SC_THREAD(ends_too);
    }
    unsigned passed = 0;

private:
    void ends() { passed += throw_and_use_the_stack_again() ? 1 : 0; }
    void stays()
    {
        for (int i = 0; i < 3; ++i) {
            passed += throw_and_use_the_stack_again() ? 1 : 0;
            wait(1, sc_core::SC_NS);
        }
        wait();
    }
    void ends_too()
    {
        wait(2, sc_core::SC_NS);
        passed += throw_and_use_the_stack_again() ? 1 : 0;
    }
};

class asan_coroutines_test : public sim_test {};

TEST_F(asan_coroutines_test, exceptions_in_processes_and_around_them_are_no_findings)
{
    expected_report expected("/tensorloom/test/expected");
    throwing_module module("module");
    EXPECT_TRUE(throw_and_use_the_stack_again());
    for (int i = 0; i < 5; ++i) {
        sc_core::sc_start(1, sc_core::SC_NS);
        EXPECT_TRUE(throw_and_use_the_stack_again());
        EXPECT_THROW(SC_REPORT_ERROR("/tensorloom/test/expected", ""), sc_core::sc_report);
        if (i == 0) { EXPECT_EQ(module.passed, 2u); }
    }
    EXPECT_EQ(module.passed, 5u);
}

} // namespace
} // namespace tensorloom::test
