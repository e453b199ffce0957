#pragma once
// What kernels share that go through square tiles of a matrix in several launches, of which each takes the
// number of its round: tiles in local memory, products of tiles, and the kernel that finishes the result,
// which is in the workspace until then. On a CPU a group is one work-item, which computes in vectors.

#include <algorithm>
#include <string>
#include <utility>

#include <fusion/kinds/opaque_emitter.hpp>

namespace fusecl::kinds {

/// Rows of a tile of which `tiles` are in local memory at once; a power of two.
inline std::int64_t tile_size(const schedule::launch_request& r, std::int64_t n, scalar_type type,
                              std::int64_t tiles) {
  const auto element = static_cast<std::int64_t>(size_of(type));
  const bool cpu = r.on_cpu();
  std::int64_t size = cpu ? 64 : 32;
  while (size > 16 && (n <= size / 2 || (cpu && n < 3 * size))) size /= 2;
  const auto bytes = [&] { return tiles * size * (size + (cpu ? 0 : 1)) * element + 64 * element; };
  while (size > 4 && bytes() > r.device.bytes_for_tiles()) size /= 2;
  return size;
}

/// Elements of a vector of a CPU, not more than a tile has rows.
inline std::int64_t lanes_of_tile(const schedule::launch_request& r, scalar_type type, std::int64_t size) {
  return r.on_cpu() ? std::min(lanes_of(r, type), size) : 1;
}

// Rows of a column that a work-item of the finishing kernel goes through on a CPU.
inline constexpr std::int64_t finish_rows = 1024;

/// A geometry for results of this size; adds the sizes "rows", "cols", "row_chunks" and "round".
inline schedule::geometry geometry_in_rounds(const schedule::launch_request& r, std::int64_t tile,
                                             scalar_type type) {
  schedule::geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols();
  g.local = r.on_cpu() ? 1 : r.device.group;
  g.kernel.distinct = r.distinct;
  g.kernel.partial = true;
  g.kernel.width = static_cast<std::uint8_t>(lanes_of_tile(r, type, tile));
  g.kernel.choices[0] = static_cast<std::uint16_t>(tile);
  const std::int64_t chunks = std::max<std::int64_t>(1, schedule::divide_up(rows, finish_rows));
  g.finish_groups = r.on_cpu() ? chunks * cols : schedule::divide_up(rows * cols, g.local);
  g.sizes = {{"rows", rows}, {"cols", cols}, {"row_chunks", chunks}, {"round", 0, true}};
  return g;
}

class rounds_emitter : public opaque_emitter {
 public:
  explicit rounds_emitter(const codegen::emit_request& r) : opaque_emitter(r) {
    finish_title_ = "finishes what the rounds have computed";
  }

 protected:
  /// What of a tile is loaded; the rest of it is 0, or on the diagonal 1.
  enum class tile_part { whole, lower, lower_among_ones };

  /// Number of parts that the workspace has.
  virtual int parts() const = 0;
  /// Sizes that the main kernel takes besides "rows", "cols" and "round".
  virtual void add_own_sizes() {}
  /// Number of the part that holds the result, and whether it has only zeros above the diagonal.
  virtual int result_part() const = 0;
  virtual bool is_lower() const { return false; }
  /// On a GPU: whether it has only zeros below the diagonal.
  virtual bool is_upper() const { return false; }
  /// From one column of that part to the next: the name of a size.
  virtual std::string leading_of_result() const { return "rows"; }
  /// Whether rows of the workspace, and where `is_lower` its columns, are those of the result from the last
  /// to the first.
  virtual bool is_mirrored() const { return false; }
  /// Whether the tiles of the result follow each other, column by column, each with its columns.
  virtual bool is_in_tiles() const { return false; }

  int size() const { return v_.choices[0]; }
  /// From one column of a tile to the next: on a GPU no two work-items meet in a bank.
  int leading() const { return cpu_ ? size() : size() + 1; }

  void declare_all() override {
    for (int k = 0; k < parts(); ++k) declare_part(k, true);
    add_buffers(domain_, false, 1);
    for (int k = 0; k < ir::arity(g_[self_]); ++k) add_extents({g_[g_[self_].operands[k]].rows});
    for (const char* name : {"rows", "cols"}) add_size(name);
    add_own_sizes();
    add_size("round");
  }

  /// Texts that load and store a vector of a CPU.
  std::string loaded(const std::string& at) const { return codegen::vector_at(v_.width, at); }
  std::string stored(const std::string& value, const std::string& at) const {
    return codegen::store_vector(v_.width, value, at);
  }

  void declare_tiles(std::initializer_list<const char*> names) {
    for (const char* name : names)
      out_.line("local {} {}[{}] __attribute__((aligned(64)));", {type(), name, size() * leading()});
  }

