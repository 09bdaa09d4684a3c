#include <tensorloom/workloads/transform.h>

#include <gmock/gmock.h>

#include "npy_bytes.h"
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using workloads::needs_complex;
using workloads::parse_transform;
using workloads::transform_kind;

using transform = scratch_folder;

TEST_F(transform, names_are_read_and_written_alike)
{
    const std::pair<const char*, transform_kind> names[] = {
        {"dft", transform_kind::dft},           {"dht", transform_kind::dht},
        {"dct", transform_kind::dct},           {"dst", transform_kind::dst},
        {"dwht", transform_kind::dwht},         {"dwht-sequency", transform_kind::dwht_sequency},
        {"identity", transform_kind::identity}, {"none", transform_kind::none}};
    for (const auto& [name, kind] : names) {
        EXPECT_EQ(parse_transform(name).kind, kind);
        EXPECT_EQ(workloads::transform_name(parse_transform(name)), name);
    }
    EXPECT_EQ(parse_transform("file:a:b.npy").kind, transform_kind::file);
    EXPECT_EQ(parse_transform("file:a:b.npy").path, "a:b.npy");
    EXPECT_EQ(workloads::transform_name(parse_transform("file:a.npy")), "file:a.npy");
}

TEST_F(transform, other_names_are_refused_with_the_list)
{
    for (const char* name : {"", "d", "DFT", "dwh", "dct2", "dwht_sequency", "file", "file:", " dft"}) {
        const std::string error = message_of([&] { parse_transform(name); });
        EXPECT_THAT(error, HasSubstr("'" + std::string(name) + "' found"));
        EXPECT_THAT(error, HasSubstr("dft, dht, dct, dst, dwht, dwht-sequency, identity, none, file:PATH"));
    }
}

TEST_F(transform, dft_and_complex_files_need_complex_elements)
{
    EXPECT_TRUE(needs_complex(parse_transform("dft")));
    for (const char* name : {"dht", "dct", "dst", "dwht", "dwht-sequency", "identity"}) {
        EXPECT_FALSE(needs_complex(parse_transform(name))) << name;
    }
    EXPECT_TRUE(needs_complex({transform_kind::file, write("c.npy", npy_bytes<float>("<c8", "(1, 1)", {1, 0}))}));
    EXPECT_FALSE(needs_complex({transform_kind::file, write("r.npy", npy_bytes<float>("<f4", "(1, 1)", {1}))}));
    EXPECT_THAT(message_of([&] {
                    needs_complex({transform_kind::file, path("none.npy")});
                }),
                HasSubstr("no such file"));
}

TEST_F(transform, normalizations_are_read)
{
    EXPECT_EQ(workloads::parse_normalization("orthonormal"), workloads::normalization::orthonormal);
    EXPECT_EQ(workloads::parse_normalization("backward"), workloads::normalization::backward);
    EXPECT_THAT(message_of([] { workloads::parse_normalization("ortho"); }), HasSubstr("'ortho' found"));
}

} // namespace
} // namespace tensorloom::test
