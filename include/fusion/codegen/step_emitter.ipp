#pragma once
#include <algorithm>
#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/base/ptx.hpp>
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE step_emitter::step_emitter(const emit_request& r)
    : prefix_(r.prefix),
      plan_(r.p),
      g_(r.p.graph),
      s_(r.p.steps[r.number]),
      shape_(r.shape),
      v_(r.shape.kernel),
      cpu_(r.p.form == device_form::cpu),
      library_(v_.by_ptx, (s_.reduces || v_.tile.slots == 1) && !s_.opaque) {
  list_of<node_id> own;
  for (const auto* list : {&s_.reductions, &s_.needed, &s_.sums}) append(own, *list);
  own_collectives_ = ir::node_set(std::move(own));
  domain_ = s_.domain_values(g_);
  for (const schedule::store& result : s_.epilogue) after_.push_back(result.value);
  for (const auto* list : {&s_.needed, &s_.sums})
    for (node_id id : *list) after_.push_back(g_[id].operands[0]);
  mask_bytes_ = widest_bytes() == 8 ? 8 : 4;
}

FUSECL_INLINE ir::node_set step_emitter::cone(const list_of<node_id>& ids, bool enter_own) const {
  return ir::reachable(g_, ids, [&](node_id id) { return is_given(id, enter_own); });
}

FUSECL_INLINE const char* step_emitter::unrolled(int times) const {
  return s_.may_be_unrolled(times) ? "#pragma unroll\n" : "#pragma unroll 1\n";
}

FUSECL_INLINE std::size_t step_emitter::widest_bytes() const {
  list_of<node_id> all = domain_;
  append(all, after_);
  for (const schedule::store& result : s_.after_sums) all.push_back(result.value);
  std::size_t widest = 4;
  for (node_id id : cone(all, true)) widest = std::max(widest, size_of(g_[id].type));
  return widest;
}

FUSECL_INLINE std::string step_emitter::buffer_name(const schedule::buffer& b) const {
  constexpr std::string_view letters[] = {"x", "y", "t", "p"};
  return fill("{}{}", {letters[static_cast<int>(b.kind)], b.number});
}

/// Elements per access of a buffer of these extents: vectors only where pointers are to vectors.
FUSECL_INLINE int step_emitter::pointer_lanes(ir::extent rows, ir::extent cols, int lanes) const {
  const bool cpu_tiles = cpu_ && !s_.linear;
  const bool single = rows == ir::one && (cols == ir::one || !s_.linear);
  const bool part_of_column = v_.crossing && (rows == ir::one || cols == ir::one);
  return cpu_tiles || single || part_of_column ? 1 : lanes;
}

FUSECL_INLINE void step_emitter::add_argument(argument a, const std::string& declaration) {
  if (!arguments_.insert(a)) return;
  kernel_.arguments.push_back(a);
  parameters_.push_back(declaration);
}

FUSECL_INLINE void step_emitter::add_size(std::string_view name, std::string_view text) {
  const std::size_t number = shape_.number_of(name);
  add_argument(
      {argument_kind::size, static_cast<std::int64_t>(number)},
      fill("const {} {}", {shape_.sizes[number].narrow ? "uint" : "long", text.empty() ? name : text}));
}

/// Declares the buffer a result goes to.
FUSECL_INLINE void step_emitter::declare(const schedule::store& result, int lanes) {
  const node& n = g_[result.value];
  const std::string name = buffer_name(result.to);
  const auto kind = result.to.kind == buffer_kind::target ? argument_kind::target : argument_kind::temporary;
  if (result.place.is_part || result.place.number >= 0) lanes = 1;
  if (result.place.number >= 0) {
    // known already where the number is stored twice
    if (pointer_lanes_.find(name)) return;
    pointer_lanes_[name] = lanes;
    add_argument({kind, static_cast<std::int64_t>(g_.first_number()), true}, "global char* restrict numbers");
    const std::string type = vector_type(n.type, 1);
    return out_.line("global {}* const {} = (global {}*)(numbers + {});",
                     {type, name, type, result.place.number * ir::number_stride});
  }
  if (!pointer_lanes_.find(name)) pointer_lanes_[name] = lanes;
  add_argument({kind, result.to.number, true},
               fill("global {}{}{}", {vector_type(n.type, lanes), pointer(), name}));
  if (result.place.is_part)
    add_extents({result.place.map.row0.size, result.place.map.col0.size, result.place.rows});
}

