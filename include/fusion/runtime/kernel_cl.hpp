#pragma once
// kernel_cl: a hand-written OpenCL kernel as a C++ function, ordered against everything else that uses the
// same matrices. The template only gathers arguments; kernel_cl.ipp binds and launches.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fusion/runtime/kernel.hpp>
#include <fusion/runtime/kernel_argument.hpp>
#include <fusion/runtime/kernel_helpers.hpp>
#include <fusion/runtime/kernel_sizes.hpp>

namespace fusecl {

/// Tags of kernel_cl for matrix arguments: what the kernel does with the buffer.
struct in_buffer {};
struct out_buffer {};
struct in_out_buffer {};

namespace runtime {

template <class T>
concept buffer_tag =
    std::same_as<T, in_buffer> || std::same_as<T, out_buffer> || std::same_as<T, in_out_buffer>;

/// Anything over a storage: a matrix.
template <class T>
concept storage_holder = requires(const T& holder) {
  { holder.storage() } -> std::convertible_to<const storage_ref&>;
};

/// A number on the device, whose memory is that of a matrix.
template <class T>
concept has_stored_number = !storage_holder<T> && requires(const T& number) {
  { number.matrix() } -> storage_holder;
};
/// That matrix, to be written to where the number is.
template <has_stored_number T>
auto& matrix_of(T& number) {
  if constexpr (std::is_const_v<T>)
    return number.matrix();
  else
    return number.as_result();
}

/// The name in OpenCL C of the type of a number of a kernel's parameter.
template <class Scalar>
constexpr const char* opencl_name() {
  if constexpr (std::is_floating_point_v<Scalar>)
    return sizeof(Scalar) == 4 ? "float" : "double";
  else if constexpr (sizeof(Scalar) == 1)
    return std::is_signed_v<Scalar> ? "char" : "uchar";
  else if constexpr (sizeof(Scalar) == 2)
    return std::is_signed_v<Scalar> ? "short" : "ushort";
  else if constexpr (sizeof(Scalar) == 4)
    return std::is_signed_v<Scalar> ? "int" : "uint";
  else
    return std::is_signed_v<Scalar> ? "long" : "ulong";
}

/// "-D NAME=VALUE ..." in the order given, and that the kernel's parameter types are to be kept.
std::string kernel_options(const std::vector<std::pair<std::string, std::string>>& definitions);

/// The element types of which a parameter takes a matrix, a bit for each scalar_type, by its type in OpenCL
/// C: all where that is no pointer to a built-in number or vector.
unsigned char elements_for(std::string_view parameter_type);

/// What a parameter is, by its type in OpenCL C.
struct parameter_form {
  enum kind : unsigned char { unknown, pointer, whole, floating };
  kind is = unknown;
  unsigned char bytes = 0;  ///< of a number
};
parameter_form form_of_parameter(std::string_view parameter_type);

/// Builds the kernel, compares number and types of the arguments with its parameters, gives matrices that are
/// written to memory of their own where a recorded statement needs the present one, sets the arguments,
/// orders the buffers, launches on this thread's queue. A null local range becomes the kernel's required
/// size, or the largest divisors of the global sizes with at most 256 work-items in all. Throws
/// std::invalid_argument, before anything is changed, where these, the sizes or the dimensions do not fit, or
/// the source has no kernel of this name. While statements are only prepared, it builds and checks. Returns
/// the event of the launch, none where nothing was launched.
cl::Event launch_with_arguments(kernel& target, const kernel_sizes& sizes, const cl::NDRange& global,
                                const cl::NDRange& local, const kernel_argument* arguments,
                                std::size_t count);

/// The number of a macro of a kernel_cl, or of one of the known ones. Throws std::out_of_range where there is
/// none of this name.
int macro_of(const program_request& request, std::string_view name);

/// The largest divisor of `size` that is at most `limit`.
std::size_t largest_divisor(std::size_t size, std::size_t limit);

}  // namespace runtime

/// A kernel with parameters `Args`: in_buffer, out_buffer or in_out_buffer for matrices, cl::LocalSpaceArg
/// for local memory, matrix_cl_view for a view, which is an int, otherwise the scalar type. It is built at
/// its first call on a device; calls are asynchronous and may come from several threads. \code
///   const kernel_cl<in_buffer, in_buffer, out_buffer, int, int> add("add", source, {{"BLOCK", 32}});
///   add(cl::NDRange(rows, cols), A, B, C, rows, cols);
/// \endcode
template <class... Args>
class kernel_cl {
 public:
  using definitions = std::initializer_list<std::pair<std::string_view, long>>;

