#pragma once
#include <cstdlib>
#include <string>

#include <strings.h>

#include <fusion/base/environment.hpp>
#include <fusion/base/error.hpp>

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

FUSECL_INLINE bool switch_is_on(const char* variable, bool unless_set, const char* hint) {
  const environment_switch said = read_switch(variable);
  if (said == environment_switch::other)
    throw error(std::string(variable) + " is \"" + std::getenv(variable) + "\", expected 0 or off, 1 or on" +
                hint);
  return said == environment_switch::unset ? unless_set : said == environment_switch::on;
}

}  // namespace fusecl
