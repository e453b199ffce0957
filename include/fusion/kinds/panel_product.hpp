#pragma once
// The innermost loops of products on a CPU: a panel of rows times a panel of columns, in vector registers.

#include <string>

#include <fusion/codegen/writer.hpp>

namespace fusecl::kinds {

/// `vectors` of `lanes` rows below each other, and columns; how far the places of a term are from those of
/// the one before in either panel, and columns of sums from each other.
struct panel_shape {
  int lanes, vectors, cols;
  int a_apart, b_apart, c_apart;
};

/// Text of a function that adds the product of a panel of rows and one of columns to some sums.
inline std::string panel_product(scalar_type type, const panel_shape& shape) {
  const std::string vector = codegen::vector_type(type, shape.lanes),
                    element = std::string(opencl_name(type)),
                    multiply_add = is_floating(type) ? "{} = fma(a{}, b{}, {});" : "{} = a{} * b{} + {};";
  codegen::writer text(1);
  const auto sum = [](int p, int q) { return codegen::fill("c{}_{}", {p, q}); };
  const auto place = [&](int p, int q) {
    return codegen::fill("c + {}", {p * shape.lanes + q * shape.c_apart});
  };
  for (int q = 0; q < shape.cols; ++q)
    for (int p = 0; p < shape.vectors; ++p)
      text.line("{} {} = {};", {vector, sum(p, q), codegen::vector_at(shape.lanes, place(p, q))});
  text.open("for (int k = 0; k < terms; ++k, a += {}, b += {})", {shape.a_apart, shape.b_apart});
  for (int p = 0; p < shape.vectors; ++p)
    text.line("const {} a{} = {};",
              {vector, p, codegen::vector_at(shape.lanes, codegen::fill("a + {}", {p * shape.lanes}))});
  for (int q = 0; q < shape.cols; ++q) {
    text.line("const {} b{} = ({})(b[{}]);", {vector, q, vector, q});
    for (int p = 0; p < shape.vectors; ++p) text.line(multiply_add, {sum(p, q), p, q, sum(p, q)});
  }
  text.close();
  for (int q = 0; q < shape.cols; ++q)
    for (int p = 0; p < shape.vectors; ++p)
      text.line("{};", {codegen::store_vector(shape.lanes, sum(p, q), place(p, q))});
  return codegen::fill(
      "static inline __attribute__((always_inline)) void add_product_of_panels(\n"
      "    local const {}* a, local const {}* b, int terms, local {}* c) {\n{}}\n\n",
      {element, element, element, text.text()});
}

}  // namespace fusecl::kinds
