#pragma once
#include <algorithm>
#include <iterator>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/builtin_declarations.hpp>
#include <fusion/runtime/driver_faults.hpp>

namespace fusecl::runtime {

/// Functions that are declared alike. In a pattern, @ is the name, T each element type in turn, S and U the
/// signed and the unsigned integer of its size, I int, R what comparisons return, each a vector of every
/// width in turn; E is T's element type.
struct builtin_group {
  std::string_view names;  ///< with blanks between them
  std::string_view
      types;  ///< f: float and double; i: integers; a: both; s: signed integers; 4: those of four bytes
  std::string_view patterns[2];
};

inline constexpr builtin_group builtin_groups[] = {
    {" acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi degrees erf erfc exp "
     "exp10 exp2 expm1 fabs floor lgamma log log10 log1p log2 logb radians rint round rsqrt sign sin sinh "
     "sinpi sqrt tan tanh tanpi tgamma trunc ",
     "f",
     {"T @(T)"}},
    {" atan2 atan2pi copysign fdim fmod hypot maxmag minmag nextafter pow powr remainder ",
     "f",
     {"T @(T, T)"}},
    {" fmax fmin ", "f", {"T @(T, T)", "T @(T, E)"}},
    {" fma mad ", "f", {"T @(T, T, T)"}},
    {" mix ", "f", {"T @(T, T, T)", "T @(T, T, E)"}},
    {" step ", "f", {"T @(T, T)", "T @(E, T)"}},
    {" smoothstep ", "f", {"T @(T, T, T)", "T @(E, E, T)"}},
    {" ldexp ", "f", {"T @(T, I)", "T @(T, int)"}},
    {" pown rootn ", "f", {"T @(T, I)"}},
    {" ilogb ", "f", {"I @(T)"}},
    {" isfinite isinf isnan isnormal signbit ", "f", {"R @(T)"}},
    {" isequal isgreater isgreaterequal isless islessequal islessgreater isnotequal isordered isunordered ",
     "f",
     {"R @(T, T)"}},
    {" abs ", "i", {"U @(T)"}},
    {" abs_diff ", "i", {"U @(T, T)"}},
    {" clz popcount ", "i", {"T @(T)"}},
    {" add_sat hadd mul_hi rhadd rotate sub_sat ", "i", {"T @(T, T)"}},
    {" mad_hi mad_sat ", "i", {"T @(T, T, T)"}},
    {" mul24 ", "4", {"T @(T, T)"}},
    {" mad24 ", "4", {"T @(T, T, T)"}},
    {" max min ", "a", {"T @(T, T)", "T @(T, E)"}},
    {" clamp ", "a", {"T @(T, T, T)", "T @(T, E, E)"}},
    {" all any ", "s", {"int @(T)"}},
    {" select ", "a", {"T @(T, T, S)", "T @(T, T, U)"}},
    {" bitselect ", "a", {"T @(T, T, T)"}},
};

/// Declarations that do not go by type.
struct builtin_function {
  std::string_view name, declarations;
};
inline constexpr builtin_function builtin_functions[] = {
    {"get_work_dim", "uint FUSECL_PURE get_work_dim(void);\n"},
    {"get_global_size", "size_t FUSECL_PURE get_global_size(uint);\n"},
    {"get_global_id", "size_t FUSECL_PURE get_global_id(uint);\n"},
    {"get_local_size", "size_t FUSECL_PURE get_local_size(uint);\n"},
    {"get_local_id", "size_t FUSECL_PURE get_local_id(uint);\n"},
    {"get_num_groups", "size_t FUSECL_PURE get_num_groups(uint);\n"},
    {"get_group_id", "size_t FUSECL_PURE get_group_id(uint);\n"},
    {"get_global_offset", "size_t FUSECL_PURE get_global_offset(uint);\n"},
    {"barrier", "void FUSECL_OVERLOAD __attribute__((convergent)) barrier(cl_mem_fence_flags);\n"},
    {"mem_fence", "void FUSECL_OVERLOAD mem_fence(cl_mem_fence_flags);\n"},
    {"read_mem_fence", "void FUSECL_OVERLOAD read_mem_fence(cl_mem_fence_flags);\n"},
    {"write_mem_fence", "void FUSECL_OVERLOAD write_mem_fence(cl_mem_fence_flags);\n"},
};
inline constexpr std::string_view atomic_of_one = " atomic_inc atomic_dec ";
inline constexpr std::string_view atomic_of_two =
    " atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor ";

struct builtin_type {
  std::string_view name, signed_name, unsigned_name;
  char kind;  ///< f: floating; s: signed; u: unsigned
};
inline constexpr builtin_type builtin_types[] = {
    {"float", "int", "uint", 'f'},   {"double", "long", "ulong", 'f'},  {"char", "char", "uchar", 's'},
    {"uchar", "char", "uchar", 'u'}, {"short", "short", "ushort", 's'}, {"ushort", "short", "ushort", 'u'},
    {"int", "int", "uint", 's'},     {"uint", "int", "uint", 'u'},      {"long", "long", "ulong", 's'},
    {"ulong", "long", "ulong", 'u'}};
inline constexpr std::string_view builtin_widths[] = {"", "2", "3", "4", "8", "16"};

/// Whether a group's functions are for elements of a type.
FUSECL_INLINE bool is_for(std::string_view types, const builtin_type& type) {
  if (types == "a") return true;
  if (types == "f") return type.kind == 'f';
  if (types == "i") return type.kind != 'f';
  if (types == "s") return type.kind == 's';
  return type.name == "int" || type.name == "uint";
}

/// A pattern of a group for a type and a width.
FUSECL_INLINE void add_declaration(std::string& text, std::string_view pattern, std::string_view name,
                                   const builtin_type& type, std::string_view width) {
  for (const char c : pattern) {
    switch (c) {
      case '@':
        text.append("FUSECL_PURE ").append(name);
        break;
      case 'T':
        text.append(type.name).append(width);
        break;
      case 'S':
        text.append(type.signed_name).append(width);
        break;
      case 'U':
        text.append(type.unsigned_name).append(width);
        break;
      case 'I':
        text.append("int").append(width);
        break;
      case 'E':
        text.append(type.name);
        break;
      case 'R':
        text.append(width.empty() ? std::string_view("int") : type.signed_name).append(width);
        break;
      default:
        text += c;
    }
  }
  text.append(";\n");
}

/// Functions of OpenCL C that are not declared here: a program that names one needs the driver's
/// declarations, also where it defines it for other types.
inline constexpr std::string_view other_builtins =
    " cross distance dot fract frexp length lgamma_r modf nan normalize prefetch printf remquo shuffle "
    "shuffle2 "
    "sincos upsample wait_group_events ";
inline constexpr std::string_view starts_of_other_builtins[] = {
    "async_", "atom_",      "atomic_", "convert_", "fast_",       "get_",  "native_",
    "read_",  "sub_group_", "vload",   "vstore",   "work_group_", "write_"};
FUSECL_INLINE bool is_other_builtin(std::string_view name) {
  for (const std::string_view start : starts_of_other_builtins)
    if (name.starts_with(start)) return true;
  return text::has_word(other_builtins, name);
}

/// convert_T and, with a suffix, convert_T_rte and others, which convert from all types.
FUSECL_INLINE bool add_conversion(std::string& text, std::string_view name) {
  if (!name.starts_with("convert_")) return false;
  std::string_view to = name.substr(8);
  to = to.substr(0, to.find('_'));
  const std::string_view width = to.substr(to.find_last_not_of("0123456789") + 1);
  const auto is_named = [&](const builtin_type& type) {
    return to.size() == type.name.size() + width.size() && to.starts_with(type.name);
  };
  if (std::none_of(std::begin(builtin_types), std::end(builtin_types), is_named) ||
      std::find(std::begin(builtin_widths), std::end(builtin_widths), width) == std::end(builtin_widths))
    return false;
  for (const builtin_type& from : builtin_types)
    text += text::fill("{} FUSECL_PURE {}({}{});\n", {to, name, from.name, width});
  return true;
}

/// vloadN and vstoreN of all types and address spaces.
FUSECL_INLINE bool add_vector_access(std::string& text, std::string_view name) {
  const bool loads = name.starts_with("vload");
  if (!loads && !name.starts_with("vstore")) return false;
  const std::string_view width = name.substr(loads ? 5 : 6);
  if (width != "2" && width != "3" && width != "4" && width != "8" && width != "16") return false;
  for (const std::string_view space : {"__global", "__local", "__private", "__constant"})
    for (const builtin_type& type : builtin_types) {
      if (loads)
        text += text::fill("{}{} FUSECL_OVERLOAD __attribute__((pure)) {}(size_t, const {} {}*);\n",
                           {type.name, width, name, space, type.name});
      else if (space != "__constant")
        text += text::fill("void FUSECL_OVERLOAD {}({}{}, size_t, {} {}*);\n",
                           {name, type.name, width, space, type.name});
    }
  return true;
}

FUSECL_INLINE bool add_atomic(std::string& text, std::string_view name) {
  const std::string_view more = text::has_word(atomic_of_one, name)   ? ""
                                : text::has_word(atomic_of_two, name) ? ", {}"
                                : name == "atomic_cmpxchg"            ? ", {}, {}"
                                                                      : "?";
  if (more == "?") return false;
  for (const std::string_view space : {"__global", "__local"}) {
    for (const std::string_view type : {"int", "uint"})
      text += text::fill("{} FUSECL_OVERLOAD {}(volatile {} {}*{});\n",
                         {type, name, space, type, text::fill(more, {type, type})});
    if (name == "atomic_xchg")
      text += text::fill("float FUSECL_OVERLOAD atomic_xchg(volatile {} float*, float);\n", {space});
  }
  return true;
}

/// Adds the declarations of a function of OpenCL C. False if it is none that is known here.
FUSECL_INLINE bool add_declarations(std::string& text, std::string_view name) {
  for (const builtin_function& each : builtin_functions)
    if (each.name == name) {
      text += each.declarations;
      return true;
    }
  bool found = false;
  for (const builtin_group& group : builtin_groups) {
    if (!text::has_word(group.names, name)) continue;
    found = true;
    for (const builtin_type& type : builtin_types)
      if (is_for(group.types, type))
        for (const std::string_view width : builtin_widths)
          for (const std::string_view pattern : group.patterns)
            if (!pattern.empty()) add_declaration(text, pattern, name, type, width);
  }
  return found || add_conversion(text, name) || add_vector_access(text, name) || add_atomic(text, name);
}

/// The names of a source in turn, without those in comments and texts.
class name_reader {
 public:
  explicit name_reader(std::string_view source) : rest_(source) {}

