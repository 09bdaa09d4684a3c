#include <fstream>
#include <iostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <lt_initiator.h>
#include <me_traffic_generator.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include "conformance/partners/partner_messages.h"
#include "conformance/partners/partner_traffic_check.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

const std::string example = TENSORLOOM_PARTNERS "/lt_mixed_endian/results/";

/// A processor of the example: big endian when its number is odd. Does what it reads from the standard input.
struct processor {
    processor(const char* name, const char* generator_name, unsigned id)
        : initiator(name, id), generator(generator_name, id, 0, 0)
    {
        generator.request_out_port(requests);
        initiator.request_in_port(requests);
        initiator.response_out_port(responses);
        generator.response_in_port(responses);
    }
    lt_initiator initiator;
    me_traffic_generator generator;
    sc_core::sc_fifo<tlm::tlm_generic_payload*> requests;
    sc_core::sc_fifo<tlm::tlm_generic_payload*> responses;
};

memory::sram_config mixed_endian_memory_settings()
{
    memory::sram_config c;
    c.bytes = 256;
    c.allow_dmi = false; // the partner never clears the hint
    return c;
}

/// Standard input from a file, standard output to a string, while this object lives.
class redirected {
public:
    explicit redirected(const std::string& input)
        : m_in(input), m_old_in(std::cin.rdbuf(m_in.rdbuf())), m_old_out(std::cout.rdbuf(m_out.rdbuf()))
    {}
    ~redirected()
    {
        std::cin.rdbuf(m_old_in);
        std::cout.rdbuf(m_old_out);
    }
    std::string output() const { return m_out.str(); }
    bool has_input() const { return m_in.is_open(); }

private:
    std::ifstream m_in;
    std::ostringstream m_out;
    std::streambuf* m_old_in;
    std::streambuf* m_old_out;
};

std::vector<std::string> answers_in(std::istream& text)
{
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        if (line.find("::") != std::string::npos) { lines.push_back(line); }
    }
    return lines;
}

class mixed_endian_partner : public sim_test {};

TEST_F(mixed_endian_partner, big_and_little_endian_processors_share_our_memory)
{
    hear_partners();
    processor big("big", "big_generator", 101), little("little", "little_generator", 102);
    bus::protocol_checker<32> big_side("big_side"), little_side("little_side"), memory_side("memory_side");
    bus::router<32> router("router", bus::router_config{});
    memory::sram<32> memory("memory", mixed_endian_memory_settings());
    big.initiator.initiator_socket.bind(big_side.in);
    little.initiator.initiator_socket.bind(little_side.in);
    big_side.out.bind(router.in);
    little_side.out.bind(router.in);
    router.out.bind(memory_side.in);
    memory_side.out.bind(memory.in);
    router.map(0, mixed_endian_memory_settings().bytes - 1, 0);

    std::string output;
    {
        redirected console(example + "input.txt");
        ASSERT_TRUE(console.has_input());
        sc_core::sc_start();
        output = console.output();
    }
    // What the processors read is what the example's own log says.
    std::istringstream written(output);
    std::ifstream log(example + "expected.log");
    const auto expected = answers_in(log);
    EXPECT_GT(expected.size(), 50u);
    EXPECT_EQ(answers_in(written), expected);

    // The input's stores: bytes 0 to 7 and a half word at 0x30, last by the little endian processor; by the big endian
    // one a word at 0x20, which is a word for both, and a byte at 0x42, which lies at the other end of its word.
    std::vector<unsigned char> bytes(mixed_endian_memory_settings().bytes);
    for (unsigned char i = 0; i < 8; ++i) { bytes[i] = i; }
    bytes[0x20] = 0xdf, bytes[0x21] = 0x9b, bytes[0x22] = 0x57, bytes[0x23] = 0x13;
    bytes[0x30] = 0x62, bytes[0x31] = 0xea;
    bytes[0x41] = 0x5a;
    EXPECT_EQ(contents_behind(memory_side.out, mixed_endian_memory_settings().bytes), bytes);
    EXPECT_EQ(memory_side.transactions(), big_side.transactions() + little_side.transactions());
    expect_no_violations({&big_side, &little_side, &memory_side});
}

} // namespace
} // namespace tensorloom::test
