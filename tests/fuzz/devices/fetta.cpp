#include <tensorloom/models/fetta/isa/contract_command.h>
#include "fuzz/reference_check.h"
#include "models/fetta/hostile_case.h"
#include "models/fetta/random_contraction.h"

namespace tensorloom::testbench {

// Compiled here, so that the target does not link the testbenches' platform.
template testbed_device<fetta::device_base> make_device<fetta::traits>(const char*, const fetta::config&, unsigned,
                                                                       bus::activity_sink*);

} // namespace tensorloom::testbench

namespace tensorloom::test {
namespace {

/// Variants and the seed of random_geometry() that each stands for.
struct fetta_variant {
    const char* name;
    std::uint64_t seed;
};
constexpr fetta_variant fetta_variants[] = {{"f32_sums", 0}, {"bf16_sums", 12}, {"f32_operands", 24}};

/// A FETTA with operands in bfloat16 and sums in float32, one with sums in bfloat16, one with operands in float32.
class fuzzed_fetta final : public fuzzed_device {
public:
    fuzzed_fetta() : fuzzed_device(fetta::description) {}

    std::vector<std::string> variants() const override
    {
        std::vector<std::string> names;
        for (const auto& v : fetta_variants) { names.emplace_back(v.name); }
        return names;
    }
    std::unique_ptr<program_check> make_check(const std::string& variant) const override
    {
        return std::make_unique<reference_check<hostile_fetta_case>>("fetta_" + variant,
                                                                     hostile_fetta_case(limits_of(variant), 0));
    }
    void offer_seeds(seed_sink& seeds) const override
    {
        for (const auto& v : variants()) { offer_random_programs<hostile_fetta_case>(seeds, v, limits_of(v)); }
        offer_float32_words(seeds, variants().front());
    }
    std::uint64_t kind_of(const isa::program_command& c) const override
    {
        const bool contract = c.header.opcode == static_cast<std::uint8_t>(fetta::opcode::contract);
        return contract ? fetta::contract_command::decode(c.header.flags, c.payload).mapping : c.header.flags;
    }

private:
    /// Small banks, because every run fills and empties them.
    static fetta::device_limits limits_of(const std::string& variant)
    {
        fetta::device_limits limits;
        for (const auto& v : fetta_variants) {
            if (variant == v.name) { limits = random_limits(v.seed); }
        }
        limits.bank_bytes = 4096;
        return limits;
    }
};

const fuzzed_fetta registered_fetta;

} // namespace
} // namespace tensorloom::test
