#pragma once
// The growing array that FuseCL's own parts keep their elements in: std::vector with little to instantiate. A
// unit that compiles the library from its headers needs it for some eighty element types, and a compiler
// takes several times longer for each of them with std::vector (docs/decisions/0029). What users hand in or
// get stays a std::vector.

#include <cstddef>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include <fusion/base/config.hpp>

namespace fusecl {
namespace detail {

/// What lists hold, whatever the type of their elements.
struct memory_of_list {
  void* elements = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;
};
/// What lists of all types do alike.
struct any_list {
  std::size_t size() const { return held_.size; }
  bool empty() const { return held_.size == 0; }

 protected:
  memory_of_list held_;
};
/// The capacity of a list that grows to `count` elements, such that growing one by one costs no more than a
/// copy or two of each; what starts with one element mostly gets a few.
inline std::size_t capacity_for(const memory_of_list& list, std::size_t count) {
  if (count == 1) return 4;
  return count > 2 * list.size ? count : 2 * list.size;
}
/// Memory for `count` elements, more than before, with those that are there.
void enlarge(memory_of_list& list, std::size_t count, std::size_t bytes_of_element);
/// Zeros up to `count` elements, for which there is memory.
void add_zeros(memory_of_list& list, std::size_t count, std::size_t bytes_of_element);
/// `count` elements at `from`, not of the list itself, after those that are there.
void add(memory_of_list& list, const void* from, std::size_t count, std::size_t bytes_of_element);

}  // namespace detail

/// Elements in one block of memory. Names, meanings, complexity and what invalidates an iterator are those of
/// std::vector, with these differences: elements move without throwing; a list of bool has elements of type
/// bool; there is no checked access and no allocator.
template <class T>
class list_of : public detail::any_list {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  list_of() = default;
  explicit list_of(std::size_t count) : list_of() { resize(count); }
  list_of(std::size_t count, const T& value) : list_of() { resize(count, value); }
  FUSECL_INLINE list_of(std::initializer_list<T> values) : list_of() { add(values.begin(), values.end()); }
  template <class Iterator>
  requires requires(Iterator at) { *at; }
  list_of(Iterator first, Iterator last) : list_of() { add(first, last); }
  FUSECL_INLINE list_of(const list_of& other) : list_of() { add(other.begin(), other.end()); }
  list_of(list_of&& other) noexcept { swap(other); }
  list_of& operator=(list_of other) noexcept {
    swap(other);
    return *this;
  }
  ~list_of() {
    if constexpr (!std::is_trivially_destructible_v<T>) destroy_from(0);
    ::operator delete(held_.elements);
  }

  void swap(list_of& other) noexcept { std::swap(held_, other.held_); }

  // each by itself: a call within would be inlined once for every type
  T* data() { return static_cast<T*>(held_.elements); }
  const T* data() const { return static_cast<const T*>(held_.elements); }
  T* begin() { return static_cast<T*>(held_.elements); }
  const T* begin() const { return static_cast<const T*>(held_.elements); }
  T* end() { return static_cast<T*>(held_.elements) + held_.size; }
  const T* end() const { return static_cast<const T*>(held_.elements) + held_.size; }
  T& operator[](std::size_t k) { return static_cast<T*>(held_.elements)[k]; }
  const T& operator[](std::size_t k) const { return static_cast<const T*>(held_.elements)[k]; }
  T& front() { return *static_cast<T*>(held_.elements); }
  const T& front() const { return *static_cast<const T*>(held_.elements); }
  T& back() { return static_cast<T*>(held_.elements)[held_.size - 1]; }
  const T& back() const { return static_cast<const T*>(held_.elements)[held_.size - 1]; }

  /// By value: the new element may be a copy of one of this list, which moves when the list grows.
  FUSECL_INLINE void push_back(T value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      detail::add(held_, &value, 1, sizeof(T));
    } else {
      grow_to(held_.size + 1);
      new (data() + held_.size) T(static_cast<T&&>(value));
      ++held_.size;
    }
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    push_back(T(static_cast<Arguments&&>(arguments)...));
    return back();
  }
  void pop_back() { destroy_from(held_.size - 1); }
  void clear() { destroy_from(0); }