/// Declares everything that the values of `ids` read.
FUSECL_INLINE void step_emitter::add_buffers(const list_of<node_id>& ids, bool own_known, int lanes) {
  const ir::node_set within = cone(ids, false);
  const bool in_order = (own_known && !s_.scans) || s_.linear;
  // operands of accesses are read element by element
  const ir::node_set as_a_whole = ir::used_in_place(g_, within, ids, [&](node_id id) {
    const node& n = g_[id];
    return n.op->kind == ir::op_class::access && !(in_order && ir::is_turned_vector(g_, n));
  });
  for (node_id id : within) {
    const node& n = g_[id];
    const bool matrix = n.is(ir::leaf_operations::matrix);
    const bool temporary = is_given(id, own_known) && !s_.completes(id);
    if (matrix || temporary) {
      const std::int64_t slot = matrix ? n.index : plan_.temporary_of(id);
      const std::string name = fill("{}{}", {matrix ? "x" : "t", slot});
      const bool whole = as_a_whole[id];
      const int wide = whole ? pointer_lanes(g_.resolve(n.rows), g_.resolve(n.cols), lanes) : 1;
      const argument given{matrix ? argument_kind::operand : argument_kind::temporary, slot};
      const std::string declaration =
          fill("global const {}{}{}", {vector_type(n.type, wide), pointer(), name});
      const int* before = pointer_lanes_.find(name);
      if (!before)
        add_argument(given, declaration);
      else if (*before < wide)  // what was declared for single elements is now read in vectors, too
        parameters_[arguments_.find(given)] = declaration;
      if (!before || *before < wide) pointer_lanes_[name] = wide;
    } else if (n.is(ir::leaf_operations::scalar)) {
      add_argument({argument_kind::scalar, n.index}, fill("const {} s{}", {opencl_name(n.type), n.index}));
    } else if (n.is(ir::leaf_operations::size)) {
      add_extents({static_cast<ir::extent>(n.index)});
    }
  }
  for (node_id id : within)
    if (g_[id].op->kind == ir::op_class::access) add_sizes_of_access(g_[id]);
}

/// Declares the offsets and limits of an access, and the leading dimension of what it reads.
FUSECL_INLINE void step_emitter::add_sizes_of_access(const node& n) {
  const bool lists = !ir::maps_places(n) && n.op->places != ir::place_rule::indices;
  const node& from = lists ? n : g_[n.operands[0]];
  if (n.op->places == ir::place_rule::indices) add_extents({from.rows, from.cols});
  const bool matrix = g_.resolve(from.rows) != ir::one && g_.resolve(from.cols) != ir::one;
  if (lists && ir::lines_of(n) != ir::listed_lines::elements) add_extents({g_[n.operands[0]].rows});
  add_extents({n.map.row0.size, n.map.col0.size, n.map.row_limit, n.map.col_limit,
               matrix ? from.rows : ir::no_extent});
}

FUSECL_INLINE void step_emitter::add_extents(std::initializer_list<ir::extent> sizes) {
  for (ir::extent e : sizes) {
    if (e == ir::no_extent || g_.resolve(e) == ir::one) continue;
    const ir::extent size = g_.resolve(e);
    add_argument({argument_kind::extent, size}, fill("const long {}", {size_name(size)}));
  }
}

/// Rows and columns of the lanes of a value in the domain; 64 bits wide, as `i` and `j` are on a CPU.
FUSECL_INLINE void step_emitter::set_lanes(access& how) const {
  how.lane_rows.clear();
  how.lane_cols.clear();
  for (int k = 0; k < how.lanes; ++k) {
    std::string row = "(long)i", col = cpu_ ? "j" : "(long)j";
    if (v_.crossing && k > 0) {
      row = fill("(long)i{}", {k});
      col = fill("(long)j{}", {k});
    } else if (cpu_ && !v_.crossing) {
      row = k == 0 ? "i" : fill("(i + {})", {k});
    } else if (how.lanes > 1 && !v_.crossing) {
      row = k == 0 ? fill("((long)i * {})", {how.lanes}) : fill("((long)i * {} + {})", {how.lanes, k});
    }
    how.lane_rows.push_back(row);
    how.lane_cols.push_back(col);
  }
}

