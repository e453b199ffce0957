#pragma once
// For PoCL, which before every program reads the declarations of all functions of OpenCL C, 15,000 of them:
// the few that a program calls. Most of the time of a small program goes there
// (docs/decisions/0045-declarations-for-pocl.md).

#include <string>
#include <string_view>

#include <fusion/runtime/program_text.hpp>

namespace fusecl::runtime {

/// Declarations of the functions of OpenCL C 1.2 that a source names, for all types and vector widths, as in
/// section 6.12 of its specification. Nothing if it includes files, names a function of OpenCL C that is not
/// known here, or calls what is not seen to be its own: that needs the declarations of the driver.
std::string builtin_declarations(std::string_view source);

/// How to build a request with the declarations above instead of the driver's; programs of kernel_cl are
/// built as the driver does.
struct declared_program {
  std::string declarations;  ///< to stand before the source; empty where the driver's are to be read
  std::string options;
};
declared_program with_own_declarations(const program_request& request, const capabilities& device);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/builtin_declarations.ipp>
#endif
