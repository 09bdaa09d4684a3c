#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/shell/device_config.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::mmv {

/// Unit of a scratchpad's size in CAPS_SIZE, in bytes.
inline constexpr std::uint32_t scratchpad_unit = 1024;
/// The largest scratchpad, in bytes.
inline constexpr std::uint64_t largest_scratchpad = (std::uint64_t{1} << 32) - scratchpad_unit;

/// An MMU/VCU pair. Source: "MMV-RAM" (arXiv 2506.23906), "(m,l)-TCU" (arXiv 1908.06649).
struct config : shell::device_config {
    unsigned side = 16; ///< s (q = sqrt(m)): rows and columns of the array, 2 to 1024
    /// f64, f32, c128, bf16 and f16 (sums and words f32), int8 (sums and words int32), int32, int64
    base::element_type format = base::element_type::int64;
    blocks::fidelity fidelity = blocks::fidelity::fast;
    unsigned in_words = 0, out_words = 0; ///< words per cycle into the array and out of it, 1 to side; 0: side
    unsigned pipeline_depth = 1;          ///< cycles of a multiply-add in the array, 1 to 64
    unsigned call_latency = 0;  ///< cycles of every MATMUL and PRODUCT in addition to the array's schedule, 0 to 2^20
    bool streaming = false;     ///< elements have two weights: the tiles of a PRODUCT follow one another without gaps
    unsigned call_interval = 0; ///< cycles between the starts of two calls of a tile of a PRODUCT, at least; 0 to 2^16

    unsigned lanes = 64; ///< lanes of the vector unit: words per cycle, 1 to 65536
    isa::vector::costs vector_costs = isa::vector::default_vector_costs();
    bool bank_broadcast = true; ///< lanes that read the same word are served together; otherwise in sequence
    std::uint8_t blocks = functional_blocks; ///< functional blocks of the vector unit
    unsigned word_bits = 0; ///< B in the circuit sizes of the MMV-RAM meter, 1 to 128; 0: the bits of a word

    unsigned scalar_ops = 1; ///< operations per cycle of the scalar unit, 1 to 1024

    std::uint64_t scratchpad_bytes = 1u << 20; ///< a multiple of scratchpad_unit, at most 4 GiB - scratchpad_unit
    unsigned banks = 64; ///< banks of the scratchpad, a word wide each; a bank reads a word per operand and writes one
                         ///< per cycle. A power of two, 1 to 4096, at most the words of the scratchpad

    bool overlap = false; ///< units work concurrently where operands allow it: our extension; the papers' machines run
                          ///< one unit at a time
};

/// Parameter table: range of each parameter, and its name in options, summaries and set(). Valid while `config` lives.
base::config_fields fields_of(config& config);

/// Limits of programs for this device.
limits limits_of(const config& c);

/// Words that a bank of the scratchpad moves per cycle: three operands and the result of the vector unit, while one
/// unit works at a time. With overlap also a row into and a row out of the array, and a word of LOAD or STORE.
constexpr unsigned words_per_bank(const config& c) { return c.overlap ? 4 + 2 + 1 : 4; }

/// The first error of a configuration as text; nothing when it is valid.
std::optional<std::string> validate(const config& config);

} // namespace tensorloom::mmv
