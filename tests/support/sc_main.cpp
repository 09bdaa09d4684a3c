#include <cstdlib>
#include <gtest/gtest.h>
#include <systemc>
#include "support/expected_report.h"

// SystemC's own main() prints its banner before it calls sc_main().
int main(int argc, char* argv[])
{
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char* argv[])
{
    ::testing::InitGoogleTest(&argc, argv);
    tensorloom::test::fail_on_unexpected_reports();
    return RUN_ALL_TESTS();
}