  void barrier() {
    if (!cpu_) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }

  /// Opens a loop of the group over `count` things, which it calls `at`.
  void for_each(const std::string& count) {
    if (cpu_)
      out_.open("for (uint at = 0; at < {}; ++at)", {count});
    else
      out_.open("for (uint at = lane; at < {}; at += {})", {count, shape_.local});
  }

  /// Loads the part of a tile that begins at (`row`, `col`) of a `rows` x `cols` matrix: `value` gives the
  /// text of the element at (row, col) and writes what it needs. `turned`: rows are side by side in memory.
  template <class Value>
  void load_tile(const char* name, const char* first_row, const char* first_col, const char* rows,
                 const char* cols, tile_part part, bool turned, Value value) {
    const char* pad = part == tile_part::lower_among_ones ? "r == q ? 1 : 0" : "0";
    const bool lower = part != tile_part::whole;
    const auto place = [&] { out_.line("const long row = {} + r, col = {} + q;", {first_row, first_col}); };
    if (cpu_) {
      out_.open();
      own_sizes(first_row, first_col, rows, cols);
      out_.open(lower ? "" : "if (own_rows < {} || own_cols < {})", {size(), size()});
      out_.line("for (int q = 0; q < {}; ++q)", {size()});
      out_.line("  for (int r = 0; r < {}; ++r) {}[r + q * {}] = {};", {size(), name, leading(), pad});
      out_.close();
      if (turned) {
        out_.open("for (int r = 0; r < own_rows; ++r)");
        out_.open(lower ? "for (int q = 0; q <= r; ++q)" : "for (int q = 0; q < own_cols; ++q)");
      } else {
        out_.open("for (int q = 0; q < own_cols; ++q)");
        out_.open("for (int r = {}; r < own_rows; ++r)", {lower ? "q" : "0"});
      }
      place();
      const std::string text = value();
      out_.line("{}[r + q * {}] = {};", {name, leading(), text});
      out_.close();
      out_.close();
      out_.close();
      return;
    }
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line(turned ? "const uint q = at % {}, r = at / {};" : "const uint r = at % {}, q = at / {};",
              {size(), size()});
    place();
    out_.line("{} value = {};", {type(), pad});
    out_.open("if (row < {} && col < {}{})", {rows, cols, lower ? " && r >= q" : ""});
    const std::string text = value();
    out_.line("value = {};", {text});
    out_.close();
    out_.line("{}[r + q * {}] = value;", {name, leading()});
    out_.close();
  }

  /// The same of a part of the workspace, whose columns are `rows` long.
  void load_tile(const char* name, const char* first_row, const char* first_col, const char* rows,
                 const char* cols, tile_part part, int from) {
    load_tile(name, first_row, first_col, rows, cols, part, false, [&] {
      return codegen::fill("p{}[row + col * {}]", {from, rows});
    });
  }

  /// The same of operand `k`, counted from the last row (and column where `both`) where it is mirrored.
  void load_operand(const char* name, int k, const char* first_row, const char* first_col, const char* rows,
                    const char* cols, tile_part part, bool both) {
    load_tile(name, first_row, first_col, rows, cols, part, lies_along_rows(k),
              [&] { return operand_element(k, rows, cols, both); });
  }

  /// The element of operand `k` at `row` and `col`, counted in that way.
  std::string operand_element(int k, const char* rows, const char* cols, bool both) {
    if (!is_mirrored()) return element(k, "row", "col");
    out_.line("const long own_row = {} - 1 - row, own_col = {};",
              {rows, both ? codegen::fill("{} - 1 - col", {cols}) : std::string("col")});
    return element(k, "own_row", "own_col");
  }

  /// Stores what of a tile is within the `rows` x `cols` part `to`.
  void store_tile(const char* name, const char* first_row, const char* first_col, const char* rows,
                  const char* cols, int to) {
    const auto line = [&] {
      out_.line("p{}[{} + r + ({} + q) * {}] = {}[r + q * {}];",
                {to, first_row, first_col, rows, name, leading()});
    };
    if (cpu_) {
      out_.open();
      own_sizes(first_row, first_col, rows, cols);
      out_.open("for (int q = 0; q < own_cols; ++q)");
      out_.open("for (int r = 0; r < own_rows; ++r)");
      line();
      out_.close();
      out_.close();
      out_.close();
      return;
    }
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line("const uint r = at % {}, q = at / {};", {size(), size()});
    out_.open("if ({} + r < {} && {} + q < {})", {first_row, rows, first_col, cols});
    line();
    out_.close();
    out_.close();
  }

