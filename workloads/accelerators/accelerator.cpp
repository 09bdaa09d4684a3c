#include <tensorloom/workloads/accelerators/accelerator.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

bool accelerator::takes(layer_format format) const
{
    return formats.empty() || std::find(formats.begin(), formats.end(), format) != formats.end();
}

const std::vector<accelerator>& accelerators()
{
    static const std::vector<accelerator> all{fetta_accelerator(), tpu(),    tpu_offchip(), sigma(), treta(),
                                              fetta_networks(),    tetrix(), ette(),        tie(),   fdht()};
    return all;
}

const accelerator& find_accelerator(const std::string& name)
{
    std::string known;
    for (const auto& a : accelerators()) {
        if (a.name == name) { return a; }
        known += (known.empty() ? "" : ", ") + a.name;
    }
    throw base::input_error("found accelerator " + base::in_quotes(name) + ", expected one of " + known);
}

} // namespace tensorloom::workloads
