#pragma once
#include <algorithm>
#include <cmath>

#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

/// Text of the neutral element of a reduction.
FUSECL_INLINE std::string neutral_text(const node& n) {
  const long double start = n.op->host(nullptr);
  const double value = static_cast<double>(start);
  if (is_floating(n.type) || std::isfinite(value)) return literal(n.type, value);
  const bool highest = value > 0;
  if (n.type == scalar_type::uint32) return highest ? "UINT_MAX" : "0";
  const std::string name = n.type == scalar_type::int64 ? "LONG" : "INT";
  return name + (highest ? "_MAX" : "_MIN");
}

FUSECL_INLINE ir::node_map<char> step_emitter::cone(const std::vector<node_id>& ids, bool enter_own) const {
  return ir::reachable(g_, ids, [&](node_id id) { return is_given(id, enter_own); });
}

FUSECL_INLINE std::size_t step_emitter::widest_bytes() const {
  std::vector<node_id> all = domain_;
  all.insert(all.end(), after_.begin(), after_.end());
  const ir::node_map<char> within = cone(all, true);
  std::size_t widest = 4;
  for (node_id id = 0; id < g_.size(); ++id)
    if (within[id]) widest = std::max(widest, size_of(g_[id].type));
  return widest;
}

FUSECL_INLINE std::string step_emitter::buffer_name(const schedule::buffer& b) const {
  constexpr std::string_view letters[] = {"x", "y", "t", "p"};
  return std::string(letters[static_cast<int>(b.kind)]) + std::to_string(b.number);
}

/// Elements per access of a buffer of these extents: vectors only where pointers are to vectors.
FUSECL_INLINE int step_emitter::pointer_lanes(ir::extent rows, ir::extent cols, int lanes) const {
  const bool cpu_tiles = cpu_ && s_.walk != pattern::linear;
  const bool single = rows == ir::one && (cols == ir::one || s_.walk != pattern::linear);
  const bool part_of_column = v_.crossing && (rows == ir::one || cols == ir::one);
  return cpu_tiles || single || part_of_column ? 1 : lanes;
}

FUSECL_INLINE void step_emitter::add_argument(argument a, const std::string& declaration) {
  if (std::find(kernel_.arguments.begin(), kernel_.arguments.end(), a) != kernel_.arguments.end()) return;
  kernel_.arguments.push_back(a);
  parameters_.push_back(declaration);
}

FUSECL_INLINE void step_emitter::add_size(argument_kind kind, const std::string& name) {
  add_argument({kind}, (kind >= argument_kind::row_tiles ? "const uint " : "const long ") + name);
}

/// Declares the buffer a result goes to.
FUSECL_INLINE void step_emitter::declare(const schedule::store& result, int lanes) {
  const node& n = g_[result.value];
  const std::string name = buffer_name(result.to);
  const auto kind = result.to.kind == buffer_kind::target ? argument_kind::target : argument_kind::temporary;
  if (result.place.is_part) lanes = 1;
  pointer_lanes_.push_back({name, lanes});
  add_argument({kind, result.to.number, true}, "global " + vector_type(n.type, lanes) + pointer() + name);
  if (result.place.is_part)
    add_extents({result.place.map.row0.size, result.place.map.col0.size, result.place.rows});
}

/// Declares everything that the values of `ids` read.
FUSECL_INLINE void step_emitter::add_buffers(const std::vector<node_id>& ids, bool own_known, int lanes) {
  const ir::node_map<char> within = cone(ids, false);
  const bool in_order = own_known || s_.walk == pattern::linear;
  // operands of accesses are read element by element
  const ir::node_map<char> as_a_whole = ir::used_in_place(g_, within, ids, [&](const node& n) {
    return n.op->kind == ir::op_class::access && !(in_order && ir::is_turned_vector(g_, n));
  });
  for (node_id id = 0; id < g_.size(); ++id) {
    const node& n = g_[id];
    if (!within[id]) continue;
    const bool matrix = n.is(ir::leaf_operations::matrix);
    const bool temporary = is_given(id, own_known) && !s_.completes(id);
    if (matrix || temporary) {
      const std::int64_t slot = matrix ? n.index : plan_.temporary_of(id);
      const std::string name = (matrix ? "x" : "t") + std::to_string(slot);
      const auto known = std::find_if(pointer_lanes_.begin(), pointer_lanes_.end(),
                                      [&](const auto& entry) { return entry.first == name; });
      if (known != pointer_lanes_.end()) continue;
      const bool whole = as_a_whole[id] != 0;
      const int wide = whole ? pointer_lanes(g_.resolve(n.rows), g_.resolve(n.cols), lanes) : 1;
      pointer_lanes_.push_back({name, wide});
      add_argument({matrix ? argument_kind::operand : argument_kind::temporary, slot},
                   "global const " + vector_type(n.type, wide) + pointer() + name);
    } else if (n.is(ir::leaf_operations::scalar)) {
      add_argument({argument_kind::scalar, n.index},
                   "const " + std::string(opencl_name(n.type)) + " s" + std::to_string(n.index));
    }
  }
  for (node_id id = 0; id < g_.size(); ++id)
    if (within[id] && g_[id].op->kind == ir::op_class::access) add_sizes_of_access(g_[id]);
}