  /// What of a tile is within a matrix.
  void own_sizes(const char* first_row, const char* first_col, const char* rows, const char* cols) {
    out_.line("const int own_rows = (int)min({}L, {} - {}), own_cols = (int)min({}L, {} - {});",
              {size(), rows, first_row, size(), cols, first_col});
  }

  /// How a product of tiles changes a third one. `adds_lower`: the first tile is lower triangular, and what
  /// is not finite in the second one stays where it was.
  enum class product_use { subtracts, adds, adds_lower };

  /// Writes the function for that, in `cols` columns; of the second tile, element (k, q) is
  /// `b[k * b_down + q * b_across]`.
  void declare_product(product_use use) {
    declare_product(use,
                    use == product_use::subtracts ? "subtract_product"
                    : use == product_use::adds    ? "add_product"
                                                  : "add_lower_product",
                    "local", "local");
  }
  /// The same with a name of its own, of tiles in these address spaces.
  void declare_product(product_use use, const char* name, const char* operands, const char* result) {
    codegen::writer body(1);
    if (cpu_)
      write_product_in_vectors(body, use);
    else
      write_product(body, use);
    text::append(helpers_,
                 "static inline __attribute__((always_inline)) void {}(\n"
                 "    {} const {}* a, {} const {}* b, uint b_down, uint b_across, {} {}* c,\n"
                 "    uint cols, uint lane) {\n{}}\n\n",
                 {name, operands, type(), operands, type(), result, type(), body.text()});
  }

  void finish() override {
    for (const schedule::store& result : s_.epilogue) declare(result, 1);
    declare_part(result_part(), false);
    const schedule::variant whole = std::exchange(v_, {});
    v_.width = whole.width;
    v_.choices[0] = whole.choices[0];
    add_buffers(after_, true, 1);
    for (const char* name : {"rows", "cols", "row_chunks"}) add_size(name);
    if (leading_of_result() != "rows") add_size(leading_of_result());
    if (s_.rows == ir::one && s_.cols == ir::one) {
      finish_number();
    } else {
      codegen::value_emitter values = start_epilogue();
      if (cpu_)
        finish_chunk(values);
      else
        finish_places(values);
    }
  }

 private:
  void write_product(codegen::writer& text, product_use use) {
    constexpr int cols_at_once = 4;
    text.open("for (uint at = lane; at < {} * ((cols + {}) / {}); at += {})",
              {size(), cols_at_once - 1, cols_at_once, shape_.local});
    text.line("const uint r = at % {}, q = at / {} * {};", {size(), size(), cols_at_once});
    for (int q = 0; q < cols_at_once; ++q)
      text.line("{} s{} = c[r + (q + {}) * {}];", {type(), q, q, leading()});
    if (use == product_use::adds_lower)
      text.open("for (uint k = 0; k <= r; ++k)");
    else
      text.open("for (uint k = 0; k < {}; ++k)", {size()});
    text.line("const {} x = {}a[r + k * {}];", {type(), use == product_use::subtracts ? "-" : "", leading()});
    for (int q = 0; q < cols_at_once; ++q)
      text.line("s{} = fma(x, b[k * b_down + (q + {}) * b_across], s{});", {q, q, q});
    text.close();
    for (int q = 0; q < cols_at_once; ++q) text.line("c[r + (q + {}) * {}] = s{};", {q, leading(), q});
    text.close();
  }

  void write_product_in_vectors(codegen::writer& text, product_use use) {
    // as many sums as vectors of 64 bytes have registers for, which hides how long an addition takes
    const int lanes = v_.width, cols_at_once = lanes * static_cast<int>(size_of(type_)) >= 64 ? 8 : 4;
    const int vectors = std::max(1, std::min(2, size() / lanes));
    const std::string vector = codegen::vector_type(type_, lanes),
                      numbers = codegen::integer_type(type_, lanes);
    const auto place = [&](int p, int q) {
      return codegen::fill("c + r + {} + (q + {}) * {}", {p * lanes, q, leading()});
    };
    text.open("for (uint q = 0; q < cols; q += {})", {cols_at_once});
    text.open("for (uint r = 0; r < {}; r += {})", {size(), vectors * lanes});
    for (int q = 0; q < cols_at_once; ++q)
      for (int p = 0; p < vectors; ++p) text.line("{} s{}_{} = {};", {vector, p, q, loaded(place(p, q))});
    text.open("for (uint k = 0; k < {}; ++k)", {size()});
    for (int p = 0; p < vectors; ++p) {
      const std::string x = loaded(codegen::fill("a + r + {} + k * {}", {p * lanes, leading()}));
      text.line("const {} x{} = {}{};", {vector, p, use == product_use::subtracts ? "-" : "", x});
    }
    if (use == product_use::adds_lower)
      for (int p = 0; p < vectors; ++p)
        text.line("const {} below{} = ({})((int)r + {}) + {} >= ({})((int)k);",
                  {lanes > 1 ? numbers : "int", p, lanes > 1 ? numbers : "int", p * lanes,
                   lanes > 1 ? codegen::detail::lane_numbers(integer_of_type(), lanes) : std::string("0"),
                   lanes > 1 ? numbers : "int"});
    for (int q = 0; q < cols_at_once; ++q) {
      text.line("const {} y{} = ({})(b[k * b_down + (q + {}) * b_across]);", {vector, q, vector, q});
      for (int p = 0; p < vectors; ++p)
        if (use == product_use::adds_lower)
          text.line("s{}_{} = below{} ? fma(x{}, y{}, s{}_{}) : s{}_{};", {p, q, p, p, q, p, q, p, q});
        else
          text.line("s{}_{} = fma(x{}, y{}, s{}_{});", {p, q, p, q, p, q});
    }
    text.close();
    for (int q = 0; q < cols_at_once; ++q)
      for (int p = 0; p < vectors; ++p)
        text.line("{};", {stored(codegen::fill("s{}_{}", {p, q}), place(p, q))});
    text.close();
    text.close();
  }

