#include <tensorloom/workloads/npy_file.h>

#include <sys/stat.h>

#include <cstdint>

#include <gmock/gmock.h>

#include "npy_bytes.h"
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using workloads::npy_kind;
using workloads::read_npy_header;

class npy_header : public scratch_folder {
protected:
    std::string validate(const std::string& bytes) const
    {
        const std::string file = write("bad.npy", bytes);
        const std::string text = message_of([&] { read_npy_header(file); });
        EXPECT_THAT(text, testing::StartsWith(file + ": "));
        return text.substr(std::min(text.size(), file.size()));
    }
    std::string validate_dictionary(const std::string& dictionary) const
    {
        return validate(npy_header_bytes(dictionary));
    }
    const std::string m_data = std::string(2 * 3 * 8, '\0');
};

TEST_F(npy_header, tells_kind_order_shape_and_offset)
{
    const std::string header = npy_header_bytes(npy_dictionary("<i2", "(2, 3)", "True"));
    const auto read = read_npy_header(write("a.npy", header + std::string(12, 'x')));
    EXPECT_EQ(read.kind, npy_kind::signed_integer);
    EXPECT_EQ(read.element_bytes, 2u);
    EXPECT_TRUE(read.fortran_order);
    EXPECT_THAT(read.shape, testing::ElementsAre(2, 3));
    EXPECT_EQ(read.elements, 6u);
    EXPECT_EQ(read.data_offset, header.size());
    EXPECT_FALSE(read.is_complex());
}

TEST_F(npy_header, versions_1_2_and_3_are_read)
{
    for (int major : {1, 2, 3}) {
        EXPECT_EQ(
            read_npy_header(write("a.npy", npy_header_bytes(npy_dictionary("<f8", "(2, 3)"), major) + m_data)).elements,
            6u);
    }
}

TEST_F(npy_header, any_layout_of_a_python_dictionary_is_read)
{
    for (const char* dictionary :
         {"{'shape':(2,3),'descr':'<f8','fortran_order':False}",
          "{ \"fortran_order\" : False , \"shape\" : ( 2 , 3 , ) , \"descr\" : \"=f8\" , }    "}) {
        const auto read = read_npy_header(write("a.npy", npy_header_bytes(dictionary) + m_data));
        EXPECT_THAT(read.shape, testing::ElementsAre(2, 3)) << dictionary;
    }
}

TEST_F(npy_header, a_single_number_an_empty_tensor_and_a_long_header_are_read)
{
    EXPECT_EQ(read_npy_header(write("a.npy", npy_bytes<double>("<f8", "()", {1}))).elements, 1u);
    EXPECT_EQ(read_npy_header(write("b.npy", npy_bytes<double>("<f8", "(4, 0)", {}))).elements, 0u);
    EXPECT_EQ(read_npy_header(write("c.npy", npy_bytes<double>("<f8", "(1,)" + std::string(60000, ' '), {1}))).elements,
              1u);
}

TEST_F(npy_header, missing_file_directory_device_and_empty_file_are_refused)
{
    EXPECT_THAT(message_of([&] { read_npy_header(path("none.npy")); }), HasSubstr("none.npy: no such file"));
    EXPECT_THAT(message_of([&] { read_npy_header(path("")); }), HasSubstr("is a directory"));
    EXPECT_THAT(message_of([&] { read_npy_header("/dev/null"); }), HasSubstr("is a device"));
    EXPECT_THAT(validate(""), HasSubstr("is empty"));
    ASSERT_EQ(::mkfifo(path("pipe.npy").c_str(), 0600), 0); // is not waited for
    EXPECT_THAT(message_of([&] { read_npy_header(path("pipe.npy")); }), HasSubstr("pipe.npy: is a device or a pipe"));
}

TEST_F(npy_header, bad_magic_and_unknown_versions_are_refused)
{
    EXPECT_THAT(validate("P5\n128 96\n255\n"), AllOf(HasSubstr("not a .npy file"), HasSubstr("'P5?128'")));
    EXPECT_THAT(validate("\x93NUMPx and more"), HasSubstr("not a .npy file"));
    EXPECT_THAT(validate(npy_header_bytes(npy_dictionary("<f8", "(2, 3)"), 4) + m_data), HasSubstr("version 4.0"));
    EXPECT_THAT(validate(npy_header_bytes(npy_dictionary("<f8", "(2, 3)"), 9) + m_data), HasSubstr("version 9.0"));
    EXPECT_THAT(validate(std::string("\x93NUMPY\1\1", 8) + m_data), HasSubstr("version 1.1"));
}

TEST_F(npy_header, truncated_header_is_refused_with_numbers)
{
    const std::string header = npy_header_bytes(npy_dictionary("<f8", "(2, 3)"));
    for (std::size_t bytes = 1; bytes < header.size(); ++bytes) {
        EXPECT_THAT(validate(header.substr(0, bytes)),
                    AllOf(HasSubstr("truncated in its header"), HasSubstr(std::to_string(bytes))));
    }
}

