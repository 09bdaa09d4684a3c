#include <tensorloom/models/base/values/element_type.h>
#include "fuzz/reference_check.h"
#include "models/mmv/hostile_case.h"

namespace tensorloom::testbench {

// Compiled here, so that the target does not link the testbenches' platform.
template testbed_device<mmv::device_base> make_device<mmv::traits>(const char*, const mmv::config&, unsigned,
                                                                   bus::activity_sink*);

} // namespace tensorloom::testbench

namespace tensorloom::test {
namespace {

/// An MMU/VCU pair of each format, with all functional blocks.
class fuzzed_mmv final : public fuzzed_device {
public:
    fuzzed_mmv() : fuzzed_device(mmv::description) {}

    std::vector<std::string> variants() const override
    {
        std::vector<std::string> names;
        for (const auto format : base::systolic_formats) { names.emplace_back(base::element_type_name(format)); }
        return names;
    }
    std::unique_ptr<program_check> make_check(const std::string& variant) const override
    {
        return std::make_unique<reference_check<hostile_mmv_case>>("mmv_" + variant,
                                                                   hostile_mmv_case(seed_of(variant), 0));
    }
    void offer_seeds(seed_sink& seeds) const override
    {
        for (const auto& v : variants()) { offer_random_programs<hostile_mmv_case>(seeds, v, seed_of(v)); }
        offer_float32_words(seeds, variants().front());
    }

private:
    /// The first seed of random_device() with this format and all functional blocks.
    static std::uint64_t seed_of(const std::string& variant)
    {
        const auto format = base::parse_element_type(variant);
        std::uint64_t seed = 0;
        for (;; ++seed) {
            const auto config = random_device(seed);
            if (config.format == format && config.blocks == isa::vector::all_functional_blocks) { return seed; }
        }
    }
};

const fuzzed_mmv registered_mmv;

} // namespace
} // namespace tensorloom::test
