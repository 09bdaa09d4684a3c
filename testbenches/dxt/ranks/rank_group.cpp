#include "dxt/ranks/rank_group.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>
#include <boost/mpi.hpp>
#include <boost/serialization/vector.hpp>
#include <tensorloom/models/base/values/input_error.h>
#include "dxt/ranks/rank_plan.h"

namespace tensorloom::testbench {

namespace mpi = boost::mpi;

struct rank_group::ranks {
    mpi::environment environment;
    mpi::communicator world;
    mpi::communicator machine;

    // Exceptions end the rank through run_main(), not in the destructor of the environment.
    ranks(int& argc, char**& argv)
        : environment(argc, argv, mpi::threading::funneled, false), machine(of_machine(world))
    {}

    static mpi::communicator of_machine(const mpi::communicator& world)
    {
        MPI_Comm local;
        MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
        return {local, mpi::comm_take_ownership};
    }
};

namespace {

// A box of elements in one array, and where it goes in another one.
struct block_copy {
    isa::mode_sizes size{};
    isa::mode_sizes from_shape{}, from_first{};
    isa::mode_sizes to_shape{}, to_first{};
};

// Whether the box is contiguous in an array of this shape.
bool is_contiguous(const isa::mode_sizes& size, const isa::mode_sizes& shape)
{
    return size[2] == shape[2] && (size[1] == shape[1] || size[0] == 1);
}

std::size_t place_of(const isa::mode_sizes& at, const isa::mode_sizes& shape)
{
    return (std::size_t{at[0]} * shape[1] + at[1]) * shape[2] + at[2];
}

void copy_block(const block_copy& c, std::size_t element_bytes, const unsigned char* from, unsigned char* to)
{
    const bool whole_planes =
        is_contiguous({2, c.size[1], c.size[2]}, c.from_shape) && is_contiguous({2, c.size[1], c.size[2]}, c.to_shape);
    const bool whole_rows = c.size[2] == c.from_shape[2] && c.size[2] == c.to_shape[2];
    const std::uint32_t planes = whole_planes ? 1 : c.size[0], rows = whole_rows ? 1 : c.size[1];
    const std::size_t bytes = element_bytes * c.size[2] * (c.size[1] / rows) * (c.size[0] / planes);
    for (std::uint32_t i = 0; i < planes; ++i) {
        for (std::uint32_t j = 0; j < rows; ++j) {
            const auto source = place_of({c.from_first[0] + i, c.from_first[1] + j, c.from_first[2]}, c.from_shape);
            const auto target = place_of({c.to_first[0] + i, c.to_first[1] + j, c.to_first[2]}, c.to_shape);
            std::memcpy(to + target * element_bytes, from + source * element_bytes, bytes);
        }
    }
}

// A block between two ranks, piece by piece: planes of it, about a MiB or one plane.
class pieces {
public:
    pieces(const block_copy& block, std::size_t element_bytes) : m_block(block), m_element_bytes(element_bytes)
    {
        constexpr std::size_t piece_bytes = 1u << 20;
        const std::size_t plane = element_bytes * block.size[1] * block.size[2];
        m_planes = static_cast<std::uint32_t>(std::clamp<std::size_t>(piece_bytes / std::max<std::size_t>(plane, 1), 1,
                                                                      std::max<std::uint32_t>(block.size[0], 1)));
        m_count = plane == 0 ? 0 : (block.size[0] + m_planes - 1) / m_planes;
    }
    std::uint32_t count() const { return m_count; }
    block_copy piece(std::uint32_t number) const
    {
        block_copy c = m_block;
        const std::uint32_t first = number * m_planes;
        c.size[0] = std::min(m_planes, m_block.size[0] - first);
        c.from_first[0] += first;
        c.to_first[0] += first;
        return c;
    }
    std::size_t bytes(const block_copy& piece) const
    {
        return m_element_bytes * piece.size[0] * piece.size[1] * piece.size[2];
    }

private:
    block_copy m_block;
    std::size_t m_element_bytes;
    std::uint32_t m_planes = 1, m_count = 0;
};

// Waits without spinning for longer than a piece takes if the other rank is there.
template <class Request> void finish(Request first, Request last)
{
    constexpr unsigned looks_at_once = 500;
    for (unsigned looks = 0; !mpi::test_all(first, last); ++looks) {
        if (looks >= looks_at_once) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
    }
}

// What one rank has of a tensor cut along one mode and another one will have of it cut along another mode.
block_copy block_between(const shared_tensor& before, unsigned split, unsigned ranks, unsigned sender,
                         unsigned receiver)
{
    const auto has = range_of(before.whole[before.split], ranks, sender);
    const auto gets = range_of(before.whole[split], ranks, receiver);
    block_copy c;
    c.size = c.from_shape = c.to_shape = before.whole;
    c.size[before.split] = c.from_shape[before.split] = has.size;
    c.size[split] = c.to_shape[split] = gets.size;
    c.from_first[split] = gets.first;
    c.to_first[before.split] = has.first;
    return c;
}

} // namespace

rank_group::rank_group(int& argc, char**& argv) : m_ranks(std::make_unique<ranks>(argc, argv)) {}
rank_group::~rank_group() = default;

unsigned rank_group::rank() const { return static_cast<unsigned>(m_ranks->world.rank()); }
unsigned rank_group::size() const { return static_cast<unsigned>(m_ranks->world.size()); }
unsigned rank_group::of_machine() const { return static_cast<unsigned>(m_ranks->machine.size()); }

void rank_group::wait() const
{
    MPI_Request request;
    MPI_Ibarrier(m_ranks->world, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) { std::this_thread::sleep_for(std::chrono::microseconds(200)); }
    }
}

