// Every piece of a piece of work is done once, by a worker that there is, however many threads and pieces; and what
// happens when one throws, or when the system gives no more threads.
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <tensorloom/models/arithmetic/kernels/worker_pool.h>

namespace tensorloom::test {
namespace {

TEST(worker_pool_test, every_piece_is_done_once)
{
    for (unsigned workers = 1; workers <= 4; ++workers) {
        arithmetic::worker_pool pool(workers);
        for (std::size_t pieces = 0; pieces < 200; ++pieces) {
            std::vector<std::atomic<unsigned>> done(pieces);
            std::atomic<unsigned> strangers{0};
            pool.run(pieces, [&](unsigned worker, std::size_t piece) {
                ++done[piece];
                strangers += worker >= workers ? 1 : 0;
            });
            for (const auto& times : done) { ASSERT_EQ(times, 1u); }
            ASSERT_EQ(strangers, 0u);
        }
    }
}

TEST(worker_pool_test, no_two_threads_are_the_same_worker_at_once)
{
    arithmetic::worker_pool pool(4);
    std::vector<std::atomic<unsigned>> inside(4);
    std::atomic<unsigned> clashes{0};
    for (unsigned round = 0; round < 200; ++round) {
        pool.run(50, [&](unsigned worker, std::size_t) {
            clashes += inside[worker]++ != 0 ? 1 : 0;
            --inside[worker];
        });
    }
    EXPECT_EQ(clashes, 0u);
}

/// Work of which one piece throws, in the caller or in another worker; all workers are at it by then.
void expect_thrown(bool in_the_caller)
{
    constexpr unsigned workers = 3;
    arithmetic::worker_pool pool(workers);
    for (unsigned round = 0; round < 50; ++round) {
        std::atomic<unsigned> begun{0};
        std::atomic<bool> thrown{false};
        std::atomic<unsigned> inside{0};
        const auto work = [&](unsigned worker, std::size_t) {
            ++inside;
            ++begun;
            while (begun < workers) { std::this_thread::yield(); }
            if (worker == (in_the_caller ? 0u : 1u) && !thrown.exchange(true)) {
                --inside;
                throw std::runtime_error("no room");
            }
            std::this_thread::yield();
            --inside;
        };
        EXPECT_THROW(pool.run(40, work), std::runtime_error);
        ASSERT_EQ(inside, 0u) << "someone still works";
        std::atomic<unsigned> done{0};
        pool.run(40, [&](unsigned, std::size_t) { ++done; });
        ASSERT_EQ(done, 40u) << "the next work";
    }
}

TEST(worker_pool_test, what_the_callers_piece_throws_comes_out_when_all_have_stopped) { expect_thrown(true); }

TEST(worker_pool_test, what_another_workers_piece_throws_comes_out_when_all_have_stopped) { expect_thrown(false); }

/// While it lives, the process gets only so many bytes more of address space than it has.
class address_space_limit {
public:
    explicit address_space_limit(rlim_t more)
    {
        getrlimit(RLIMIT_AS, &m_before);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit now = m_before;
        now.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
        setrlimit(RLIMIT_AS, &now);
    }
    ~address_space_limit() { setrlimit(RLIMIT_AS, &m_before); }

private:
    rlimit m_before{};
};

TEST(worker_pool_test, with_fewer_threads_than_asked_for_the_work_is_done_all_the_same)
{
    constexpr unsigned workers = 500; // whose stacks do not fit
    arithmetic::worker_pool pool(workers);
    const address_space_limit limit(64 << 20);
    for (unsigned round = 0; round < 20; ++round) {
        std::atomic<unsigned> done{0};
        pool.run(1000, [&](unsigned, std::size_t) { ++done; });
        ASSERT_EQ(done, 1000u);
    }
    EXPECT_THROW(std::thread([] {}).join(), std::system_error) << "the pool got all the threads that it asked for";
}

TEST(worker_pool_test, a_pool_that_never_worked_goes_away) { arithmetic::worker_pool pool(3); }

} // namespace
} // namespace tensorloom::test
