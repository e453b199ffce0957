#pragma once
// A matrix of which copies are the same matrix, as programs written for Stan Math keep for the way back.

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fusion/autodiff/var.hpp>
#include <fusion/matrix/copy.hpp>

namespace fusecl {

/// A handle to a matrix, which lives as long as any copy of the handle. It is a matrix_cl wherever one is
/// taken; copies of it are the same matrix, a matrix_cl made of it is another one.
template <element T>
class arena_matrix_cl : public matrix_cl<T> {
  using matrix = matrix_cl<T>;
  using typename matrix_base::same_matrix;

 public:
  /// 0 x 0.
  arena_matrix_cl() : home_(make_home()) {}
  /// A matrix made as matrix_cl<T>(arguments...).
  template <class First, class... Others>
  requires(!std::is_same_v<std::remove_cvref_t<First>, arena_matrix_cl> &&
           std::is_constructible_v<matrix, First, Others...>) explicit arena_matrix_cl(First&& first,
                                                                                       Others&&... others)
      : matrix(std::forward<First>(first), std::forward<Others>(others)...), home_(make_home()) {}
  /// A copy.
  arena_matrix_cl(const matrix& m) : matrix(m), home_(make_home()) {}        // NOLINT: as in Stan Math
  arena_matrix_cl(matrix&& m) : matrix(std::move(m)), home_(make_home()) {}  // NOLINT: as in Stan Math
  /// The value of an expression.
  template <node E>
  arena_matrix_cl(const E& e) : matrix(e), home_(make_home()) {}  // NOLINT: as for matrix_cl
  /// The same matrix.
  arena_matrix_cl(const arena_matrix_cl& other) : matrix(same_matrix{}, other), home_(other.home_) {}
  arena_matrix_cl& operator=(const arena_matrix_cl& other) {
    this->become(same_matrix{}, other);
    home_ = other.home_;
    return *this;
  }
  /// Assigns to the matrix.
  template <class E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, arena_matrix_cl> &&
           std::is_assignable_v<matrix&, E>) arena_matrix_cl&
  operator=(E&& e) {
    matrix::operator=(std::forward<E>(e));
    return *this;
  }

  detail::matrix_place<T> writable_elements() & { return home_->writable_elements(); }

 private:
  /// A handle that is there as long as any other.
  struct home : matrix {
    explicit home(const matrix& m) : matrix(same_matrix{}, m) {}
  };
  std::shared_ptr<home> make_home() const { return std::make_shared<home>(*this); }

  std::shared_ptr<home> home_;
};

/// As of a matrix_cl that is not moved from.
template <element T>
matrix_cl<T> to_matrix(arena_matrix_cl<T>&& x, std::int64_t rows, std::int64_t cols) {
  return to_matrix(std::as_const(x), rows, cols);
}

template <element T>
struct is_matrix_cl<arena_matrix_cl<T>> : std::true_type {};

/// What keeps a value for the way back: a handle to a copy of a matrix, to the value of an expression, and
/// handles and variables themselves.
template <element T>
arena_matrix_cl<T> to_arena(const matrix_cl<T>& m) {
  return arena_matrix_cl<T>(m);
}
template <element T>
arena_matrix_cl<T> to_arena(const arena_matrix_cl<T>& m) {
  return m;
}
template <class T>
var_value<T> to_arena(const var_value<T>& x) {
  return x;
}
template <class Number>
requires std::is_arithmetic_v<Number> Number to_arena(Number x) { return x; }
template <node E>
auto to_arena(const E& e) {
  if constexpr (is_matrix_cl<decltype(e.eval())>::value)
    return arena_matrix_cl<value_type_of<E>>(e);
  else
    return e.eval();
}
template <class T>
auto to_arena(const std::vector<T>& all) {
  std::vector<std::remove_cvref_t<decltype(to_arena(all[0]))>> kept;
  kept.reserve(all.size());
  for (const T& each : all) kept.push_back(to_arena(each));
  return kept;
}

}  // namespace fusecl
