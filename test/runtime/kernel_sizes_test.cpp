// Sizes that a hand-written kernel's arguments have to have.

#include <cstdint>

#include <Eigen/Core>
#include <support/messages.hpp>

#include <fusion/fusion.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using matrix = matrix_cl<float>;
using scaling = kernel_cl<in_buffer, in_buffer, out_buffer, int>;

const char* const scaled_text = R"(
kernel void scaled(global const float* a, global const float* b, global float* c, int rows) {
  const int i = get_global_id(0), j = get_global_id(1);
  c[i + j * rows] = a[i + j * rows] * b[i];
})";

/// What a call is refused with.
template <class Call>
std::string refusal(const Call& call) {
  return test::message_of<std::invalid_argument>(call);
}

TEST(KernelSizes, OfEveryArgumentAreCompared) {
  const scaling scaled("scaled", scaled_text, {}, kernel_sizes("(n, m), (n, 1), (n, m), n"));
  const matrix a(Eigen::MatrixXf::Constant(4, 2, 2)), b(Eigen::VectorXf::Constant(4, 3)), short_b(3, 1);
  matrix c(Eigen::MatrixXf::Constant(4, 2, -1)), other(2, 4);
  const cl::NDRange items(4, 2);
  const std::string because = " by \"(n, m), (n, 1), (n, m), n\": n is 4 by argument 0, m is 2 by argument 0";
  const std::string argument = "kernel scaled: argument ";
  EXPECT_EQ(refusal([&] { scaled(items, a, short_b, c, 4); }),
            argument + "1 (counted from 0) is 3 x 1, but has to be 4 x 1" + because);
  EXPECT_EQ(refusal([&] { scaled(items, a, a, c, 4); }),
            argument + "1 (counted from 0) is 4 x 2, but has to be 4 x 1" + because);
  EXPECT_EQ(refusal([&] { scaled(items, a, b, other, 4); }),
            argument + "2 (counted from 0) is 2 x 4, but has to be 4 x 2" + because);
  EXPECT_EQ(refusal([&] { scaled(items, a, b, c, 5); }),
            argument + "3 (counted from 0) is 5, but has to be 4" + because);
  EXPECT_EQ(from_matrix_cl(c), Eigen::MatrixXf::Constant(4, 2, -1));  // nothing ran
  scaled(items, a, b, c, 4);
  EXPECT_EQ(from_matrix_cl(c), Eigen::MatrixXf::Constant(4, 2, 6));
}

TEST(KernelSizes, MayBeNumbersProductsOrAny) {
  const char* const text = R"(
kernel void count(global const float* a, global int* b, global int* c, long n, float by, local int* part) {
  b[get_global_id(0)] = (int)n;
})";
  using counting = kernel_cl<in_buffer, out_buffer, in_out_buffer, long, float, cl::LocalSpaceArg>;
  const counting count("count", text, {}, kernel_sizes(" (n,k) ,(n*k, 1), (2, _) , 3*n*k,_, _"));
  const matrix a(2, 3);
  matrix_cl<int> b(6, 1), c(2, 7), d(3, 7);
  const auto call = [&](matrix_cl<int>& second, matrix_cl<int>& third, long n) {
    count(cl::NDRange(6), a, second, third, n, 0.5f, cl::Local(4));
  };
  call(b, c, 18);
  EXPECT_EQ(from_matrix_cl(b)(5), 18);
  EXPECT_NE(
      refusal([&] { call(b, d, 18); }).find("argument 2 (counted from 0) is 3 x 7, but has to be 2 x any"),
      std::string::npos);
  EXPECT_NE(refusal([&] { call(b, c, 6); }).find("argument 3 (counted from 0) is 6, but has to be 18"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { call(c, c, 18); }).find("argument 1 (counted from 0) is 2 x 7, but has to be 6 x 1"),
      std::string::npos);
  const counting any("count", text, {}, kernel_sizes("_, _, _, _, _, _"));
  any(cl::NDRange(6), a, b, d, 5L, 0.5f, cl::Local(4));
  EXPECT_EQ(from_matrix_cl(b)(5), 5);
}

TEST(KernelSizes, MayBeGivenByALaterArgument) {
  const kernel_cl<in_buffer, int> look("look", "kernel void look(global const float* a, int n) {}", {},
                                       kernel_sizes("(n*n, 1), n"));
  const matrix nine(9, 1), empty(0, 1);
  look(cl::NDRange(1), nine, 3);
  look(cl::NDRange(1), empty, 0);
  EXPECT_NE(refusal([&] { look(cl::NDRange(1), nine, 4); }).find("is 9 x 1, but has to be 16 x 1"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { look(cl::NDRange(1), nine, -3); }),
            "kernel look: argument 1 (counted from 0) is -3, but has to be at least 0 by \"(n*n, 1), n\"");
}