  /// The next one; empty at the end.
  std::string_view next() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        skip_to("\n", 2);
      } else if (rest_.starts_with("/*")) {
        skip_to("*/", 2);
      } else if (rest_.front() == '"' || rest_.front() == '\'') {
        skip_text(rest_.front());
      } else if (text::in_word(rest_.front())) {
        std::size_t size = 0;
        while (size < rest_.size() && text::in_word(rest_[size])) ++size;
        const std::string_view name = rest_.substr(0, size);
        rest_.remove_prefix(size);
        if (name.front() < '0' || name.front() > '9') return name;
        before_ = '0';
      } else {
        if (blanks.find(rest_.front()) == std::string_view::npos) before_ = rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return {};
  }
  /// What stands before the name that was read: the last name if nothing else does, else a character.
  char before() const { return before_; }
  void set_before(char what) { before_ = what; }
  /// Whether the name that was read is called or defined.
  bool has_arguments() const {
    const std::size_t at = rest_.find_first_not_of(blanks);
    return at != std::string_view::npos && rest_[at] == '(';
  }

 private:
  static constexpr std::string_view blanks = " \t\r\n";

  void skip_to(std::string_view end, std::size_t from) {
    const std::size_t at = rest_.find(end, from);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }
  void skip_text(char end) {
    std::size_t at = 1;
    while (at < rest_.size() && rest_[at] != end) at += rest_[at] == '\\' ? 2 : 1;
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
  }

