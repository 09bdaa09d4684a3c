# Boost.MPI, with which ranks share a run (testbenches/dxt/ranks). Optional: without it all else is built, and what
# needs it says so. scripts/setup --mpi installs it.

find_package(MPI QUIET COMPONENTS CXX)
find_package(Boost 1.74 QUIET COMPONENTS mpi serialization)
set(_default OFF)
if(MPI_CXX_FOUND AND TARGET Boost::mpi)
    set(_default ON)
endif()
option(TENSORLOOM_MPI "Build the programs of MPI ranks (needs Boost.MPI: scripts/setup --mpi)" ${_default})
if(TENSORLOOM_MPI AND NOT _default)
    message(FATAL_ERROR "TENSORLOOM_MPI is on, but there is no Boost.MPI: scripts/setup --mpi installs it")
endif()