  /// `name` is the kernel's function name; `definitions` are macros for the source; `sizes` are compared at
  /// every call with those of the arguments.
  kernel_cl(std::string_view name, std::string_view source, definitions macros = {}, kernel_sizes sizes = {})
      : kernel_cl(name, std::initializer_list<std::string_view>{source}, macros, std::move(sizes)) {}
  /// The source is the sources joined, so that texts can be shared.
  kernel_cl(std::string_view name, std::initializer_list<std::string_view> sources, definitions macros = {},
            kernel_sizes sizes = {})
      : kernel_(request(name, sources, macros)), sizes_(std::move(sizes)) {}
  kernel_cl(std::string_view name, const std::vector<std::string>& sources, definitions macros = {},
            kernel_sizes sizes = {})
      : kernel_(request(name, sources, macros)), sizes_(std::move(sizes)) {}
  /// Macros from any map of names and numbers.
  template <class Sources, class Macros>
  requires requires(const Macros& m) { m.begin()->second; }
  kernel_cl(std::string_view name, const Sources& sources, const Macros& macros, kernel_sizes sizes = {})
      : kernel_(request(name, sources, macros)), sizes_(std::move(sizes)) {}

  /// Launches over `global` work-items in groups of a size that divides it. Throws build_error, opencl_error,
  /// std::invalid_argument where the template arguments, the matrices' elements or the sizes are not the
  /// kernel's, or a number is not one of its parameter's type: no whole number, or out of its range. Returns
  /// the event of the launch; none where there are no work-items.
  template <class... Call>
  requires(sizeof...(Call) == sizeof...(Args)) cl::Event operator()(const cl::NDRange& global,
                                                                    Call&&... arguments) const {
    return launch(global, cl::NDRange(), arguments...);
  }
  /// Launches in groups of `local` work-items.
  template <class... Call>
  requires(sizeof...(Call) == sizeof...(Args)) cl::Event operator()(const cl::NDRange& global,
                                                                    const cl::NDRange& local,
                                                                    Call&&... arguments) const {
    return launch(global, local, arguments...);
  }

  runtime::kernel& kernel() const { return kernel_; }
  /// The number of a macro that it was made with. Throws std::out_of_range where there is no such one.
  int get_option(std::string_view macro) const { return runtime::macro_of(kernel_.request(), macro); }

 private:
  template <class Sources, class Macros>
  static runtime::program_request request(std::string_view name, const Sources& sources,
                                          const Macros& macros) {
    std::string text;
    if constexpr (std::convertible_to<const Sources&, std::string_view>) {
      text = std::string_view(sources);
    } else {
      for (const auto& part : sources) {
        text += part;
        text += '\n';
      }
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [macro, value] : macros) {
      pairs.emplace_back(macro, std::to_string(value));
    }
    runtime::add_known_macros(pairs, text);
    return {std::string(name), std::move(text), runtime::kernel_options(pairs)};
  }

