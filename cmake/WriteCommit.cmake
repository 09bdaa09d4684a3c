# Run by a build, as a script: writes HEADER with the commit of the sources in SOURCE_DIR, "-dirty" when they were
# changed since; empty where they are no repository of their own. An unchanged header is left alone.
set(commit "")
find_program(git git)
if(git)
    execute_process(COMMAND "${git}" rev-parse --show-toplevel WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE top
        ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH "${SOURCE_DIR}" source)
    if(top STREQUAL source)
        execute_process(COMMAND "${git}" describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY "${SOURCE_DIR}"
            OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define TENSORLOOM_COMMIT \"${commit}\"\n")
