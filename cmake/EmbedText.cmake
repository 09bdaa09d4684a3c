# Text files of the tree become part of a library: no data directory to find at run time.
#
# tensorloom_embed_text(shipped_drams               the table's name; the file is <name>.cpp in the binary directory
#     HEADER tensorloom/models/base/values/embedded_text.h     declares the table
#     NAMESPACE tensorloom::base
#     FILES dram/memories/lpddr4-3200.yaml ...)         an entry each: the file's name without its ending, and its text
#
# The table is written again when a file changes. The caller adds ${CMAKE_CURRENT_BINARY_DIR}/<name>.cpp to a target of
# its directory.

if(CMAKE_SCRIPT_MODE_FILE AND CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    set(entries "")
    foreach(path IN LISTS FILES)
        get_filename_component(stem "${path}" NAME_WLE)
        file(READ "${path}" text)
        string(FIND "${text}" ")embedded\"" clash)
        if(NOT clash EQUAL -1)
            message(FATAL_ERROR "${path} contains the end mark of a raw string")
        endif()
        string(APPEND entries "    {\"${stem}\", R\"embedded(${text})embedded\"},\n")
    endforeach()
    list(LENGTH FILES count)
    file(WRITE "${OUTPUT}"
         "#include <${HEADER}>\n\nnamespace ${NAMESPACE} {\n\n"
         "const embedded_text ${TABLE}[] = {\n${entries}};\n"
         "const std::size_t ${TABLE}_count = ${count};\n\n} // namespace ${NAMESPACE}\n")
    return()
endif()

set(TENSORLOOM_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(tensorloom_embed_text table)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE" "FILES" ${ARGN})
    set(paths "")
    foreach(file IN LISTS ARG_FILES)
        get_filename_component(path "${file}" ABSOLUTE)
        list(APPEND paths "${path}")
    endforeach()
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${table}.cpp")
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DTABLE=${table}" "-DHEADER=${ARG_HEADER}" "-DNAMESPACE=${ARG_NAMESPACE}"
                "-DFILES=${paths}" "-DOUTPUT=${output}" -P "${TENSORLOOM_EMBED_SCRIPT}"
        DEPENDS ${paths} "${TENSORLOOM_EMBED_SCRIPT}"
        COMMENT "Embedding ${table}"
        VERBATIM)
endfunction()