  FUSECL_INLINE void resize(std::size_t count) {
    if (count < held_.size) return destroy_from(count);
    grow_to(count);
    if constexpr (std::is_arithmetic_v<T>)
      detail::add_zeros(held_, count, sizeof(T));
    else
      for (; held_.size < count; ++held_.size) new (data() + held_.size) T();
  }
  FUSECL_INLINE void resize(std::size_t count, T value) {
    if (count < held_.size) return destroy_from(count);
    for (grow_to(count); held_.size < count; ++held_.size) new (data() + held_.size) T(value);
  }
  FUSECL_INLINE void assign(std::size_t count, T value) {
    clear();
    resize(count, static_cast<T&&>(value));
  }
  template <class Iterator>
  requires requires(Iterator at) { *at; }
  void assign(Iterator first, Iterator last) {
    clear();
    add(first, last);
  }
  /// Memory for at least `count` elements.
  FUSECL_INLINE void reserve(std::size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if (count <= held_.capacity) return;
    if constexpr (std::is_trivially_copyable_v<T>) {
      detail::enlarge(held_, count, sizeof(T));
    } else {
      detail::memory_of_list larger;
      detail::enlarge(larger, count, sizeof(T));
      for (T& each : *this) {
        new (static_cast<T*>(larger.elements) + larger.size++) T(static_cast<T&&>(each));
        each.~T();
      }
      ::operator delete(held_.elements);
      held_ = larger;
    }
  }

  /// The elements from `first` on, which are not those of this list, after the ones that are there.
  template <class Iterator>
  FUSECL_INLINE void add(Iterator first, Iterator last) {
    if constexpr (std::is_trivially_copyable_v<T> && std::is_convertible_v<Iterator, const T*>) {
      detail::add(held_, first, static_cast<std::size_t>(last - first), sizeof(T));
    } else {
      grow_to(held_.size + static_cast<std::size_t>(last - first));
      for (; first != last; ++first, ++held_.size) new (data() + held_.size) T(static_cast<T>(*first));
    }
  }
  FUSECL_INLINE T* insert(const T* at, T value) {
    const std::ptrdiff_t k = at - data();
    push_back(static_cast<T&&>(value));
    for (T* each = end() - 1; each != data() + k; --each) std::swap(each[0], each[-1]);
    return data() + k;
  }
  /// Number of the first element that equals `value`; that of all elements where none does.
  template <class Value>
  FUSECL_INLINE std::size_t index_of(const Value& value) const {
    std::size_t k = 0;
    while (k < size() && !(data()[k] == value)) ++k;
    return k;
  }
  template <class Value>
  bool contains(const Value& value) const {
    return index_of(value) != held_.size;
  }
  /// Whether `test` holds for an element.
  template <class Test>
  bool any_of(Test test) const {
    for (const T& each : *this)
      if (test(each)) return true;
    return false;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  FUSECL_INLINE T* erase(const T* first, const T* last) {
    T* const hole = data() + (first - data());
    if (first == last) return hole;
    T* to = hole;
    for (T* from = data() + (last - data()); from != end(); ++from, ++to) *to = static_cast<T&&>(*from);
    destroy_from(static_cast<std::size_t>(to - data()));
    return hole;
  }

  friend bool operator==(const list_of& a, const list_of& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!(a[k] == b[k])) return false;
    return true;
  }

 private:
  /// Memory for `count` elements: where there was less, for twice as many as there are at least.
  void grow_to(std::size_t count) {
    if (count > held_.capacity) reserve(detail::capacity_for(held_, count));
  }
  FUSECL_INLINE void destroy_from(std::size_t count) {
    if constexpr (std::is_trivially_destructible_v<T>)
      held_.size = count;
    else
      while (held_.size > count) data()[--held_.size].~T();
  }
};

/// Takes out the elements for which `test` holds.
template <class T, class Test>
FUSECL_INLINE void erase_if(list_of<T>& from, Test test) {
  T* to = from.begin();
  for (T& each : from)
    if (!test(each)) {
      if (to != &each) *to = static_cast<T&&>(each);
      ++to;
    }
  from.erase(to, from.end());
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/base/list_of.ipp>
#endif
