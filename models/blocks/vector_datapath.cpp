#include <tensorloom/models/blocks/vector_datapath.h>
#include <complex>
#include <tensorloom/models/blocks/word_datapath.h>

namespace tensorloom::blocks {

vector_datapath::vector_datapath(memory::scratchpad_if& pad, std::uint64_t lanes)
    : m_pad(pad), m_lanes(lanes), m_tally(pad.banks())
{}

void vector_datapath::take(std::uint64_t words, bool contiguous)
{
    m_words = words;
    m_contiguous = contiguous;
    m_stalls.clear();
}

std::unique_ptr<vector_datapath> make_vector_datapath(arch::element_type word, std::uint8_t blocks,
                                                      memory::scratchpad_if& pad, std::uint64_t lanes)
{
    switch (word) {
    case arch::element_type::f32: return std::make_unique<word_datapath<float>>(blocks, pad, lanes);
    case arch::element_type::f64: return std::make_unique<word_datapath<double>>(blocks, pad, lanes);
    case arch::element_type::c128: return std::make_unique<word_datapath<std::complex<double>>>(blocks, pad, lanes);
    case arch::element_type::int32: return std::make_unique<word_datapath<std::int32_t>>(blocks, pad, lanes);
    case arch::element_type::int64: return std::make_unique<word_datapath<std::int64_t>>(blocks, pad, lanes);
    default: return nullptr; // no words of a vector unit
    }
}

} // namespace tensorloom::blocks
