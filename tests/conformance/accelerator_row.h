#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include "conformance/accelerator_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {

/// A row of the checklist on a device; checkers in front of its registers and behind its DMA hold whatever a test does.
class accelerator_row : public sim_test_with_param<accelerator_subject> {
protected:
    /// Several benches may live in one test.
    accelerator_bench& add(const std::string& name, const accelerator_options& options = {})
    {
        m_benches.push_back(make_accelerator_bench(name, GetParam(), options));
        return *m_benches.back();
    }
    /// Until nothing happens any more; each program must have come to its end.
    void simulate()
    {
        sc_core::sc_start();
        for (auto& b : m_benches) {
            EXPECT_TRUE(b->finished) << b->name();
            b->expect_no_violation();
        }
    }
    /// One bench that runs a program.
    void run(accelerator_bench::program_type program, const accelerator_options& options = {})
    {
        add("bench", options).program = std::move(program);
        simulate();
    }

    const accelerator_bench& bench(std::size_t number) const
    {
        return *m_benches.at(number);
    } ///< in the order of add()

private:
    std::vector<std::unique_ptr<accelerator_bench>> m_benches;
};

/// Rows of a DMA, by width, and of a block of registers.
class dma_row : public accelerator_row {};
class bank_row : public accelerator_row {};

} // namespace tensorloom::test