FUSECL_INLINE std::string step_emitter::elements_of(const void* self, const std::string& name,
                                                    scalar_type type) {
  const bool wide = static_cast<const step_emitter*>(self)->declared_lanes(name) > 1;
  return wide ? fill("((global const {}*){})", {vector_type(type, 1), name}) : name;
}

FUSECL_INLINE value_emitter step_emitter::emitter_of(const list_of<node_id>& ids, bool own_known,
                                                     const list_of<matrix_cl_view>& parts) {
  ir::sparse_node_map<std::string> buffers;
  for (node_id id : cone(ids, own_known))
    if (plan_.loads(s_, id)) buffers[id] = fill("t{}", {plan_.temporary_of(id)});
  value_emitter values(g_, library_, ids, mask_bytes_, std::move(buffers), parts);
  values.elements = elements_of;
  values.self = this;
  return values;
}

FUSECL_ANY_KIND FUSECL_INLINE value_emitter step_emitter::domain_emitter() {
  value_emitter values = emitter_of(domain_, false, s_.domain_parts(g_, walks_exactly()));
  values.walked = s_.part;
  return values;
}

/// `begin` with the parameters, in lines of some length.
FUSECL_INLINE std::string step_emitter::with_parameters(const std::string& begin,
                                                        const list_of<std::string>& parameters) {
  constexpr std::size_t longest_line = 110;
  std::string text, line = begin + '(';
  const std::string indent(line.size(), ' ');
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bool fits = line.size() + 1 + parameters[k].size() + 3 <= longest_line;
    if (k > 0 && !fits) {
      text += line;
      text += '\n';
      line = indent;
    } else if (k > 0) {
      line += " ";
    }
    line += parameters[k];
    line += k + 1 < parameters.size() ? ',' : ')';
  }
  return text + line;
}

FUSECL_INLINE std::string step_emitter::header(const std::string& name, std::int64_t local) const {
  return fill("kernel __attribute__((reqd_work_group_size({}, 1, 1)))\n{}",
              {local, with_parameters(fill("void {}", {name}), parameters_)});
}

FUSECL_INLINE std::string step_emitter::load_linear(const void*, const std::string& name, scalar_type,
                                                    bool rows, bool cols) {
  return fill("{}[{}]", {name, rows || cols ? "i" : "0"});
}

FUSECL_INLINE std::string step_emitter::load_tiled(const void* self, const std::string& name,
                                                   scalar_type type, bool rows, bool cols) {
  const auto& emitter = *static_cast<const step_emitter*>(self);
  const int lanes = emitter.lanes_;
  const char* at = rows && cols ? "e" : rows ? "i" : cols ? "j" : "0";
  if (emitter.v_.crossing && rows != cols) {
    std::string all = fill("({})({}[{}]", {vector_type(type, lanes), name, at});
    for (int k = 1; k < lanes; ++k) all += fill(", {}[{}{}]", {name, at, k});
    all += ')';
    return all;
  }
  return emitter.cpu_ && lanes > 1 && rows ? fill("vload{}(0, {} + {})", {lanes, name, at})
                                           : fill("{}[{}]", {name, at});
}

FUSECL_INLINE void step_emitter::start(value_emitter& values) {
  values.uniforms(out_);
  names_around_ = values.has_declared();
}

FUSECL_INLINE void step_emitter::declare_all() {
  const int lanes = s_.linear || !cpu_ ? v_.width : 1;
  for (const schedule::store& result : s_.stores)
    declare(result,
            pointer_lanes(g_.resolve(g_[result.value].rows), g_.resolve(g_[result.value].cols), lanes));
  add_buffers(domain_, false, lanes);
}

/// Defines, once, what brings a line to the second-level cache of NVIDIA's GPUs without registers.
FUSECL_INLINE void step_emitter::define_bring_to_cache() {
  if (helpers_.find("bring_to_cache(") != std::string::npos) return;
  helpers_ +=
      "static inline __attribute__((always_inline)) void bring_to_cache(global const void* from) {\n"
      "  asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(from));\n}\n\n";
}

