# Headers that cost a compiler more than what includes them are compiled once for many sources:
# cmake/precompiled/<set>.h lists those of a set. A precompiled header comes before all else in a source and would hide
# an include that is missing there, so that the project must compile without, too: -DTENSORLOOM_PCH=OFF.

option(TENSORLOOM_PCH "Precompile the headers of the standard library, SystemC and GoogleTest" ${PROJECT_IS_TOP_LEVEL})

# A compiler cache must be told that precompiled headers are part of what it looks at.
set(TENSORLOOM_CCACHE_SETTINGS "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime")

# tensorloom_precompiled(systemc_tests FLAGS -O1 LINKS SystemC::systemc ...): the set that
# cmake/precompiled/systemc_tests.h lists, for targets that are compiled with the same flags (GCC 12 crashes where they
# differ). Compiled when the first of them is.
function(tensorloom_precompiled set)
    cmake_parse_arguments(ARG "" "" "FLAGS;LINKS" ${ARGN})
    set(target tensorloom_precompiled_${set})
    if(NOT TENSORLOOM_PCH OR TARGET ${target})
        return()
    endif()
    set(empty "${PROJECT_BINARY_DIR}/precompiled/${set}.cpp")
    file(CONFIGURE OUTPUT "${empty}" CONTENT "")
    add_library(${target} OBJECT "${empty}")
    tensorloom_rules(${target} PRIVATE)
    target_link_libraries(${target} PRIVATE ${ARG_LINKS})
    target_compile_options(${target} PRIVATE ${ARG_FLAGS})
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled/${set}.h")
    tensorloom_cacheable(${target})
endfunction()

# tensorloom_use_precompiled(tensorloom_shell systemc)
function(tensorloom_use_precompiled target set)
    if(TENSORLOOM_PCH)
        target_precompile_headers(${target} REUSE_FROM tensorloom_precompiled_${set})
        tensorloom_cacheable(${target})
    endif()
endfunction()

function(tensorloom_cacheable target)
    if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
endfunction()
