#include <tensorloom/workloads/step_planner/transfer_schedule.h>
#include <algorithm>
#include <array>

namespace tensorloom::workloads {
namespace {

constexpr unsigned rounds = 3; // until the DMA's turn from one block to the next has settled
// Blocks behind which every further one is taken to need the same time, those of both places on average.
constexpr std::uint64_t settled_blocks = 2048;

struct waiting {
    scheduled_transfer transfer;
    double cycles;
    std::size_t earliest; // command of the engines
    std::size_t wanted;   // behind the body's first command of the next block, for order
};

std::vector<waiting> transfers_of(const loop_body& body)
{
    const std::size_t end = body.cycles.size();
    std::vector<waiting> all;
    for (std::size_t i = 0; i < body.loads.size(); ++i) {
        const auto& m = body.loads[i];
        const std::size_t earliest = m.places > 1 ? 0 : std::min(m.last + 1, end - 1);
        all.push_back({{i, true, 0}, m.cycles, earliest, end + m.first});
    }
    for (std::size_t i = 0; i < body.stores.size(); ++i) {
        const auto& m = body.stores[i];
        const std::size_t earliest = std::min(m.first + 1, end - 1);
        all.push_back({{i, false, 0}, m.cycles, earliest, m.places > 1 ? 2 * end + m.first : end + m.first});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.wanted < y.wanted; });
    return all;
}

// A tensor's place: until when it is written and read.
struct place_times {
    double written = 0, read = 0;
};

// Each as early as it may be: best where transfers take longer than the work.
std::vector<scheduled_transfer> earliest_transfers(const loop_body& body)
{
    std::vector<scheduled_transfer> result;
    for (std::size_t k = 0; k < body.cycles.size(); ++k) {
        for (auto t : transfers_of(body)) {
            if (t.earliest != k) { continue; }
            t.transfer.behind = k;
            result.push_back(t.transfer);
        }
    }
    return result;
}

// Each where it does not hold up the engines.
std::vector<scheduled_transfer> hidden_transfers(const loop_body& body)
{
    std::vector<scheduled_transfer> result;
    double period = 0, carried = 0;
    for (const double c : body.cycles) { period += c; }
    for (unsigned round = 0; round < rounds; ++round) {
        result.clear();
        auto left = transfers_of(body);
        double start = 0, free = carried;
        for (std::size_t k = 0; k < body.cycles.size(); ++k) {
            const double end = start + body.cycles[k];
            const bool last = k + 1 == body.cycles.size();
            for (auto t = left.begin(); t != left.end();) {
                const bool issues = t->earliest <= k && (last || std::max(start, free) < end);
                if (!issues) {
                    ++t;
                    continue;
                }
                free = std::max(start, free) + t->cycles;
                t->transfer.behind = k;
                result.push_back(t->transfer);
                t = left.erase(t);
            }
            start = end;
        }
        carried = std::max(0.0, free - period);
    }
    return result;
}

// Block by block.
double followed_cycles(const loop_body& body, const std::vector<scheduled_transfer>& transfers, std::uint64_t blocks)
{
    std::vector<std::array<place_times, 2>> loads(body.loads.size()), stores(body.stores.size());
    std::vector<double> summed(body.sums.size()); // until when the vector unit reads what a command made
    double issued = 0, engines = 0, dma = 0, vector = 0;
    const auto move = [&](const loop_body::moved_tensor& m, place_times& place, bool is_load) {
        const double begin = std::max({issued, dma, place.written, is_load ? place.read : 0.0});
        issued = begin + 1;
        dma = begin + m.cycles;
        (is_load ? place.written : place.read) = dma;
    };
    const auto at = [](const loop_body::moved_tensor& m, std::uint64_t block) {
        return static_cast<std::size_t>(block % m.places);
    };
    for (std::size_t i = 0; i < loads.size(); ++i) { move(body.loads[i], loads[i][0], true); }
    for (std::uint64_t block = 0; block < blocks; ++block) {
        for (std::size_t k = 0; k < body.cycles.size(); ++k) {
            double begin = std::max(issued, engines);
            for (std::size_t i = 0; i < loads.size(); ++i) {
                const auto& m = body.loads[i];
                if (m.first <= k && k <= m.last) { begin = std::max(begin, loads[i][at(m, block)].written); }
            }
            for (std::size_t i = 0; i < stores.size(); ++i) {
                const auto& m = body.stores[i];
                if (m.first == k) { begin = std::max(begin, stores[i][at(m, block)].read); }
            }
            const bool adds = k < body.sums.size() && body.sums[k] != 0;
            if (adds) { begin = std::max(begin, summed[k]); }
            issued = begin + 1;
            engines = begin + body.cycles[k];
            for (std::size_t i = 0; i < loads.size(); ++i) {
                const auto& m = body.loads[i];
                if (m.first <= k && k <= m.last) { loads[i][at(m, block)].read = engines; }
            }
            for (std::size_t i = 0; i < stores.size(); ++i) {
                const auto& m = body.stores[i];
                if (m.first == k) { stores[i][at(m, block)].written = engines; }
            }
            for (const auto& t : transfers) {
                if (t.behind != k || (t.is_load && block + 1 == blocks)) { continue; }
                const auto& m = t.is_load ? body.loads[t.moved] : body.stores[t.moved];
                auto& places = t.is_load ? loads[t.moved] : stores[t.moved];
                move(m, places[at(m, block + (t.is_load ? 1 : 0))], t.is_load);
            }
            if (!adds) { continue; }
            const double adding = std::max({issued, engines, vector});
            issued = adding + 1;
            vector = summed[k] = adding + body.sums[k];
        }
    }
    return std::max({engines, dma, vector});
}

} // namespace

std::vector<scheduled_transfer> schedule_transfers(const loop_body& body, std::uint64_t blocks)
{
    auto hidden = hidden_transfers(body), earliest = earliest_transfers(body);
    return cycles_of_loop(body, earliest, blocks) < cycles_of_loop(body, hidden, blocks) ? earliest : hidden;
}

double cycles_of_loop(const loop_body& body, const std::vector<scheduled_transfer>& transfers, std::uint64_t blocks)
{
    if (blocks <= 2 * settled_blocks) { return followed_cycles(body, transfers, blocks); }
    const double some = followed_cycles(body, transfers, settled_blocks);
    const double twice = followed_cycles(body, transfers, 2 * settled_blocks);
    const auto further = static_cast<double>(blocks - 2 * settled_blocks);
    return twice + (twice - some) / static_cast<double>(settled_blocks) * further;
}

} // namespace tensorloom::workloads
