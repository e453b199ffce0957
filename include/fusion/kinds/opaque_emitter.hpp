#pragma once
// What the emitters of steps with kernels of their own share: the texts of operand elements, read where they
// are, and what follows from an element of the result.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>

namespace fusecl::kinds {

/// Whether registers hold arrays, so that loops over these are unrolled: not where a CPU runs this form.
inline bool keeps_arrays(const schedule::device_shape& device) { return device.tile_bytes >= 512; }

class opaque_emitter : public codegen::detail::reducing_emitter {
 public:
  explicit opaque_emitter(const codegen::emit_request& r)
      : reducing_emitter(r), self_(s_.reductions[0]), type_(g_[self_].type) {
    for (int k = 0; k < ir::arity(g_[self_]); ++k)
      operands_.push_back(emitter_of(list_of<ir::node_id>{g_[self_].operands[k]}, false));
  }

 protected:
  std::string type() const { return std::string(opencl_name(type_)); }

  /// Whether the elements of a row of operand `k` follow each other in memory, rather than those of a column.
  bool lies_along_rows(int k) const {
    ir::map_directions all;
    for (ir::node_id id = g_[self_].operands[k]; ir::maps_places(g_[id]); id = g_[id].operands[0])
      all = all.through(g_[id].map);
    return all.row_by_i == 0 && all.row_by_j != 0;
  }

  /// Opens a loop of `count` rounds, which are all written out where registers hold what they go through.
  void loop(const char* name, int count, bool unrolled) {
    out_.open_loop(name, "0", count, unrolled ? "#pragma unroll\n" : "");
  }

  /// Declares part `k` of what the groups leave.
  void declare_part(int k, bool written) {
    add_argument({codegen::argument_kind::partial, k, written},
                 codegen::fill("global {}{}* p{}", {written ? "" : "const ", type(), k}));
  }
  /// Opens the scope of a finishing kernel in which each work-item has one place (i, j) of the result.
  void open_place() {
    out_.line("const long results = rows * cols, place = {} + get_local_id(0);",
              {codegen::detail::group_of(codegen::fill("* {}", {shape_.local}).c_str())});
    out_.open("if (place < results)");
    out_.line("const long j = place / rows, i = place - j * rows;");
    out_.line("{} r0 = 0;", {type()});
  }

  /// Text of the element of operand `k` at `row` and `col`, which are names of numbers; writes what it needs.
  std::string element(int k, const char* row, const char* col) {
    codegen::access how;
    how.row = codegen::fill("(int){}", {row});
    how.col = codegen::fill("(int){}", {col});
    how.lane_rows = {row};
    how.lane_cols = {col};
    how.self = this;
    how.load = load_element;
    row_ = row;
    col_ = col;
    codegen::value_emitter& values = operands_[static_cast<std::size_t>(k)];
    leading_ = codegen::size_name(g_.resolve(g_[g_[self_].operands[k]].rows));
    values.begin(how);
    return values.value(out_, g_[self_].operands[k]);
  }

  /// Text of the address of that element, whose operand must be in memory but for zeros outside of its view.
  std::string address(int k, const char* row, const char* col) {
    codegen::value_emitter& values = operands_[static_cast<std::size_t>(k)];
    const codegen::writer before = std::exchange(out_, out_.apart());
    values.uncut = true;
    std::string text = element(k, row, col);
    values.uncut = false;
    std::string lines = std::exchange(out_, before).text();
    // the element may have a name, which the last line gives it
    const std::size_t named = lines.find(" " + text + " = ");
    if (named != std::string::npos) {
      const std::size_t begin = named + text.size() + 4;
      text = lines.substr(begin, lines.find(';', begin) - begin);
      lines.resize(lines.rfind('\n', named) + 1);
    }
    out_.raw(lines);
    return "&" + text;
  }

  /// Stores what follows from `lanes` elements of the result, which are called `name`, at (i, j), and adds
  /// what is to be reduced to the accumulators.
  void finish_elements(codegen::value_emitter& values, const std::string& name, int lanes) {
    finish_elements(values, name, lanes, access_to_domain(lanes));
  }
  /// The same, with what else is needed read as `how` says.
  void finish_elements(codegen::value_emitter& values, const std::string& name, int lanes,
                       const codegen::access& how) {
    at_element([&] {
      values.begin(how);
      values.know(self_, name, false);
      const list_of<std::string> stored = texts_of(values, s_.epilogue);
      list_of<std::string> added;
      add_up(values, added);
      store_in_domain(values, s_.epilogue, stored, lanes);
      const std::string line = sums_lines() && !cpu_ ? codegen::fill("[{}]", {line_of_element()}) : "";
      accumulate(added, lanes == lanes_of_sums() ? "_v" : "_s", line.c_str(), lanes);
    });
  }

  /// Writes what does not depend on the element, of what follows from the result where no part is left.
  codegen::value_emitter start_epilogue() {
    codegen::value_emitter values = emitter_of(after_, true);
    if (!v_.partial || has_sums()) start(values);
    return values;
  }

  // Reductions of what follows from the result.

  bool has_sums() const { return !sums_.empty(); }
  /// Elements of their accumulators; those left over have ones of a single element.
  int lanes_of_sums() const { return cpu_ ? epilogue_lanes() : 1; }
  void start_sums() {
    declare_accumulators("_v", lanes_of_sums(), sums_lines() && !cpu_ ? lines_of_item() : 1);
    if (lanes_of_sums() > 1) declare_accumulators("_s", 1);
  }
  /// Turns the accumulators of a work-item into single elements.
  void fold_sums() {
    const int width = std::exchange(v_.width, static_cast<std::uint8_t>(lanes_of_sums()));
    fold(v_.width > 1);
    v_.width = static_cast<std::uint8_t>(width);
  }
  /// Combines the accumulators of the group, whose work-items are called `lane`.
  void finish_sums() {
    if (!has_sums()) return;
    if (sums_lines()) return finish_lines();
    fold_sums();
    if (cpu_) return finish_results("get_group_id(0)", "0", 1);
    add_size("first_stride");
    declare_shared(1);
    tree(codegen::fill("{}", {shape_.local}), "1", "lane", 1);
    out_.open("if (lane == 0)");
    finish_results("get_group_id(0)", "0", 1);
    out_.close();
    if (v_.last) finish_last_group();
  }