void rank_group::together(const std::function<void()>& action) const
{
    std::optional<std::string> error;
    try {
        if (action) { action(); }
    } catch (const base::input_error& e) {
        error = e.what();
    }
    wait();
    const int failed =
        mpi::all_reduce(m_ranks->world, error ? m_ranks->world.rank() : m_ranks->world.size(), mpi::minimum<int>());
    if (failed == m_ranks->world.size()) { return; }
    std::string text = error.value_or("");
    mpi::broadcast(m_ranks->world, text, failed);
    throw base::input_error(text);
}

std::vector<std::uint64_t> rank_group::sum(const std::vector<std::uint64_t>& numbers) const
{
    std::vector<std::uint64_t> sums(numbers.size());
    wait();
    if (numbers.empty()) { return sums; }
    mpi::all_reduce(m_ranks->world, numbers.data(), static_cast<int>(numbers.size()), sums.data(),
                    std::plus<std::uint64_t>());
    return sums;
}

std::vector<std::vector<double>> rank_group::gather(const std::vector<double>& numbers) const
{
    std::vector<std::vector<double>> all;
    wait();
    mpi::all_gather(m_ranks->world, numbers, all);
    return all;
}

std::string rank_group::text_of_first(const std::string& text) const
{
    std::string shared = text;
    wait();
    mpi::broadcast(m_ranks->world, shared, 0);
    return shared;
}

std::uint64_t rank_group::cut_again(const shared_tensor& before, unsigned split, std::size_t element_bytes,
                                    const unsigned char* from, unsigned char* to) const
{
    const auto& world = m_ranks->world;
    const unsigned all = size(), me = rank();
    copy_block(block_between(before, split, all, me, me), element_bytes, from, to);
    std::vector<unsigned char> outgoing, incoming;
    std::uint64_t sent = 0;
    for (unsigned turn = 1; turn < all; ++turn) {
        const unsigned target = (me + turn) % all, source = (me + all - turn) % all;
        const pieces out(block_between(before, split, all, me, target), element_bytes);
        const pieces in(block_between(before, split, all, source, me), element_bytes);
        for (std::uint32_t n = 0; n < std::max(out.count(), in.count()); ++n) {
            std::array<mpi::request, 2> requests;
            auto request = requests.begin();
            const bool receives = n < in.count(), sends = n < out.count();
            const block_copy arriving = receives ? in.piece(n) : block_copy{};
            if (receives) {
                incoming.resize(in.bytes(arriving));
                *request++ =
                    world.irecv(static_cast<int>(source), 0, incoming.data(), static_cast<int>(incoming.size()));
            }
            if (sends) {
                block_copy leaving = out.piece(n);
                const std::size_t bytes = out.bytes(leaving);
                const unsigned char* data = from + place_of(leaving.from_first, leaving.from_shape) * element_bytes;
                if (!is_contiguous(leaving.size, leaving.from_shape)) {
                    outgoing.resize(bytes);
                    leaving.to_shape = leaving.size;
                    leaving.to_first = {};
                    copy_block(leaving, element_bytes, from, outgoing.data());
                    data = outgoing.data();
                }
                *request++ = world.isend(static_cast<int>(target), 0, data, static_cast<int>(bytes));
                sent += bytes;
            }
            finish(requests.begin(), request);
            if (receives) {
                block_copy c = arriving;
                c.from_shape = c.size;
                c.from_first = {};
                copy_block(c, element_bytes, incoming.data(), to);
            }
        }
    }
    return sent;
}

void rank_group::abort(int status) const
{
    m_ranks->environment.abort(status);
    std::abort(); // not reached
}

} // namespace tensorloom::testbench
