# fmt by its headers alone, where its library is one for another machine.
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
