#include <tensorloom/models/base/files/sha256.h>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

namespace tensorloom::base {
namespace {

// From FIPS 180-4 and its examples.
TEST(sha256_test, known_texts)
{
    EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Each length puts the end of the message elsewhere in its last block.
TEST(sha256_test, pieces_do_not_matter)
{
    for (std::size_t length = 50; length < 140; ++length) {
        const std::string text(length, 'x');
        sha256 hash;
        for (const char c : text) { hash.add({&c, 1}); }
        EXPECT_EQ(hash.hex(), sha256_of(text)) << length;
    }
}

TEST(sha256_test, files)
{
    const std::string path = testing::TempDir() + "sha256_test_file";
    std::ofstream(path) << "abc";
    EXPECT_EQ(sha256_of_file(path), sha256_of("abc"));
    std::remove(path.c_str());
    EXPECT_EQ(sha256_of_file(path), std::nullopt);
    EXPECT_EQ(sha256_of_file(testing::TempDir()), std::nullopt);
    EXPECT_EQ(sha256_of_file("/dev/zero"), std::nullopt);
}

} // namespace
} // namespace tensorloom::base
