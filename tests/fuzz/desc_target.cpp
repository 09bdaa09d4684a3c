// Bytes and text as tensor descriptors.
#include <cstring>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include "fuzz/fuzz_target.h"

using namespace tensorloom;
using namespace tensorloom::test;
using isa::tensor_descriptor;

namespace {

std::vector<std::uint8_t> bytes_of(const tensor_descriptor& tensor)
{
    std::vector<std::uint8_t> bytes(tensor_descriptor::encoded_bytes);
    tensor.encode(bytes.data());
    return bytes;
}

// The address of an element, from its place in C order.
std::uint64_t address_of(const tensor_descriptor& tensor, std::uint64_t element)
{
    const std::uint64_t bytes = base::element_bytes(static_cast<base::element_type>(tensor.type));
    std::uint64_t address = tensor.base;
    for (unsigned m = tensor.order; m-- > 0;) {
        address += element % tensor.size[m] * static_cast<std::uint64_t>(tensor.stride[m]) * bytes;
        element /= tensor.size[m];
    }
    return address;
}

void expect_runs(const tensor_descriptor& tensor)
{
    const isa::descriptor_runs runs(tensor);
    const std::uint64_t elements = tensor.elements(), run = runs.run_elements();
    expect(run >= 1 && runs.runs() == elements / run && elements % run == 0, "runs that are not the tensor");
    const std::uint64_t bytes = base::element_bytes(static_cast<base::element_type>(tensor.type));
    for (const std::uint64_t r : {std::uint64_t{0}, runs.runs() / 2, runs.runs() - 1}) {
        expect(runs.address(r) == address_of(tensor, r * run), "a run that begins elsewhere");
        expect(runs.address(r) + (run - 1) * bytes == address_of(tensor, r * run + run - 1), "a run with a gap");
    }
}

void use(const tensor_descriptor& tensor)
{
    expect(bytes_of(tensor_descriptor::decode(bytes_of(tensor).data())) == bytes_of(tensor), "bytes that change");
    if (const auto text = isa::tensor_text(tensor)) {
        const auto back = isa::parse_tensor(*text);
        expect(back && bytes_of(*back) == bytes_of(tensor), "another descriptor through its text " + *text);
    }
    if (!tensor.present()) { return; }
    if (const auto wrong = validate(tensor)) {
        expect_one_line(*wrong);
    } else {
        expect_runs(tensor);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    const chosen_input input(data, bytes);
    if (input.choice % 2 == 0) {
        std::vector<std::uint8_t> encoded(tensor_descriptor::encoded_bytes);
        std::memcpy(encoded.data(), input.data, std::min(encoded.size(), input.bytes));
        use(tensor_descriptor::decode(encoded.data()));
    } else if (const auto tensor = isa::parse_tensor(input.text())) {
        use(*tensor);
    }
    return 0;
}
