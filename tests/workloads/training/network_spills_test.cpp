#include <tensorloom/workloads/training/network_plan.h>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/step_planner/step_places.h>
#include <tensorloom/workloads/step_planner/step_recomputation.h>
#include <tensorloom/workloads/step_planner/step_row_groups.h>
#include <tensorloom/workloads/step_planner/step_schedule.h>
#include <tensorloom/workloads/step_planner/step_spills.h>
#include <tensorloom/workloads/training/model_file.h>

namespace tensorloom::test {
namespace {

using workloads::bus_array;
using workloads::operation_list;
using workloads::step_device;
using workloads::transfer_kind;
using workloads::transfer_operation;

// Traces the origin of the content of each tensor and array in memory, as the names of the operations that made it. Two
// lists of operations are equivalent if everything that they read has the same origin.
class origins {
public:
    explicit origins(const operation_list& step) : m_step(step), m_lifetimes(workloads::lifetimes_of(step)) {}

    // The operations that are not transfers, in order, each with the origins of its operands.
    std::vector<std::string> run()
    {
        follow(0, m_step.operations.size());
        return m_found;
    }

private:
    void follow(std::size_t first, std::size_t end)
    {
        for (std::size_t o = first; o < end; ++o) {
            if (const auto* loop = std::get_if<workloads::loop_operation>(&m_step.operations[o].work)) {
                std::size_t last = o, depth = 0;
                do {
                    depth += std::holds_alternative<workloads::loop_operation>(m_step.operations[last].work) ? 1 : 0;
                    depth -= std::holds_alternative<workloads::end_operation>(m_step.operations[last].work) ? 1 : 0;
                    ++last;
                } while (depth != 0);
                for (std::uint64_t i = 0; i < std::min<std::uint64_t>(loop->count, 2); ++i) {
                    if (loop->kind != workloads::loop_kind::inner) { forget_within(o, last - 1); }
                    follow(o + 1, last - 1);
                }
                o = last - 1;
                continue;
            }
            execute(m_step.operations[o]);
        }
    }

    // An iteration starts without the tensors that are local to it.
    void forget_within(std::size_t first, std::size_t last)
    {
        for (std::size_t t = 0; t < m_lifetimes.size(); ++t) {
            if (first < m_lifetimes[t].first && m_lifetimes[t].last < last) { m_tensors.erase(t); }
        }
    }

    std::string& array(const transfer_operation& t)
    {
        return m_arrays[std::to_string(static_cast<int>(t.place.array)) + " " + std::to_string(t.place.number) + " " +
                        std::to_string(t.place.array == bus_array::region ? 0 : t.offset)];
    }

    void execute(const workloads::step_operation& operation)
    {
        const auto* t = std::get_if<transfer_operation>(&operation.work);
        if (t != nullptr) {
            auto& local = m_tensors[t->local.tensor];
            switch (t->kind) {
            case transfer_kind::load: local = array(*t); break;
            case transfer_kind::store: array(*t) = local; break;
            case transfer_kind::gather:
                local = short_name(operation.what + array(*t) + m_tensors[t->list->tensor]);
                break;
            }
            return;
        }
        std::string read;
        std::vector<std::size_t> written;
        workloads::for_each_part(
            operation, [&](const auto& part) { read += " (" + short_name(m_tensors[part.tensor]) + ")"; },
            [&](const auto& part) { written.push_back(part.tensor); });
        m_found.push_back(operation.what + read);
        // Partly written tensors keep the rest.
        for (const std::size_t tensor : written) {
            auto& holds = m_tensors[tensor];
            holds = short_name(operation.what + read + holds);
        }
    }

    static std::string short_name(const std::string& of) { return std::to_string(std::hash<std::string>()(of)); }

