#include <tensorloom/workloads/training/network_operations.h>
#include <map>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_file.h>

namespace tensorloom::test {
namespace {

using isa::vector::opcode;
using workloads::contract_operation;
using workloads::network_step;
using workloads::step_phase;
using workloads::vector_operation;

struct planned_operations {
    explicit planned_operations(workloads::model_description of)
        : model(std::move(of)), contractions(workloads::contractions_of(model, fetta::device_limits{})),
          training(workloads::operations_of(model, contractions, {}, literals)),
          test(workloads::operations_of(model, contractions, {false}, literals))
    {}
    workloads::model_description model;
    workloads::model_contractions contractions;
    workloads::literal_list literals;
    network_step training, test;
};

planned_operations shipped(const char* name) { return planned_operations(workloads::load_model(name)); }

// Layers and settings that no shipped model has.
planned_operations of_more_layers()
{
    return planned_operations(workloads::parse_model(
        "batch: 8\noptimizer: {kind: adamw, weight_decay: 0.1, clip_norm: 1, warm_up: 3}\nlayers:\n"
        "  - {kind: pool, height: 8, width: 8, kernel: 2x2}\n"
        "  - {kind: convolution, height: 4, width: 4, kernel: 1x1, format: dense, rows: 4, cols: 1}\n"
        "  - {kind: pool, height: 4, width: 4, channels: 4, kernel: 3x3, stride: 1, padding: 1}\n"
        "  - {kind: residual, layers: [{kind: norm, frames: 16}, {kind: dropout}, {format: dense, rows: 4, cols: 4, "
        "frames: 16}]}\n"
        "  - {kind: pool, height: 4, width: 4, channels: 4, kernel: global, function: average}\n"
        "  - {format: dense, rows: 10, cols: 4}\n",
        "net.yaml"));
}

std::size_t contracts_in(const network_step& step, step_phase phase)
{
    std::size_t count = 0;
    for (const auto& o : step.operations) {
        count += o.phase == phase && std::holds_alternative<contract_operation>(o.work) ? 1 : 0;
    }
    return count;
}

// What each operation reads and what it writes.
template <class Read, class Write> void visit(const network_step& step, const Read& read, const Write& write)
{
    for (const auto& operation : step.operations) {
        workloads::for_each_part(
            operation, [&](const auto& part) { read(operation, part.tensor); },
            [&](const auto& part) { write(operation, part.tensor); });
    }
}

TEST(step_operations, nothing_is_read_before_it_is_written)
{
    for (const char* name : {"digits-dense", "digits-ttm", "digits-tt", "digits-encoder", "digits-conv", "digits-lstm",
                             "sequences-conv", "more"}) {
        const auto plan = name == std::string("more") ? of_more_layers() : shipped(name);
        for (const auto* step : {&plan.training, &plan.test}) {
            std::set<std::size_t> there;
            visit(
                *step,
                [&](const auto& operation, std::size_t t) {
                    EXPECT_TRUE(there.count(t)) << operation.what << " reads " << step->tensors[t].name;
                },
                [&](const auto& /*operation*/, std::size_t t) { there.insert(t); });
            EXPECT_TRUE(there.count(step->metrics));
        }
    }
}

// Of a loop over frames every iteration.
TEST(step_operations, parts_lie_within_their_tensors)
{
    for (const char* layer : {"kind: lstm, frames: 8, features: 8, hidden: 16",
                              "kind: lstm, frames: 8, features: 8, hidden: 16, output: all",
                              "kind: lstm, frames: 8, features: 8, hidden: 16, bias: false, hidden_weights: {format: "
                              "ttm, rows: 8x8, cols: 4x4, ranks: 3}"}) {
        const auto model = workloads::parse_model("layers:\n  - {" + std::string(layer) + "}\n", "net.yaml");
        const planned_operations plan(model);
        for (const auto* step : {&plan.training, &plan.test}) {
            std::uint64_t count = 1;
            std::size_t loops = 0, stepping = 0;
            for (const auto& operation : step->operations) {
                const auto* loop = std::get_if<workloads::loop_operation>(&operation.work);
                if (loop != nullptr && loop->kind == workloads::loop_kind::inner) {
                    EXPECT_EQ(count, 1u) << "loops nest";
                    count = loop->count;
                    ++loops;
                }
                if (std::holds_alternative<workloads::end_operation>(operation.work)) { count = 1; }
                const auto lies_within = [&](const workloads::tensor_part& part) {
                    const auto first = static_cast<std::int64_t>(part.offset),
                               last = first + static_cast<std::int64_t>(count - 1) * part.step,
                               elements = static_cast<std::int64_t>(step->tensors[part.tensor].elements);
                    EXPECT_TRUE(first >= 0 && last >= 0 && first < elements && last < elements) << operation.what;
                    EXPECT_TRUE(part.step == 0 || count > 1) << operation.what;
                    stepping += part.step != 0 ? 1 : 0;
                };
                workloads::for_each_part(operation, lies_within, lies_within);
            }
            EXPECT_EQ(loops, step == &plan.training ? 2u : 1u);
            EXPECT_GT(stepping, 10u);
        }
    }
}

TEST(step_operations, a_step_that_is_no_training_changes_nothing_that_stays)
{
    const auto plan = shipped("digits-tt");
    for (const auto& group : plan.test.groups) { EXPECT_TRUE(group.moments.empty()); }
    for (const auto& operation : plan.test.operations) {
        const auto* t = std::get_if<workloads::transfer_operation>(&operation.work);
        const bool stores = t != nullptr && t->kind == workloads::transfer_kind::store;
        EXPECT_TRUE(!stores || t->place.array == workloads::bus_array::metrics) << operation.what;
        EXPECT_NE(operation.phase, step_phase::bp) << operation.what;
        EXPECT_NE(operation.phase, step_phase::wg) << operation.what;
    }
}

// Forward a product per layer; back dX of all but the first, dW of each and the sum of each bias.
TEST(step_operations, contractions_of_dense_layers)
{
    const auto plan = shipped("digits-dense");
    EXPECT_EQ(contracts_in(plan.test, step_phase::fp), 2u);
    EXPECT_EQ(contracts_in(plan.training, step_phase::fp), 2u);
    EXPECT_EQ(contracts_in(plan.training, step_phase::bp), 1u);
    EXPECT_EQ(contracts_in(plan.training, step_phase::wg), 4u);
    EXPECT_EQ(contracts_in(plan.training, step_phase::update), 0u);
}

// Each of the forward contractions of a layer makes two more, without the one that would make dX of the first layer.
TEST(step_operations, contractions_of_reverse_mode)
{
    for (const char* name : {"digits-ttm", "digits-tt"}) {
        const auto plan = shipped(name);
        std::size_t biases = 0;
        for (const auto& layer : plan.model.layers) {
            biases += std::get<workloads::linear_layer>(layer.what).map.bias ? 1 : 0;
        }
        const auto forward = contracts_in(plan.training, step_phase::fp);
        const auto back = contracts_in(plan.training, step_phase::bp) + contracts_in(plan.training, step_phase::wg);
        EXPECT_EQ(back, 2 * forward - 1 + biases) << name;
    }
}

TEST(step_operations, parameters_lie_behind_one_another)
{
    for (const char* name :
         {"digits-dense", "digits-ttm", "digits-tt", "digits-encoder", "digits-conv", "sequences-conv"}) {
        const auto plan = shipped(name);
        std::map<std::uint64_t, std::uint64_t> order; // ends by offset
        std::uint64_t end = 0, elements = 0;
        for (const auto& parameter : plan.contractions.parameters) {
            EXPECT_EQ(parameter.offset % 64, 0u) << parameter.name; // a row of 4 elements in each of 16 banks
            EXPECT_TRUE(order.emplace(parameter.offset, parameter.end()).second) << parameter.name;
            elements += parameter.elements;
        }
        for (const auto& [offset, behind] : order) {
            EXPECT_GE(offset, end) << name;
            end = behind;
        }
        EXPECT_LE(end, plan.contractions.parameter_elements);
        EXPECT_GE(elements, plan.model.parameters());
        ASSERT_EQ(plan.training.groups.size(), 1u);
        const auto& group = plan.training.groups.front();
        for (const auto tensor : {group.masters, group.copies, group.gradients}) {
            EXPECT_EQ(plan.training.tensors[tensor].elements, plan.contractions.parameter_elements);
        }
    }
}

using workloads::transfer_kind;

std::size_t transfers_in(const network_step& step, transfer_kind kind)
{
    std::size_t count = 0;
    for (const auto& o : step.operations) {
        const auto* t = std::get_if<workloads::transfer_operation>(&o.work);
        const bool is_of_region = t != nullptr && t->place.array == workloads::bus_array::region;
        count += is_of_region && t->kind == kind ? 1 : 0;
    }
    return count;
}

std::size_t scatters_in(const network_step& step)
{
    std::size_t count = 0;
    for (const auto& o : step.operations) {
        const auto* v = std::get_if<vector_operation>(&o.work);
        count += v != nullptr && v->code == opcode::scatter_add ? 1 : 0;
    }
    return count;
}

// The table is stored and rows are gathered; a picture is stored and patches are loaded where the model says so. The
// first layer has no gradient to pass on.
TEST(step_operations, transfers_of_convolutions_and_embeddings)
{
    const auto digits = shipped("digits-conv"), sequences = shipped("sequences-conv");
    auto model = workloads::load_model("digits-conv");
    std::get<workloads::convolution_layer>(model.layers[1].what).patches_from = workloads::patch_source::bus;
    const planned_operations by_bus(model);
    for (const auto* step : {&digits.training, &digits.test}) {
        EXPECT_EQ(transfers_in(*step, transfer_kind::store) + transfers_in(*step, transfer_kind::load), 0u);
    }
    for (const auto* step : {&by_bus.training, &by_bus.test}) {
        EXPECT_EQ(transfers_in(*step, transfer_kind::store), 1u);
        EXPECT_EQ(transfers_in(*step, transfer_kind::load), 1u);
        EXPECT_EQ(transfers_in(*step, transfer_kind::gather), 0u);
    }
    for (const auto* step : {&sequences.training, &sequences.test}) {
        EXPECT_EQ(transfers_in(*step, transfer_kind::store), 1u);
        EXPECT_EQ(transfers_in(*step, transfer_kind::load), 0u);
        EXPECT_EQ(transfers_in(*step, transfer_kind::gather), 1u);
    }
    EXPECT_EQ(scatters_in(digits.training), 1u);    // dX of the second
    EXPECT_EQ(scatters_in(sequences.training), 2u); // dX of the convolution, rows of the table
    EXPECT_EQ(scatters_in(digits.test), 0u);
}

// What each loss adds, and that nothing is read before it is written.
TEST(step_operations, losses_of_targets)
{
    for (const char* loss : {"mse", "l1", "huber"}) {
        for (const char* outputs : {"1", "3"}) {
            const planned_operations plan(workloads::parse_model(
                "loss: " + std::string(loss) + "\nlayers: [{format: dense, rows: " + outputs + ", cols: 6}]\n",
                "net.yaml"));
            for (const auto* step : {&plan.training, &plan.test}) {
                std::set<std::size_t> there;
                std::set<std::uint64_t> metrics;
                for (const auto& operation : step->operations) {
                    workloads::for_each_part(
                        operation, [&](const auto& part) { EXPECT_TRUE(there.count(part.tensor)) << operation.what; },
                        [&](const auto& part) {
                            there.insert(part.tensor);
                            if (part.tensor == step->metrics) { metrics.insert(part.offset); }
                        });
                }
                EXPECT_EQ(metrics, (std::set<std::uint64_t>{0, 1, 2})) << loss;
            }
            std::map<opcode, unsigned> found;
            for (const auto& o : plan.training.operations) {
                if (const auto* v = std::get_if<vector_operation>(&o.work)) { ++found[v->code]; }
            }
            EXPECT_EQ(found[opcode::exp] + found[opcode::log], 0u) << loss;
            EXPECT_EQ(found[opcode::min], loss == std::string("huber") ? 1u : 0u);
            EXPECT_EQ(found[opcode::relu_gradient], loss == std::string("l1") ? 2u : 0u);
        }
    }
}

// Masks are made in both passes of training alone; the first layer that passes no gradient on is the convolution.
TEST(step_operations, work_of_more_layers)
{
    const auto plan = of_more_layers();
    const auto count = [](const network_step& step, opcode code) {
        std::size_t found = 0;
        for (const auto& o : step.operations) {
            const auto* v = std::get_if<vector_operation>(&o.work);
            found += v != nullptr && v->code == code ? 1 : 0;
        }
        return found;
    };
    EXPECT_EQ(count(plan.training, opcode::random_mask), 2u);
    EXPECT_EQ(count(plan.test, opcode::random_mask), 0u);
    EXPECT_EQ(count(plan.test, opcode::max), 3u + 8u);
    EXPECT_EQ(count(plan.training, opcode::max), 3u + 8u);
    EXPECT_EQ(scatters_in(plan.training), 9u); // taps of the pool whose positions overlap
    EXPECT_EQ(count(plan.training, opcode::min), 1u);
    const auto listed = [](const planned_operations& of) { return of.training.tensors[of.training.list].elements; };
    EXPECT_EQ(listed(plan), 8u + 1u + 2u); // samples, factor on the rate, key and first number of the masks
    EXPECT_EQ(listed(shipped("digits-ttm")), 32u);
}

// Of the sums of squares the order is that of the parameters, each of which is a sum of its own.
TEST(step_operations, the_norm_of_all_gradients_has_no_groups)
{
    const auto plan = of_more_layers();
    const auto sums_of = [&](std::uint64_t group_elements, std::uint64_t groups) {
        workloads::literal_list literals;
        const auto step = workloads::operations_of(plan.model, plan.contractions, {true, 1, group_elements}, literals);
        EXPECT_EQ(step.groups.size(), groups);
        std::vector<std::pair<std::string, std::uint64_t>> sums;
        for (const auto& o : step.operations) {
            const auto* v = std::get_if<vector_operation>(&o.work);
            const bool is_sum = v != nullptr && v->code == opcode::sum_block && o.phase == step_phase::update;
            if (is_sum) { sums.emplace_back(o.what, v->length); }
        }
        return sums;
    };
    const auto sums = sums_of(0, 1);
    ASSERT_EQ(sums.size(), plan.contractions.parameters.size());
    for (std::size_t p = 0; p < sums.size(); ++p) {
        const auto& parameter = plan.contractions.parameters[p];
        EXPECT_EQ(sums[p].second, parameter.elements);
        EXPECT_NE(sums[p].first.find(parameter.name), std::string::npos) << sums[p].first;
    }
    EXPECT_EQ(sums_of(1, sums.size()), sums);
}

TEST(step_operations, activations_and_their_gradients)
{
    const std::pair<const char*, opcode> expected[] = {
        {"relu", opcode::relu}, {"sigmoid", opcode::sigmoid}, {"tanh", opcode::tanh}};
    for (const auto& [name, code] : expected) {
        const planned_operations plan(
            workloads::parse_model("layers:\n  - {format: dense, rows: 16, cols: 64, activation: " + std::string(name) +
                                       "}\n  - {format: dense, rows: 10, cols: 16}\n",
                                   "net.yaml"));
        std::map<opcode, unsigned> found;
        for (const auto& o : plan.test.operations) {
            if (const auto* v = std::get_if<vector_operation>(&o.work)) { ++found[v->code]; }
        }
        for (const auto& other : expected) { EXPECT_EQ(found[other.second], other.second == code ? 1u : 0u) << name; }
        EXPECT_EQ(found[opcode::exp], 1u);
        EXPECT_EQ(found[opcode::log], 1u);
        EXPECT_EQ(found[opcode::div], 0u); // softmax is of the backward pass
    }
}

} // namespace
} // namespace tensorloom::test
