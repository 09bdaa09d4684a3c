#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tensorloom::arithmetic {

/// Threads that share the pieces of a task with the calling thread. They wait without spinning.
class worker_pool {
public:
    /// `workers`: the caller and workers - 1 threads, which start with the first shared task. If the system provides
    /// fewer threads, fewer work.
    explicit worker_pool(unsigned workers) : m_workers(workers) {}
    ~worker_pool();

    unsigned workers() const { return m_workers; }

    /// Calls work(worker, piece) for every piece < pieces, in any order; worker < workers(), 0 is the caller. Returns
    /// at the end. When a piece throws, no further ones start; after all workers have stopped, one of the exceptions is
    /// rethrown.
    void run(std::size_t pieces, const std::function<void(unsigned worker, std::size_t piece)>& work);

private:
    void start();
    void serve(unsigned worker);
    void take_pieces(unsigned worker);

    const unsigned m_workers;
    std::vector<std::thread> m_threads;
    std::mutex m_mutex;
    std::condition_variable m_begin;
    std::condition_variable m_end;
    const std::function<void(unsigned, std::size_t)>* m_work = nullptr;
    std::size_t m_pieces = 0;
    std::atomic<std::size_t> m_next{0};
    std::size_t m_round = 0;      // of work given to the threads so far
    std::size_t m_busy = 0;       // threads that have not finished this round
    std::exception_ptr m_failure; // the first of this round
    bool m_closing = false;
};

} // namespace tensorloom::arithmetic
