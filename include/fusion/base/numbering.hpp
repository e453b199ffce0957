#pragma once
// Numbers of keys in the order in which they are first asked for: a hash table; and values by key.

#include <algorithm>
#include <cstdint>
#include <string>

#include <fusion/base/list_of.hpp>

namespace fusecl {

/// Hashes of keys; a type of one's own has another beside it.
inline std::size_t hash_of_key(std::int32_t key) { return static_cast<std::size_t>(key); }
inline std::size_t hash_of_key(const std::string& key) {
  std::size_t hash = 0;
  for (char c : key) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash;
}
/// That of a few whole numbers.
template <class... Number>
std::size_t hash_of_numbers(Number... number) {
  std::size_t hash = 0;
  ((hash = 31 * hash + static_cast<std::size_t>(number)), ...);
  return hash;
}

template <class Key>
class numbering {
 public:
  static constexpr auto none = static_cast<std::size_t>(-1);

  /// The number of a key, a new one if it has none.
  std::size_t operator[](const Key& key) {
    if (2 * keys_.size() >= slots_.size()) {
      constexpr std::size_t fewest = 16;
      slots_.assign(std::max(fewest, 2 * slots_.size()), -1);
      for (std::size_t k = 0; k < keys_.size(); ++k) slots_[slot_of(keys_[k])] = static_cast<std::int32_t>(k);
    }
    std::int32_t& number = slots_[slot_of(key)];
    if (number < 0) {
      number = static_cast<std::int32_t>(keys_.size());
      keys_.push_back(key);
    }
    return static_cast<std::size_t>(number);
  }
  /// The number of a key, or `none`.
  std::size_t find(const Key& key) const {
    const std::int32_t number = slots_.empty() ? -1 : slots_[slot_of(key)];
    return number < 0 ? none : static_cast<std::size_t>(number);
  }
  bool contains(const Key& key) const { return find(key) != none; }
  /// Gives the key a number; whether it had none.
  bool insert(const Key& key) {
    const std::size_t before = keys_.size();
    return (*this)[key] == before;
  }
  std::size_t size() const { return keys_.size(); }
  void clear() {
    if (keys_.empty()) return;
    keys_.clear();
    slots_.assign(slots_.size(), -1);
  }

 private:
  std::size_t slot_of(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of_key(key) * static_cast<std::size_t>(0x9e3779b97f4a7c15ull) >> 20 & mask;
    while (slots_[slot] >= 0 && !(keys_[static_cast<std::size_t>(slots_[slot])] == key))
      slot = (slot + 1) & mask;
    return slot;
  }

  list_of<Key> keys_;            // by number
  list_of<std::int32_t> slots_;  // numbers by hash, then the next free place; -1 for none
};

/// Values of some keys. A new value moves the others.
template <class Key, class T>
class keyed_values {
 public:
  T& operator[](const Key& key) {
    const std::size_t number = numbers_[key];
    if (number == values_.size()) values_.emplace_back();
    return values_[number];
  }
  /// Null for a key without a value.
  const T* find(const Key& key) const {
    const std::size_t number = numbers_.find(key);
    return number == numbers_.none ? nullptr : &values_[number];
  }
  void clear() {
    numbers_.clear();
    values_.clear();
  }

 private:
  numbering<Key> numbers_;
  list_of<T> values_;
};

}  // namespace fusecl
