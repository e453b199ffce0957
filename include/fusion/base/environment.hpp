#pragma once
// Environment variables that are switches.

#include <fusion/base/config.hpp>

namespace fusecl {

/// What a variable says: 0, off, false, no; 1, on, true, yes; unset where it is not there or empty.
enum class environment_switch { unset, off, on, other };

/// Reads a switch, whatever the case of its letters.
environment_switch read_switch(const char* variable);
/// Whether a switch is on; `unless_set` where it is not there. Throws error for other words; `hint` ends the
/// message.
bool switch_is_on(const char* variable, bool unless_set, const char* hint = "");

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/base/environment.ipp>
#endif