TEST_F(npy_header, huge_header_length_is_refused_before_it_is_read)
{
    EXPECT_THAT(validate(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12) + m_data),
                HasSubstr("2147483647 bytes found"));
    EXPECT_THAT(validate(std::string("\x93NUMPY\3\0\x01\x00\x01\x00", 12) + m_data), HasSubstr("65537 bytes found"));
    EXPECT_THAT(validate(npy_header_bytes(npy_dictionary("<f8", "(2, 3)" + std::string(200000, ' ')), 2) + m_data),
                AllOf(HasSubstr("header"), HasSubstr("bytes found")));
}

TEST_F(npy_header, file_size_must_be_exact)
{
    const std::string whole = npy_header_bytes(npy_dictionary("<f8", "(2, 3)")) + m_data;
    const std::string bytes = std::to_string(whole.size());
    EXPECT_THAT(
        validate(whole.substr(0, whole.size() - 1)),
        AllOf(HasSubstr("truncated"), HasSubstr(std::to_string(whole.size() - 1) + " bytes found, expected " + bytes)));
    EXPECT_THAT(validate(whole + "xy"), AllOf(HasSubstr("trailing"), HasSubstr(std::to_string(whole.size() + 2) +
                                                                               " bytes found, expected " + bytes)));
    EXPECT_EQ(read_npy_header(write("good.npy", whole)).elements, 6u);
}

TEST_F(npy_header, big_endian_is_refused_by_name)
{
    EXPECT_THAT(validate(npy_bytes<double>(">f8", "(1,)", {1})), AllOf(HasSubstr("'>f8'"), HasSubstr("big-endian")));
    EXPECT_THAT(validate(npy_bytes<double>(">c16", "(1,)", {1, 1})), HasSubstr("big-endian"));
    EXPECT_THAT(validate(npy_bytes<std::int16_t>(">i2", "(1,)", {1})),
                AllOf(HasSubstr("'>i2'"), HasSubstr("big-endian")));
}

TEST_F(npy_header, unsupported_element_types_are_refused_by_name)
{
    for (const char* type : {"<f16", "<c32", "|O", "<U4", "|S8", "|V8", "<M8[ns]", "<i3", "f8", "", "<", "<f"}) {
        EXPECT_THAT(validate_dictionary(npy_dictionary(type, "(1,)")),
                    AllOf(HasSubstr("not supported"), HasSubstr(std::string("'") + type + "'")));
    }
    EXPECT_THAT(validate_dictionary("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"),
                HasSubstr("structured"));
}

TEST_F(npy_header, malformed_dictionaries_are_refused)
{
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), "),
                HasSubstr("found its end"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3"),
                HasSubstr("expected ')'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x"), HasSubstr("'x'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8"), HasSubstr("closing quote"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}"),
                HasSubstr("True or False"));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(2, 3)", "maybe")), HasSubstr("True or False"));
    EXPECT_THAT(validate_dictionary("{}"), HasSubstr("lacks the key"));
    EXPECT_THAT(validate_dictionary("not a dictionary"), HasSubstr("expected '{'"));
    EXPECT_THAT(validate_dictionary("{'descr' '<f8', 'fortran_order': False, 'shape': (2, 3)}"),
                HasSubstr("expected ':'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}"),
                HasSubstr("expected '}'"));
    EXPECT_THAT(validate_dictionary("\x1b[2J\n\n"), HasSubstr("found '?[2J"));
    EXPECT_THAT(validate_dictionary(""), HasSubstr("expected '{'"));
}

TEST_F(npy_header, keys_are_those_three_once_each)
{
    EXPECT_THAT(validate_dictionary("{'fortran_order': False, 'shape': (2, 3)}"), HasSubstr("lacks the key 'descr'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'shape': (2, 3)}"), HasSubstr("lacks the key 'fortran_order'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': False}"), HasSubstr("lacks the key 'shape'"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
                HasSubstr("twice"));
    EXPECT_THAT(validate_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"),
                HasSubstr("'more'"));
}

TEST_F(npy_header, impossible_shapes_are_refused)
{
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(2, -3)")),
                AllOf(HasSubstr("'-3"), HasSubstr("not below 0")));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(6)")), HasSubstr("after the only size"));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "6")), HasSubstr("expected '('"));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(2.5, 3)")), HasSubstr("'.5"));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(18446744073709551616,)")), HasSubstr("64 bits"));
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(2305843009213693952, 2)")), HasSubstr("too large"));
    for (const char* shape : {"(4294967296, 4294967296, 0)", "(1099511627776, 1099511627776, 1099511627776)",
                              "(4611686018427387904, 2, 1)", "(3000000000, 3000000000, 1)"}) {
        EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", shape)), HasSubstr("too large")) << shape;
    }
    std::string sizes;
    for (int i = 0; i < 33; ++i) { sizes += "1, "; }
    EXPECT_THAT(validate_dictionary(npy_dictionary("<f8", "(" + sizes + ")")), HasSubstr("more than 32 dimensions"));
}

} // namespace
} // namespace tensorloom::test
