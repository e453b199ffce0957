#pragma once
// Products of matrices on NVIDIA's GPUs of what is read as it is, by tiles whose slices are copied ahead.

#include <algorithm>
#include <string>
#include <utility>

#include <fusion/kinds/copied_product_shape.hpp>

namespace fusecl::kinds {
namespace copied_product {

/// `Tile` is a copied_tile::emitter of a product_emitter.
template <class Tile>
class emitter : public Tile {
 public:
  emitter(const codegen::emit_request& r, const tile& t) : Tile(r, t) {
    for (int k = 0; k < 2; ++k) {
      copied_[k] = {k == 0 ? "a" : "b",
                    k == 0 ? "first_row" : "first_col",
                    k == 0 ? "rows" : "cols",
                    k == 0 ? tile_.rows : tile_.cols,
                    this->terms_side_by_side(k),
                    v_.choices[1 + k],
                    threads(tile_),
                    tile_.depth};
      copied_[k].has_all_lines = has(whole_tiles);
      copied_[k].ends_at_line = k == 0 ? parts_.to_row() : parts_.to_col();
      copied_[k].begins_at_line = k == 0 ? parts_.from_row() : parts_.from_col();
      this->place_operand(copied_[k]);
    }
    if (has(shares_last_tiles)) this->shares_all_ = false;
    // slices are done with when sums are combined
    this->room_ = "a_ring";
    this->room_of_flag_ = "b_ring";
  }

 private:
  using Tile::copied_, Tile::tile_, Tile::parts_, Tile::v_, Tile::out_, Tile::each, Tile::each_element,
      Tile::units_across, Tile::units_down, Tile::close_units, Tile::number_of_group;

  void declare_all() override {
    Tile::declare_all();
    if (has(turns_round)) this->add_size("round_groups");
  }
  bool adds_range() const override { return this->has_own_terms(); }
  /// Whether groups share the terms of the tiles from number `unshared` on.
  bool shares_last() const { return this->shares_ && !this->shares_all_; }

  void walk() override {
    this->define_instructions();
    this->declare_rings();
    out_.line("const uint {};", {this->place_in_group()});
    place_of_tile();
    this->terms_of_tile(tile_.rows, tile_.cols);
    codegen::value_emitter values = this->start_epilogue();
    if (shares_last()) this->start(values);
    this->declare_sums();
    if (has_edges())
      out_.line("const bool interior = first_row + {} <= rows && first_col + {} <= cols;",
                {tile_.rows, tile_.cols});
    if (stores_interior_apart()) note_loads(values);
    this->start_terms();
    bring_ahead();
    this->add_started_terms();
    if (this->has_sums()) this->start_sums();
    store_tile(values);
    this->finish_sums();
  }

  bool has(std::uint16_t flag) const { return (v_.choices[3] & flag) != 0; }
  const char* number_of_tiles() const { return parts_.symmetric ? "tiles" : "row_tiles * col_tiles"; }

