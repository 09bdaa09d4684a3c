#include <tensorloom/workloads/contraction/banked_image.h>
#include <random>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/workloads/contraction/mapping_search.h>

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::device_limits;
using fetta::operand_role;

constexpr operand_role roles[] = {operand_role::ia, operand_role::ib, operand_role::result};

contract_command random_command(std::mt19937& random, const device_limits& g)
{
    engine_split split;
    std::uint32_t* const parts[] = {&split.batch, &split.contracted, &split.ia_free, &split.ib_free};
    for (unsigned bit = 0; bit < g.index_bits(); ++bit) { *parts[random() % 4] *= 2; }
    const auto extent = [&] { return 1 + random() % (random() % 2 == 0 ? 4 : 30); };
    return contract_of({extent(), extent(), extent(), extent()}, static_cast<fetta::mapping>(random() % 6), split,
                       false);
}

std::array<std::uint64_t, command_indices> extents_of(const contract_command& c)
{
    return {c.batch, c.contracted, c.ia_free, c.ib_free};
}

bool has(operand_role role, unsigned index)
{
    return index == 0 || (role == operand_role::ia && index != 3) || (role == operand_role::ib && index != 2) ||
           (role == operand_role::result && index != 1);
}

// A tensor [batch][contracted][IA's free][IB's free] of those that the role has, C order.
index_offsets dense_offsets(const contract_command& c, operand_role role)
{
    index_offsets offsets;
    std::uint64_t stride = 1;
    for (unsigned x = command_indices; x-- > 0;) {
        if (!has(role, x)) { continue; }
        for (std::uint64_t i = 0; i < extents_of(c)[x]; ++i) { offsets[x].push_back(i * stride); }
        stride *= extents_of(c)[x];
    }
    return offsets;
}

std::uint64_t volume(const index_offsets& offsets)
{
    std::uint64_t product = 1;
    for (const auto& o : offsets) { product *= std::max<std::size_t>(o.size(), 1); }
    return product;
}

// The index of a tensor that is IA's free index `i` of the command: strided images give full parts, whose indices are
// neighbours in the command, indices of the tensor at distances of the number of parts.
std::uint64_t tensor_index(const contract_command& c, position_order order, std::uint64_t i)
{
    const std::uint64_t parts = fetta::parts(c.mask_ia);
    if (order == position_order::dense || is_output_stationary(c.mapped()) || c.ia_free % parts != 0) { return i; }
    const std::uint64_t of_part = c.ia_free / parts;
    return i % of_part * parts + i / of_part;
}

class banked_image_test : public testing::TestWithParam<position_order> {};

