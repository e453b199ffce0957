#pragma once
// Numbers that are best measured on each device. They come from the row of the table for the most specific
// name of the selected device, then from the user's file, which fusecl_tune writes; a program may set them.

#include <cstdint>
#include <limits>
#include <string>

#include <fusion/runtime/device.hpp>

namespace fusecl {

/// From which size on a function of host matrices is worth the way to the device and back
/// (<primitives/host_matrices.hpp>): `never` where it is not.
struct tuning_options {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  std::int64_t multiply_dim_prod_worth_transfer = never;  ///< rows * inner size * columns of a product
  std::int64_t mdivide_dim_prod_worth_transfer = never;   ///< rows^2 * sides of a system
  std::int64_t cholesky_size_worth_transfer = never;      ///< rows of what is factored, also in a system
  std::int64_t tri_inverse_size_worth_transfer = never;   ///< rows of an inverse
};

namespace runtime {

/// The name that an option has in files.
struct tuning_name {
  const char* name;
  std::int64_t tuning_options::*option;
};
inline constexpr tuning_name tuning_names[] = {
    {"multiply_dim_prod_worth_transfer", &tuning_options::multiply_dim_prod_worth_transfer},
    {"mdivide_dim_prod_worth_transfer", &tuning_options::mdivide_dim_prod_worth_transfer},
    {"cholesky_size_worth_transfer", &tuning_options::cholesky_size_worth_transfer},
    {"tri_inverse_size_worth_transfer", &tuning_options::tri_inverse_size_worth_transfer}};

/// The user's file: FUSECL_TUNING, or fusecl/tuning.tsv where configurations are ($XDG_CONFIG_HOME,
/// ~/.config); empty where FUSECL_TUNING is a switch that is off, or there is no such place.
std::string tuning_file();
/// What the table and the user's file say of a device. Throws error, with file and line, where the file is
/// not made of lines "device<TAB>option<TAB>number" and comments, or cannot be read though FUSECL_TUNING
/// names it.
tuning_options tuned_for(const capabilities& device);
/// Writes the options of a device to a file, in place of what that said of it. Throws error where it cannot.
void write_tuning(const std::string& file, const capabilities& device, const tuning_options& options);

}  // namespace runtime
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/tuning.ipp>
#endif
