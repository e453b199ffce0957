#pragma once
// What a density is to the library: a record with a name, its arguments with their supports, and the terms of
// one element. This file makes of a record what density.hpp evaluates. The records are in the files
// *_densities.hpp and listed in densities.hpp.

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/eval/scalar.hpp>
#include <primitives/likelihoods/density.hpp>

namespace fusecl {

/// Where an argument of a density has to lie: elsewhere, and where it is NaN, the density throws.
enum class support : std::uint8_t {
  any,  ///< of counts: every whole number
  not_nan,
  finite,
  positive,
  positive_finite,
  nonnegative,
  nonnegative_finite,
  unit,       ///< [0, 1]
  open_unit,  ///< (0, 1)
  zero_or_one
};

/// An argument of a density.
struct density_parameter {
  const char* name;  ///< in documents
  const char* what;  ///< in messages
  support lies;
  ir::sample_interval sample;  ///< values that programs which measure and test draw
  bool is_count = false;       ///< whole numbers
};

namespace detail {

/// What a value outside of a support should be, in a message.
constexpr const char* must_be(support s) {
  switch (s) {
    case support::any:
      return "any";
    case support::not_nan:
      return "not nan";
    case support::finite:
      return "finite";
    case support::positive:
      return "positive";
    case support::positive_finite:
      return "positive finite";
    case support::nonnegative:
      return "nonnegative";
    case support::nonnegative_finite:
      return "nonnegative finite";
    case support::unit:
      return "in the interval [0, 1]";
    case support::open_unit:
      return "in the interval (0, 1)";
    default:
      return "in the interval [0, 1]";
  }
}

/// Whether an argument lies in its support, as an expression.
template <support S, class X>
auto lies_in(const X& x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if constexpr (S == support::not_nan)
    return x == x;
  else if constexpr (S == support::finite)
    return isfinite(x);
  else if constexpr (S == support::positive)
    return x > 0.0;
  else if constexpr (S == support::positive_finite)
    return x > 0.0 && x < infinity;
  else if constexpr (S == support::nonnegative)
    return x >= 0.0;
  else if constexpr (S == support::nonnegative_finite)
    return x >= 0.0 && x < infinity;
  else if constexpr (S == support::unit)
    return x >= 0.0 && x <= 1.0;
  else if constexpr (S == support::open_unit)
    return x > 0.0 && x < 1.0;
  else
    return x == 0.0 || x == 1.0;
}

/// An element of an argument in a formula. It counts as a number, so that `*` and `/` are of elements.
struct density_element : expression<density_element>, converts_to_number<density_element, double> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = true;
  argument a;

  explicit density_element(argument of) : a(std::move(of)) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return a.lower(low); }
  bool is_variable() const { return a.is_variable(); }
};

/// A formula of elements as the container that it makes, of free size where all are numbers.
template <class A>
struct density_elements : expression<density_elements<A>> {
  using expression<density_elements<A>>::operator=;
  using operand_types = types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  std::int64_t rows_;
  std::int64_t cols_;

  density_elements(A formula, std::int64_t rows, std::int64_t cols)
      : a(std::move(formula)), rows_(rows), cols_(cols) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return a.lower(low); }
};

using density_summands = list_of<held_pointer>;

/// What the terms of a record are written in.
class density_formula {
 public:
  explicit density_formula(const density_scope& scope) : scope_(scope) {}

  /// A term that is made of these arguments: of a density up to a constant it is left out where none of them
  /// is a variable.
  template <class E, class... Of>
  held_pointer term(const E& e, const Of&... of) const {
    return scope_.keeps(of...) ? held_elements(e, of...) : nullptr;
  }
  /// Whether a term that depends on these arguments is kept.
  template <class... Of>
  bool keeps(const Of&... of) const {
    return scope_.keeps(of...);
  }
  /// A term that is made of these arguments, data alone, where it is `kept`: its sum over many elements is
  /// computed once for what they hold.
  template <class E, class... Of>
  held_pointer data_term(bool kept, const E& e, const Of&... of) const {
    return scope_.data_term(kept, elements(e, of...));
  }
  /// A part that another term has within it: of a density up to a constant it is taken off again where none
  /// of these arguments is a variable.
  template <class E, class... Of>
  held_pointer without(const E& e, const Of&... of) const {
    return scope_.keeps(of...) ? nullptr : held_elements(-e, of...);
  }
  /// A constant.
  held_pointer constant(double value) const {
    return scope_.keeps() ? held_elements(scalar_leaf<double>(value)) : nullptr;
  }

