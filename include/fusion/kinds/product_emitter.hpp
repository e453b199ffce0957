#pragma once
// What the kernels of products share: which terms a group adds, and sums over parts of these.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/opaque_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/ops/matrix_product.hpp>

namespace fusecl::kinds {

/// Whether the step computes a product of matrices that are in memory.
inline bool is_product(const schedule::plan& p, const schedule::step& s) {
  if (!s.opaque) return false;
  const ir::node& n = p.graph[s.reductions[0]];
  return n.is(op::matrix_product::record()) && ops::is_in_memory(p.graph, n.operands[0]) &&
         ops::is_in_memory(p.graph, n.operands[1]);
}

/// Type of the product of a step.
inline scalar_type type_of_product(const schedule::plan& p, const schedule::step& s) {
  return p.graph[s.reductions[0]].type;
}

/// Terms of each element.
inline std::int64_t inner_size(const schedule::launch_request& r) {
  const ir::graph& g = r.p.graph;
  return r.size(g.resolve(g[g[r.s.reductions[0]].operands[0]].cols));
}

// Where tiles are too few for the device, groups share the terms of each.

/// How many may: at least 256 terms each, and parts of at most 64 MB.
inline std::int64_t most_parts(std::int64_t rows, std::int64_t cols, std::int64_t element,
                               std::int64_t terms) {
  const std::int64_t bytes = std::max<std::int64_t>(1, rows * cols) * element;
  return std::max<std::int64_t>(1, std::min((std::int64_t{64} << 20) / bytes, terms / 256));
}

/// Lets `parts` groups share the terms of each of `tiles`, in multiples of `slice`; adds the sizes "share"
/// and "parts".
inline void share_terms(schedule::geometry& g, std::int64_t tiles, std::int64_t results, std::int64_t terms,
                        std::int64_t parts, std::int64_t slice) {
  const std::int64_t share =
      schedule::round_up(std::max<std::int64_t>(1, schedule::divide_up(terms, parts)), slice);
  parts = std::max<std::int64_t>(1, schedule::divide_up(terms, share));
  g.groups = tiles * parts;
  g.kernel.partial = parts > 1;
  if (g.kernel.partial) g.part_elements.assign(1, results * parts);
  g.finish_groups = schedule::divide_up(results, g.local);
  g.sizes.push_back({"share", share});
  g.sizes.push_back({"parts", parts});
}

class product_emitter : public opaque_emitter {
 public:
  explicit product_emitter(const codegen::emit_request& r) : opaque_emitter(r) {
    finish_title_ = "adds the sums over parts of the terms";
  }

 protected:
  void declare_all() override {
    if (v_.partial)
      declare_part(0, true);  // the sums over parts of the terms, each of which is a whole product
    else
      for (const schedule::store& result : s_.epilogue) declare(result, 1);
    add_buffers(domain_, false, 1);
    if (!v_.partial) add_buffers(after_, true, 1);
    for (int k = 0; k < 2; ++k) add_extents({g_[g_[self_].operands[k]].rows});
    for (const char* name : {"rows", "cols", "inner", "row_tiles"}) add_size(name);
    if (v_.partial) add_size("share");
  }

  /// Number of the group's tile, and its terms [begin, end).
  void place_of_group(const std::string& tiles) {
    out_.line("const uint group = get_group_id(0){};",
              {v_.partial ? codegen::fill(" % ({})", {tiles}) : std::string()});
    if (!v_.partial) return;
    out_.line("const uint part = get_group_id(0) / ({});", {tiles});
    out_.line("const long begin = part * share, end = min(begin + share, inner);");
  }
  const char* first_term() const { return v_.partial ? "begin" : "0"; }
  const char* end_of_terms() const { return v_.partial ? "end" : "inner"; }
  /// Stores `sum`, over the terms of the group, at (i, j): as a part, or what follows from it.
  void store_sum(codegen::value_emitter& values, const char* sum, const codegen::access& how) {
    if (v_.partial) {
      out_.line("p0[i + (j + part * cols) * rows] = {};", {sum});
      return;
    }
    out_.line("const {} r0 = {};", {type(), sum});
    finish_elements(values, "r0", 1, how);
  }

  /// Adds the parts of each element in their order.
  void finish() override {
    for (const schedule::store& result : s_.epilogue) declare(result, 1);
    declare_part(0, false);
    const schedule::variant whole = std::exchange(v_, {});
    add_buffers(after_, true, 1);
    for (const char* name : {"rows", "cols", "parts"}) add_size(name);
    codegen::value_emitter values = start_epilogue();
    open_place();
    out_.raw("#pragma unroll 4\n");
    out_.line("for (long part = 0; part < parts; ++part) r0 = r0 + p0[place + part * results];");
    finish_elements(values, "r0", 1);
    out_.close();
    v_ = whole;
  }
};

}  // namespace fusecl::kinds
