#include <tensorloom/workloads/training/training_run.h>
#include <algorithm>
#include <cstring>
#include <sstream>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/training/step_words.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

constexpr float one = 1;

std::vector<float> in_memory(const model_contractions& contractions, const parameter_values& whole)
{
    std::vector<float> memory(contractions.parameter_elements, 0.0f);
    const auto values = contractions.in_parts(whole);
    for (std::size_t p = 0; p < values.size(); ++p) {
        const auto places = contractions.places_of(contractions.parameters[p]);
        for (std::size_t e = 0; e < places.size(); ++e) { memory[places[e]] = values[p][e]; }
    }
    return memory;
}

} // namespace

training_state initial_state(const model_description& model, std::uint64_t seed)
{
    training_state state;
    state.seed = seed;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        constexpr std::uint64_t apart = 1000; // seeds of layers
        for (auto& values : of_kind(model.layers[l], [&](const auto& kind) {
                 return kind.initial_values(seed * apart * apart + l * apart);
             })) {
            state.masters.push_back(std::move(values));
        }
    }
    auto zeros = state.masters;
    for (auto& values : zeros) { std::fill(values.begin(), values.end(), 0.0f); }
    state.moments.assign(moments_of(model.optimizer.kind), zeros);
    const auto set = [&](step_constant c, float value) { state.constants[static_cast<std::size_t>(c)] = value; };
    set(step_constant::minus_rate, -model.optimizer.rate);
    set(step_constant::first_power, one);
    set(step_constant::second_power, one);
    return state;
}