  template <class E, class... Of>
  auto elements(const E& e, const Of&... of) const {
    const bool number = (of.a.is_number() && ...);
    return density_elements<node_of<const E&>>(as_operation_cl(e), number ? free_size : scope_.rows(),
                                               number ? free_size : scope_.cols());
  }

 private:
  template <class E, class... Of>
  held_pointer held_elements(const E& e, const Of&... of) const {
    auto all = elements(e, of...);
    return std::make_shared<const held<decltype(all)>>(std::move(all));
  }

  const density_scope& scope_;
};

template <class Record>
concept has_relation = requires {
  Record::related;
};

/// Whether the record of a logarithm has the probability itself, as `probability(arguments...)`: where the
/// logarithm is infinite its derivatives do not tell those of the probability.
template <class Record>
concept has_probability = requires {
  Record::has_probability;
};

/// What a record stands for: itself, or, of the logarithm of a probability, the probability by its own
/// formula or as the exponential.
enum class recorded_as : std::uint8_t { itself, probability, exponential };

/// NAME_cdf of the record NAME_lcdf.
template <class Record>
inline constexpr auto name_of_probability = [] {
  constexpr std::size_t size = sizeof(Record::name), l = size - sizeof("lcdf");
  std::array<char, size - 1> name{};
  for (std::size_t k = 0; k < size - 1; ++k) name[k] = Record::name[k < l ? k : k + 1];
  return name;
}();

/// What density.hpp evaluates.
template <class Record, recorded_as As = recorded_as::itself>
struct recorded_density {
  static constexpr std::size_t arity = std::size(Record::parameters);
  static constexpr const char* function = [] {
    if constexpr (As == recorded_as::itself)
      return Record::name;
    else
      return name_of_probability<Record>.data();
  }();
  static constexpr auto names = [] {
    std::array<const char*, arity> each{};
    for (std::size_t k = 0; k < arity; ++k) each[k] = Record::parameters[k].what;
    return each;
  }();

  /// Whether nothing gets an adjoint of minus infinity.
  static constexpr bool impossible_is_constant = !requires { Record::keeps_limits; };

  template <class... Arguments>
  static density_terms terms(const density_scope& d, const Arguments&... arguments) {
    return of_elements(d, std::index_sequence_for<Arguments...>(), density_element(arguments)...);
  }

 private:
  template <std::size_t... K, class... Elements>
  static density_terms of_elements(const density_scope& d, std::index_sequence<K...>, const Elements&... x) {
    const density_formula f(d);
    density_terms all{{}, d.size(), {}};
    if constexpr (As == recorded_as::probability) {
      all.terms.push_back(f.term(Record::probability(x...), x...));
      all.is_product = true;
    } else if (d.keeps(x...)) {
      for (held_pointer& term : Record::terms(f, x...))
        if (term) all.terms.push_back(std::move(term));
    }
    (add_check<Record::parameters[K].lies>(all.checks.always, f, d, x), ...);
    if constexpr (has_relation<Record>) {
      const argument* list[] = {&x.a...};
      all.checks.always.push_back(d.check_that(
          *list[Record::related], f.elements(Record::relation_holds(x...), x...), Record::relation));
    }
    return all;
  }
  template <support Lies>
  static void add_check(list_of<check>& checks, const density_formula& f, const density_scope& d,
                        const density_element& x) {
    if constexpr (Lies != support::any)
      checks.push_back(d.check_that(x.a, f.elements(lies_in<Lies>(x), x), must_be(Lies)));
  }
};

template <class Record>
inline constexpr double of_nothing<recorded_density<Record, recorded_as::probability>> = 1;

/// A probability, given its logarithm.
inline double exponential_of(double logarithm) { return std::exp(logarithm); }
inline var exponential_of(const var& logarithm) {
  const double value = std::exp(logarithm.val());
  return var(record_partials(value, logarithm.entry(), value, nullptr, 0));
}

/// The product over the elements of the probability whose logarithm is a record.
template <class Record, class... Arguments>
auto probability_of(const Arguments&... arguments) {
  if constexpr (has_probability<Record>)
    return density_of<recorded_density<Record, recorded_as::probability>, false>(arguments...);
  else
    return exponential_of(
        density_of<recorded_density<Record, recorded_as::exponential>, false>(arguments...));
}

/// Whether counts are given as whole numbers.
template <class Record, class... Arguments>
constexpr bool counts_are_whole() {
  std::size_t k = 0;
  return ((!Record::parameters[k++].is_count || !is_floating(node_of<const Arguments&>::type)) && ...);
}

}  // namespace detail
}  // namespace fusecl
