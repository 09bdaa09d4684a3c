#pragma once
#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

namespace tensorloom::benchmarks {

constexpr unsigned rounds = 15; // whose median is taken, at least

inline double seconds_of(clockid_t clock)
{
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU seconds of this process so far.
inline double cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
/// CPU seconds of the calling thread so far.
inline double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
inline double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Times of something and of its reference, taken in turns, so that noise of the machine meets both alike.
struct paired_times {
    std::vector<double> reference_s;
    std::vector<double> measured_s;

    void add(double reference, double measured)
    {
        reference_s.push_back(reference);
        measured_s.push_back(measured);
    }

    /// Median over the rounds of reference / measured: above 1, the measured thing is faster.
    double speed_ratio() const
    {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < measured_s.size(); ++i) { ratios.push_back(reference_s[i] / measured_s[i]); }
        return median(std::move(ratios));
    }
};

/// CPU seconds that a piece of work takes.
template <class Work> double cpu_seconds_of(const Work& work)
{
    const double begin = cpu_seconds();
    work();
    return cpu_seconds() - begin;
}

/// The times of every round.
template <class Work> std::vector<double> times_of(const Work& work)
{
    std::vector<double> times;
    for (unsigned r = 0; r < rounds; ++r) { times.push_back(cpu_seconds_of(work)); }
    return times;
}

/// Likewise, of both in turns; each is done `calls` times in a round.
template <class Reference, class Measured>
paired_times times_in_turns(unsigned calls, const Reference& reference, const Measured& measured)
{
    const auto repeated = [calls](const auto& work) {
        return cpu_seconds_of([&] {
            for (unsigned i = 0; i < calls; ++i) { work(); }
        });
    };
    paired_times times;
    for (unsigned r = 0; r < rounds; ++r) {
        const double reference_s = repeated(reference);
        times.add(reference_s, repeated(measured));
    }
    return times;
}

} // namespace tensorloom::benchmarks