  /// Type of whole numbers as wide as the elements.
  scalar_type integer_of_type() const {
    return size_of(type_) == 8 ? scalar_type::int64 : scalar_type::int32;
  }

  /// Text of the element of the result at (i, j), or of several from there on down.
  std::string result(int lanes) const {
    const std::string row = is_mirrored() ? codegen::fill("(rows - {} - i)", {lanes}) : std::string("i"),
                      col = is_mirrored() && is_lower() ? "(cols - 1 - j)" : "j",
                      at = codegen::fill("{} + {} * {}", {row, col, leading_of_result()});
    if (is_in_tiles()) return in_tile(lanes);
    if (lanes == 1) return codegen::fill("p{}[{}]", {result_part(), at});
    std::string text = codegen::fill("vload{}(0, p{} + {})", {lanes, result_part(), at});
    if (!is_mirrored()) return text;
    text += ".s";
    for (int k = lanes; k-- > 0;) text += codegen::lane_letter(k);
    return text;
  }

  std::string in_tile(int lanes) const {
    const std::string place = codegen::fill("p{} + column + i / {} * {} + i % {}",
                                            {result_part(), size(), size() * size(), size()});
    return codegen::vector_at(lanes, place);
  }

  /// Of one element, from which values follow that are the same everywhere.
  void finish_number() {
    out_.line("const {} r0 = p{}[0];", {type(), result_part()});
    codegen::value_emitter values = emitter_of(after_, true);
    values.know(self_, "r0", true);
    start(values);
    if (!cpu_) out_.open("if (get_local_id(0) == 0)");
    finish_elements(values, "r0", 1);
    if (!cpu_) out_.close();
  }

  void finish_places(codegen::value_emitter& values) {
    open_place();
    const bool upper = is_upper() || (is_lower() && is_mirrored());
    out_.line("{}r0 = {};", {upper ? "if (i <= j) " : is_lower() ? "if (i >= j) " : "", result(1)});
    finish_elements(values, "r0", 1);
    out_.close();
  }

  void finish_chunk(codegen::value_emitter& values) {
    out_.line("const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * {};",
              {finish_rows});
    out_.line("const long end = min(first + {}, rows);", {finish_rows});
    if (is_in_tiles())
      out_.line("const long column = j / {} * ((rows + {}) / {}) * {} + j % {} * {};",
                {size(), size() - 1, size(), size() * size(), size(), size()});
    out_.line("long i = first;");
    const auto visit = [&](const std::string& limit, int lanes, const std::string& value) {
      if (lanes > 1)
        out_.open("for (; i + {} <= {}; i += {})", {lanes, limit, lanes});
      else
        out_.open("for (; i < {}; ++i)", {limit});
      out_.line("const {} r0 = {};", {codegen::vector_type(type_, lanes), value});
      finish_elements(values, "r0", lanes);
      out_.close();
    };
    const int lanes = epilogue_lanes();
    if (is_lower() && !is_mirrored()) visit("min(end, j)", 1, "0");
    // no vector is in two tiles
    if (is_in_tiles() && lanes > 1)
      visit(codegen::fill("min(end, (j + {}) / {} * {})", {lanes - 1, lanes, lanes}), 1, result(1));
    const std::string limit = is_lower() && is_mirrored() ? "min(end, j + 1)" : "end";
    if (lanes > 1) visit(limit, lanes, result(lanes));
    visit(limit, 1, result(1));
    if (is_lower() && is_mirrored()) visit("end", 1, "0");
  }
};

}  // namespace fusecl::kinds
