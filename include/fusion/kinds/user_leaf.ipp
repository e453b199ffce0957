#pragma once
// Kernels that users write for operations of their own (expr/user_leaf.hpp). The text is theirs, up to the
// functions by which it reads an element of an operand and hands over one of the result: these compute what
// the statement has before and after.

#include <algorithm>
#include <stdexcept>

#include <fusion/base/error.hpp>
#include <fusion/kinds/batched_emitter.hpp>
#include <fusion/ops/library_functions.hpp>
#include <fusion/ops/user_leaf.hpp>

namespace fusecl::kinds {
namespace user_leaf_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Work-items of a group on a GPU where tasks are work-items.
inline constexpr std::int64_t usual_group = 64;

inline const ops::user_leaf_operation& leaf_of(const plan& p, const step& s) {
  return ops::user_leaf_of(p.graph[s.reductions[0]]);
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return s.opaque && ops::is_user_leaf(p.graph[s.reductions[0]]);
}

/// Sizes of the operands, and last that of the result.
inline list_of<leaf_size> sizes_of(const plan& p, const step& s, std::span<const std::int64_t> extents) {
  const ir::graph& g = p.graph;
  const ir::node& n = g[s.reductions[0]];
  const auto size = [&](ir::extent e) { return p.size_of(g.resolve(e), extents); };
  list_of<leaf_size> sizes;
  for (int k = 0; k < ir::arity(n); ++k)
    sizes.push_back({size(g[n.operands[k]].rows), size(g[n.operands[k]].cols)});
  sizes.push_back({size(n.rows), size(n.cols)});
  return sizes;
}

inline std::int64_t tasks_of(const ops::user_leaf_operation& leaf, const list_of<leaf_size>& sizes) {
  const leaf_size result = sizes[sizes.size() - 1];
  if (result.rows == 0 || result.cols == 0) return 0;
  const std::int64_t tasks = leaf.tasks(result, sizes.data());
  if (tasks < 0)
    throw std::invalid_argument(text::fill("{}: `tasks` gave {} for a result of {} x {}",
                                           {leaf.name, tasks, result.rows, result.cols}));
  return tasks;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const ops::user_leaf_operation& leaf = leaf_of(r.p, r.s);
  if (leaf.work_items > r.device.largest_group)
    throw error(text::fill("{}: its groups have {} work-items, more than the {} that this device allows",
                           {leaf.name, leaf.work_items, r.device.largest_group}));
  const std::int64_t tasks = tasks_of(leaf, sizes_of(r.p, r.s, r.extents));
  geometry g;
  g.kernel.distinct = r.distinct;
  g.sizes = {{"rows", r.rows()}, {"cols", r.cols()}, {"tasks", tasks}};
  if (leaf.work_items == 0 && r.on_cpu()) {
    share_turns(g, r, tasks);
    return g;
  }
  g.sizes.push_back({"share", 1});
  g.local = leaf.work_items > 0 ? leaf.work_items : std::min(usual_group, r.device.largest_group);
  g.groups = leaf.work_items > 0 ? tasks : divide_up(tasks, g.local);
  return g;
}

class emitter final : public batched_emitter {
 public:
  explicit emitter(const codegen::emit_request& r) : batched_emitter(r), leaf_(leaf_of(r.p, s_)) {}

 private:
  std::string parameter(int k) const { return std::string(leaf_.parameters[k]); }
  const ir::node& operand(int k) const { return g_[g_[self_].operands[k]]; }
  int count() const { return ir::arity(g_[self_]); }

  void add_own_sizes() override {
    for (const char* name : {"tasks", "share"}) add_size(name);
    for (int k = 0; k < count(); ++k) add_extents({operand(k).rows, operand(k).cols});
  }

  void walk() override {
    const std::string declared = std::exchange(out_, codegen::writer(1)).text();
    for (std::size_t k = 0; k < leaf_.macro_count; ++k)
      define(std::string(leaf_.macros[k].name), "", text::fill("{}", {leaf_.macros[k].value}));
    for (int k = 0; k < count(); ++k) write_reader(k);
    write_result(declared);
    for (std::string& declaration : parameters_) declaration.insert(name_begin(declaration), "leaf_");

    const std::string body = body_text();
    for (const char* name : {"rows", "cols", "tasks"})
      if (codegen::mentions(body, name)) out_.line("const long {} = leaf_{};", {name, name});
    for (int k = 0; k < count(); ++k) {
      declare_size(body, parameter(k) + "_rows", operand(k).rows);
      declare_size(body, parameter(k) + "_cols", operand(k).cols);
    }
    if (codegen::mentions(body, "real")) out_.line("typedef {} real;", {type()});
    if (leaf_.work_items > 0) {  // local memory is declared where the kernel begins
      out_.line("const long task = get_group_id(0);");
      out_.line("const int lane = get_local_id(0);");
      return write_body(body);
    }
    if (cpu_) {
      out_.line("const long leaf_first = get_group_id(0) * leaf_share;");
      out_.line("const long leaf_end = min(leaf_first + leaf_share, leaf_tasks);");
      out_.open("for (long task = leaf_first; task < leaf_end; ++task)");
    } else {
      out_.line("const long task = {} + get_local_id(0);",
                {codegen::detail::group_of(codegen::fill("* {}", {shape_.local}).c_str())});
      out_.open("if (task < leaf_tasks)");
    }
    write_body(body);
    out_.close();
  }