  std::string_view rest_;
  char before_ = ';';
};

inline constexpr std::string_view words_before_parentheses =
    " if elif for while switch return sizeof else do case defined asm __asm __asm__ volatile __volatile__ "
    "__attribute__ reqd_work_group_size work_group_size_hint vec_type_hint aligned overloadable ";

FUSECL_INLINE std::string builtin_declarations(std::string_view source) {
  if (includes_files(source)) return {};
  std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#define FUSECL_OVERLOAD __attribute__((overloadable))\n"
      "#define FUSECL_PURE __attribute__((overloadable, const))\n";
  list_of<std::string_view> seen;
  name_reader reader(source);
  constexpr char a_name = 'n', an_operator = '=';
  for (std::string_view name = reader.next(); !name.empty(); name = reader.next()) {
    const char before = reader.before();
    const bool is_word = text::has_word(words_before_parentheses, name);
    reader.set_before(is_word ? an_operator : a_name);
    if (is_word || seen.contains(name)) continue;
    seen.push_back(name);
    if (add_declarations(text, name)) continue;
    if (is_other_builtin(name)) return {};
    if (!reader.has_arguments()) continue;
    // a type or a directive stands before a function or a macro where it is defined
    const bool is_own = before == a_name;
    if (!is_own && !name.starts_with("as_") && !name.starts_with("__builtin_")) return {};
  }
  return text += "#line 1\n";
}

FUSECL_INLINE declared_program with_own_declarations(const program_request& request,
                                                     const capabilities& device) {
  const std::size_t version = request.options.find("-cl-std=");
  const bool is_of_1 = version == std::string::npos || request.options.compare(version + 8, 4, "CL1.") == 0;
  // kernel_cl asks for the types of arguments: a user's own program gets all that the driver has
  const bool is_a_users = request.options.find("-cl-kernel-arg-info") != std::string::npos;
  declared_program program;
  if (pocl_version(device) == 3 && device.fp64 && is_of_1 && !is_a_users)
    program.declarations = builtin_declarations(request.source);
  if (!program.declarations.empty()) program.options = request.options + " -D _OPENCL_H_";
  return program;
}

}  // namespace fusecl::runtime
