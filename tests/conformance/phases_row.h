#pragma once
#include <memory>
#include <string>
#include <vector>
#include "conformance/target_row.h"

namespace tensorloom::test {

/// Every request has been answered as the model answers it; to be asked when the simulation has ended.
inline void expect_answers_as_in_model(const target_bench& b, byte_model& model)
{
    const auto& q = *b.queue;
    EXPECT_TRUE(q.finished()) << b.name();
    EXPECT_TRUE(q.errors.empty()) << b.name() << ": " << q.errors.front();
    EXPECT_EQ(q.pool.taken, q.pool.freed) << b.name();
    for (unsigned i = 0; i < q.requests.size(); ++i) {
        const auto& request = q.requests[i];
        const auto expected = model.apply(payload(request.command, request.address, request.data), b.base);
        const auto found = q.answers.find(i);
        ASSERT_NE(found, q.answers.end()) << b.name() << ": request " << i << " has no answer";
        EXPECT_EQ(found->second.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(found->second.data, expected) << b.name() << ": request " << i;
        EXPECT_LE(found->second.begin_request, found->second.begin_response);
    }
}

/// A row that needs several subjects in one simulation, each with a queue of requests in phases.
class phases_row : public target_row {
protected:
    // A bench whose queue sends requests; several may live in one test.
    target_bench& add(const std::string& name, target_options options)
    {
        options.with_queue = true;
        m_benches.push_back(make_target_bench(name, GetParam(), options));
        auto& b = *m_benches.back();
        b.before_start = [](target_bench& at_start) { at_start.preload(pattern(target_bench::bytes)); };
        return b;
    }
    void simulate()
    {
        sc_core::sc_start();
        for (auto& b : m_benches) {
            byte_model memory{pattern(target_bench::bytes)};
            expect_answers_as_in_model(*b, memory);
            EXPECT_TRUE(b->contents() == memory.bytes) << b->name();
            b->expect_no_violation();
        }
    }

private:
    std::vector<std::unique_ptr<target_bench>> m_benches;
};

} // namespace tensorloom::test
