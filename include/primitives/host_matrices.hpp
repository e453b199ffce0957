#pragma once
// Functions of Eigen matrices that go to the device where that pays: where sizes are at least what
// opencl_context.tuning_opts() says, else, and without a device, Eigen computes them. Results and exceptions
// are the same but for rounding. fusecl_tune measures the sizes.

#include <memory>
#include <mutex>
#include <stdexcept>

#include <primitives/host_operands.hpp>

namespace fusecl {

/// Numbers of the host that nobody changes. They cross to the device once, when a function first uses them
/// there, and again where another device was selected since. Copies are the same numbers. Several threads may
/// use one.
template <scalar_value T>
class constant_matrix {
 public:
  using host_type = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Scalar = T;

  /// A copy of an Eigen matrix, array or expression.
  template <class M>
  requires host_matrix<M>
  explicit constant_matrix(const M& values) : held_(std::make_shared<held>(values)) {}
  std::int64_t rows() const { return host().rows(); }
  std::int64_t cols() const { return host().cols(); }
  const host_type& host() const { return held_->values; }
  /// The same on the selected device. Whoever has it may go on using it when another thread selects one.
  matrix_cl<T> device() const {
    const std::lock_guard<std::mutex> lock(held_->mutex);
    const std::uint64_t now = opencl_context.generation();
    if (held_->generation != now) held_->on_device = matrix_cl<T>(held_->values);
    held_->generation = now;
    return held_->on_device;
  }

