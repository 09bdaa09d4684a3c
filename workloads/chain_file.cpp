#include <tensorloom/workloads/chain.h>
#include <algorithm>
#include <filesystem>
#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/gemt_order.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::workloads {
namespace {

using base::yaml_value;

class chain_reader : base::yaml_fields {
public:
    chain_reader(const std::string& origin, const std::string& folder, const shape3& shape)
        : yaml_fields(origin), m_folder(folder), m_shape(shape)
    {}

    std::vector<chain_step> read(const yaml_value& root)
    {
        std::vector<chain_step> chain;
        read_map(root, {{"chain", [&](const auto& list) {
                             if (list.what != yaml_value::kind::list) { refuse(list, "a list of steps"); }
                             if (list.items.empty()) { refuse(list, "at least one step"); }
                             for (const auto& item : list.items) {
                                 base::complaining_of("step " + std::to_string(chain.size() + 1),
                                                      [&] { chain.push_back(step_of(*item)); });
                             }
                         }}});
        if (chain.empty()) { refuse(root, "a map with the key chain"); }
        return chain;
    }

private:
    template <class Read> auto at(const yaml_value& value, const Read& read) const
    {
        return base::complaining_of(place_of(value), read);
    }

    // The key that says what the step does.
    const yaml_value& operation_of(const yaml_value& step) const
    {
        std::string names;
        for (const auto& one : chain_operation_values) { names += (names.empty() ? "" : ", ") + std::string(one.name); }
        const std::string one_of = "a map with exactly one of " + names;
        if (step.what != yaml_value::kind::map) { refuse(step, one_of); }
        const yaml_value* found = nullptr;
        for (const auto& entry : step.entries) {
            const auto& key = *entry.first;
            const bool names_one = std::any_of(std::begin(chain_operation_values), std::end(chain_operation_values),
                                               [&](const auto& one) { return key.text == one.name; });
            if (!names_one) { continue; }
            if (found == nullptr) {
                found = &key;
            } else if (found->text == "scale" && key.text == "add") {
                found = &key; // whose factor is the scale
            } else if (key.text == found->text || !(found->text == "add" && key.text == "scale")) {
                refuse(key, key.text == found->text ? "each key once" : one_of);
            }
        }
        if (found == nullptr) { refuse(step, one_of); }
        return *found;
    }

    chain_step step_of(const yaml_value& item)
    {
        const auto& name = operation_of(item);
        chain_step step;
        step.place = place_of(name);
        step.in_shape = step.out_shape = m_shape;
        for (std::size_t i = 0; i < std::size(chain_operation_values); ++i) {
            if (name.text == chain_operation_values[i].name) { step.what = static_cast<chain_operation>(i); }
        }
        read_map(item, step.is_transform() ? keys_of_transform(step) : keys_of_operation(step));
        if (step.is_transform()) {
            check_modes(name, step);
        } else if (step.has_operand()) {
            check_operand(name, step);
        }
        m_shape = step.out_shape;
        return step;
    }

    base::key_readers keys_of_transform(chain_step& step) const
    {
        return {
            {"transform", [&](const auto& v) { read_transforms(v, step); }},
            {"inverse", [&](const auto& v) { step.inverse = flag(v); }},
            {"norm",
             [&](const auto& v) { step.scaling = at(v, [&] { return parse_normalization(this->text_of(v)); }); }},
            {"order", [&](const auto& v) { step.order = at(v, [&] { return parse_mode_order(this->text_of(v)); }); }},
            {"out_shape",
             [&](const auto& v) {
                 const auto sizes = numbers(v, 'x', "8x8x8");
                 if (sizes.size() != 3) { refuse(v, "three sizes, like 8x8x8"); }
                 step.out_shape = {sizes[0], sizes[1], sizes[2]};
             }},
            {"shift",
             [&](const auto& v) {
                 if (v.what != yaml_value::kind::list || v.items.size() != 3) { refuse(v, "a list of three shifts"); }
                 for (std::size_t s = 0; s < 3; ++s) { step.shifts[s] = shift_of(*v.items[s]); }
             }},
        };
    }