TEST(KernelSizes, BeyondEveryNumberAreNoSize) {
  const kernel_cl<in_buffer, long> look("look", "kernel void look(global const float* a, long n) {}", {},
                                        kernel_sizes("(n*n, 1), n"));
  const matrix empty(0, 1);
  EXPECT_NE(refusal([&] { look(cl::NDRange(1), empty, std::int64_t{1} << 32); }).find("more than 2^63"),
            std::string::npos);
}

TEST(KernelSizes, OfProductsWithAZeroAreZero) {
  const kernel_cl<in_buffer, long> look("look", "kernel void look(global const float* a, long n) {}", {},
                                        kernel_sizes("(n*n*0, 0*n*n), n"));
  const matrix empty(0, 0);
  EXPECT_NO_THROW(look(cl::NDRange(1), empty, std::int64_t{1} << 32));
}

TEST(KernelSizes, OfNumbersWithoutASignAreNamedAsTheyAre) {
  using looking = kernel_cl<unsigned long>;
  const char* const text = "kernel void look(ulong n) {}";
  const auto call = [](const looking& look) { look(cl::NDRange(1), ~0ul); };
  EXPECT_EQ(
      refusal([&] { call(looking("look", text, {}, kernel_sizes("n"))); }),
      "kernel look: argument 0 (counted from 0) is 18446744073709551615, but has to be less than 2^63 by "
      "\"n\"");
  EXPECT_NO_THROW(call(looking("look", text, {}, kernel_sizes("_"))));
}

TEST(KernelSizes, MayHaveNamesThatBeginWithAnUnderscoreAndAnyWhiteSpace) {
  const scaling scaled("scaled", scaled_text, {}, kernel_sizes("(_n,\t_),\n(_n, 1),\r\n(_n, _m_2) ,\v_n\n"));
  const matrix a(4, 2), b(4, 1);
  matrix c(4, 3);
  EXPECT_NO_THROW(scaled(cl::NDRange(1, 1), a, b, c, 4));
  EXPECT_NE(refusal([&] { scaled(cl::NDRange(1, 1), a, b, c, 3); }).find("is 3, but has to be 4"),
            std::string::npos);
}

TEST(KernelSizes, HaveAnEntryForEachParameterAndOfItsKind) {
  const auto refused = [](const char* sizes) {
    const scaling scaled("scaled", scaled_text, {}, kernel_sizes(sizes));
    const matrix a(1, 1);
    matrix c(1, 1);
    return refusal([&] { scaled(cl::NDRange(1, 1), a, a, c, 1); });
  };
  EXPECT_EQ(refused("(n, m), (n, 1), n"),
            "kernel scaled: kernel_sizes \"(n, m), (n, 1), n\" has 3 entries, the kernel has 4 parameters");
  EXPECT_EQ(refused("n, (n, 1), (n, 1), n"),
            "kernel scaled: entry 0 (counted from 0) of kernel_sizes \"n, (n, 1), (n, 1), n\" is for a whole "
            "number, the parameter is in_buffer");
  EXPECT_EQ(
      refused("(n, 1), (n, 1), (n, 1), (n, n)"),
      "kernel scaled: entry 3 (counted from 0) of kernel_sizes \"(n, 1), (n, 1), (n, 1), (n, n)\" is for a "
      "matrix, the parameter is int");
}

TEST(KernelSizes, AreRefusedWhereTheyAreNoText) {
  for (const char* const wrong : {"", "(n", "(n)", "(n, )", "(n, m", "n,", "(n, m) x", "n**2", "n-1", "2n",
                                  "_ n", "(n, m, k)", "9999999999999999999", ","})
    EXPECT_NE(
        refusal([&] { kernel_sizes{wrong}; }).find("kernel_sizes \"" + std::string(wrong) + "\": expected"),
        std::string::npos)
        << wrong;
  EXPECT_NE(refusal([] { kernel_sizes(std::string_view("n\0, n", 5)); }), "");
  EXPECT_EQ(refusal([] { kernel_sizes("(n*m, 1), n"); }),
            "kernel_sizes \"(n*m, 1), n\": m stands in products alone: no argument says what it is");
  EXPECT_TRUE(kernel_sizes().empty());
}

}  // namespace
}  // namespace fusecl