 private:
  struct held {
    explicit held(host_type given) : values(std::move(given)) {}
    const host_type values;
    std::mutex mutex;
    std::uint64_t generation = 0;  // of the device that `on_device` is on; 0 for none
    matrix_cl<T> on_device;
  };
  std::shared_ptr<held> held_;
};
template <class M>
constant_matrix(const M&) -> constant_matrix<typename M::Scalar>;

namespace detail {

/// Operands of these functions: Eigen's of double or float, and constants.
template <class M>
concept numbers_of_host = is_constant_matrix<M> ||
    (host_matrix<M> && (std::same_as<typename M::Scalar, double> || std::same_as<typename M::Scalar, float>));
template <class A, class B>
concept numbers_of_one_type =
    numbers_of_host<A> && numbers_of_host<B> && std::same_as<typename A::Scalar, typename B::Scalar>;

template <class T>
using host_numbers_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using host_view = Eigen::Ref<const host_numbers_of<T>, 0, Eigen::OuterStride<>>;

template <numbers_of_host M>
decltype(auto) on_host(const M& m) {
  if constexpr (is_constant_matrix<M>)
    return m.host();
  else
    return (m);
}
/// Whether work of this size goes to the device; false where there is none or it has no such type. Throws
/// no_device_error where there are some, but not the one that the environment asks for.
bool is_worth_transfer(std::int64_t size, std::int64_t tuning_options::*threshold, scalar_type type);
/// a * b * c, at most the largest number that is not `never`.
std::int64_t capped_product(std::int64_t a, std::int64_t b, std::int64_t c);

// What Eigen computes. Throw std::domain_error as cholesky_decompose does.
template <class T>
host_numbers_of<T> factor_on_host(const host_view<T>& a);
/// X of A X = B by one triangle of A.
template <class T>
host_numbers_of<T> solve_on_host(const host_view<T>& a, host_numbers_of<T> b, bool lower);
/// The inverse of one triangle of A.
template <class T>
host_numbers_of<T> invert_on_host(const host_view<T>& a, bool lower);
/// X of A X = B with a symmetric positive definite A, by its factor.
template <class T>
host_numbers_of<T> solve_spd_on_host(const host_view<T>& a, host_numbers_of<T> b) {
  const host_numbers_of<T> factor = factor_on_host<T>(a), turned = factor.transpose();
  return solve_on_host<T>(turned, solve_on_host<T>(factor, std::move(b), true), false);
}

/// Computes with Eigen, or on the device from a size on.
template <class T, class OnHost, class OnDevice>
host_numbers_of<T> where_it_pays(std::int64_t size, std::int64_t tuning_options::*threshold,
                                 const OnHost& on_host, const OnDevice& on_device) {
  if (is_worth_transfer(size, threshold, scalar_type_v<T>)) return matrix_cl<T>(on_device()).to_host();
  return on_host();
}

}  // namespace detail

/// The product of host matrices, on the device from multiply_dim_prod_worth_transfer on. Throws
/// std::invalid_argument where the columns of `a` are not as many as the rows of `b`.
template <class A, class B>
requires detail::numbers_of_one_type<A, B>
auto multiply(const A& a, const B& b) {
  detail::form_of_product("multiply", a.rows(), a.cols(), b.rows(), b.cols());
  return detail::in_form_of_product<A, B>(detail::where_it_pays<typename A::Scalar>(
      detail::capped_product(a.rows(), a.cols(), b.cols()), &tuning_options::multiply_dim_prod_worth_transfer,
      [&] {
        return detail::host_numbers_of<typename A::Scalar>(detail::on_host(a).matrix() *
                                                           detail::on_host(b).matrix());
      },
      [&] { return detail::from_the_host(a) * detail::from_the_host(b); }));
}

/// cholesky_decompose of a host matrix, on the device from cholesky_size_worth_transfer rows on. Throws
/// std::invalid_argument where it is not square, std::domain_error with the first pivot that is not positive.
template <detail::numbers_of_host A>
auto cholesky_decompose(const A& a) {
  using T = typename A::Scalar;
  detail::check_square("cholesky_decompose", a.rows(), a.cols());
  return detail::where_it_pays<T>(
      a.rows(), &tuning_options::cholesky_size_worth_transfer,
      [&] { return detail::factor_on_host<T>(detail::on_host(a)); },
      [&] { return cholesky_decompose(detail::from_the_host(a)); });
}

namespace detail {

/// As tri_inverse and mdivide_left_tri, in the name of `function`.
template <matrix_cl_view View, class T, class A>
host_numbers_of<T> invert_triangle(const char* function, const A& a) {
  static_assert(View == matrix_cl_view::Lower || View == matrix_cl_view::Upper,
                "tri_inverse of a host matrix: name the triangle, tri_inverse<matrix_cl_view::Lower>(a)");
  check_square(function, a.rows(), a.cols());
  return where_it_pays<T>(
      a.rows(), &tuning_options::tri_inverse_size_worth_transfer,
      [&] { return invert_on_host<T>(on_host(a), View == matrix_cl_view::Lower); },
      [&] { return tri_inverse<View>(from_the_host(a)); });
}
template <matrix_cl_view View, class T, class A, class B>
host_numbers_of<T> solve_triangle(const char* function, const A& a, const B& b) {
  check_system({function}, a.rows(), a.cols(), b.rows(), b.cols());
  return where_it_pays<T>(
      capped_product(a.rows(), a.rows(), b.cols()), &tuning_options::mdivide_dim_prod_worth_transfer,
      [&] { return solve_on_host<T>(on_host(a), on_host(b), View == matrix_cl_view::Lower); },
      [&] { return mdivide_left_tri<View>(from_the_host(a), from_the_host(b)); });
}

}  // namespace detail

/// The inverse of the triangle that `View` names, on the device from tri_inverse_size_worth_transfer rows on.
/// Throws std::invalid_argument where `a` is not square.
template <matrix_cl_view View, detail::numbers_of_host A>
auto tri_inverse(const A& a) {
  return detail::invert_triangle<View, typename A::Scalar>("tri_inverse", a);
}

/// X of A X = B by the triangle of A that `View` names, on the device from mdivide_dim_prod_worth_transfer
/// on. Throws std::invalid_argument where A is not square or the rows of B are not as many.
template <matrix_cl_view View, class A, class B>
requires detail::numbers_of_one_type<A, B>
auto mdivide_left_tri(const A& a, const B& b) {
  return detail::in_form_of_product<A, B>(
      detail::solve_triangle<View, typename A::Scalar>("mdivide_left_tri", a, b));
}
/// The same of the lower triangle, and its inverse.
template <class A, class B>
requires detail::numbers_of_one_type<A, B>
auto mdivide_left_tri_low(const A& a, const B& b) {
  return detail::in_form_of_product<A, B>(
      detail::solve_triangle<matrix_cl_view::Lower, typename A::Scalar>("mdivide_left_tri_low", a, b));
}
template <detail::numbers_of_host A>
auto mdivide_left_tri_low(const A& a) {
  return detail::invert_triangle<matrix_cl_view::Lower, typename A::Scalar>("mdivide_left_tri_low", a);
}
/// X of X A = B by the lower triangle of A.
template <class B, class A>
requires detail::numbers_of_one_type<B, A>
auto mdivide_right_tri_low(const B& b, const A& a) {
  using T = typename A::Scalar;
  detail::check_system({"mdivide_right_tri_low", true}, a.rows(), a.cols(), b.cols(), b.rows());
  return detail::in_form_of_product<B, A>(detail::where_it_pays<T>(
      detail::capped_product(a.rows(), a.rows(), b.rows()), &tuning_options::mdivide_dim_prod_worth_transfer,
      [&] {
        const detail::host_numbers_of<T> turned = detail::on_host(a).transpose();
        return detail::host_numbers_of<T>(
            detail::solve_on_host<T>(turned, detail::on_host(b).transpose(), false).transpose());
      },
      [&] { return mdivide_right_tri_low(detail::from_the_host(b), detail::from_the_host(a)); }));
}

/// X of A X = B with a symmetric positive definite A, on the device from cholesky_size_worth_transfer rows
/// on; throws what cholesky_decompose and mdivide_left_tri_low do.
template <class A, class B>
requires detail::numbers_of_one_type<A, B>
auto mdivide_left_spd(const A& a, const B& b) {
  using T = typename A::Scalar;
  detail::check_system({"mdivide_left_spd"}, a.rows(), a.cols(), b.rows(), b.cols());
  return detail::in_form_of_product<A, B>(detail::where_it_pays<T>(
      a.rows(), &tuning_options::cholesky_size_worth_transfer,
      [&] { return detail::solve_spd_on_host<T>(detail::on_host(a), detail::on_host(b)); },
      [&] { return mdivide_left_spd(detail::from_the_host(a), detail::from_the_host(b)); }));
}
/// The inverse of a symmetric positive definite matrix.
template <detail::numbers_of_host A>
auto inverse_spd(const A& a) {
  using T = typename A::Scalar;
  detail::check_square("inverse_spd", a.rows(), a.cols());
  return detail::where_it_pays<T>(
      a.rows(), &tuning_options::cholesky_size_worth_transfer,
      [&] {
        return detail::solve_spd_on_host<T>(detail::on_host(a),
                                            detail::host_numbers_of<T>::Identity(a.rows(), a.rows()));
      },
      [&] { return inverse_spd(detail::from_the_host(a)); });
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/host_matrices.ipp>
#endif
