#pragma once
#include <memory>
#include <utility>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {

/// The fixture of tests in which one processor program runs on one bench.
template <class Bench> class bench_run_test : public sim_test {
protected:
    /// Runs `program` on a bench of its own, to the end. The bench stays for questions.
    void run(typename Bench::program_type program) { run(Bench::settings(), std::move(program)); }
    void run(const shell::shell_config& config, typename Bench::program_type program)
    {
        m_bench = std::make_unique<Bench>("bench", std::move(program), config);
        sc_core::sc_start();
        EXPECT_TRUE(m_bench->finished());
    }

    std::unique_ptr<Bench> m_bench;
};
using shell_run_test = bench_run_test<shell_bench>;

/// The same for tests over parameters.
template <class T> class shell_run_test_with_param : public shell_run_test, public ::testing::WithParamInterface<T> {};

} // namespace tensorloom::test