  /// No other text sees the names that the body has for operands, result and numbers.
  void write_body(const std::string& body) {
    out_.raw(defines_);
    out_.raw(body);
    out_.raw(undefines_);
  }
  void define(const std::string& name, const std::string& given, const std::string& text) {
    defines_ += codegen::fill("#define {}{} {}\n", {name, given, text});
    undefines_ += codegen::fill("#undef {}\n", {name});
  }

  void declare_size(const std::string& body, const std::string& name, ir::extent e) {
    if (!codegen::mentions(body, name)) return;
    const bool single = g_.resolve(e) == ir::one;
    out_.line("const long {} = {}{};", {name, single ? "" : "leaf_", codegen::size_name(g_.resolve(e))});
  }

  /// A function of all the kernel's arguments and `own`, whose lines `write` writes, and the macro by which
  /// the body calls it. In the kernel arguments have names that no body has.
  template <class Write>
  void write_function(const char* returned, const std::string& name, const char* own, const char* given,
                      Write write) {
    const codegen::writer before = std::exchange(out_, codegen::writer(1));
    write();
    const codegen::writer lines = std::exchange(out_, before);
    list_of<std::string> parameters = parameters_;
    for (std::string& each :
         parameters)  // what the kernel says holds here, too; Oclgrind knows it there only
      if (const std::size_t at = each.find("restrict "); at != std::string::npos) each.erase(at, 9);
    parameters.emplace_back(own);
    text::append(
        own_, "static inline __attribute__((always_inline))\n{} {\n{}}\n\n",
        {with_parameters(codegen::fill("{} element_of_{}", {returned, name}), parameters), lines.text()});
    std::string arguments;
    for (const std::string& declaration : parameters_)
      arguments += "leaf_" + declaration.substr(name_begin(declaration)) + ", ";
    define(name, codegen::fill("({})", {given}),
           codegen::fill("element_of_{}({}{})", {name, arguments, in_parentheses(given)}));
  }
  void write_reader(int k) {
    write_function(type().c_str(), parameter(k), "const long row, const long col", "row, col",
                   [&] { out_.line("return {};", {element(k, "row", "col")}); });
  }
  void write_result(const std::string& declared) {
    const std::string own = codegen::fill("const long i, const long j, const {} r0", {type()});
    write_function("void", "result", own.c_str(), "row, col, value", [&] {
      out_.raw(declared);
      codegen::value_emitter values = emitter_of(after_, true);
      values.know(self_, "r0", false);  // what follows from a single element is computed before all others
      start(values);
      finish_elements(values, "r0", 1);
    });
  }

  static std::size_t name_begin(const std::string& declaration) { return declaration.find_last_of(" *") + 1; }
  /// "(row), (col)" of "row, col".
  static std::string in_parentheses(std::string_view names) {
    std::string all = "(";
    for (char c : names) {
      if (c == ',') all += ')';
      if (c != ' ') all += c;
      if (c == ',') all += " (";
    }
    return all + ')';
  }
  /// The body in the type of the leaf; what it calls of the library is there then.
  std::string body_text() {
    std::string_view given = leaf_.body;
    if (given.starts_with('\n')) given.remove_prefix(1);
    ops::library_calls calls =
        ops::calls_of_library(given, {leaf_.parameters, static_cast<std::size_t>(count())});
    calls.functions.push_back(nullptr);
    library_.require(calls.functions.data(), type_, 1);
    std::string all = codegen::instantiate(calls.code, type_, 1);
    if (!all.ends_with('\n')) all += '\n';
    return all;
  }

  const ops::user_leaf_operation& leaf_;
  std::string defines_, undefines_;
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

inline double flops(const plan& p, const step& s, std::span<const std::int64_t> extents) {
  const ops::user_leaf_operation& leaf = leaf_of(p, s);
  return static_cast<double>(tasks_of(leaf, sizes_of(p, s, extents))) * leaf.task_flops;
}

}  // namespace user_leaf_walk

inline constexpr step_kind user_leaf{kind_order::user_leaf,
                                     "leaf",
                                     "a kernel that was written by hand",
                                     user_leaf_walk::takes,
                                     user_leaf_walk::shape,
                                     user_leaf_walk::emit,
                                     user_leaf_walk::flops};

}  // namespace fusecl::kinds
