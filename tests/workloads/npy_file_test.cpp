#include <tensorloom/workloads/npy_file.h>

#include <csignal>
#include <cstdint>
#include <limits>
#include <sstream>
#include <type_traits>

#include <sys/resource.h>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include <tensorloom/models/arithmetic/bfloat16.h>

#include "npy_bytes.h"
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

namespace fs = std::filesystem;
using arithmetic::bfloat16;
using testing::ElementsAre;
using testing::HasSubstr;
using workloads::load_npy;
using workloads::load_npy_as;
using workloads::save_npy;
using workloads::tensor;
using c128 = std::complex<double>;
using c64 = std::complex<float>;

std::string read(const std::string& path)
{
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

class npy_file : public scratch_folder {
protected:
    template <class Element>
    std::vector<double> load_real(const char* descr, const std::vector<Element>& elements) const
    {
        const std::string shape = "(" + std::to_string(elements.size()) + ",)";
        return std::get<tensor<double>>(load_npy(write(std::string("in.npy"), npy_bytes(descr, shape, elements)))).data;
    }
};

TEST_F(npy_file, bytes_in_memory_are_read_as_a_file)
{
    const auto bytes = npy_bytes<double>("<f8", "(2, 2)", {1, 2, 3, 4}, "True");
    const auto read = std::get<tensor<double>>(load_npy(workloads::named_bytes{"x of y.npz", bytes}));
    EXPECT_THAT(read.data, ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(read.shape, ElementsAre(2, 2));
    EXPECT_EQ(workloads::read_npy_header(workloads::named_bytes{"x", bytes}).elements, 4u);
    EXPECT_THAT(message_of([&] {
                    load_npy(workloads::named_bytes{"x of y.npz", bytes.substr(0, bytes.size() - 1)});
                }),
                HasSubstr("x of y.npz: is truncated"));
    EXPECT_THAT(message_of([] { load_npy(workloads::named_bytes{"x", ""}); }), HasSubstr("x: is empty"));
}

TEST_F(npy_file, every_real_element_type_becomes_double)
{
    EXPECT_THAT(load_real<std::uint8_t>("|b1", {0, 1, 2}), ElementsAre(0, 1, 1));
    EXPECT_THAT(load_real<std::int8_t>("|i1", {-128, 127}), ElementsAre(-128, 127));
    EXPECT_THAT(load_real<std::int16_t>("<i2", {-32768, 258}), ElementsAre(-32768, 258));
    EXPECT_THAT(load_real<std::int32_t>("<i4", {-2147483647, 16909060}), ElementsAre(-2147483647, 16909060));
    EXPECT_THAT(load_real<std::int64_t>("<i8", {-(1LL << 53), 5}), ElementsAre(-0x1p53, 5));
    EXPECT_THAT(load_real<std::uint8_t>("|u1", {255, 7}), ElementsAre(255, 7));
    EXPECT_THAT(load_real<std::uint16_t>("<u2", {65535, 258}), ElementsAre(65535, 258));
    EXPECT_THAT(load_real<std::uint32_t>("<u4", {4294967295u, 1}), ElementsAre(4294967295.0, 1));
    EXPECT_THAT(load_real<std::uint16_t>("<f2", {0x3c00, 0xc100, 0x0001, 0x7bff}),
                ElementsAre(1, -2.5, 0x1p-24, 65504));
    EXPECT_THAT(load_real<std::uint64_t>("<u8", {1ULL << 63, 1}), ElementsAre(0x1p63, 1));
    EXPECT_THAT(load_real<float>("<f4", {0.5f, -3.25e30f}), ElementsAre(0.5, double(-3.25e30f)));
    EXPECT_THAT(load_real<double>("=f8", {0.1, -0.0}), ElementsAre(0.1, 0));
}

TEST_F(npy_file, complex_elements_become_complex_double)
{
    const auto single = load_npy(write("s.npy", npy_bytes<c64>("<c8", "(2,)", {{1, -2}, {0.5f, 3}})));
    EXPECT_THAT(std::get<tensor<c128>>(single).data, ElementsAre(c128(1, -2), c128(0.5, 3)));
    const auto twice = load_npy(write("d.npy", npy_bytes<c128>("<c16", "(1,)", {{0.1, -0.2}})));
    EXPECT_THAT(std::get<tensor<c128>>(twice).data, ElementsAre(c128(0.1, -0.2)));
}

TEST_F(npy_file, elements_are_rounded_once_to_the_format_asked_for)
{
    const std::string reals = write("r.npy", npy_bytes<double>("<f8", "(2,)", {0.1, 1 + 0x1p-8 + 0x1p-40}));
    EXPECT_THAT(load_npy_as<float>(reals).data, ElementsAre(0.1f, 1 + 0x1p-8f));
    EXPECT_THAT(load_npy_as<c64>(reals).data, ElementsAre(c64(0.1f), c64(1 + 0x1p-8f)));
    const auto rounded = load_npy_as<bfloat16>(reals);
    EXPECT_THAT(rounded.shape, ElementsAre(2));
    EXPECT_EQ(rounded.data[0].bits, 0x3dcd);
    EXPECT_EQ(rounded.data[1].bits, 0x3f81);
    const std::string integers = write("i.npy", npy_bytes<std::int32_t>("<i4", "(2,)", {257, -259}));
    EXPECT_EQ(static_cast<float>(load_npy_as<bfloat16>(integers).data[0]), 256); // a tie
    EXPECT_EQ(static_cast<float>(load_npy_as<bfloat16>(integers).data[1]), -260);
    EXPECT_THAT(load_npy_as<std::int32_t>(integers).data, ElementsAre(257, -259));
}

TEST_F(npy_file, what_the_format_cannot_hold_is_refused)
{
    const auto error = [&](const std::string& file) { return message_of([&] { load_npy_as<std::int8_t>(file); }); };
    EXPECT_THAT(load_npy_as<std::int8_t>(write("g.npy", npy_bytes<double>("<f8", "(2,)", {-128, 127}))).data,
                ElementsAre(-128, 127));
    EXPECT_THAT(error(write("a.npy", npy_bytes<std::int16_t>("<i2", "(2, 2)", {1, 2, 128, 3}))),
                HasSubstr("a.npy: element 128 at (1, 0) found, expected whole numbers from -128 to 127"));
    EXPECT_THAT(error(write("b.npy", npy_bytes<float>("<f4", "(1, 1, 2)", {1, 0.5f}))),
                HasSubstr("element 0.5 at (0, 0, 1)"));
    EXPECT_THAT(error(write("c.npy", npy_bytes<c64>("<c8", "(1,)", {{1, 0}}))),
                HasSubstr("c.npy: complex elements found, expected real ones"));
}

TEST_F(npy_file, whole_numbers_come_exact_as_int64)
{
    constexpr std::int64_t odd = (std::int64_t{1} << 62) + 1; // not a double
    EXPECT_THAT(load_npy_as<std::int64_t>(write("i.npy", npy_bytes<std::int64_t>("<i8", "(2,)", {odd, -odd}))).data,
                ElementsAre(odd, -odd));
    const std::vector<std::int64_t> rows{1, odd, 3, 4};
    EXPECT_THAT(load_npy_as<std::int64_t>(write("f.npy", npy_bytes("<i8", "(2, 2)", rows, "True"))).data,
                ElementsAre(1, 3, odd, 4));
    EXPECT_THAT(load_npy_as<std::int64_t>(write("s.npy", npy_bytes<std::int8_t>("|i1", "(2,)", {-128, 5}))).data,
                ElementsAre(-128, 5));
    EXPECT_THAT(load_npy_as<std::int64_t>(write("u.npy", npy_bytes<std::uint64_t>("<u8", "(1,)", {odd}))).data,
                ElementsAre(odd));
    EXPECT_THAT(load_npy_as<std::int64_t>(write("r.npy", npy_bytes<double>("<f8", "(2,)", {-3, 0x1p62}))).data,
                ElementsAre(-3, std::int64_t{1} << 62));
    const auto error = [&](const std::string& file) { return message_of([&] { load_npy_as<std::int64_t>(file); }); };
    EXPECT_THAT(error(write("a.npy", npy_bytes<std::uint64_t>("<u8", "(2,)", {1, 1ULL << 63}))),
                HasSubstr("at (1) found, expected whole numbers from -9223372036854775808 to 9223372036854775807"));
    EXPECT_THAT(error(write("b.npy", npy_bytes<double>("<f8", "(1,)", {0x1p63}))), HasSubstr("at (0)"));
    EXPECT_THAT(error(write("c.npy", npy_bytes<double>("<f8", "(1,)", {0.5}))), HasSubstr("element 0.5 at (0)"));
}

TEST_F(npy_file, fortran_order_becomes_c_order)
{
    std::vector<std::int16_t> stored; // element (i, j, k) is 100i + 10j + k; i runs fastest
    for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 2; ++i) { stored.push_back(static_cast<std::int16_t>(100 * i + 10 * j + k)); }
        }
    }
    const auto loaded =
        std::get<tensor<double>>(load_npy(write("f.npy", npy_bytes("<i2", "(2, 3, 4)", stored, "True"))));
    EXPECT_THAT(loaded.shape, ElementsAre(2, 3, 4));
    for (std::size_t at = 0; at < 24; ++at) {
        EXPECT_EQ(loaded.data[at], 100 * (at / 12) + 10 * (at / 4 % 3) + at % 4);
    }

    const std::vector<c128> matrix{{1, 1}, {2, 2}, {3, 3}, {4, 4}};
    const auto transposed = load_npy(write("g.npy", npy_bytes("<c16", "(2, 2)", matrix, "True")));
    EXPECT_THAT(std::get<tensor<c128>>(transposed).data, ElementsAre(matrix[0], matrix[2], matrix[1], matrix[3]));
}