  void place_of_tile() {
    count_columns();
    if (shares_last()) {
      out_.line("const uint number = get_group_id(0), rest = {} - unshared;", {number_of_tiles()});
      out_.line("const bool is_whole = number < unshared;");
      out_.line("const uint part = is_whole ? 0 : (number - unshared) / rest;");
      out_.line("const uint group = is_whole ? number : unshared + (number - unshared) % rest;");
    } else {
      number_of_group(number_of_tiles());
    }
    place_by_number();
  }
  /// Writes what placing by numbers needs.
  void count_columns() {
    if (parts_.symmetric) return;  // done there
    out_.line("const uint col_tiles = (uint)((cols + {}) / {});", {tile_.cols - 1, tile_.cols});
  }
  void place_by_number() {
    if (parts_.symmetric)
      return this->place_in_half(tile_.rows, tile_.cols, this->has_sums() || shares_last() ? 1 : panel);
    std::string row, col;
    if (has(goes_by_rows | goes_by_columns)) {
      const char* turned = "group";
      if (has(turns_round)) {
        turned = "turned";
        out_.line("const uint in_round = group % round_groups, start = group - in_round;");
        out_.line(
            "const uint turned = "
            "start / round_groups % 2 ? start + min(round_groups, {} - start) - 1 - in_round : group;",
            {number_of_tiles()});
      }
      const bool by_rows = has(goes_by_rows);
      row = text::fill(by_rows ? "{} / col_tiles" : "{} % row_tiles", {turned});
      col = text::fill(by_rows ? "{} % col_tiles" : "{} / row_tiles", {turned});
    } else {
      out_.line("const uint panel = group / ({} * col_tiles), place = group - panel * {} * col_tiles;",
                {panel, panel});
      out_.line("const uint high = min({}u, row_tiles - panel * {});", {panel, panel});
      row = text::fill("panel * {} + place % high", {panel});
      col = "place / high";
    }
    // tiles with many terms come first, so that none of them ends long after the others
    const auto first = [&](const char* name, const std::string& number, bool reversed, const char* tiles,
                           int length) {
      out_.line("const long {} = (long)({}) * {};",
                {name, reversed ? text::fill("{} - 1 - ({})", {tiles, number}) : number, length});
    };
    first("first_row", row, parts_.to_row(), "row_tiles", tile_.rows);
    first("first_col", col, parts_.to_col(), "col_tiles", tile_.cols);
  }

  int tile_rows() const override { return tile_.rows; }
  int tile_cols() const override { return tile_.cols; }
  int lines_of_item() const override {
    const bool rows = this->sums_rows();
    return this->lines_of_unit(rows).count * (rows ? units_down() : units_across());
  }
  std::string line_of_element() const override {
    const bool rows = this->sums_rows();
    const auto lines = this->lines_of_unit(rows);
    if (lines.count == 1) return rows ? "u" : "v";
    return text::fill("{} * {} + {}", {lines.count, rows ? "u" : "v", lines.number});
  }
  std::string line_in_tile() const override {
    return this->sums_rows() ? "warp_row + " + this->row_in_tile() : "warp_col + " + this->col_in_tile();
  }
  std::string combine_line() override {
    const bool rows = this->sums_rows();
    const auto lines = this->lines_of_unit(rows);
    if (lines.count == 1)
      out_.line("const uint {} = each;", {rows ? "u" : "v"});
    else
      out_.line("const uint {} = each / {}, q = each % {} * {};",
                {rows ? "u" : "v", lines.count, lines.count, lines.apart_in_unit});
    const std::string own = this->combine_lanes(lines.self, lines.sharing, lines.apart);
    // and those of warps beside, or below, each other
    const int warps = rows ? tile_.warp_cols : tile_.warp_rows, apart = rows ? 32 * tile_.warp_rows : 32;
    out_.line("const uint beside = warp {} {};", {rows ? "/" : "%", tile_.warp_rows});
    return own + " && " + this->combine_lanes("beside", warps, apart);
  }

  /// Address of an element of operand `k`, whose line and term are texts.
  void set_address(int k, const std::string& to, const std::string& line, const std::string& term) override {
    out_.open("");
    out_.line("const long line = {}, term = {};", {line, term});
    out_.line("{} {};", {to, k == 0 ? this->address(k, "line", "term") : this->address(k, "term", "line")});
    out_.close();
  }

  void store_tile(const codegen::value_emitter& values) {
    if (shares_last()) {
      out_.open("if (!is_whole)");
      store_parts();
      out_.close();
    }
    if (!has_edges()) {
      if (shares_last()) out_.open("else");
      store_units(values, !stores_interior_apart());
      if (shares_last()) out_.close();
      return;
    }
    out_.open(shares_last() ? "else if (interior)" : "if (interior)");
    store_units(values, false);
    out_.close();
    out_.open("else");
    store_units(values, true);
    out_.close();
  }

  /// Whether what tiles within the result need besides is loaded ahead.
  bool stores_interior_apart() const { return !this->shares_all_ && !parts_.symmetric; }
  /// Whether other tiles are stored element by element.
  bool has_edges() const { return stores_interior_apart() && !has(whole_tiles); }

