#pragma once
#include <memory>
#include <utility>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {

/// The fixture of tests in which one processor program runs on one bench.
class shell_run_test : public sim_test {
protected:
    /// Runs `program` on a bench of its own, to the end. The bench stays for questions.
    void run(shell_bench::program_type program, const shell::shell_config& config = shell_bench::settings())
    {
        m_bench = std::make_unique<shell_bench>("bench", std::move(program), config);
        sc_core::sc_start();
        EXPECT_TRUE(m_bench->finished());
    }

    std::unique_ptr<shell_bench> m_bench;
};

/// The same for tests over parameters.
template <class T> class shell_run_test_with_param : public shell_run_test, public ::testing::WithParamInterface<T> {};

} // namespace tensorloom::test
