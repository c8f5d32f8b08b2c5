# SPDX-License-Identifier: MIT
# cmake -DSCRIPT=viewer.js -DSTYLE=viewer.css -DOUT=viewer.cpp -P embed_viewer.cmake
# Writes both files into a C++ source, as they are, with their SHA-256.
set(text "// Made by cmake/embed_viewer.cmake.\n#include \"report/viewer.hpp\"\n\nnamespace plumb::report {\n\n")
foreach(what Script Style)
  string(TOUPPER ${what} variable)
  file(READ ${${variable}} content)
  string(SHA256 hash "${content}")
  string(APPEND text "const std::string_view kViewer${what} = R\"plumb_viewer(${content})plumb_viewer\";\n"
                     "const std::string_view kViewer${what}Hash = \"${hash}\";\n")
endforeach()
string(APPEND text "\n}  // namespace plumb::report\n")
file(WRITE ${OUT} "${text}")