// The device is asked where each of its rows lies: the element of the tensor must be there.
TEST_P(banked_image_test, has_every_element_where_the_device_looks_for_it)
{
    std::mt19937 random(61);
    for (int i = 0; i < 150; ++i) {
        device_limits g;
        g.engines = i % 3 == 0 ? 4 : 16;
        g.side = i % 5 == 0 ? 2 : 4;
        const contract_command c = random_command(random, g);
        const fetta::contract_index rows(c, g);
        for (const auto role : roles) {
            const banked_image image = image_of(c, g, role, GetParam());
            const index_offsets offsets = dense_offsets(c, role);
            std::vector<float> tensor(volume(offsets)), elements(image.elements(), -1);
            for (std::size_t e = 0; e < tensor.size(); ++e) { tensor[e] = static_cast<float>(e); }
            pack_image(image, offsets, tensor.data(), elements.data());

            contract_command placed = c;
            (role == operand_role::ia   ? placed.ia
             : role == operand_role::ib ? placed.ib
                                        : placed.result)
                .stride = image.stride;
            const fetta::banked_operand place(placed, role, g);
            std::set<std::uint64_t> seen;
            const auto look = [&](const fetta::beat_indices& row, const std::array<std::uint64_t, 4>& counters,
                                  std::uint32_t engine) {
                const auto at = place.at(counters);
                for (std::uint32_t lane = 0; lane < row.lanes; ++lane) {
                    auto index = row.index;
                    index[row.along] += lane;
                    std::uint64_t offset = 0;
                    for (unsigned x = 0, group = 0; x < command_indices; ++x) {
                        if (!has(role, x)) { continue; }
                        const std::uint64_t i = index[group++];
                        offset += offsets[x][x == 2 ? tensor_index(c, GetParam(), i) : i];
                    }
                    ASSERT_EQ(elements.at((at.row * g.engines + place.bank(at, engine)) * g.side + lane),
                              static_cast<float>(offset));
                    seen.insert(offset);
                }
            };
            auto tile = rows.first_tile();
            do {
                for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
                    const bool os = is_output_stationary(c.mapped());
                    for (std::uint64_t s = tile.first_step; s < tile.first_step + tile.steps; ++s) {
                        if (role == operand_role::ia) {
                            look(rows.ia_beat(tile, s, engine), rows.ia_counters(tile, s), engine);
                        }
                        if (role == operand_role::ib && os) {
                            look(rows.ib_beat(tile, s, engine), rows.ib_counters(tile, s), engine);
                        }
                        if (role == operand_role::result && !os) {
                            look(rows.result_beat(tile, s, engine), rows.result_counters(tile, s), engine);
                        }
                    }
                    for (std::uint64_t r = 0; r < g.side; ++r) {
                        if (role == operand_role::ib && !os) {
                            look(rows.ib_beat(tile, r, engine), rows.ib_counters(tile, r), engine);
                        }
                        if (role == operand_role::result && os) {
                            look(rows.result_beat(tile, r, engine), rows.result_counters(tile, r), engine);
                        }
                    }
                }
            } while (rows.next(tile));
            EXPECT_EQ(seen.size(), tensor.size());

            std::vector<float> back(tensor.size(), -1);
            unpack_image(image, offsets, elements.data(), back.data());
            EXPECT_EQ(back, tensor);
            if (HasFailure()) { return; }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(both, banked_image_test, testing::Values(position_order::dense, position_order::strided));

TEST(banked_image_size_test, dense_positions_have_no_gaps)
{
    // 3 x 5 x 7 positions of IA in two banks that share a row.
    const auto c = contract_of({3, 17, 7, 1}, fetta::mapping::ws_v, {1, 1, 1, 2}, false);
    device_limits g;
    g.engines = 4; // the split is of two: the other bit is of IA's free index
    auto command = c;
    command.mask_ia = 2;
    command.mask_ib = 1;
    const auto image = image_of(command, g, operand_role::ia, position_order::dense);
    EXPECT_EQ(image.positions, 3u * 5 * 4);
    EXPECT_EQ(image.rows, 30u);
}

// What a strided LOAD gathers from a padded tensor is the image; no two elements of a result go to one place.
TEST(strided_views_test, gather_the_image)
{
    std::mt19937 random(62);
    for (int i = 0; i < 200; ++i) {
        device_limits g;
        g.engines = i % 3 == 0 ? 64 : 16;
        const contract_command c = random_command(random, g);
        for (const auto role : roles) {
            const banked_image image = image_of(c, g, role, position_order::strided);
            // Tensor of padded sizes whose elements are numbered.
            std::array<std::int64_t, command_indices> stride{};
            std::int64_t elements = 1;
            for (unsigned x = 0; x < command_indices; ++x) {
                if (!has(role, x)) { continue; }
                stride[x] = elements;
                elements *= static_cast<std::int64_t>(image.padded(static_cast<command_index>(x)));
            }
            std::vector<std::int64_t> gathered;
            for (const auto& view : strided_views(image, stride, base::element_type::f32)) {
                ASSERT_FALSE(isa::validate(view));
                std::array<std::uint32_t, 8> digit{};
                for (std::uint64_t e = 0; e < view.elements(); ++e) {
                    auto at = static_cast<std::int64_t>(view.base / 4);
                    for (unsigned m = 0; m < view.order; ++m) { at += digit[m] * view.stride[m]; }
                    gathered.push_back(at);
                    for (unsigned m = view.order; m-- > 0;) {
                        if (++digit[m] < view.size[m]) { break; }
                        digit[m] = 0;
                    }
                }
            }
            ASSERT_EQ(gathered.size(), image.elements());
            for (const auto at : gathered) { ASSERT_LT(at, elements); }
            if (role == operand_role::result) {
                EXPECT_EQ(std::set<std::int64_t>(gathered.begin(), gathered.end()).size(), gathered.size());
            }
            index_offsets offsets;
            for (unsigned x = 0; x < command_indices; ++x) {
                for (std::uint64_t e = 0; has(role, x) && e < extents_of(c)[x]; ++e) {
                    offsets[x].push_back(e * static_cast<std::uint64_t>(stride[x]));
                }
            }
            std::vector<float> tensor(static_cast<std::size_t>(elements)), packed(image.elements(), -1);
            for (std::size_t e = 0; e < tensor.size(); ++e) { tensor[e] = static_cast<float>(e); }
            pack_image(image, offsets, tensor.data(), packed.data());
            for (std::size_t e = 0; e < packed.size(); ++e) {
                if (packed[e] >= 0) { ASSERT_EQ(packed[e], static_cast<float>(gathered[e])); }
            }
        }
    }
}

} // namespace
} // namespace tensorloom::workloads
