#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>

namespace tensorloom::testbench {

/// A tensor that every rank holds a slab of, cut along a mode into the parts of range_of().
struct shared_tensor {
    isa::mode_sizes whole{};
    unsigned split = 0;
};

/// The ranks of a run: processes that MPI started together. Collective calls, all but rank(), size(), of_machine() and
/// abort(), are made by every rank in the same order.
///
/// A rank that waits for others sleeps between looks, so that its CPU time is that of its own work.
class rank_group {
public:
    rank_group(int& argc, char**& argv); ///< joins the ranks; once per process
    ~rank_group();
    rank_group(const rank_group&) = delete;
    rank_group& operator=(const rank_group&) = delete;

    unsigned rank() const;
    unsigned size() const;
    unsigned of_machine() const; ///< ranks on this machine

    void wait() const; ///< for all
    /// Does something on every rank. Throws base::input_error on all of them if it throws that on any: the error of the
    /// lowest rank. Without an action: only whether others failed.
    void together(const std::function<void()>& action = {}) const;

    std::vector<std::uint64_t> sum(const std::vector<std::uint64_t>& numbers) const;   ///< on every rank
    std::vector<std::vector<double>> gather(const std::vector<double>& numbers) const; ///< of all, on every rank
    std::string text_of_first(const std::string& text) const;                          ///< the text of rank 0

    /// Cuts a tensor along another mode: every rank sends every other one a block, in turns of at most a few MiB, and
    /// copies what stays with it. Returns the bytes that this rank has sent.
    std::uint64_t cut_again(const shared_tensor& before, unsigned split, std::size_t element_bytes,
                            const unsigned char* from, unsigned char* to) const;

    /// Ends all ranks with this status.
    [[noreturn]] void abort(int status) const;

private:
    struct ranks;
    std::unique_ptr<ranks> m_ranks;
};

} // namespace tensorloom::testbench
