# FindSystemC: SystemC with TLM-2.0, wherever it comes from.
#
# Takes the target SystemC::systemc when there is one; otherwise looks for, in this order: a CMake package
# (SystemCLanguage), pkg-config's systemc.pc (what distributions ship), and a classic installation named by the CMake or
# environment variable SYSTEMC_HOME. Defines the target SystemC::systemc and SystemC_VERSION.
#
# The ABI of a SystemC library is tied to the C++ standard it was built with; distributions build it as C++17.

if(NOT TARGET SystemC::systemc)
    find_package(SystemCLanguage CONFIG QUIET)
endif()

if(TARGET SystemC::systemc)
    set(SystemC_LIBRARY SystemC::systemc)
    get_target_property(_systemc_include SystemC::systemc INTERFACE_INCLUDE_DIRECTORIES)
else()
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(SystemC_PC QUIET systemc)
    endif()
    set(_systemc_home "${SYSTEMC_HOME}")
    if(NOT _systemc_home)
        set(_systemc_home "$ENV{SYSTEMC_HOME}")
    endif()

    find_path(SystemC_INCLUDE_DIR NAMES systemc tlm HINTS ${SystemC_PC_INCLUDE_DIRS} "${_systemc_home}/include")
    find_library(SystemC_LIBRARY NAMES systemc
                 HINTS ${SystemC_PC_LIBRARY_DIRS} "${_systemc_home}/lib" "${_systemc_home}/lib-linux64")
    set(_systemc_include "${SystemC_INCLUDE_DIR}")
endif()

# The version that the headers state: it is part of the names that the library exports.
set(SystemC_VERSION "")
foreach(_systemc_directory IN LISTS _systemc_include)
    if(EXISTS "${_systemc_directory}/sysc/kernel/sc_ver.h")
        file(STRINGS "${_systemc_directory}/sysc/kernel/sc_ver.h" _systemc_parts
             REGEX "#define SC_VERSION_(MAJOR|MINOR|PATCH) ")
        string(REGEX REPLACE "[^0-9;]*([0-9]+)[^;]*" "\\1" _systemc_parts "${_systemc_parts}")
        list(JOIN _systemc_parts "." SystemC_VERSION)
    endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY VERSION_VAR SystemC_VERSION
    REASON_FAILURE_MESSAGE "install libsystemc-dev, or set SYSTEMC_HOME")

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
    find_package(Threads REQUIRED)
    add_library(SystemC::systemc UNKNOWN IMPORTED)
    set_target_properties(SystemC::systemc PROPERTIES
        IMPORTED_LOCATION "${SystemC_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}")
    set_property(TARGET SystemC::systemc APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