/// A function that is one instruction of PTX.
FUSECL_INLINE void step_emitter::define_instruction(const std::string& declaration,
                                                    const std::string& instruction) {
  helpers_ += fill("static inline __attribute__((always_inline)) void {} {\n  asm volatile({});\n}\n",
                   {declaration, instruction});
}

/// Copies up to so many bytes to local memory beside other work, zeros behind them (PTX ISA, "Data Movement:
/// cp.async").
FUSECL_INLINE void step_emitter::define_copy(const std::string& name, const std::string& type, int bytes) {
  define_instruction(
      fill("{}(uint to, global const {}* from, int bytes)", {name, type}),
      fill("\"cp.async.{}.shared.global [%0], [%1], {}, %2;\" :: \"r\"(to), \"l\"(from), \"r\"(bytes)",
           {bytes == 16 ? "cg" : "ca", bytes}));
}

FUSECL_INLINE void step_emitter::define_multiply_unit() {
  define_instruction("multiply_unit(double* c, double a0, double a1, double b)",
                     fill("\"{}\"\n"
                          "               : \"+d\"(c[0]), \"+d\"(c[1]), \"+d\"(c[2]), \"+d\"(c[3])\n"
                          "               : \"d\"(a0), \"d\"(a1), \"d\"(b)",
                          {ptx::multiply_unit}));
}

/// Opens what the group does that arrives last, of all or of those that `counter` counts: its one work-item
/// on a CPU, all of them on a GPU.
FUSECL_INLINE void step_emitter::open_last_group(const char* what, std::string_view counter,
                                                 std::string_view groups) {
  out_.line("// {}", {what});
  if (cpu_) {
    out_.line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
    out_.open("if (atomic_inc({}) + 1 == {})", {counter, groups});
    out_.line("*{} = 0;", {counter});
    return;
  }
  const char* fence =
      v_.by_ptx ? "asm volatile(\"fence.acq_rel.gpu;\" ::: \"memory\");" : "mem_fence(CLK_GLOBAL_MEM_FENCE);";
  if (room_of_flag_.empty())
    out_.line("local uint is_last[1];");
  else
    out_.line("local uint* const is_last = (local uint*){};", {room_of_flag_});
  out_.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  out_.open("if (lane == 0)");
  out_.line(fence);
  out_.line("is_last[0] = atomic_inc({}) + 1 == {};", {counter, groups});
  out_.line("if (is_last[0]) *{} = 0;", {counter});
  out_.line(fence);
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  out_.open("if (is_last[0])");
}

FUSECL_ANY_KIND FUSECL_INLINE program_text step_emitter::run() {
  declare_all();
  walk();
  program_text result;
  result.most_registers = v_.tile.most_registers;
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a: a stable name for the same text
  std::string hashed = own_ + out_.text();
  for (const std::string& declaration : parameters_) hashed += declaration;
  for (char c : hashed) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  std::string suffix;
  for (int k = 0; k < 8; ++k) suffix += lane_letter(static_cast<int>((hash >> (4 * k)) & 15));
  kernel_.name = fill("fused_{}_{}", {prefix_, suffix});

  std::string title;
  const auto describe = [&](const list_of<schedule::store>& stores) {
    for (const schedule::store& r : stores)
      title += fill("// {} = {}\n", {buffer_name(r.to), ir::formula(g_, r.value)});
  };
  describe(s_.stores);
  for (const schedule::phase& p : s_.phases) describe(p.stores);
  describe(s_.epilogue);
  describe(s_.after_sums);
  std::string text = fill("{}{} {\n{}}\n", {title, header(kernel_.name, shape_.local), out_.text()});
  result.main = kernel_;
  if (v_.partial && !v_.last) {
    out_ = writer(1);
    kernel_ = {};
    arguments_.clear();
    parameters_.clear();
    pointer_lanes_.clear();
    finish();
    kernel_.name = fill("{}_finish", {result.main.name});
    text::append(text, "\n// {}\n{} {\n{}}\n",
                 {finish_title_, header(kernel_.name, shape_.local), out_.text()});
    result.finish = kernel_;
  }
  const bool doubles = (own_ + text).find("double") != std::string::npos;
  result.source = doubles ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n" : "";
  text::append(result.source, "{}{}{}{}", {helpers_, library_.text(), own_, text});
  return result;
}

}  // namespace fusecl::codegen::detail
