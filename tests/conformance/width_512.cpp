// Everything of the suite that depends on BUSWIDTH, for 512.
#include "conformance/accelerator_bench_of_width.h"
#include "conformance/target_bench_of_width.h"

namespace tensorloom::test {

template std::unique_ptr<target_bench> make_target_bench_of<512>(const std::string&, const target_subject&,
                                                                 const target_options&);
template std::unique_ptr<accelerator_bench>
make_accelerator_bench_of<512>(const std::string&, const accelerator_subject&, const accelerator_options&);

} // namespace tensorloom::test
