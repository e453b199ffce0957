#pragma once
// What exceptions say.

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace fusecl::test {

/// The text of the `Error` that the call throws, or nothing where it throws none.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// What a check says that fails in the call, or nothing where none does.
template <class Call>
std::string failed_check(const Call& call) {
  return message_of<std::domain_error>(call);
}

/// Whether the call refuses an argument or one of its values, and what it says.
template <class Call>
std::string failure(const Call& call) {
  try {
    call();
  } catch (const std::domain_error& e) {
    return std::string("domain: ") + e.what();
  } catch (const std::invalid_argument& e) {
    return std::string("invalid: ") + e.what();
  }
  return "none";
}

/// The call throws an `Error` that says `part`.
template <class Error, class Call>
void expect_message(const Call& call, const std::string& part) {
  const std::string message = message_of<Error>(call);
  ASSERT_FALSE(message.empty()) << "nothing thrown that says: " << part;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace fusecl::test