  template <class Arg>
  struct bound;
  /// A matrix. What it does not write of an out_buffer, a kernel leaves as it is.
  template <runtime::buffer_tag Tag>
  struct bound<Tag> {
    runtime::kernel_argument matrix;
    template <runtime::storage_holder Matrix>
    explicit bound(Matrix& m)
        : matrix{&m, [](const void* of) { return static_cast<const Matrix*>(of)->storage().get(); }} {
      static_assert(std::same_as<Tag, in_buffer> || !std::is_const_v<Matrix>,
                    "a kernel writes to its out_buffer and in_out_buffer, and this matrix is const: give one "
                    "that is not, or make the parameter an in_buffer");
      matrix.given_as = std::same_as<Tag, in_buffer>    ? "in_buffer"
                        : std::same_as<Tag, out_buffer> ? "out_buffer"
                                                        : "in_out_buffer";
      matrix.reads = !std::same_as<Tag, out_buffer>;
      matrix.writes = !std::same_as<Tag, in_buffer>;
      if constexpr (requires { Matrix::leaf_type; }) {
        matrix.has_element = true;
        matrix.element = Matrix::leaf_type;
      }
      if constexpr (requires { m.rows() + m.cols(); })
        matrix.sizes = [](const void* of, std::int64_t& rows, std::int64_t& cols) {
          rows = static_cast<const Matrix*>(of)->rows();
          cols = static_cast<const Matrix*>(of)->cols();
        };
      if constexpr (requires { m.unshare(); })
        matrix.make_writable = [](const void* of) { static_cast<const Matrix*>(of)->unshare(); };
    }
    template <runtime::has_stored_number Number>
    explicit bound(Number& x) : bound(runtime::matrix_of(x)) {}
    template <class Other>
    requires(!runtime::storage_holder<Other> && !runtime::has_stored_number<Other>) explicit bound(Other&) {
      static_assert(
          sizeof(Other) == 0,
          "a kernel takes a matrix_cl for this parameter: of a part, an expression, a variable or a "
          "host matrix make one first, as in matrix_cl<double> m(2.0 * a)");
    }
    runtime::kernel_argument argument() const { return matrix; }
  };
  /// A scalar, converted to the kernel's parameter type. A number that this type does not have is refused by
  /// the call: no whole one, or too large.
  template <class Scalar>
  requires std::is_arithmetic_v<Scalar>
  struct bound<Scalar> {
    static_assert(!std::same_as<Scalar, bool>, "an OpenCL kernel cannot have a bool parameter: use int");
    Scalar value;
    runtime::unfit_number unfit;
    template <class Value>
    requires(std::convertible_to<Value, Scalar> ||
             (std::same_as<Value, matrix_cl_view> &&
              std::is_integral_v<Scalar>)) explicit bound(const Value& given)
        : value() {
      const auto number = runtime::number_in_argument(given);
      unfit = runtime::unfit<Scalar>(number);
      if (unfit.is == runtime::unfit_number::none) value = static_cast<Scalar>(number);
    }
    runtime::kernel_argument argument() const {
      runtime::kernel_argument a;
      a.bytes = &value;
      a.size = sizeof(value);
      a.given_as = runtime::opencl_name<Scalar>();
      a.floating = std::is_floating_point_v<Scalar>;
      a.unfit = unfit;
      a.is_unsigned = std::is_unsigned_v<Scalar>;
      if constexpr (!std::is_floating_point_v<Scalar>) a.whole = static_cast<std::int64_t>(value);
      return a;
    }
  };

  /// A view as the kernel's int.
  template <std::same_as<matrix_cl_view> View>
  struct bound<View> : bound<int> {
    explicit bound(const View& view) : bound<int>(view) {}
    runtime::kernel_argument argument() const {
      runtime::kernel_argument a = bound<int>::argument();
      a.given_as = "matrix_cl_view";
      return a;
    }
  };

  /// Local memory of a number of bytes: `cl::Local(bytes)`.
  template <std::same_as<cl::LocalSpaceArg> Space>
  struct bound<Space> {
    std::size_t bytes;
    explicit bound(const Space& space) : bytes(space.size_) {}
    runtime::kernel_argument argument() const {
      runtime::kernel_argument a;
      a.size = bytes;
      a.given_as = "cl::LocalSpaceArg";
      return a;
    }
  };

  template <class... Call>
  cl::Event launch(const cl::NDRange& global, const cl::NDRange& local, Call&... given) const {
    constexpr bool complete = (!std::same_as<std::remove_const_t<Call>, cl::NDRange> && ...);
    static_assert(
        complete,
        "kernel_cl: an argument is missing: one is given for each parameter of the kernel_cl, after "
        "the work-items and, if at all, the group's size");
    if constexpr (complete)
      return launch_bound(global, local, bound<Args>(given)...);
    else
      return {};
  }
  template <class... Bound>
  cl::Event launch_bound(const cl::NDRange& global, const cl::NDRange& local, const Bound&... each) const {
    const runtime::kernel_argument arguments[] = {each.argument()..., runtime::kernel_argument{}};
    return runtime::launch_with_arguments(kernel_, sizes_, global, local, arguments, sizeof...(Bound));
  }

  mutable runtime::kernel kernel_;
  kernel_sizes sizes_;
};

/// The names of Stan Math's OpenCL backend.
namespace opencl_kernels {
using fusecl::in_buffer, fusecl::out_buffer, fusecl::in_out_buffer, fusecl::kernel_cl;

namespace internal {

/// Tells each matrix of an event of the program's own, for what its tag says is done with it; what has
/// another tag is passed over.
template <class... Tags, class... Arguments>
requires(sizeof...(Tags) == sizeof...(Arguments)) void assign_events(const cl::Event& event,
                                                                     const Arguments&... arguments) {
  const auto assign = [&]<class Tag>(const Tag*, const auto& argument) {
    if constexpr (std::same_as<Tag, in_buffer>)
      argument.add_read_event(event);
    else if constexpr (std::same_as<Tag, out_buffer>)
      argument.add_write_event(event);
    else if constexpr (std::same_as<Tag, in_out_buffer>)
      argument.add_read_write_event(event);
  };
  (assign(static_cast<const Tags*>(nullptr), arguments), ...);
}

}  // namespace internal
}  // namespace opencl_kernels

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel_cl.ipp>
#endif
