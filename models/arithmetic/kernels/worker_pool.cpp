#include <tensorloom/models/arithmetic/kernels/worker_pool.h>
#include <utility>

namespace tensorloom::arithmetic {

worker_pool::~worker_pool()
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_closing = true;
    }
    m_begin.notify_all();
    for (auto& thread : m_threads) { thread.join(); }
}

void worker_pool::run(std::size_t pieces, const std::function<void(unsigned, std::size_t)>& work)
{
    if (m_workers <= 1 || pieces <= 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece) { work(0, piece); }
        return;
    }
    if (m_round == 0) { start(); }
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_work = &work;
        m_pieces = pieces;
        m_next = 0;
        m_busy = m_threads.size();
        ++m_round;
    }
    m_begin.notify_all();
    take_pieces(0);
    std::unique_lock<std::mutex> lock(m_mutex);
    m_end.wait(lock, [this] { return m_busy == 0; });
    if (m_failure != nullptr) { std::rethrow_exception(std::exchange(m_failure, nullptr)); }
}

void worker_pool::start()
{
    try {
        m_threads.reserve(m_workers - 1);
        for (unsigned worker = 1; worker < m_workers; ++worker) {
            m_threads.emplace_back([this, worker] { serve(worker); });
        }
    } catch (const std::exception&) {
        // No more memory, or no more threads: those that there are do it.
    }
}

void worker_pool::serve(unsigned worker)
{
    std::size_t done = 0; // rounds
    std::unique_lock<std::mutex> lock(m_mutex);
    while (true) {
        m_begin.wait(lock, [&] { return m_closing || m_round != done; });
        if (m_closing) { return; }
        done = m_round;
        lock.unlock();
        take_pieces(worker);
        lock.lock();
        if (--m_busy == 0) { m_end.notify_one(); }
    }
}

void worker_pool::take_pieces(unsigned worker)
{
    try {
        for (std::size_t piece = m_next++; piece < m_pieces; piece = m_next++) { (*m_work)(worker, piece); }
    } catch (...) {
        m_next = m_pieces;
        const std::lock_guard<std::mutex> lock(m_mutex);
        if (m_failure == nullptr) { m_failure = std::current_exception(); }
    }
}

} // namespace tensorloom::arithmetic
