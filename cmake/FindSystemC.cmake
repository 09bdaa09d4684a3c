# FindSystemC: SystemC with TLM-2.0, wherever it comes from.
#
# Takes the target SystemC::systemc when there is one; otherwise looks for, in this order: a CMake package
# (SystemCLanguage), pkg-config's systemc.pc (what distributions ship), and a classic installation named by the CMake or
# environment variable SYSTEMC_HOME. Defines the target SystemC::systemc, SystemC_VERSION, and SystemC_CXX_STANDARD.
#
# The ABI of a SystemC library is tied to the C++ standard that it was built with: the library exports a symbol
# sc_api_version_..._cxx201703L that every object which includes its headers asks for. SystemC_CXX_VERSION is the value
# of __cplusplus in it (201703L), SystemC_CXX_STANDARD its number (17, 20, ...), 17 where the symbol cannot be read.

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

# The C++ standard, from the library's symbol.
set(SystemC_CXX_VERSION "")
set(_systemc_file "${SystemC_LIBRARY}")
if(TARGET SystemC::systemc)
    set(_systemc_target SystemC::systemc)
    get_target_property(_systemc_aliased SystemC::systemc ALIASED_TARGET)
    if(_systemc_aliased)
        set(_systemc_target "${_systemc_aliased}")
    endif()
    get_target_property(_systemc_is_imported "${_systemc_target}" IMPORTED)
    set(_systemc_file "")
    if(_systemc_is_imported)
        foreach(_systemc_property IN ITEMS LOCATION LOCATION_RELEASE LOCATION_RELWITHDEBINFO LOCATION_DEBUG LOCATION_NOCONFIG)
            get_target_property(_systemc_file "${_systemc_target}" "IMPORTED_${_systemc_property}")
            if(_systemc_file)
                break()
            endif()
        endforeach()
    endif()
endif()
if(_systemc_file AND EXISTS "${_systemc_file}")
    file(STRINGS "${_systemc_file}" _systemc_symbols REGEX "sc_api_version_[0-9_a-z]*cxx[0-9]+L")
    string(REGEX MATCH "sc_api_version_[0-9_a-z]*cxx([0-9]+L)" _systemc_symbol "${_systemc_symbols}")
    set(SystemC_CXX_VERSION "${CMAKE_MATCH_1}")
endif()
if(NOT SystemC_CXX_VERSION)
    set(SystemC_CXX_VERSION 201703L)
endif()
string(SUBSTRING "${SystemC_CXX_VERSION}" 2 2 SystemC_CXX_STANDARD)

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
