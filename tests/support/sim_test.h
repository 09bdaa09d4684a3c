#pragma once
#include <gtest/gtest.h>
#include <systemc>
#include "support/expected_report.h"

namespace tensorloom::test {

/// The fixture of every test that elaborates modules.
///
/// SystemC elaborates once per process. ctest runs each test in a process of its own; when a whole binary is run by
/// hand, the tests after the first simulation are skipped instead of failing.
class sim_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
            GTEST_SKIP() << "SystemC elaborates once per process: run this test by itself (ctest does)";
        }
    }
};

/// The same for tests over parameters.
template <class T> class sim_test_with_param : public sim_test, public ::testing::WithParamInterface<T> {};

} // namespace tensorloom::test
