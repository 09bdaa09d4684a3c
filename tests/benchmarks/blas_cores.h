#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>
#include "benchmarks/rounds.h"

extern "C" char* openblas_get_corename(void);
extern "C" void openblas_set_num_threads(int);

namespace tensorloom::benchmarks {

// OpenBLAS takes its kernels by the name of the processor, and its oldest on one that it does not know. It takes those
// that OPENBLAS_CORETYPE names when the process starts, so every choice is tried in a process of its own: this program
// again, which then finds one of these variables.
constexpr char blas_core_variable[] = "OPENBLAS_CORETYPE";
constexpr char blas_probe_variable[] = "TENSORLOOM_BLAS_PROBE"; // set: measure, print and end
constexpr char blas_tried_variable[] = "TENSORLOOM_BLAS_TRIED"; // what has been tried, for the line that is printed

/// 10^9 multiply-adds per CPU second of square products, the geometric mean of f64 and f32; the best of some rounds.
inline double blas_speed()
{
    constexpr int n = 192;
    const std::vector<double> a(n * n, 0.5), b(n * n, 0.25);
    const std::vector<float> af(a.begin(), a.end()), bf(b.begin(), b.end());
    std::vector<double> c(n * n);
    std::vector<float> cf(n * n);
    double best[2] = {1e9, 1e9};
    for (unsigned r = 0; r < rounds; ++r) {
        best[0] = std::min(best[0], cpu_seconds_of([&] {
                               cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(),
                                           n, 0, c.data(), n);
                           }));
        best[1] = std::min(best[1], cpu_seconds_of([&] {
                               cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, af.data(), n,
                                           bf.data(), n, 0, cf.data(), n);
                           }));
    }
    return double{n} * n * n / std::sqrt(best[0] * best[1]) / 1e9;
}

/// The kernels that this processor can run, oldest first; a library may lack some.
inline std::vector<std::string> possible_blas_cores()
{
    std::vector<std::string> cores;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const auto add = [&cores](bool possible, const char* name) {
        if (possible) { cores.emplace_back(name); }
    };
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    add(__builtin_cpu_supports("sse3"), "Prescott");
    add(__builtin_cpu_supports("sse4.2"), "Nehalem");
    add(__builtin_cpu_supports("avx"), "Sandybridge");
    add(avx2, "Haswell");
    add(avx2, "Zen");
    add(avx512, "SkylakeX");
    add(avx512 && __builtin_cpu_supports("avx512bf16"), "Cooperlake");
#endif
    return cores;
}

/// The arguments of this process.
inline std::vector<std::string> own_arguments()
{
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string argument; std::getline(file, argument, '\0');) { arguments.push_back(argument); }
    return arguments;
}

[[noreturn]] inline void start_again()
{
    auto arguments = own_arguments();
    std::vector<char*> pointers;
    for (auto& argument : arguments) { pointers.push_back(argument.data()); }
    pointers.push_back(nullptr);
    execv("/proc/self/exe", pointers.data());
    std::_Exit(127);
}

/// The speed of these kernels in a process of its own; nothing if it fails or the library takes others.
inline std::optional<double> speed_of_blas_core(const std::string& core)
{
    int ends[2];
    if (pipe(ends) != 0) { throw std::runtime_error("no pipe for a process with other kernels of OpenBLAS"); }
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) { throw std::runtime_error("no process with other kernels of OpenBLAS"); }
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv(blas_core_variable, core.c_str(), 1);
        setenv(blas_probe_variable, "1", 1);
        start_again();
    }
    close(ends[1]);
    std::string text;
    char piece[256];
    for (ssize_t n; (n = read(ends[0], piece, sizeof piece)) > 0;) { text.append(piece, static_cast<std::size_t>(n)); }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    char taken[64] = "";
    double speed = 0;
    const bool told = std::sscanf(text.c_str(), "%63s %lf", taken, &speed) == 2;
    const bool worked = WIFEXITED(status) && WEXITSTATUS(status) == 0 && told && core == taken;
    return worked ? std::optional(speed) : std::nullopt;
}

/// Called before anything is measured or printed: OpenBLAS with one thread and its fastest kernels on this processor,
/// or those of OPENBLAS_CORETYPE if that is set. May start the program again. Prints their name and returns it.
inline std::string use_fastest_blas()
{
    openblas_set_num_threads(1);
    const std::string taken = openblas_get_corename();
    if (std::getenv(blas_probe_variable) != nullptr) {
        std::printf("%s %.17g\n", taken.c_str(), blas_speed());
        std::fflush(stdout);
        std::_Exit(0);
    }
    const char* const tried = std::getenv(blas_tried_variable);
    if (std::getenv(blas_core_variable) == nullptr) {
        std::string best, text;
        double fastest = 0;
        for (const auto& core : possible_blas_cores()) {
            const auto speed = speed_of_blas_core(core);
            if (!speed) { continue; }
            char rounded[32];
            std::snprintf(rounded, sizeof rounded, "%.1f", *speed);
            text += (text.empty() ? "" : ", ") + core + " " + rounded;
            if (*speed > fastest) {
                fastest = *speed;
                best = core;
            }
        }
        if (!best.empty()) {
            setenv(blas_core_variable, best.c_str(), 1);
            setenv(blas_tried_variable, text.c_str(), 1);
            start_again();
        }
    }
    std::printf("OpenBLAS: %s kernels%s\n", taken.c_str(),
                tried == nullptr ? "" : (std::string(", the fastest of (GMAC/s) ") + tried).c_str());
    std::fflush(stdout);
    return taken;
}

/// The records of a benchmark, each with the kernels of OpenBLAS that it compares with.
inline nlohmann::ordered_json compared_with(const std::string& core, nlohmann::ordered_json records)
{
    for (auto& record : records) { record["openblas_core"] = core; }
    return records;
}

} // namespace tensorloom::benchmarks