TEST_F(npy_file, headers_that_other_readers_stumble_over_are_read)
{
    std::string ones; // 20 dimensions: the header's length does not fit in 7 bits
    for (int i = 0; i < 20; ++i) { ones += "1, "; }
    EXPECT_THAT(std::get<tensor<double>>(
                    load_npy(write("a.npy", npy_bytes<double>("<f8", "(" + ones + "1)" + std::string(60, ' '), {3}))))
                    .data,
                ElementsAre(3));
    EXPECT_THAT(
        std::get<tensor<double>>(load_npy(write("b.npy", npy_bytes<double>("<f8", "(1,)", {4}, "False", 3)))).data,
        ElementsAre(4));
}

TEST_F(npy_file, a_single_number_and_nothing_are_tensors_too)
{
    EXPECT_THAT(std::get<tensor<double>>(load_npy(write("a.npy", npy_bytes<double>("<f8", "()", {5})))).data,
                ElementsAre(5));
    const auto none = std::get<tensor<double>>(load_npy(write("b.npy", npy_bytes<float>("<f4", "(3, 0)", {}, "True"))));
    EXPECT_TRUE(none.data.empty());
    EXPECT_THAT(none.shape, ElementsAre(3, 0));
}

TEST_F(npy_file, truncated_data_is_refused)
{
    const std::string whole = npy_bytes<double>("<f8", "(3,)", {1, 2, 3});
    const std::string file = write("t.npy", whole.substr(0, whole.size() - 8));
    EXPECT_THAT(message_of([&] { load_npy(file); }), HasSubstr("truncated"));
}