  /// Element by element; those outside of the result are left out at an edge. In the interior what else they
  /// need is loaded ahead, unless it is there.
  void store_units(codegen::value_emitter values, bool edge) {
    const bool loads_ahead = !edge && !is_there_ && !ahead_.empty();
    if (loads_ahead) start_loading_ahead();
    each("v", units_across());
    if (loads_ahead) load_next_ahead();
    const char *row = parts_.symmetric ? "own_row" : "i", *col = parts_.symmetric ? "own_col" : "j";
    if (edge) {
      each_element(row, col);
      this->store_sum_at(values, "sums[u][v][q]", row, col,
                         is_there_ ? reading_ahead() : this->access_to_domain(1));
    } else {
      each("u", units_down());
      each("q", 4);
      const std::string i = "const long i = first_row + warp_row + " + this->row_in_tile() + ";",
                        j = "const long j = first_col + warp_col + " + this->col_in_tile() + ";";
      this->after_what_it_mentions({"i"}, i, [&] {
        this->after_what_it_mentions({"j"}, j,
                                     [&] { this->store_sum(values, "sums[u][v][q]", reading_ahead()); });
      });
    }
    close_units();
    out_.close();
  }

  /// Sums over parts of the terms of a whole tile, where that has columns side by side.
  void store_parts() {
    out_.line("global {}* const own = p0 + ((long)part * rest + (group - unshared)) * {};",
              {this->type(), tile_.rows * tile_.cols});
    each("v", units_across());
    each_element();
    out_.line("own[i - first_row + (j - first_col) * {}] = sums[u][v][q];", {tile_.rows});
    close_units();
    out_.close();
  }

  /// Of the tiles whose terms are shared.
  std::string open_element_of_parts() override {
    if (!shares_last()) return Tile::open_element_of_parts();
    for (const char* name : {"row_tiles", "unshared"}) this->add_size(name);
    if (parts_.symmetric) this->add_size("tiles");
    const int elements = tile_.rows * tile_.cols;
    count_columns();
    out_.line("const long results = (long)({} - unshared) * {};", {number_of_tiles(), elements});
    out_.line("const long {} = {} + get_local_id(0);",
              {parts_.symmetric ? "number" : "element",
               codegen::detail::group_of(text::fill("* {}", {this->shape_.local}).c_str())});
    // those of half of a product, and then those across the diagonal
    if (parts_.symmetric)
      out_.line("const long turn = number < results ? 0 : 1, element = number - turn * results;");
    out_.line("const uint group = unshared + (uint)(element / {}), within = (uint)(element % {});",
              {elements, elements});
    place_by_number();
    out_.line(
        "const long {} = first_row + within % {}, {} = first_col + within / {};",
        {parts_.symmetric ? "own_row" : "i", tile_.rows, parts_.symmetric ? "own_col" : "j", tile_.rows});
    if (parts_.symmetric) {
      out_.line("const long i = turn ? own_col : own_row, j = turn ? own_row : own_col;");
      out_.open("if (element < results && own_row < rows && own_col + turn <= own_row)");
    } else {
      out_.open("if (i < rows && j < cols)");
    }
    out_.line("{} r0 = 0;", {this->type()});
    return "element";
  }

  // What else the elements of a unit need is loaded for all of them before the first is computed: functions
  // such as exp have branches, which compilers do not move loads across (H200, exp(A B + C): 1.09 of the
  // product alone without this).

  /// Notes what is loaded by places of the result; writes nothing.
  void note_loads(codegen::value_emitter values) {
    const codegen::writer before = std::exchange(out_, out_.apart());
    this->finish_elements(values, "r0", 1, reading_ahead());
    out_ = before;
  }

