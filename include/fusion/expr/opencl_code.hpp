#pragma once
// Lines of OpenCL C with inputs and outputs by name, as in Stan Math. A function with a derivative, or with a
// reference on the host, is a `user_function`.

#include <array>
#include <tuple>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/user_function.hpp>

/// Its arguments as text, for the bodies of `opencl_code`, as in Stan Math.
#ifndef STRINGIFY
#define STRINGIFY(...) #__VA_ARGS__
#endif

namespace fusecl {
namespace detail {

/// Tag of what opencl_code makes.
template <class... As>
struct opencl_code_operation {
  static constexpr bool has_derivatives = false;
};

/// The record of one output of some code, the same for the same texts and types. `inputs` and `types` have
/// `count` names and types; all numbers come and go as `common`.
const ir::operation& opencl_code_record(const char* code, const char* const* inputs, const scalar_type* types,
                                        std::size_t count, const char* output, scalar_type type,
                                        scalar_type common);

}  // namespace detail

/// One output of opencl_code.
template <scalar_type Type, class... As>
struct opencl_code_output
    : expression<opencl_code_output<Type, As...>>,
      detail::number_conversion<
          opencl_code_output<Type, As...>, Type,
          detail::function_of_many<detail::opencl_code_operation<As...>, As...>::is_scalar> {
  using expression<opencl_code_output<Type, As...>>::operator=;
  using operand_types = detail::types<As...>;
  using operation = detail::opencl_code_operation<As...>;
  using operand_list = detail::function_of_many<operation, As...>;
  static constexpr scalar_type type = Type;
  static constexpr bool is_scalar = operand_list::is_scalar;
  static constexpr scalar_type common = promoted(detail::highest({Type, As::type...}), scalar_type::boolean);
  operand_list arguments;
  const ir::operation* record;

  opencl_code_output(operand_list given, const ir::operation& of)
      : arguments(std::move(given)), record(&of) {}
  std::int64_t rows() const { return arguments.rows(); }
  std::int64_t cols() const { return arguments.cols(); }
  void gather(binder& b) const {
    b.identity(record);
    arguments.gather(b);
  }
  ir::node_id lower(lowering& low) const {
    low.skip_identity();
    list_of<ir::node_id> ids;
    std::apply([&](const auto&... a) { (ids.push_back(low.graph().cast(common, a.lower(low))), ...); },
               arguments.operands);
    // an operation has an operand, which code without inputs does not use
    if (ids.empty()) ids.push_back(low.graph().constant(common, 0));
    const std::uint32_t matrices = std::apply(
        [&](const auto&... a) { return detail::matrices_among(low, ids.data(), a...); }, arguments.operands);
    return low.graph().cast(Type, low.apply(*record, ids.data(), matrices));
  }
};

namespace detail {
template <scalar_type Type, class... As>
inline constexpr bool is_reduced<opencl_code_output<Type, As...>> = any_reduced<As...>;
}  // namespace detail

/// Code with its inputs. Made by `opencl_code`.
template <const char* Code, class... As>
class opencl_code_ {
 public:
  opencl_code_(std::array<const char*, sizeof...(As)> names, As... arguments)
      : names_(names), arguments_("opencl_code", std::move(arguments)...) {}

  std::int64_t rows() const { return arguments_.rows(); }
  std::int64_t cols() const { return arguments_.cols(); }
  /// The variable `name` of the code, which is of type T there or converts to it.
  template <element T>
  auto output(const char* name) const {
    using Output = opencl_code_output<scalar_type_v<T>, As...>;
    static constexpr scalar_type types[] = {As::type..., scalar_type_v<T>};
    return Output(arguments_, detail::opencl_code_record(Code, names_.data(), types, sizeof...(As), name,
                                                         scalar_type_v<T>, Output::common));
  }

 private:
  std::array<const char*, sizeof...(As)> names_;
  detail::function_of_many<detail::opencl_code_operation<As...>, As...> arguments_;
};

/// Code that is run for every element: the elements of the arguments, which have equal sizes or are scalars,
/// are in variables of the names given, and `.output<T>("variable")` is an expression of what the code leaves
/// in one of its own. Without arguments it is a scalar expression. The outputs have no derivatives. \code
///   constexpr char sum_and_difference[] = "double s = x + y; double d = x - y;";
///   const auto code = opencl_code<sum_and_difference>(std::make_tuple("x", "y"), a, b);
///   results(s, d) = expressions(code.output<double>("s"), code.output<double>("d"));
/// \endcode
/// Numbers pass in the common type of arguments and output, so 64-bit integers beside double beyond 2^53 are
/// rounded. Throws std::invalid_argument where sizes differ; what does not build is a build_error.
template <const char* Code, class Names, operand... Arguments>
auto opencl_code(const Names& names, Arguments&&... arguments) {
  static_assert(std::tuple_size_v<Names> == sizeof...(Arguments), "opencl_code: one name per argument");
  const auto as_array = [](const auto&... name) { return std::array<const char*, sizeof...(name)>{name...}; };
  return opencl_code_<Code, node_of<Arguments>...>(std::apply(as_array, names),
                                                   as_operation_cl(std::forward<Arguments>(arguments))...);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/opencl_code.ipp>
#endif
