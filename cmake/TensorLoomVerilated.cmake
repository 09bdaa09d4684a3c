# Verilog of models/rtl, translated into C++ by Verilator and compiled into a library. Optional: without Verilator all
# else is built, and `--fidelity rtl` names what to install.

find_program(TENSORLOOM_VERILATOR verilator)
mark_as_advanced(TENSORLOOM_VERILATOR)
set(_found OFF)
if(TENSORLOOM_VERILATOR)
    execute_process(COMMAND "${TENSORLOOM_VERILATOR}" --getenv VERILATOR_ROOT
                    OUTPUT_VARIABLE _root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(TENSORLOOM_VERILATOR_INCLUDE "${_root}/include")
    if(EXISTS "${TENSORLOOM_VERILATOR_INCLUDE}/verilated.cpp")
        set(_found ON)
    endif()
endif()
set(_default ${_found})
if(NOT PROJECT_IS_TOP_LEVEL)
    set(_default OFF)
endif()
option(TENSORLOOM_RTL "Build the fidelity rtl (needs Verilator: scripts/setup --rtl)" ${_default})
if(TENSORLOOM_RTL AND NOT _found)
    message(FATAL_ERROR "TENSORLOOM_RTL is on, but there is no Verilator 5: scripts/setup --rtl installs it")
endif()
set(TENSORLOOM_RTL_FORMATS "int8;f32" CACHE STRING "Formats of the fidelity rtl: some of int8, bf16, f32, f64; `all` for all")
if(TENSORLOOM_RTL_FORMATS STREQUAL "all")
    set(TENSORLOOM_RTL_FORMATS int8 bf16 f32 f64)
endif()

# The parameters of a format: FORMAT, ELEMENT, SUM of models/rtl/arithmetic/mac.v.
set(TENSORLOOM_RTL_int8 FORMAT=0 ELEMENT=8 SUM=32)
set(TENSORLOOM_RTL_bf16 FORMAT=1 ELEMENT=16 SUM=32)
set(TENSORLOOM_RTL_f32 FORMAT=2 ELEMENT=32 SUM=32)
set(TENSORLOOM_RTL_f64 FORMAT=3 ELEMENT=64 SUM=64)

set(TENSORLOOM_RTL_ARITHMETIC arithmetic/mac.v arithmetic/fused_multiply_add.v arithmetic/integer_multiply_add.v
                              arithmetic/narrowing.v)

# tensorloom_verilate(tensorloom_rtl CLASS verilated_mac_f32 MODULE mac PARAMETERS FORMAT=2 ... SOURCES mac.v ...): adds
# the class to the library; SOURCES are relative to models/rtl. Its header is <verilated_mac_f32.h>.
function(tensorloom_verilate library)
    cmake_parse_arguments(ARG "" "CLASS;MODULE" "PARAMETERS;SOURCES" ${ARGN})
    set(directory "${PROJECT_BINARY_DIR}/verilated/${ARG_CLASS}")
    list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/models/rtl/")
    list(TRANSFORM ARG_PARAMETERS PREPEND -G)
    set(joined "${directory}/${ARG_CLASS}__all.cpp")
    add_custom_command(OUTPUT "${joined}" "${directory}/${ARG_CLASS}.h"
        COMMAND "${TENSORLOOM_VERILATOR}" --cc -O3 --x-assign fast --x-initial fast -Wall -Wno-UNUSEDSIGNAL
                --prefix ${ARG_CLASS} --top-module ${ARG_MODULE} --Mdir "${directory}" ${ARG_PARAMETERS} ${ARG_SOURCES}
        COMMAND "${CMAKE_COMMAND}" -D "DIRECTORY=${directory}" -D "CLASS=${ARG_CLASS}"
                -P "${PROJECT_SOURCE_DIR}/cmake/JoinVerilated.cmake"
        DEPENDS ${ARG_SOURCES} "${PROJECT_SOURCE_DIR}/cmake/JoinVerilated.cmake" VERBATIM
        COMMENT "Verilating ${ARG_MODULE} as ${ARG_CLASS}")
    target_sources(${library} PRIVATE "${joined}")
    set_source_files_properties("${joined}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-O2;-w")
    target_include_directories(${library} SYSTEM PRIVATE "${directory}" "${TENSORLOOM_VERILATOR_INCLUDE}")
endfunction()
