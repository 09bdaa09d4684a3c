#include <tensorloom/workloads/training/layers/convolution/convolution_layer.h>
#include <array>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

using mode = transfer_operation::mode;

class convolution_operations : public layer_operations {
public:
    convolution_operations(const convolution_layer& layer, const layer_contractions& contractions,
                           const std::string& name)
        : m_layer(layer), m_rows(contractions.maps[0].rows), m_of(" of " + name), m_map(contractions.maps[0], m_of),
          m_activation(layer.activation, m_of)
    {
        if (!contractions.regions.empty()) { m_region = contractions.regions[0]; }
    }

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto p = m_layer.patches_from == patch_source::bus ? loaded_patches(to, to.operand_of(x))
                                                                 : copied_patches(to, to.words_of(x));
        const auto y = m_map.forward(to, {p});
        return {length(), m_activation.forward(to, y, length()), std::nullopt, "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        const auto dy = m_activation.backward(to, dz);
        const auto dp = m_map.backward(to, {to.rounded(dy, length(), "round dY" + m_of)});
        return dp ? std::optional(sum_of_patches(to, *dp)) : std::nullopt;
    }

private:
    std::uint64_t length() const { return m_rows * m_layer.map.outputs(); }
    std::uint64_t corner() const
    {
        return m_layer.padding * (m_layer.padded_width() + 1);
    } // pixels ahead of the picture

    std::uint64_t pixels() const { return m_layer.padded_height() * m_layer.padded_width(); }

    // Strides of a picture and of one in its rim, [sample][row][number].
    std::array<std::int64_t, 3> strides() const
    {
        const auto& l = m_layer;
        return {static_cast<std::int64_t>(l.inputs()), static_cast<std::int64_t>(l.width * l.channels), 1};
    }
    std::array<std::int64_t, 3> padded_strides() const
    {
        const auto& l = m_layer;
        return {static_cast<std::int64_t>(pixels() * l.channels),
                static_cast<std::int64_t>(l.padded_width() * l.channels), 1};
    }

    // The picture goes into memory on the bus, into its rim of zeros, and comes back as patches.
    std::size_t loaded_patches(step_builder& to, std::size_t x) const
    {
        const auto& l = m_layer;
        const auto [sample, row, number] = padded_strides();
        const auto stride = static_cast<std::int64_t>(l.stride);
        const std::vector<mode> picture{{to.batch(), sample}, {l.height, row}, {l.width * l.channels, number}};
        const std::vector<mode> patches{{to.batch(), sample},
                                        {l.rows(), stride * row},
                                        {l.columns(), static_cast<std::int64_t>(l.stride * l.channels)},
                                        {l.kernel_height, row},
                                        {l.kernel_width * l.channels, number}};
        to.add("store the picture" + m_of,
               transfer_operation{transfer_kind::store, m_region.value(), corner() * l.channels, picture, {x}, {}});
        const auto p = to.tensor("patches" + m_of, m_rows * l.map.inputs(), base::element_type::bf16);
        to.add("load patches" + m_of, transfer_operation{transfer_kind::load, m_region.value(), 0, patches, {p}, {}});
        return p;
    }

    // Sample by sample, of all patches a row of the kernel at a time.
    std::size_t copied_patches(step_builder& to, std::size_t x) const
    {
        const auto& l = m_layer;
        const auto of_sample = pixels() * l.channels, row = l.kernel_width * l.channels;
        const auto patch = static_cast<std::int64_t>(l.map.inputs());
        auto padded = x;
        if (l.padding != 0) {
            padded = to.words("X with its rim" + m_of, to.batch() * of_sample);
            to.clear({padded}, to.batch() * of_sample, "clear the rim" + m_of);
            to.add("X into its rim" + m_of, copy_operation{{padded, corner() * l.channels},
                                                           {x},
                                                           {to.batch(), l.height, l.width * l.channels},
                                                           padded_strides(),
                                                           strides()});
        }
        const auto p = to.words("patches" + m_of, m_rows * l.map.inputs());
        to.add("loop over samples" + m_of, loop_operation{to.batch()});
        for (std::uint64_t ky = 0; ky < l.kernel_height; ++ky) {
            to.add("copy rows of patches" + m_of,
                   copy_operation{{p, ky * row, static_cast<std::int64_t>(l.patches()) * patch},
                                  {padded, ky * l.padded_width() * l.channels, static_cast<std::int64_t>(of_sample)},
                                  {l.rows(), l.columns(), row},
                                  {static_cast<std::int64_t>(l.columns()) * patch, patch, 1},
                                  {static_cast<std::int64_t>(l.stride) * padded_strides()[1],
                                   static_cast<std::int64_t>(l.stride * l.channels), 1}});
        }
        to.add("end", end_operation{});
        return to.rounded(p, m_rows * l.map.inputs(), "round patches" + m_of);
    }

    // dX of dP: sample by sample, pixels of patches are added to those of the picture, which has its rim, too.
    std::size_t sum_of_patches(step_builder& to, std::size_t dp) const
    {
        const auto& l = m_layer;
        const auto of_sample = pixels() * l.channels, added = l.patches() * l.patch_pixels();
        const auto padded = to.words("dX with its rim" + m_of, to.batch() * of_sample);
        to.clear({padded}, to.batch() * of_sample, "clear dX" + m_of);
        const tensor_part indices = to.literals(pixels_of_patches());
        to.add("loop over samples" + m_of, loop_operation{to.batch()});
        to.add_rows({padded, 0, static_cast<std::int64_t>(of_sample)}, pixels(),
                    {dp, 0, static_cast<std::int64_t>(added * l.channels)}, indices, added, l.channels,
                    "add patches to dX" + m_of);
        to.add("end", end_operation{});
        if (l.padding == 0) { return padded; }
        const auto dx = to.words("dX" + m_of, to.batch() * l.inputs());
        to.add("dX without its rim" + m_of, copy_operation{{dx},
                                                           {padded, corner() * l.channels},
                                                           {to.batch(), l.height, l.width * l.channels},
                                                           strides(),
                                                           padded_strides()});
        return dx;
    }

    // Of a sample: which pixel of the padded picture each pixel of each patch is.
    std::vector<float> pixels_of_patches() const
    {
        const auto& l = m_layer;
        std::vector<float> all;
        for (std::uint64_t patch = 0; patch < l.patches(); ++patch) {
            const auto top = patch / l.columns() * l.stride, left = patch % l.columns() * l.stride;
            for (std::uint64_t k = 0; k < l.patch_pixels(); ++k) {
                const auto row = top + k / l.kernel_width, column = left + k % l.kernel_width;
                all.push_back(static_cast<float>(row * l.padded_width() + column));
            }
        }
        return all;
    }

    convolution_layer m_layer;
    std::optional<std::size_t> m_region; // of pictures
    std::uint64_t m_rows;                // patches of a batch
    std::string m_of;
    linear_operations m_map;
    activation_operations m_activation;
};

} // namespace

void convolution_layer::declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const
{
    declaration.add_map(map, batch * patches(), with_dx);
    if (patches_from == patch_source::bus) {
        declaration.add_region("pictures", batch * padded_height() * padded_width() * channels,
                               base::element_type::bf16);
    }
}

std::unique_ptr<layer_operations> convolution_layer::operations(const layer_contractions& contractions,
                                                                const std::string& name) const
{
    return std::make_unique<convolution_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
