// A saved state in its stream: its bytes, what comes back, what is refused.
#include <tensorloom/models/base/files/saved_state.h>
#include <algorithm>
#include <random>
#include <sstream>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using byte_string = std::vector<unsigned char>;

constexpr std::size_t header_bytes = 8 + 4 + 32 + 32;
constexpr const char* configuration = "side=4\nlanes=8\n";

/// One number, some bytes.
std::string small_state()
{
    std::ostringstream to;
    state_writer state(to, "toy_device", configuration);
    state.put(std::uint32_t{0x01020304});
    state.put_bytes(reinterpret_cast<const unsigned char*>("abc"), 3);
    state.finish();
    return to.str();
}

/// What reading it says; "" when all of it was there.
std::string validate(const std::string& bytes, const char* kind = "toy_device",
                     const char* expected_configuration = configuration)
{
    std::istringstream from(bytes);
    try {
        state_reader state(from, kind, expected_configuration);
        EXPECT_EQ(state.take<std::uint32_t>(), 0x01020304u);
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(state.take_bytes(3)), 3), "abc");
        state.finish();
    } catch (const input_error& error) {
        return error.what();
    }
    return "";
}

TEST(saved_state_test, has_the_bytes_that_are_written_down)
{
    const auto state = small_state();
    ASSERT_EQ(state.size(), header_bytes + 4 + 7 + 4 + 32);
    EXPECT_EQ(state.substr(0, 8), "TL-STATE");
    EXPECT_EQ(state.substr(8, 4), std::string("\1\0\0\0", 4));
    EXPECT_EQ(state.substr(12, 32), "toy_device" + std::string(22, '\0'));
    const auto hex = [&](std::size_t at) {
        return sha256::hex_of(reinterpret_cast<const unsigned char*>(state.data()) + at);
    };
    EXPECT_EQ(hex(44), sha256_of(configuration));
    EXPECT_EQ(state.substr(76, 15), std::string("\7\0\0\0\4\3\2\1abc\0\0\0\0", 15));
    EXPECT_EQ(hex(91), sha256_of(state.substr(0, 91)));
    EXPECT_EQ(validate(state), "");
}

TEST(saved_state_test, several_follow_each_other_in_a_stream)
{
    std::istringstream from(small_state() + small_state() + "rest");
    for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(state_reader(from, "toy_device", configuration).take<std::uint32_t>(), 0x01020304u);
    }
    std::string rest;
    from >> rest;
    EXPECT_EQ(rest, "rest");
}

TEST(saved_state_test, says_what_it_found_and_expected)
{
    auto state = small_state();
    EXPECT_EQ(validate(state, "toy"), "saved state: its kind is 'toy_device', expected 'toy'");
    EXPECT_EQ(validate(state, "toy_device", "side=8\n"),
              "saved state: the SHA-256 of its configuration is " + sha256_of(configuration) + ", expected " +
                  sha256_of("side=8\n") + ": it belongs to another configuration");
    EXPECT_EQ(validate("a text"), "saved state: it is truncated: 6 bytes are left, expected 8");
    EXPECT_EQ(validate(""), "saved state: it is truncated: 0 bytes are left, expected 8");
    EXPECT_EQ(validate("two lines\nof text"),
              "saved state: its magic is 'two line', expected 'TL-STATE', the start of a state saved by TensorLoom");
    state[8] = 2;
    EXPECT_EQ(validate(state), "saved state: its format is 2, expected 1");
}

TEST(saved_state_test, every_changed_byte_is_refused_in_a_line)
{
    const auto state = small_state();
    for (std::size_t at = 0; at < state.size(); ++at) {
        for (const int change : {0x01, 0x80, 0xff}) {
            auto wrong = state;
            wrong[at] = static_cast<char>(wrong[at] ^ change);
            EXPECT_THAT(validate(wrong), AllOf(HasSubstr(", expected "), Not(HasSubstr("\n")))) << "byte " << at;
        }
    }
}

TEST(saved_state_test, every_truncation_is_refused_in_a_line)
{
    const auto state = small_state();
    for (std::size_t length = 0; length < state.size(); ++length) {
        EXPECT_THAT(validate(state.substr(0, length)), HasSubstr("it is truncated")) << length;
    }
}

TEST(saved_state_test, content_of_another_length_is_refused)
{
    std::ostringstream to;
    state_writer state(to, "toy_device", configuration);
    state.put(std::uint32_t{0x01020304});
    state.put_bytes(reinterpret_cast<const unsigned char*>("abcd"), 4);
    state.finish();
    EXPECT_EQ(validate(to.str()), "saved state: its content is 8 bytes, expected 7");
    std::istringstream from(small_state());
    state_reader reader(from, "toy_device", configuration);
    EXPECT_THROW(reader.take_bytes(8), input_error);
}

TEST(saved_state_test, stream_that_takes_nothing_is_told)
{
    std::ostringstream to;
    to.setstate(std::ios::badbit);
    state_writer state(to, "toy_device", configuration);
    EXPECT_THROW(state.finish(), input_error);
}

// ---- sparse bytes ----

std::string sparse_state(const byte_string& bytes, unsigned char background)
{
    std::ostringstream to;
    state_writer state(to, "toy_device", configuration);
    state.put_sparse(bytes.size(), background,
                     [&](std::uint64_t address, std::uint64_t) { return bytes.data() + address; });
    state.finish();
    return to.str();
}

TEST(saved_state_test, sparse_bytes_come_back)
{
    std::mt19937 random(3);
    for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 300'000u}) {
        byte_string bytes(size, 7);
        for (unsigned i = 0; i < 5 && size > 0; ++i) { bytes[random() % size] = static_cast<unsigned char>(random()); }
        std::istringstream from(sparse_state(bytes, 7));
        state_reader state(from, "toy_device", configuration);
        byte_string found(size, 7);
        for (const auto& page : state.take_sparse(size)) {
            std::copy_n(page.bytes, page.count, found.begin() + static_cast<std::ptrdiff_t>(page.address));
        }
        state.finish();
        EXPECT_EQ(found, bytes) << size;
    }
}

TEST(saved_state_test, sparse_bytes_take_room_for_pages_that_hold_something)
{
    byte_string bytes(1u << 20);
    const auto empty = sparse_state(bytes, 0).size();
    EXPECT_LT(empty, 200u);
    bytes[77'777] = 1;
    EXPECT_EQ(sparse_state(bytes, 0).size(), empty + 8 + 4096);
}

TEST(saved_state_test, pages_in_wrong_places_are_refused)
{
    const auto take = [](const std::vector<std::uint64_t>& addresses) {
        std::ostringstream to;
        state_writer state(to, "toy_device", configuration);
        const byte_string page(4096, 1);
        for (const auto address : addresses) {
            state.put(address);
            state.put_bytes(page.data(), page.size());
        }
        state.put(UINT64_MAX);
        state.finish();
        std::istringstream from(to.str());
        return state_reader(from, "toy_device", configuration).take_sparse(3 * 4096).size();
    };
    EXPECT_EQ(take({0, 8192}), 2u);
    for (const auto& addresses :
         std::vector<std::vector<std::uint64_t>>{{1}, {4096, 0}, {4096, 4096}, {3 * 4096}, {UINT64_MAX - 4095}}) {
        EXPECT_THROW(take(addresses), input_error);
    }
}

} // namespace
} // namespace tensorloom::base