  /// Matrices that the elements of a tile within the result need are brought to the caches while its terms
  /// are added: nothing else hides those loads where one round of groups is all there is.
  void bring_ahead() {
    if (!has(brings_ahead)) return;
    if (std::none_of(ahead_.begin(), ahead_.end(), [](const load& ahead) { return ahead.whole; })) return;
    this->define_bring_to_cache();
    if (shares_last() || has_edges())
      out_.open(!has_edges()    ? "if (is_whole)"
                : shares_last() ? "if (is_whole && interior)"
                                : "if (interior)");
    for (const load& ahead : ahead_) {
      if (!ahead.whole) continue;
      const int lines = tile_.rows * static_cast<int>(size_of(ahead.type)) / line_bytes;
      out_.open("for (uint line = lane; line < {}; line += {})", {lines * tile_.cols, threads(tile_)});
      out_.line("const long i = first_row + line % {} * {}, j = first_col + line / {};",
                {lines, line_bytes / static_cast<int>(size_of(ahead.type)), lines});
      this->at_element([&] { out_.line("bring_to_cache(&{});", {ahead.text}); });
      out_.close();
    }
    if (shares_last() || has_edges()) out_.close();
  }

  /// All of it is loaded beside the last slices where registers have room for it. Groups of floats share a
  /// unit, which leaves them less.
  void before_last_slices() override {
    constexpr int most_bytes = 640;  // of sums and what is loaded: 160 registers of 255
    int bytes = this->element_bytes();
    for (const load& ahead : ahead_) bytes += static_cast<int>(size_of(ahead.type));
    is_there_ = !ahead_.empty() && this->type_ == scalar_type::float64 &&
                4 * units_down() * units_across() * bytes <= most_bytes;
    if (!is_there_) return;
    declare_ahead(units_across());
    if (shares_last()) out_.open("if (is_whole)");
    for (const bool edge : {false, true}) {
      if (edge && !has_edges()) break;
      if (has_edges()) out_.open(edge ? "else" : "if (interior)");
      each("v", units_across());
      load_units(edge);
      out_.close();
      if (has_edges()) out_.close();
    }
    if (shares_last()) out_.close();
  }

  /// Loads what the elements of the first units across need; those of the next come while these are computed.
  void start_loading_ahead() {
    declare_ahead(2);
    load_ahead("0");
  }
  void declare_ahead(int units) {
    for (std::size_t k = 0; k < ahead_.size(); ++k)
      out_.line("{} ahead{}[{}][{}];", {opencl_name(ahead_[k].type), k, units, 4 * units_down()});
  }
  void load_next_ahead() {
    out_.open("if (v + 1 < {})", {units_across()});
    out_.line("const uint next = v + 1;");
    load_ahead("next");
    out_.close();
  }
  void load_ahead(const char* units) {
    out_.open("");
    out_.line("const uint v = {};", {units});
    load_units(false);
    out_.close();
  }
  void load_units(bool edge) {
    each_element();
    if (edge) out_.open("if (i < rows && j < cols)");
    this->at_element([&] {
      for (std::size_t k = 0; k < ahead_.size(); ++k)
        out_.line("{} = {};", {ahead_element(k), ahead_[k].text});
    });
    if (edge) out_.close();
    close_units();
  }
  std::string ahead_element(std::size_t k) const {
    return text::fill("ahead{}[{}][4 * u + q]", {k, is_there_ ? "v" : "v % 2"});
  }

  codegen::access reading_ahead() {
    codegen::access how = this->access_to_domain(1);
    how.self = this;
    how.load = element_ahead;
    return how;
  }
  static std::string element_ahead(const void* self, const std::string& name, scalar_type type, bool rows,
                                   bool cols) {
    const auto& own = *static_cast<const emitter*>(self);
    const std::string text =
        Tile::load_tiled(static_cast<const codegen::detail::step_emitter*>(&own), name, type, rows, cols);
    if (type == scalar_type::boolean || !(rows || cols)) return text;
    std::size_t k = 0;
    while (k < own.ahead_.size() && own.ahead_[k].text != text) ++k;
    if (k == own.ahead_.size()) own.ahead_.push_back({text, type, rows && cols});
    return own.ahead_element(k);
  }

  struct load {
    std::string text;
    scalar_type type;
    bool whole;  ///< it has an element for each of the result
  };
  static constexpr int line_bytes = 128;  // of the caches
  mutable list_of<load> ahead_;
  bool is_there_ = false;  ///< what is noted there is loaded when the last slice has been multiplied
};

}  // namespace copied_product
}  // namespace fusecl::kinds
