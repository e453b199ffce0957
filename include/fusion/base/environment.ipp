#pragma once
#include <cstdlib>

#include <strings.h>

#include <fusion/base/environment.hpp>

namespace fusecl {

FUSECL_INLINE environment_switch read_switch(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return environment_switch::unset;
  for (const char* word : {"0", "off", "false", "no"})
    if (strcasecmp(value, word) == 0) return environment_switch::off;
  for (const char* word : {"1", "on", "true", "yes"})
    if (strcasecmp(value, word) == 0) return environment_switch::on;
  return environment_switch::other;
}

}  // namespace fusecl
