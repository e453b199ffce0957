#pragma once
// Vectors along the memory of a matrix with few rows: as many columns as a vector has lanes are as many whole
// vectors as there are rows, and the row and column of each lane are the same for all such blocks.

#include <string>

#include <fusion/codegen/values.hpp>

namespace fusecl::kinds {

/// Rows of which a vector each is in a text, and the flops of all of them: texts stay short.
inline constexpr std::int64_t most_few_rows = 15;
inline constexpr double most_flops_of_few_rows = 512;

/// One vector of a block of columns from `j` on, whose first element is `e`.
struct few_rows_vector {
  int rows = 1, lanes = 1;
  int number = 0;  ///< among those of the block

  int row_of(int lane) const { return (number * lanes + lane) % rows; }
  int col_of(int lane) const { return (number * lanes + lane) / rows; }

  /// How its elements read memory, for as long as this lives.
  codegen::access access() const {
    codegen::access how;
    how.lanes = lanes;
    how.self = this;
    how.load = load;
    how.crossing = true;
    how.row = how.col = codegen::fill("({})(", {{scalar_type::int32, lanes}});
    how.lane_rows.clear();
    how.lane_cols.clear();
    for (int lane = 0; lane < lanes; ++lane) {
      const char* separator = lane + 1 < lanes ? ", " : ")";
      how.row += codegen::fill("{}{}", {row_of(lane), separator});
      how.col += codegen::fill("{}{}", {col_of(lane), separator});
      how.lane_rows.push_back(codegen::fill("{}", {row_of(lane)}));
      how.lane_cols.push_back(codegen::fill("(j + {})", {col_of(lane)}));
    }
    how.col = codegen::fill("((int)j + {})", {how.col});
    return how;
  }

 private:
  static std::string load(const void* self, const std::string& name, scalar_type type, bool rows, bool cols) {
    const auto& own = *static_cast<const few_rows_vector*>(self);
    if (rows && cols) return codegen::fill("vload{}(0, {} + e)", {own.lanes, name});
    if (!rows && !cols) return codegen::fill("{}[0]", {name});
    if (!rows && own.rows == 1) return codegen::fill("vload{}(0, {} + j)", {own.lanes, name});
    return rows && own.rows > own.lanes ? own.far_rows(name, type) : own.near_elements(name, rows);
  }
  /// Elements of a row or of a short column, which are in one vector.
  std::string near_elements(const std::string& name, bool of_column) const {
    std::string text = codegen::fill(of_column ? "vload{}(0, {}).s" : "vload{}(0, {} + j).s", {lanes, name});
    for (int lane = 0; lane < lanes; ++lane)
      text += codegen::lane_letter(of_column ? row_of(lane) : col_of(lane));
    return text;
  }
  /// Elements of a column: those side by side up to the last row, then from the first one on.
  std::string far_rows(const std::string& name, scalar_type type) const {
    const int first = row_of(0), left = rows - first;
    if (left >= lanes) return codegen::fill("vload{}(0, {} + {})", {lanes, name, first});
    std::string text = codegen::fill("({})(", {{type, lanes}});
    for (int lane = 0; lane < lanes; ++lane)
      text += codegen::fill("{}[{}]{}", {name, row_of(lane), lane + 1 < lanes ? ", " : ")"});
    return text;
  }
};

}  // namespace fusecl::kinds
