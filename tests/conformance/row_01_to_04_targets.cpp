// Rows 1 to 4 on memories and routers: response status, commands and lengths, byte enables, streaming width.
#include <limits>
#include <numeric>
#include "conformance/target_row.h"

namespace {

using namespace tensorloom::test;
using tensorloom::bus::protocol_rule;

TEST_P(target_row, row_01_every_access_gets_a_status_and_errors_change_nothing)
{
    run([this](target_bench& b) {
        for (std::uint64_t at : {b.base, b.base + 5, b.base + 0x7ffe, b.last() - 3}) {
            auto write = writing(at, {1, 2, 3, 4});
            expect_as_in_model(write, "write");
            auto read = reading(at, 4);
            expect_as_in_model(read, "read");
        }
        std::vector<std::pair<std::uint64_t, std::size_t>> outside = {
            {b.last() + 1, 4},                                   // just above
            {b.last() - 1, 4},                                   // over the end
            {b.last(), 2},                                       //
            {b.base + 1, target_bench::bytes},                   //
            {std::numeric_limits<std::uint64_t>::max() - 3, 4},  // the last addresses of all
            {std::numeric_limits<std::uint64_t>::max() - 3, 8},  // round the end of the address space
            {std::numeric_limits<std::uint64_t>::max(), 1},      //
            {std::numeric_limits<std::uint64_t>::max() - 7, 64}, //
        };
        if (b.base > 0) { outside.insert(outside.end(), {{b.base - 1, 4}, {b.base - 4, 4}, {0, 4}}); }
        for (const auto& [at, size] : outside) {
            auto read = reading(at, size);
            expect_check_error(read, tlm::TLM_ADDRESS_ERROR_RESPONSE, "read");
            auto write = writing(at, pattern(size));
            expect_check_error(write, tlm::TLM_ADDRESS_ERROR_RESPONSE, "write");
        }
        expect_contents_as_in_model();
    });
}

TEST_P(sram_row, row_01_write_to_a_read_only_memory_is_a_command_error)
{
    target_options options;
    options.read_only = true;
    build(options);
    run([this](target_bench& b) {
        auto write = writing(b.base + 8, {1, 2, 3, 4});
        expect_check_error(write, tlm::TLM_COMMAND_ERROR_RESPONSE, "write");
        auto outside = writing(b.last() + 1, {1, 2, 3, 4});
        b.send(outside);
        EXPECT_TRUE(outside.is_response_error());
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_02_lengths_and_ignore)
{
    run([this](target_bench& b) {
        unsigned seed = 0;
        for (std::size_t size : {1u, 2u, 3u, 4u, 5u, 8u, 63u, 64u, 65u, 4095u, 4096u, 0x10000u}) {
            for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, target_bench::bytes - size}) {
                if (offset + size > target_bench::bytes) { continue; }
                auto write = writing(b.base + offset, pattern(size, ++seed));
                expect_as_in_model(write, "write");
                auto read = reading(b.base + offset, size);
                expect_as_in_model(read, "read");
            }
        }
        expect_contents_as_in_model();

        // TLM_IGNORE_COMMAND carries an extension to whom it may concern, and nothing happens
        struct note : tlm::tlm_extension<note> {
            tlm::tlm_extension_base* clone() const override { return new note(*this); }
            void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const note&>(other); }
        };
        note n;
        for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{16}, target_bench::bytes - 4}) {
            payload ignore(tlm::TLM_IGNORE_COMMAND, b.base + offset, {9, 8, 7, 6});
            ignore.set_extension(&n);
            const auto counts = b.counts();
            b.send(ignore);
            EXPECT_EQ(ignore.get_response_status(), tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(ignore.data, (std::vector<unsigned char>{9, 8, 7, 6}));
            EXPECT_EQ(ignore.get_extension<note>(), &n);
            EXPECT_EQ(b.counts(), counts);
            ignore.clear_extension(&n);
        }
        payload empty(tlm::TLM_IGNORE_COMMAND, b.base, {});
        empty.set_data_ptr(nullptr);
        b.send(empty);
        EXPECT_NE(empty.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_02_access_without_data_is_answered_with_an_error)
{
    build();
    bench().tolerate(protocol_rule::null_data);
    bench().tolerate(protocol_rule::zero_length);
    bench().tolerate(protocol_rule::zero_streaming_width);
    run([this](target_bench& b) {
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            payload no_pointer(command, b.base, {1, 2, 3, 4});
            no_pointer.set_data_ptr(nullptr);
            expect_check_error(no_pointer, tlm::TLM_GENERIC_ERROR_RESPONSE, "null pointer");
            payload no_length(command, b.base, {1, 2, 3, 4});
            no_length.set_data_length(0);
            expect_check_error(no_length, tlm::TLM_GENERIC_ERROR_RESPONSE, "length 0");
            payload nothing(command, b.base, {});
            nothing.set_data_ptr(nullptr);
            expect_check_error(nothing, tlm::TLM_GENERIC_ERROR_RESPONSE, "neither");
        }
        expect_contents_as_in_model();
    });
}

// Patterns that are shorter and longer than any of the lengths, and none that fits them.
std::vector<std::vector<unsigned char>> enable_patterns()
{
    std::vector<std::vector<unsigned char>> all = {
        {0xff}, {0x00}, {0xff, 0x00}, {0x00, 0xff, 0xff}, {0x00, 0x00, 0x00, 0x00}, {0xff, 0x00, 0x00, 0xff, 0x00}};
    std::vector<unsigned char> longer(9000);
    for (std::size_t i = 0; i < longer.size(); ++i) { longer[i] = i % 7 < 3 || i % 11 == 0 ? 0xff : 0x00; }
    all.push_back(std::move(longer));
    return all;
}

TEST_P(target_row, row_03_byte_enables_on_reads_and_writes)
{
    run([this](target_bench& b) {
        unsigned seed = 0;
        for (const auto& enables : enable_patterns()) {
            for (std::size_t size : {1u, 3u, 4u, 8u, 37u, 64u, 5000u}) { // 5000: over rows and banks
                const std::uint64_t at = b.base + 0x0ffd - seed % 3;
                auto write = writing(at, pattern(size, ++seed));
                write.enable(enables);
                expect_as_in_model(write, "write");
                auto read = reading(at, size);
                read.enable(enables);
                expect_as_in_model(read, "read");
                EXPECT_EQ(write.enables, enables);
                EXPECT_EQ(read.enables, enables);
            }
        }
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_03_enables_without_length_change_nothing)
{
    build();
    bench().tolerate(protocol_rule::enables_of_length_zero);
    run([this](target_bench& b) {
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            payload t(command, b.base + 64, {1, 2, 3, 4});
            t.enable({0xff});
            t.set_byte_enable_length(0);
            expect_check_error(t, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "length 0");
        }
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_04_streaming_widths_with_and_without_byte_enables)
{
    run([this](target_bench& b) {
        unsigned seed = 0;
        auto all_enables = enable_patterns();
        all_enables.emplace_back();
        for (const auto& enables : all_enables) {
            for (unsigned size : {1u, 6u, 64u, 4096u}) {
                for (unsigned width :
                     {1u, 3u, 4u, size / 2, size - 1, size, size + 16, std::numeric_limits<unsigned>::max()}) {
                    if (width == 0) { continue; }
                    const unsigned extent = std::min(width, size);
                    for (std::uint64_t at : {b.base + 9, b.last() + 1 - extent}) { // the end is what is touched
                        auto write = writing(at, pattern(size, ++seed));
                        write.set_streaming_width(width);
                        if (!enables.empty()) { write.enable(enables); }
                        expect_as_in_model(write, "write");
                        auto read = reading(at, size);
                        read.set_streaming_width(width);
                        if (!enables.empty()) { read.enable(enables); }
                        expect_as_in_model(read, "read");
                    }
                }
            }
        }
        auto over = writing(b.last() - 2, pattern(64));
        over.set_streaming_width(4);
        expect_check_error(over, tlm::TLM_ADDRESS_ERROR_RESPONSE, "4 bytes from the last 3");
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_04_unsupported_streaming_is_a_burst_error)
{
    target_options options;
    options.streaming_bursts = false;
    options.zero_streaming_width = false;
    build(options);
    bench().tolerate(protocol_rule::zero_streaming_width);
    run([this](target_bench& b) {
        for (unsigned width : {0u, 1u, 4u, 63u}) {
            auto write = writing(b.base + 64, pattern(64, 5));
            write.set_streaming_width(width);
            expect_check_error(write, tlm::TLM_BURST_ERROR_RESPONSE, "write");
            auto read = reading(b.base + 64, 64);
            read.set_streaming_width(width);
            expect_check_error(read, tlm::TLM_BURST_ERROR_RESPONSE, "read");
        }
        for (unsigned width : {64u, 80u, std::numeric_limits<unsigned>::max()}) {
            auto write = writing(b.base + 64, pattern(64, width & 0xff));
            write.set_streaming_width(width);
            expect_as_in_model(write, "not below the length");
        }
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_04_streaming_width_of_zero_counts_as_the_length_where_tolerated)
{
    build();
    bench().tolerate(protocol_rule::zero_streaming_width);
    run([this](target_bench& b) {
        auto write = writing(b.base + 100, pattern(24, 3));
        auto same = writing(b.base + 100, write.data);
        model.apply(same, b.base);
        write.set_streaming_width(0);
        b.send(write);
        EXPECT_TRUE(write.is_response_ok());
        expect_contents_as_in_model();
    });
}

} // namespace
