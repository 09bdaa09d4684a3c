# Writes DIRECTORY/CLASS__all.cpp, which includes all sources that Verilator wrote: their names are known only then.
file(GLOB sources RELATIVE "${DIRECTORY}" "${DIRECTORY}/${CLASS}*.cpp")
list(REMOVE_ITEM sources "${CLASS}__all.cpp")
list(SORT sources)
set(text "")
foreach(source IN LISTS sources)
    string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE "${DIRECTORY}/${CLASS}__all.cpp" "${text}")
