#pragma once
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/blocks/functional_blocks.h>
#include <tensorloom/models/blocks/mmv_ram_blocks.h>
#include <tensorloom/models/blocks/strided_copy.h>
#include <tensorloom/models/blocks/vector_datapath.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// The datapath of one word format: float, double, complex<double>, int32_t, int64_t.
template <class W> class word_datapath : public vector_datapath {
public:
    word_datapath(std::uint8_t blocks, memory::scratchpad_if& pad, std::uint64_t lanes);

    bool begin(arch::vector::opcode code, const arch::vector::vector_command& command,
               arch::vector::counts& counts) override;
    void begin(const arch::vector::strided_command& repl, arch::vector::counts& counts) override;
    std::uint64_t execute(std::uint64_t first, std::uint64_t last) override;

private:
    vector_source<W> source_of(const arch::vector::vector_operand& operand, std::uint64_t length);
    std::uint64_t blocks_of_length() const { return (m_length + m_block - 1) / m_block; }
    bool updates_in_place() const { return m_a.words == m_z && m_a.zeros == 0; }

    std::uint64_t address_of(const W* word) const
    {
        return static_cast<std::uint64_t>(reinterpret_cast<const unsigned char*>(word) - m_pad_begin);
    }

    bool indices_are_good() const;
    void count_accesses(std::uint64_t packed_words, arch::vector::counts& counts);
    void find_stalls();
    void keep_overwritten();

    std::uint64_t items() const;
    std::uint64_t execute_real(std::uint64_t first, std::uint64_t last);
    std::uint64_t execute_integer(std::uint64_t first, std::uint64_t last);
    void execute_floating(std::uint64_t first, std::uint64_t last);
    template <class Lane> std::uint64_t lanes(std::uint64_t first, std::uint64_t last);
    void gather_last(std::uint64_t first, std::uint64_t last);
    void scatter_last(std::uint64_t first, std::uint64_t last);
    void fill_first(std::uint64_t first, std::uint64_t last);
    /// Calls visit(first, last) for each block of so many elements that ends among these.
    template <class Visit>
    void for_blocks_ending(std::uint64_t block, std::uint64_t first, std::uint64_t last, const Visit& visit) const;
    /// z[j] = result(first, last) of the elements of each such block j.
    template <class Result> void reduce(std::uint64_t first, std::uint64_t last, const Result& result);

    const unsigned char* m_pad_begin;          // byte 0 of the scratchpad
    std::optional<revspec_block<W>> m_revspec; // none of them in complex formats
    std::optional<compact_block<W>> m_compact;
    std::optional<revert_block<W>> m_revert;
    std::optional<activation_block<W>> m_activation; // of float and double alone, as the next
    std::optional<reduction_block<W>> m_reduction;

    // the instruction at hand
    arch::vector::opcode m_code{};
    std::uint64_t m_length = 0;
    std::uint64_t m_table = 0;
    std::uint64_t m_block = 1;
    unsigned m_bits = 0;
    vector_source<W> m_a, m_b;
    const W* m_c = nullptr;
    W* m_z = nullptr;
    std::uint64_t m_address = 0; // of z
    std::uint64_t m_results = 0; // words of z
    std::vector<W> m_kept;       // of an operand that results overwrite before it has been read

    strided_copy<W> m_copy; // repl
};

} // namespace tensorloom::blocks