/// Declares the offsets and limits of an access, and the leading dimension of what it reads.
FUSECL_INLINE void step_emitter::add_sizes_of_access(const node& n) {
  const node& from = g_[n.operands[0]];
  const bool matrix = g_.resolve(from.rows) != ir::one && g_.resolve(from.cols) != ir::one;
  add_extents({n.map.row0.size, n.map.col0.size, n.map.row_limit, n.map.col_limit,
               matrix ? from.rows : ir::no_extent});
}

FUSECL_INLINE void step_emitter::add_extents(std::initializer_list<ir::extent> sizes) {
  for (ir::extent e : sizes) {
    if (e == ir::no_extent || g_.resolve(e) == ir::one) continue;
    const ir::extent size = g_.resolve(e);
    add_argument({argument_kind::extent, size}, "const long " + size_name(size));
  }
}

/// Rows and columns of the lanes of a value in the domain; 64 bits wide, as `i` and `j` are on a CPU.
FUSECL_INLINE void step_emitter::set_lanes(access& how) const {
  how.lane_rows.clear();
  how.lane_cols.clear();
  for (int k = 0; k < how.lanes; ++k) {
    const std::string id = k == 0 ? "" : std::to_string(k), further = k == 0 ? "" : " + " + id;
    if (v_.crossing) {
      how.lane_rows.push_back("(long)i" + id);
      how.lane_cols.push_back("(long)j" + id);
    } else if (cpu_) {
      how.lane_rows.push_back(k == 0 ? "i" : "(i" + further + ")");
      how.lane_cols.push_back("j");
    } else {
      const std::string vector = "((long)i * " + std::to_string(how.lanes) + further + ")";
      how.lane_rows.push_back(how.lanes == 1 ? "(long)i" : vector);
      how.lane_cols.push_back("(long)j");
    }
  }
}

FUSECL_INLINE std::string step_emitter::elements_of(const void* self, const std::string& name,
                                                    scalar_type type) {
  for (const auto& [known, lanes] : static_cast<const step_emitter*>(self)->pointer_lanes_)
    if (known == name && lanes > 1) return "((global const " + vector_type(type, 1) + "*)" + name + ")";
  return name;
}

FUSECL_INLINE value_emitter step_emitter::emitter(const std::vector<node_id>& ids, bool own_known) {
  std::vector<std::string> buffers(static_cast<std::size_t>(g_.size()));
  for (node_id id = 0; id < g_.size(); ++id)
    if (plan_.loads(s_, id))
      buffers[static_cast<std::size_t>(id)] = "t" + std::to_string(plan_.temporary_of(id));
  value_emitter values(g_, library_, ids, mask_bytes_, std::move(buffers));
  values.elements = elements_of;
  values.self = this;
  if (own_known)
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      values.known[static_cast<std::size_t>(s_.reductions[k])] = {"r" + std::to_string(k), 16,
                                                                  values.is_uniform(s_.reductions[k])};
  return values;
}

/// Text that combines two partial results of reduction `n`.
FUSECL_INLINE std::string step_emitter::combined(const node& n, const std::string& a, const std::string& b,
                                                 int lanes) {
  library_.require(n.op->uses, n.type, lanes);
  std::string text = instantiate(n.op->opencl, n.type, lanes);
  const bool call = n.op->precedence == 16;
  const auto replace = [&](const char* mark, const std::string& by, bool simple) {
    text.replace(text.find(mark), 2, call || simple ? by : "(" + by + ")");
  };
  const auto simple = [](const std::string& t) { return t.find_first_of(" ?") == std::string::npos; };
  replace("$0", a, simple(a));
  replace("$1", b, simple(b));
  return text;
}

FUSECL_INLINE std::string step_emitter::header(const std::string& name, std::int64_t local) const {
  constexpr std::size_t longest_line = 110;
  std::string text = "kernel __attribute__((reqd_work_group_size(" + std::to_string(local) + ", 1, 1)))\n";
  std::string line = "void " + name + "(";
  const std::string indent(line.size(), ' ');
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const bool fits = line.size() + 1 + parameters_[k].size() + 3 <= longest_line;
    if (k > 0 && !fits) {
      text += line + "\n";
      line = indent;
    } else if (k > 0) {
      line += " ";
    }
    line += parameters_[k] + (k + 1 < parameters_.size() ? "," : ")");
  }
  return text + line;
}

FUSECL_INLINE std::string step_emitter::load_linear(const void*, const std::string& name, scalar_type,
                                                    bool rows, bool cols) {
  return name + (rows || cols ? "[i]" : "[0]");
}