TEST_F(npy_file, data_beyond_memory_is_an_input_error)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers end a program that asks for too much";
#endif
    const std::string file = write("huge.npy", npy_header_bytes(npy_dictionary("<f8", "(1000000000000,)")));
    std::error_code error;
    fs::resize_file(file, fs::file_size(file) + 8'000'000'000'000, error); // sparse
    if (error) { GTEST_SKIP() << "no sparse files of 8 TB here"; }
    rlimit old{};
    getrlimit(RLIMIT_AS, &old);
    const rlimit small{std::min<rlim_t>(old.rlim_max, std::uint64_t{1} << 40), old.rlim_max};
    setrlimit(RLIMIT_AS, &small);
    EXPECT_THAT(message_of([&] { load_npy(file); }), HasSubstr("do not fit in memory"));
    setrlimit(RLIMIT_AS, &old);
}

template <class T> class npy_round_trip : public npy_file {};
using file_element_types = testing::Types<double, float, c128, c64, std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(npy_round_trip, file_element_types);

TYPED_TEST(npy_round_trip, shape_and_bits_survive_and_the_element_type_is_kept)
{
    tensor<TypeParam> saved({2, 1, 3});
    for (std::size_t i = 0; i < 6; ++i) {
        // 1/0 too
        saved.data[i] = std::is_integral_v<TypeParam> ? static_cast<TypeParam>(i * 24 - 60)
                                                      : static_cast<TypeParam>(1.0f / static_cast<float>(i));
    }
    const std::string file = this->path("out.npy");
    save_npy(file, saved);
    EXPECT_EQ(workloads::read_npy_header(file).element_bytes, sizeof(TypeParam));
    std::visit(
        [&](const auto& loaded) {
            EXPECT_EQ(loaded.shape, saved.shape);
            for (std::size_t i = 0; i < 6; ++i) {
                EXPECT_EQ(std::real(loaded.data[i]), std::real(saved.data[i]));
                EXPECT_EQ(std::imag(loaded.data[i]), std::imag(saved.data[i]));
            }
        },
        load_npy(file));
    EXPECT_EQ(this->files(), 1u);
}

TEST_F(npy_file, saved_bytes_are_those_of_the_format)
{
    tensor<float> values({2});
    values.data = {1, 2};
    save_npy(path("out.npy"), values);
    const std::string bytes = read(path("out.npy"));
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
    EXPECT_EQ((bytes.size() - 8) % 64, 0u);
    EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"));
    EXPECT_EQ(bytes.substr(bytes.size() - 8), bytes_of<float>({1, 2}));
}