    base::key_readers keys_of_operation(chain_step& step) const
    {
        base::key_readers keys{{"shift", [&](const auto& v) { step.shift = shift_of(v); }}};
        const auto read_path = [&](const yaml_value& v) { step.path = path_of(this->text_of(v)); };
        const auto read_factor = [&](const yaml_value& v) { step.value = factor_of(v); };
        switch (step.what) {
        case chain_operation::transform: break;
        case chain_operation::multiply: keys.emplace("multiply", read_path); break;
        case chain_operation::add:
            step.value = 1;
            keys.emplace("add", read_path);
            keys.emplace("scale", read_factor);
            break;
        case chain_operation::scale: keys.emplace("scale", read_factor); break;
        case chain_operation::threshold:
            keys.emplace("threshold", [&](const yaml_value& v) {
                step.value = this->real(v);
                if (step.value.real() < 0) { this->refuse(v, "a number that is not negative"); }
            });
            break;
        case chain_operation::relu:
            keys.emplace("relu", [&](const yaml_value& v) {
                if (!this->flag(v)) { this->refuse(v, "true"); }
            });
            break;
        }
        if (step.has_operand()) {
            keys.emplace("resident", [&](const yaml_value& v) { step.resident = this->flag(v); });
        }
        return keys;
    }

    void read_transforms(const yaml_value& v, chain_step& step) const
    {
        if (v.what == yaml_value::kind::text) { return step.transforms.fill(transform_of(v)); }
        if (v.what != yaml_value::kind::list || v.items.size() != 3) { refuse(v, "a transform, or a list of three"); }
        for (std::size_t m = 0; m < 3; ++m) { step.transforms[m] = transform_of(*v.items[m]); }
    }
    transform transform_of(const yaml_value& v) const
    {
        auto read = at(v, [&] { return parse_transform(text_of(v)); });
        if (read.kind == transform_kind::file) { read.path = path_of(read.path); }
        return read;
    }

    unsigned shift_of(const yaml_value& v) const
    {
        constexpr std::uint64_t most = 31;
        const auto shift = whole(v);
        if (shift > most) { refuse(v, "a shift of 0 to 31 bits"); }
        return static_cast<unsigned>(shift);
    }
    std::complex<double> factor_of(const yaml_value& v) const
    {
        if (v.what == yaml_value::kind::text) { return real(v); }
        if (v.what != yaml_value::kind::list || v.items.size() != 2) { refuse(v, "a number, or [re, im]"); }
        return {real(*v.items[0]), real(*v.items[1])};
    }
    std::string path_of(const std::string& written) const
    {
        return (std::filesystem::path(m_folder) / written).lexically_normal().string(); // an absolute one stays
    }

    void check_modes(const yaml_value& name, const chain_step& step) const
    {
        for (std::size_t m = 0; m < 3; ++m) {
            if (step.sums(m)) { continue; }
            if (step.out_shape[m] != step.in_shape[m]) {
                throw base::input_error(place_of(name) + ": out_shape " + shape_text(step.out_shape) + " found of " +
                                        shape_text(step.in_shape) + ", expected the same size in mode " +
                                        std::to_string(m + 1) + ", which the transform leaves as it is");
            }
            if (step.shifts != std::array<unsigned, 3>{}) { check_shift(name, step, m); }
        }
        if (!step.sums(0) && !step.sums(1) && !step.sums(2)) {
            throw base::input_error(place_of(name) + ": none in all modes found, expected a transform of at least one");
        }
    }
    // Of a mode that is not summed.
    void check_shift(const yaml_value& name, const chain_step& step, std::size_t mode) const
    {
        for (std::size_t s = 0; s < 3; ++s) {
            if (step.order[s] != mode + 1 || step.shifts[s] == 0) { continue; }
            throw base::input_error(place_of(name) + ": shift " + std::to_string(step.shifts[s]) + " found for mode " +
                                    std::to_string(mode + 1) + ", expected 0: the transform leaves it as it is");
        }
    }
    void check_operand(const yaml_value& name, const chain_step& step) const
    {
        const auto header = at(name, [&] { return read_npy_header(step.path); });
        if (header.shape != std::vector<std::size_t>(step.in_shape.begin(), step.in_shape.end())) {
            throw base::input_error(place_of(name) + ": " + step.path + " is " +
                                    shape_text(header.shape, "a single number") + ", expected " +
                                    shape_text(step.in_shape) + ", the tensor's sizes there");
        }
    }

    std::string m_folder;
    shape3 m_shape; // of the tensor after the steps read so far
};

} // namespace

std::vector<chain_step> parse_chain(const std::string& text, const std::string& origin, const std::string& folder,
                                    const shape3& shape)
{
    return chain_reader(origin, folder, shape).read(*base::read_yaml(text, origin));
}

std::vector<chain_step> read_chain(const std::string& path, const shape3& shape)
{
    return parse_chain(yaml_file_text(path, "a YAML file with a chain"), path,
                       std::filesystem::path(path).parent_path().string(), shape);
}

} // namespace tensorloom::workloads