  // Reductions of the rows or columns of a tile whose first element is at (`first_row`, `first_col`): on a
  // GPU a work-item has an accumulator for each of those that its elements are in.

  bool sums_lines() const { return has_sums() && s_.axis != ir::axis::all; }
  bool sums_rows() const { return s_.axis == ir::axis::row; }
  virtual int tile_rows() const { return 1; }
  virtual int tile_cols() const { return 1; }
  /// Rows or columns of a work-item, which of them an element is in, and where in the tile number `each` is.
  virtual int lines_of_item() const { return 1; }
  virtual std::string line_of_element() const { return {}; }
  virtual std::string line_in_tile() const { return {}; }
  /// Combines r0, r1, ... of those that share one; returns the condition for the one that has it all then.
  virtual std::string combine_line() { return {}; }

  /// Rows or columns of a tile that are reduced, and its size along them.
  int tile_lines() const { return sums_rows() ? tile_rows() : tile_cols(); }
  int tile_length() const { return sums_rows() ? tile_cols() : tile_rows(); }
  const char* first_line() const { return sums_rows() ? "first_row" : "first_col"; }
  const char* line_count() const { return sums_rows() ? "rows" : "cols"; }
  const char* line_name() const { return sums_rows() ? "i" : "j"; }
  /// Number of the tile among those that share rows or columns with it.
  std::string part_of_line() const {
    return codegen::fill("({} / {})", {sums_rows() ? "first_col" : "first_row", tile_length()});
  }
  /// Combines accumulators of `count` work-items, `apart` from each other, which are called `self`; returns
  /// the condition for the first of them.
  std::string combine_lanes(const char* self, int count, int apart) {
    out_.open("");
    out_.line("const uint first_stride = {};", {schedule::first_stride(count)});
    tree(codegen::fill("{}", {count}), codegen::fill("{}", {apart}), self, 1);
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.close();
    return codegen::fill("{} == 0", {self});
  }
  void finish_lines() {
    const char *i = line_name(), *first = first_line(), *limit = line_count();
    declare_shared(1);
    loop("each", lines_of_item(), unrolls_lines());
    for (std::size_t k = 0; k < sums_.size(); ++k)
      out_.line("{} r{} = r{}_v[each];", {codegen::vector_type(g_[sums_[k]].type, 1), k, k});
    const std::string has_all = combine_line();
    out_.line("const long {} = {} + {};", {i, first, line_in_tile()});
    out_.open("if ({} && {} < {})", {has_all, i, limit});
    finish_results(part_of_line().c_str(), i, 1);
    out_.close();
    out_.close();
    if (v_.last) finish_last_of_lines();
  }
  /// Adds the parts of a tile's rows or columns, in the group that arrives last of those that share them.
  void finish_last_of_lines() {
    const char *i = line_name(), *first = first_line(), *limit = line_count();
    out_.line("const uint parts = (uint)(({} + {}) / {});",
              {sums_rows() ? "cols" : "rows", tile_length() - 1, tile_length()});
    open_last_group("the group that arrives last adds what those have left that share a tile with it",
                    codegen::fill("(arrivals + {} / {})", {first, tile_lines()}), "parts");
    out_.line("const long end = min({} + {}, {});", {first, tile_lines(), limit});
    out_.open("for (long {} = {} + lane; {} < end; {} += {})", {i, first, i, i, shape_.local});
    declare_accumulators("", 1);
    out_.raw("#pragma unroll 4\n");
    out_.open("for (uint part = 0; part < parts; ++part)");
    add_parts(codegen::fill("{} + part * {}", {i, limit}).c_str());
    out_.close();
    run_epilogue(i, 1);
    out_.close();
    out_.close();
  }
  /// Whether the accumulators of rows or columns are in registers, which loops over them are unrolled for.
  virtual bool unrolls_lines() const { return true; }

  /// Text of a b + c, rounded once where the type is floating.
  std::string multiply_add(const std::string& a, const std::string& b, const std::string& c) const {
    return codegen::fill(is_floating(type_) ? "fma({}, {}, {})" : "{} * {} + {}", {a, b, c});
  }

  /// Elements of a vector of the widest type that what follows from the result has.
  int epilogue_lanes() const {
    const int bytes = v_.width * static_cast<int>(size_of(type_));
    return std::max(1, bytes / static_cast<int>(std::max(widest_bytes(), size_of(type_))));
  }

  const ir::node_id self_;
  const scalar_type type_;
  /// Whether operands may be computed as they are read, also from rows and columns that are repeated.
  bool computes_operands_ = false;

 private:
  static std::string load_element(const void* self, const std::string& name, scalar_type, bool rows,
                                  bool cols) {
    const auto& own = *static_cast<const opaque_emitter*>(self);
    if ((rows && cols) || !own.computes_operands_)
      return codegen::fill("{}[{} + {} * {}]", {name, own.row_, own.col_, own.leading_});
    return codegen::fill("{}[{}]", {name, rows ? own.row_ : cols ? own.col_ : "0"});
  }

  list_of<codegen::value_emitter> operands_;
  const char *row_ = "", *col_ = "";
  std::string leading_;  // dimension of the operand that is read
};

}  // namespace fusecl::kinds