TEST_F(npy_file, saving_replaces_an_older_file_and_follows_links)
{
    write("old.npy", "old");
    fs::create_symlink(path("old.npy"), path("link.npy"));
    tensor<double> values({1});
    values.data = {7};
    save_npy(path("link.npy"), values);
    EXPECT_TRUE(fs::is_symlink(path("link.npy")));
    EXPECT_FALSE(fs::is_symlink(path("old.npy")));
    EXPECT_THAT(std::get<tensor<double>>(load_npy(path("old.npy"))).data, ElementsAre(7));
    EXPECT_EQ(files(), 2u);
}

TEST_F(npy_file, a_save_that_fails_half_way_leaves_the_old_file_and_nothing_else)
{
    write("out.npy", "old");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{4096, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = message_of([&] { save_npy(path("out.npy"), tensor<double>({10000})); });
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_THAT(error, HasSubstr("out.npy: cannot be written"));
    EXPECT_EQ(read(path("out.npy")), "old");
    EXPECT_EQ(files(), 1u);
}

// Element (i,j,k) of 3 x 4 x 5 is 20 i + 5 j + k.
constexpr workloads::box3 parts_of_3_4_5[] = {
    {{1, 0, 0}, {2, 4, 5}}, {{0, 1, 0}, {3, 2, 5}}, {{0, 0, 3}, {3, 4, 2}}, {{2, 3, 4}, {1, 1, 1}}};

template <class Element> std::vector<Element> numbered(const workloads::box3& part)
{
    std::vector<Element> values;
    for (std::size_t i = 0; i < part.size[0]; ++i) {
        for (std::size_t j = 0; j < part.size[1]; ++j) {
            for (std::size_t k = 0; k < part.size[2]; ++k) {
                values.push_back(
                    static_cast<Element>(20 * (part.first[0] + i) + 5 * (part.first[1] + j) + part.first[2] + k));
            }
        }
    }
    return values;
}

TEST_F(npy_file, a_part_is_read_alone)
{
    const workloads::box3 all{{0, 0, 0}, {3, 4, 5}};
    const auto file = write(std::string("in.npy"), npy_bytes("<i2", "(3, 4, 5)", numbered<std::int16_t>(all)));
    for (const auto& part : parts_of_3_4_5) {
        const auto found = workloads::load_npy_box_as<double>(file, part);
        EXPECT_THAT(found.shape, testing::ElementsAreArray(part.size));
        EXPECT_EQ(found.data, numbered<double>(part));
    }
    const auto fortran = npy_bytes("<i2", "(3, 4, 5)", numbered<std::int16_t>(all), "True");
    EXPECT_THAT(message_of([&] { workloads::load_npy_box_as<double>(write(std::string("f.npy"), fortran), all); }),
                HasSubstr("f.npy: is in Fortran order, expected C order"));
}

TEST_F(npy_file, parts_written_by_several_are_the_file_of_the_whole)
{
    tensor<float> whole({3, 4, 5});
    whole.data = numbered<float>({{0, 0, 0}, {3, 4, 5}});
    save_npy(path("whole.npy"), whole);
    for (const std::size_t mode : {0u, 1u, 2u}) {
        workloads::create_npy<float>(path("parts.npy"), {3, 4, 5});
        for (std::size_t n = 0; n < whole.shape[mode]; ++n) {
            workloads::box3 part{{0, 0, 0}, {3, 4, 5}};
            part.first[mode] = n;
            part.size[mode] = 1;
            tensor<float> values({part.size[0], part.size[1], part.size[2]});
            values.data = numbered<float>(part);
            workloads::write_npy_box(path("parts.npy"), part, values);
        }
        EXPECT_EQ(read(path("parts.npy")), read(path("whole.npy"))) << mode;
    }
}

TEST_F(npy_file, unwritable_places_are_refused)
{
    write("file", "x");
    fs::create_directory(path("folder"));
    fs::create_symlink(path("nowhere"), path("dangling"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600),
              0); // stands for every device; a real one would be replaced if we were wrong
    for (const std::string& bad :
         {path("none/out.npy"), path("file/out.npy"), path("folder"), path("folder/"), path("dangling"),
          path(std::string(300, 'n')), path("pipe"), std::string("/proc/none.npy"), std::string()}) {
        EXPECT_THAT(message_of([&] { save_npy(bad, tensor<double>({1})); }), HasSubstr("cannot be written")) << bad;
    }
    EXPECT_EQ(files(), 4u);
    EXPECT_EQ(read(path("file")), "x");
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

} // namespace
} // namespace tensorloom::test
