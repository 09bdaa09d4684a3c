#include <tensorloom/models/arch/mmv/accesses.h>
#include <tensorloom/models/arch/mmv/operand_ranges.h>
#include <tensorloom/models/arch/mmv/strided_signature.h>
#include <tensorloom/models/arch/mmv/vector_signature.h>

namespace tensorloom::arch::mmv {

address_ranges reads(const matmul_command& c, const mmv_limits& device)
{
    address_ranges ranges = left_ranges(c, device);
    ranges.add(weight_range(c, device));
    return ranges;
}

address_ranges writes(const matmul_command& c, const mmv_limits& device) { return result_ranges(c, device); }

address_ranges reads(opcode code, const vector_command& c, const vector_limits& device)
{
    const vector_lengths lengths = lengths_of(code, c);
    address_ranges ranges;
    ranges.add(ordered_range(c.a, lengths.a, device.word_bytes()));
    ranges.add(ordered_range(c.b, lengths.b, device.word_bytes()));
    ranges.add(ordered_range(c.c, lengths.c, device.word_bytes()));
    return ranges;
}

address_ranges writes(opcode code, const vector_command& c, const vector_limits& device)
{
    address_ranges ranges;
    ranges.add(ordered_range(c.result, lengths_of(code, c).result, device.word_bytes()));
    return ranges;
}

address_ranges reads(opcode code, const strided_command& c, const vector_limits& device)
{
    const strided_sizes sizes = sizes_of(code, c);
    const strided_signature has = strided_signature_of(code);
    address_ranges ranges;
    ranges.add(strided_range(c.a, sizes.a, device.word_bytes()));
    if (!has.writes_b) { ranges.add(strided_range(c.b, sizes.b, device.word_bytes())); }
    if (has.reads_result) { ranges.add(strided_range(c.result, sizes.result, device.word_bytes())); }
    return ranges;
}

address_ranges writes(opcode code, const strided_command& c, const vector_limits& device)
{
    const strided_sizes sizes = sizes_of(code, c);
    address_ranges ranges;
    ranges.add(strided_range(c.result, sizes.result, device.word_bytes()));
    if (strided_signature_of(code).writes_b) { ranges.add(strided_range(c.b, sizes.b, device.word_bytes())); }
    return ranges;
}

} // namespace tensorloom::arch::mmv