FUSECL_INLINE std::string step_emitter::load_tiled(const void* self, const std::string& name,
                                                   scalar_type type, bool rows, bool cols) {
  const auto& emitter = *static_cast<const step_emitter*>(self);
  const std::string at = rows && cols ? "e" : rows ? "i" : cols ? "j" : "0";
  if (emitter.v_.crossing && rows != cols) {
    std::string lanes;
    for (int k = 0; k < emitter.lanes_; ++k)
      lanes += (k == 0 ? "" : ", ") + name + "[" + at + (k == 0 ? "" : std::to_string(k)) + "]";
    return "(" + vector_type(type, emitter.lanes_) + ")(" + lanes + ")";
  }
  if (emitter.cpu_ && emitter.lanes_ > 1 && rows)
    return "vload" + std::to_string(emitter.lanes_) + "(0, " + name + " + " + at + ")";
  return name + "[" + at + "]";
}

FUSECL_INLINE std::string step_emitter::load_result(const void* self, const std::string& name,
                                                    scalar_type type, bool rows, bool cols) {
  const auto& emitter = *static_cast<const step_emitter*>(self);
  if (!rows && !cols) return name + "[0]";
  if (emitter.cpu_ && emitter.lanes_ > 1)
    return "vload" + std::to_string(emitter.lanes_) + "(0, " + name + " + " + emitter.result_index_ + ")";
  int declared = 1;
  for (const auto& [known, lanes] : emitter.pointer_lanes_)
    if (known == name) declared = lanes;
  if (declared != emitter.lanes_)
    return "((global const " + vector_type(type, emitter.lanes_) + "*)" + name + ")[" +
           emitter.result_index_ + "]";
  return name + "[" + emitter.result_index_ + "]";
}

FUSECL_INLINE program_text step_emitter::run() {
  const bool vectors = s_.walk == pattern::linear || !cpu_;
  const int lanes = vectors ? v_.width : 1;
  for (const schedule::store& result : s_.stores)
    declare(result,
            pointer_lanes(g_.resolve(g_[result.value].rows), g_.resolve(g_[result.value].cols), lanes));
  const bool rows_stay_vectors = s_.axis == axis::row && !cpu_;
  if (finishes_here())
    for (const schedule::store& result : s_.epilogue) declare(result, rows_stay_vectors ? v_.width : 1);
  if (s_.reduces && v_.partial)
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      add_argument({argument_kind::partial, static_cast<std::int64_t>(k), true},
                   "global " + vector_type(g_[s_.reductions[k]].type, rows_stay_vectors ? v_.width : 1) +
                       "* p" + std::to_string(k));
  if (v_.last) add_argument({argument_kind::arrivals, 0, true}, "volatile global uint* arrivals");
  add_buffers(domain_, false, lanes);
  if (finishes_here()) add_buffers(after_, true, lanes);

  if (s_.walk == pattern::linear)
    walk_linear();
  else if (!cpu_)
    walk_tiles_gpu();
  else if (s_.reduces && s_.axis == axis::row)
    walk_rows_cpu();
  else
    walk_tiles_cpu();

  return assembled(s_.reduces && !finishes_here(), [this] { finish_kernel(); });
}

template <class Finish>
program_text step_emitter::assembled(bool with_finish, Finish finish) {
  program_text result;
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a: a stable name for the same text
  std::string hashed = out_.text();
  for (const std::string& declaration : parameters_) hashed += declaration;
  for (char c : hashed) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  constexpr char digits[] = "0123456789abcdef";
  std::string suffix;
  for (int k = 0; k < 8; ++k) suffix += digits[(hash >> (4 * k)) & 15];
  kernel_.name = "fused_" + std::string(pattern_name(s_.walk)) + "_" + suffix;

  std::string title;
  const auto describe = [&](const std::string& target, node_id id) {
    title += "// " + target + " = " + ir::formula(g_, id) + "\n";
  };
  for (const schedule::store& r : s_.stores) describe(buffer_name(r.to), r.value);
  for (const schedule::phase& p : s_.phases)
    for (const schedule::store& r : p.stores) describe(buffer_name(r.to), r.value);
  for (const schedule::store& r : s_.epilogue) describe(buffer_name(r.to), r.value);
  std::string text = title + header(kernel_.name, shape_.local) + " {\n" + out_.text() + "}\n";
  result.main = kernel_;
  if (with_finish) {
    out_ = writer(1);
    kernel_ = {};
    parameters_.clear();
    pointer_lanes_.clear();
    finish();
    kernel_.name = result.main.name + "_finish";
    text += "\n// adds the partial results of the groups\n" + header(kernel_.name, shape_.local) + " {\n" +
            out_.text() + "}\n";
    result.finish = kernel_;
  }
  const bool doubles = text.find("double") != std::string::npos;
  result.source = std::string(doubles ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n" : "") + helpers_ +
                  library_.text() + text;
  return result;
}

}  // namespace fusecl::codegen::detail
