#pragma once
#include <memory>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include "conformance/target_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {

/// What a memory of 64 KiB does, in the words of the tests: one byte at a time.
struct byte_model {
    std::vector<unsigned char> bytes;

    /// The buffer of the transaction afterwards.
    std::vector<unsigned char> apply(const payload& t, std::uint64_t base)
    {
        auto data = t.data;
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (!t.enables.empty() && t.enables[i % t.enables.size()] == 0) { continue; }
            auto& cell = bytes.at(t.get_address() - base + i % t.get_streaming_width());
            if (t.is_write()) { cell = data[i]; }
            if (t.is_read()) { data[i] = cell; }
        }
        return data;
    }
};

/// A row of the checklist on a memory, with or without a router, at any width. Checkers in front and behind hold
/// whatever a test does.
class target_row : public sim_test_with_param<target_subject> {
protected:
    void build(const target_options& options = {})
    {
        m_bench = make_target_bench("bench", GetParam(), options);
        model.bytes = pattern(target_bench::bytes);
    }
    target_bench& bench() { return *m_bench; }

    /// Runs the program in a thread, on a memory that holds the model's bytes.
    void run(std::function<void(target_bench&)> program)
    {
        if (!m_bench) { build(); }
        bench().program = [this, program = std::move(program)](target_bench& b) {
            b.preload(model.bytes);
            program(b);
        };
        sc_core::sc_start();
        EXPECT_TRUE(bench().finished);
        bench().expect_no_violation();
    }

    /// A blocking access that must succeed, as in the model.
    void expect_as_in_model(payload& t, const char* what = "")
    {
        const auto expected = model.apply(t, bench().base);
        bench().send(t);
        EXPECT_EQ(t.get_response_status(), tlm::TLM_OK_RESPONSE) << what << " at " << t.get_address();
        EXPECT_EQ(t.data, expected) << what << " at " << t.get_address();
    }
    /// A blocking access that must fail and change nothing; the next one succeeds.
    void expect_check_error(payload& t, tlm::tlm_response_status status, const char* what)
    {
        const auto before = t.data;
        bench().send(t);
        EXPECT_EQ(t.get_response_status(), status) << what;
        EXPECT_FALSE(t.is_dmi_allowed()) << what;
        EXPECT_EQ(t.data, before) << what;
        auto alive = reading(bench().base, 4);
        expect_as_in_model(alive, what);
    }
    /// The whole memory is as in the model.
    void expect_contents_as_in_model() { EXPECT_TRUE(bench().contents() == model.bytes); }

    byte_model model;

private:
    std::unique_ptr<target_bench> m_bench;
};

/// A row that a DRAM has not: it is never read-only.
class sram_row : public target_row {};

/// A row of which a memory alone has nothing.
class routed_row : public target_row {};

} // namespace tensorloom::test