namespace {

// What a state must be of. The number of epochs may grow.
std::string identity_of(const model_description& model, std::uint64_t seed)
{
    std::ostringstream text;
    const auto& o = model.optimizer;
    text << std::hexfloat << sample_set_values[static_cast<std::size_t>(model.data)].name << model.data_digest << ' '
         << loss_values[static_cast<std::size_t>(model.loss.kind)].name << ' ' << model.loss.delta << ' ' << model.batch
         << ' ' << static_cast<unsigned>(o.kind) << ' ' << o.rate << ' ' << o.momentum << ' ' << o.first_decay << ' '
         << o.second_decay << ' ' << o.epsilon << ' ' << o.rate_decay << ' ' << seed << '\n';
    const auto set = [&](bool is_set, const char* name, const auto&... of) {
        if (is_set) { ((text << name) << ... << of) << '\n'; }
    };
    set(model.validation != 0, "validation ", model.validation);
    set(o.weight_decay != 0, "weight_decay ", o.weight_decay);
    set(o.clip_norm != 0, "clip_norm ", o.clip_norm);
    set(o.warm_up != 0, "warm_up ", o.warm_up);
    set(o.schedule == rate_schedule::step, "step ", o.step_epochs, ' ', o.step_factor);
    set(o.schedule == rate_schedule::cosine, "cosine ", o.least_rate, ' ', model.cosine_epochs());
    for (const auto& layer : model.layers) { text << text_of(layer) << '\n'; }
    return text.str();
}

std::uint32_t bits_of(float value)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

float value_of(std::uint32_t bits)
{
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

std::uint64_t bits_of(double value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

double double_of(std::uint64_t bits)
{
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

constexpr const char* state_kind = "training";

// Calls f(list of numbers) for all that a state has.
template <class State, class F> void for_each_list(State& state, F f)
{
    for (auto& values : state.masters) { f(values); }
    for (auto& moment : state.moments) {
        for (auto& values : moment) { f(values); }
    }
    f(state.constants);
}

std::vector<std::uint32_t> bits_of(const training_state& state)
{
    std::vector<std::uint32_t> all;
    for_each_list(state, [&](const auto& values) {
        for (const float value : values) { all.push_back(bits_of(value)); }
    });
    return all;
}

} // namespace

std::uint64_t training_state::numbers() const { return bits_of(*this).size(); }

bool operator==(const training_state& x, const training_state& y)
{
    return x.epochs == y.epochs && bits_of(x) == bits_of(y);
}

namespace {

void put(base::state_writer& writer, const training_state& state)
{
    writer.put(state.epochs);
    for (const std::uint32_t bits : bits_of(state)) { writer.put(bits); }
}

void take(base::state_reader& reader, training_state& state)
{
    state.epochs = reader.take<std::uint64_t>();
    for_each_list(state, [&](auto& values) {
        for (float& value : values) { value = value_of(reader.take<std::uint32_t>()); }
    });
}

} // namespace

// The best state is there if the run has a validation set and early stopping.
std::string saved_training(const model_description& model, std::uint64_t seed, const training_state& state,
                           const std::optional<best_training>& best)
{
    std::ostringstream bytes;
    base::state_writer writer(bytes, state_kind, identity_of(model, seed));
    put(writer, state);
    if (model.validation != 0) {
        writer.put(std::uint8_t{best ? std::uint8_t{1} : std::uint8_t{0}});
        if (best) {
            put(writer, best->state);
            for (const double number :
                 {best->validation_loss, best->test.loss, best->test.correct, best->test.samples}) {
                writer.put(bits_of(number));
            }
        }
    }
    writer.finish();
    return bytes.str();
}

void save_training(const std::string& path, const model_description& model, std::uint64_t seed,
                   const training_state& state, const std::optional<best_training>& best)
{
    base::write_whole_file(path, saved_training(model, seed, state, best));
}

resumed_training load_training(const std::string& path, const model_description& model, std::uint64_t seed)
{
    resumed_training resumed{initial_state(model, seed), std::nullopt};
    constexpr std::size_t others = 65536; // more than all that is no number
    const std::size_t states = model.validation != 0 ? 2 : 1;
    std::istringstream bytes(base::read_whole_file(path, states * 2 * sizeof(float) * resumed.numbers() + others));
    return base::complaining_of(path + ", expected a state of this model, data, batch, optimizer and seed", [&] {
        base::state_reader reader(bytes, state_kind, identity_of(model, seed));
        take(reader, resumed);
        if (model.validation != 0 && reader.take<std::uint8_t>() != 0) {
            auto& best = resumed.best.emplace();
            best.state = initial_state(model, seed);
            take(reader, best.state);
            for (double* number : {&best.validation_loss, &best.test.loss, &best.test.correct, &best.test.samples}) {
                *number = double_of(reader.take<std::uint64_t>());
            }
        }
        reader.finish();
        return resumed;
    });
}

bool has_lost_patience(const model_description& model, const std::optional<best_training>& best, std::uint64_t epochs)
{
    return model.patience != 0 && best && epochs >= best->state.epochs + model.patience;
}

batch_metrics sum_of(const std::vector<batch_metrics>& all)
{
    batch_metrics sum;
    for (const auto& m : all) {
        sum.loss += m.loss;
        sum.correct += m.correct;
        sum.samples += m.samples;
    }
    return sum;
}

model_training::model_training(const model_description& model, const labelled_samples& samples,
                               const step_device& device, std::uint64_t block, std::uint64_t steps,
                               std::uint64_t data_base, std::uint64_t data_bytes)
    : m_model(model), m_samples(samples),
      m_plan(plan_network(model, device, {block, steps, batches_of(model, samples.test.size())}))
{
    const std::uint64_t test = batches_of(model, samples.test.size()),
                        validation = batches_of(model, samples.validation.size());
    const model_arrays arrays{m_plan.literals.size(), samples.count() + 1, std::max({steps, test, validation}),
                              std::max(spill_bytes_of(m_plan.training), spill_bytes_of(m_plan.forward))};
    m_addresses = model_addresses_of(model, contractions(), arrays, data_base, data_bytes);
    m_training = write_steps(contractions(), m_plan.training, device.limits, m_addresses);
    m_test = write_steps(contractions(), m_plan.forward, device.limits, m_addresses);
    if (validation != 0) {
        const auto forward = with_batches(m_plan.forward, validation);
        m_validation = write_steps(contractions(), forward, device.limits, m_addresses);
    }
}

std::uint64_t model_training::occupied_bytes() const { return std::max(m_training.occupied, m_test.occupied); }

void model_training::begin(fetta_session& session, const training_state& state) const
{
    const auto write = [&session](std::uint64_t address, const auto& values) {
        session.write(address, values.data(), values.size() * sizeof values[0]);
    };
    write(m_addresses.masters, in_memory(contractions(), state.masters));
    for (std::size_t m = 0; m < state.moments.size(); ++m) {
        write(m_addresses.moments[m], in_memory(contractions(), state.moments[m]));
    }
    write(m_addresses.constants, state.constants);
    write(m_addresses.literals, m_plan.literals);
    write(m_addresses.ones, std::vector<std::uint16_t>(contractions().most_rows, bfloat16(one).bits));
    for (std::size_t r = 0; r < m_addresses.regions.size(); ++r) {
        const auto& region = contractions().regions[r];
        write(m_addresses.regions[r], std::vector<std::uint8_t>(region.elements * base::element_bytes(region.type)));
    }
    // Behind the last sample one without features and label, which fills batches up.
    const auto write_features = [&](std::uint64_t address, auto element) {
        std::vector<decltype(element(0.0f))> features;
        for (const float x : m_samples.values) { features.push_back(element(x)); }
        features.resize(features.size() + m_samples.features);
        write(address, features);
    };
    if (m_samples.vocabulary == 0) {
        write_features(m_addresses.features, [](float x) { return bfloat16(x).bits; });
    } else {
        write_features(m_addresses.features, [](float x) { return static_cast<std::uint32_t>(x); });
        write_features(m_addresses.indices, [](float x) { return x; });
    }
    write(m_addresses.labels, answers_of(m_model.loss, m_samples));
}

model_training::epoch_outcome model_training::run(fetta_session& session, const written_program& program,
                                                  const std::vector<std::uint32_t>& order, epoch_number of) const
{
    const std::uint64_t batches = batches_of(m_model, order.size()), blocks = contractions().blocks;
    const auto filler = static_cast<std::uint32_t>(m_samples.count());
    std::vector<std::uint32_t> lists;
    for (std::uint64_t b = 0; b < batches; ++b) {
        const std::uint64_t first = b * m_model.batch, count = std::min(m_model.batch, order.size() - first);
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
        lists.insert(lists.end(), from, from + static_cast<std::ptrdiff_t>(count));
        lists.resize(lists.size() + contractions().samples * blocks - count, filler);
        if (blocks > 1) { lists.push_back(bits_of(static_cast<float>(count))); }
        if (contractions().has_schedule) {
            lists.push_back(bits_of(static_cast<float>(rate_factor(m_model, of.epoch, b, batches))));
        }
        for (std::uint64_t block = 0; block < blocks; ++block) {
            for (const std::uint64_t numbers : contractions().random_streams) {
                lists.push_back(mask_key(of.seed, of.epoch, b));
                lists.push_back(static_cast<std::uint32_t>(block * contractions().samples * numbers));
            }
        }
    }
    session.write(m_addresses.lists, lists.data(), lists.size() * sizeof lists[0]);
    epoch_outcome outcome;
    outcome.ran = session.run(program.bytes);
    std::vector<float> metrics(batches * blocks * metric_words);
    session.read(m_addresses.metrics, metrics.data(), metrics.size() * sizeof metrics[0]);
    for (std::uint64_t b = 0; b < batches; ++b) {
        const auto of = [&](step_metric m) {
            double sum = 0;
            for (std::uint64_t block = b * blocks; block < (b + 1) * blocks; ++block) {
                sum += static_cast<double>(metrics[block * metric_words + static_cast<std::size_t>(m)]);
            }
            return sum;
        };
        outcome.batches.push_back({of(step_metric::loss), of(step_metric::correct), of(step_metric::samples)});
    }
    return outcome;
}

model_training::epoch_outcome model_training::train(fetta_session& session, const std::vector<std::uint32_t>& order,
                                                    std::uint64_t seed, std::uint64_t epoch) const
{
    return run(session, m_training, order, {seed, epoch});
}

model_training::epoch_outcome model_training::validate(fetta_session& session) const
{
    return run(session, m_validation, m_samples.validation, {});
}

model_training::epoch_outcome model_training::test(fetta_session& session) const
{
    return run(session, m_test, m_samples.test, {});
}

training_state model_training::state(fetta_session& session, std::uint64_t epochs) const
{
    training_state state;
    state.epochs = epochs;
    const auto read = [&](std::uint64_t address) {
        std::vector<float> memory(contractions().parameter_elements);
        session.read(address, memory.data(), memory.size() * sizeof memory[0]);
        parameter_values all;
        for (const auto& parameter : contractions().parameters) {
            auto& values = all.emplace_back();
            for (const auto place : contractions().places_of(parameter)) { values.push_back(memory[place]); }
        }
        return contractions().in_whole(all);
    };
    state.masters = read(m_addresses.masters);
    for (const auto address : m_addresses.moments) { state.moments.push_back(read(address)); }
    session.read(m_addresses.constants, state.constants.data(), sizeof state.constants);
    return state;
}

} // namespace tensorloom::workloads