    const operation_list& m_step;
    std::vector<workloads::wanted_place> m_lifetimes;
    std::map<std::size_t, std::string> m_tensors;
    std::map<std::string, std::string> m_arrays;
    std::vector<std::string> m_found;
};

step_device device_of(std::uint32_t bank_bytes)
{
    step_device device;
    device.limits.bank_bytes = bank_bytes;
    return device;
}

std::vector<std::string> sorted(std::vector<std::string> all)
{
    std::sort(all.begin(), all.end());
    return all;
}

// A gather that is repeated has the same origin; a tensor that a gather makes anew has no earlier content.
TEST(network_spills, every_operation_reads_what_it_read_before)
{
    for (const char* name : {"digits-ttm", "digits-encoder", "digits-conv", "sequences-encoder", "digits-lstm"}) {
        const auto model = workloads::load_model(name);
        for (const std::uint32_t bank_bytes : {16384U, 8192U, 4096U}) {
            const auto device = device_of(bank_bytes);
            for (const std::uint64_t block : {8, 4, 2}) {
                const auto contractions = workloads::contractions_of(model, device.limits, device.paths, block);
                workloads::literal_list literals;
                for (const std::uint64_t group : {0, 512}) {
                    const auto step = workloads::operations_of(model, contractions, {true, 2, group}, literals);
                    const auto fitted = workloads::fitted(step, device, device.limits.memory_bytes());
                    if (!fitted) { continue; }
                    EXPECT_TRUE(workloads::find_places(*fitted, device.limits).has_value());
                    const auto expected = origins(step).run();
                    EXPECT_TRUE(origins(*fitted).run() == expected) << name << ", " << bank_bytes << ", " << block;
                    const auto moved = workloads::with_hidden_transfers(*fitted, device).list;
                    EXPECT_TRUE(sorted(origins(moved).run()) == sorted(expected))
                        << name << ", " << bank_bytes << ", " << block;
                    EXPECT_TRUE(workloads::find_places(moved, device.limits).has_value());
                }
            }
        }
    }
}

// What is made again is made of the same values, and what uses it finds the same.
TEST(step_recomputation, tensors_are_made_again_of_the_same_values)
{
    for (const char* name : {"digits-encoder", "sequences-encoder", "digits-ttm"}) {
        const auto model = workloads::load_model(name);
        const auto device = device_of(4096);
        const auto contractions = workloads::contractions_of(model, device.limits, device.paths, 2);
        workloads::literal_list literals;
        const auto step = workloads::operations_of(model, contractions, {true, 2, 512}, literals);
        auto again = workloads::with_recomputation(step, device);
        const std::string prefix = "again ";
        std::size_t made = 0;
        for (auto& operation : again.operations) {
            if (operation.what.rfind(prefix, 0) != 0) { continue; }
            operation.what.erase(0, prefix.size());
            ++made;
        }
        EXPECT_EQ(made, again.operations.size() - step.operations.size());
        EXPECT_GT(made, 0u) << name;
        const auto unique = [](std::vector<std::string> all) {
            all = sorted(std::move(all));
            all.erase(std::unique(all.begin(), all.end()), all.end());
            return all;
        };
        EXPECT_TRUE(unique(origins(again).run()) == unique(origins(step).run())) << name;
    }
}

// Groups of rows together have the elements of the whole, and no group reads what another one makes.
TEST(step_row_groups, groups_have_all_elements)
{
    const auto model = workloads::load_model("digits-encoder");
    const auto device = device_of(4096);
    const auto contractions = workloads::contractions_of(model, device.limits, device.paths, 8);
    workloads::literal_list literals;
    const auto step = workloads::operations_of(model, contractions, {true, 2, 512}, literals);
    const auto groups = workloads::in_row_groups(step, 4, 1024, contractions.block);
    EXPECT_GT(groups.operations.size(), step.operations.size() + 100);
    const auto work_of = [](const operation_list& of) {
        std::map<std::string, std::uint64_t> elements;
        for (const auto& operation : of.operations) {
            if (const auto* v = std::get_if<workloads::vector_operation>(&operation.work)) {
                elements[operation.what] += v->length;
            } else if (const auto* c = std::get_if<workloads::copy_operation>(&operation.work)) {
                elements[operation.what] += c->size[0] * c->size[1] * c->size[2];
            } else {
                ++elements[operation.what];
            }
        }
        return elements;
    };
    EXPECT_TRUE(work_of(groups) == work_of(step));
    std::uint64_t before = 0, after = 0;
    for (const auto& of : workloads::lifetimes_of(step)) { before += of.first <= of.last ? of.bytes : 0; }
    for (const auto& of : workloads::lifetimes_of(groups)) { after += of.first <= of.last ? of.bytes : 0; }
    EXPECT_EQ(after, before);
    // Parts end within their tensors.
    for (const auto& operation : groups.operations) {
        const auto* v = std::get_if<workloads::vector_operation>(&operation.work);
        if (v == nullptr || v->block != 0 || v->result.step != 0) { continue; }
        EXPECT_LE(v->result.offset + v->length, groups.tensors[v->result.tensor].elements) << operation.what;
        EXPECT_LE(v->a ? v->a->offset + v->length : 0, groups.tensors[v->a->tensor].elements) << operation.what;
    }
}

std::size_t spills_of(const char* name, std::uint32_t bank_bytes)
{
    return workloads::plan_network(workloads::load_model(name), device_of(bank_bytes), {}).training.spills.size();
}

TEST(network_spills, what_fits_stays)
{
    EXPECT_EQ(spills_of("digits-ttm", 32768), 0u);
    EXPECT_EQ(spills_of("digits-encoder", 32768), 0u);
    EXPECT_GT(spills_of("digits-encoder", 4096), 10u);
}

// Smaller memories take longer, with blocks of fewer samples if these are faster.
TEST(network_plan, smaller_memories_take_longer)
{
    const auto model = workloads::load_model("digits-tt");
    double before = 0;
    for (const std::uint32_t bank_bytes : {65536U, 32768U, 16384U, 8192U}) {
        const auto plan = workloads::plan_network(model, device_of(bank_bytes), {0, 45, 12});
        EXPECT_GE(plan.estimate.cycles, before) << bank_bytes;
        before = plan.estimate.cycles;
    }
}

TEST(network_plan, a_batch_is_no_worse_than_a_larger_one)
{
    const auto device = device_of(32768);
    auto model = workloads::load_model("digits-ttm");
    double before = 0;
    for (const std::uint64_t batch : {31, 32, 61, 64, 127, 128, 509, 512}) {
        model.batch = batch;
        const double cycles = workloads::plan_network(model, device, {0, 3, 1}).estimate.step_cycles;
        EXPECT_LE(before, 1.001 * cycles) << batch;
        before = cycles;
    }
}

// The Python tests run this model on a device (tests/testbenches/tnn_training/result_test.py).
TEST(network_plan, rows_of_a_matrix_are_multiplied_in_pieces)
{
    const auto model = workloads::parse_model("batch: 224\nlayers:\n  - {format: dense, rows: 2, cols: 8, frames: 8}\n"
                                              "  - {format: dense, rows: 10, cols: 16}\n",
                                              "net.yaml");
    const auto plan = workloads::plan_network(model, device_of(4096), {224, 1, 1});
    EXPECT_EQ(plan.contractions.blocks, 1u);
    EXPECT_EQ(plan.contractions.layers[0].maps[0].pieces, 2u);
    EXPECT_EQ(plan.contractions.layers[1].maps[0].pieces, 1u);
}

// A matrix that takes more than an eighth of the memory is in parts of at most a sixteenth.
TEST(network_plan, large_matrices_are_in_parts_of_their_outputs)
{
    const auto model = workloads::parse_model("batch: 6\nlayers:\n  - {name: a, format: dense, rows: 96, cols: 50}\n"
                                              "  - {name: b, kind: lstm, frames: 4, features: 24, hidden: 48}\n",
                                              "net.yaml");
    const auto device = device_of(4096);
    const auto plan = workloads::plan_network(model, device, {0, 1, 1});
    const auto& all = plan.contractions;
    const auto& large = all.layers[0].maps[0];
    EXPECT_EQ(large.parts(), 3u); // 4,800 elements of 32,768: 2,048 at most
    EXPECT_TRUE(large.graph_of_bias.has_value());
    EXPECT_EQ(all.layers[1].maps[0].parts(), 3u); // 192 x 24
    EXPECT_EQ(all.layers[1].maps[1].parts(), 6u); // 192 x 48
    std::vector<std::string> names;
    workloads::parameter_values whole;
    float next = 0;
    for (const auto& p : all.parameters) {
        if (p.part == 0) {
            names.push_back(p.name);
            whole.emplace_back();
        }
        for (std::uint64_t v = 0; v < p.values; ++v) { whole.back().push_back(++next); }
        EXPECT_EQ(p.values * p.parts,
                  p.is_core ? all.graphs[p.lies_as->graph].graph.elements(p.lies_as->tensor) * p.parts : p.values);
    }
    EXPECT_EQ(names.size(), 5u); // three matrices and two biases
    const auto parts = all.in_parts(whole);
    ASSERT_EQ(parts.size(), all.parameters.size());
    EXPECT_EQ(parts[1].front(), 1601.0f); // of the second part: row 32
    EXPECT_EQ(all.in_whole(parts), whole);
}

// The weights of h and what the frames need do not fit at the same time.
TEST(network_plan, loops_are_written_out_where_they_do_not_fit)
{
    const auto model =
        workloads::parse_model("batch: 4\nlayers:\n  - {kind: lstm, frames: 3, features: 8, hidden: 96}\n", "net.yaml");
    const auto device = device_of(4096);
    const auto plan = workloads::plan_network(model, device, {4, 1, 1});
    const auto loops = workloads::loops_of(plan.training);
    EXPECT_TRUE(
        std::none_of(loops.begin(), loops.end(), [](const auto& l) { return l.kind == workloads::loop_kind::inner; }));
    workloads::literal_list literals;
    const auto step = workloads::operations_of(model, plan.contractions, {true, 2, 512}, literals);
    const auto straight = workloads::unrolled(step);
    const auto fitted = workloads::fitted(straight, device, device.limits.memory_bytes());
    ASSERT_TRUE(fitted.has_value());
    EXPECT_TRUE(origins(*fitted).run() == origins(straight).run());
    std::size_t in_loops = 0, contractions = 0;
    for (const auto& l : workloads::loops_of(step)) {
        if (l.kind == workloads::loop_kind::inner) {
            in_loops += (l.range.last - l.range.first - 1) * (l.count - 1) - 2;
        }
    }
    EXPECT_EQ(straight.operations.size(), step.operations.size() + in_loops);
    // Parts in an iteration are those that the loop reaches.
    for (const auto& operation : straight.operations) {
        if (!std::holds_alternative<workloads::contract_operation>(operation.work)) { continue; }
        ++contractions;
        workloads::for_each_part(
            operation, [](const auto& part) { EXPECT_EQ(part.step, 0); },
            [](const auto& part) { EXPECT_EQ(part.step, 0); });
    }
    EXPECT_GT(contractions, 2 * 3u * plan.contractions.layers[0].maps[1].parts());
}

TEST(network_plan, refuses_a_sample_that_does_not_fit)
{
    const auto model = workloads::parse_model("layers:\n  - {format: dense, rows: 2048, cols: 2048}\n", "net.yaml");
    EXPECT_THROW(workloads::plan_network(model, device_of(4096), {}), base::input_error);
}

} // namespace
} // namespace tensorloom::test
