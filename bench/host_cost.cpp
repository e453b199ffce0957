// What a warm evaluation costs the host, against enqueueing a kernel with the same arguments by hand. Batches
// of enqueues are timed; the wait for the device after each batch is not.

#include <primitives/primitives.hpp>

#include "measure.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;

/// A kernel with the arguments of `expression`'s own, driven by the OpenCL interface alone.
class bare_kernel {
 public:
  explicit bare_kernel(std::vector<const matrix*> buffers) {
    std::string parameters, value = "0.0";
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      const std::string name = "x" + std::to_string(k);
      parameters += "global double* " + name + ", ";
      if (k > 0) value += " + " + name + "[i]";
    }
    const std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void bare(" +
                               parameters +
                               "const long count) {\n  const long i = get_global_id(0);\n"
                               "  if (i < count) x0[i] = " +
                               value + ";\n}\n";
    cl::Program program(opencl_context.context(), source);
    program.build();
    kernel_ = cl::Kernel(program, "bare");
    for (const matrix* m : buffers) buffers_.push_back(m->buffer());
    count_ = buffers.front()->size();
    set_arguments();
  }
  void set_arguments() {
    cl_uint k = 0;
    for (const cl::Buffer& buffer : buffers_) {
      const cl_mem mem = buffer();
      clSetKernelArg(kernel_(), k++, sizeof mem, &mem);
    }
    clSetKernelArg(kernel_(), k, sizeof count_, &count_);
  }
  void enqueue() {
    const std::size_t local = 64, global = static_cast<std::size_t>(count_ + 63) / 64 * 64;
    runtime::check(
        clEnqueueNDRangeKernel(queue_(), kernel_(), 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  }

 private:
  cl::CommandQueue queue_ = opencl_context.queue();
  cl::Kernel kernel_;
  std::vector<cl::Buffer> buffers_;
  cl_long count_ = 0;
};

/// Reads the first element by the OpenCL interface alone, and waits.
double read_number(const matrix& from) {
  double number = 0;
  runtime::check(clEnqueueReadBuffer(opencl_context.queue()(), from.buffer()(), CL_TRUE, 0, sizeof number,
                                     &number, 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
  return number;
}

void add_contenders(comparison& all, bare_kernel& bare) {
  all.add("bare_enqueue", runs_on::device_async, [&] { bare.enqueue(); });
  all.add("bare_with_arguments", runs_on::device_async, [&] {
    bare.set_arguments();
    bare.enqueue();
  });
}

void element_wise(benchmark::State& state) {
  const matrix a = random_matrix(0, 8, 8), b = random_matrix(1, 8, 8), c = random_matrix(2, 8, 8);
  matrix result(8, 8);
  result = a + b;
  bare_kernel bare({&result, &a, &b, &c});
  comparison all;
  all.add("fused", runs_on::device_async, [&] { result = a + b - 3.0 * c; });
  add_contenders(all, bare);
  all.measure();
  all.report(state);
}

/// Twelve squarings: written out, this tree would have 4096 leaves.
void shared_squarings(benchmark::State& state) {
  const matrix a = random_matrix(0, 8, 8);
  matrix result(8, 8), distinct(8, 8);
  result = a + a;
  bare_kernel bare({&result, &a});
  const auto squared = [](const auto& e) { return shared(elt_multiply(e, e)); };
  comparison all;
  all.add("fused", runs_on::device_async, [&] {
    const auto e4 = squared(squared(squared(squared(a))));
    const auto e8 = squared(squared(squared(squared(e4))));
    result = squared(squared(squared(squared(e8))));
  });
  all.add("distinct_nodes", runs_on::device_async, [&] {
    const auto e4 = square(square(square(square(a + 0.25))));
    const auto e8 = sqrt(sqrt(sqrt(sqrt(e4))));
    distinct = sqrt(square(sqrt(e8)));
  });
  add_contenders(all, bare);
  all.measure();
  all.report(state);
}

/// The expression exists already and only its evaluation is timed.
void stored_expression(benchmark::State& state) {
  const matrix a = random_matrix(0, 8, 8);
  matrix result(8, 8), distinct(8, 8);
  result = a + a;
  bare_kernel bare({&result, &a});
  const auto squared = [](const auto& e) { return shared(elt_multiply(e, e)); };
  const auto e4 = squared(squared(squared(squared(a))));
  const auto e8 = squared(squared(squared(squared(e4))));
  const auto e12 = squared(squared(squared(squared(e8))));
  const auto twelve = sqrt(square(sqrt(sqrt(sqrt(sqrt(sqrt(square(square(square(square(a + 0.25)))))))))));
  comparison all;
  all.add("fused", runs_on::device_async, [&] { result = e12; });
  all.add("distinct_nodes", runs_on::device_async, [&] { distinct = twelve; });
  add_contenders(all, bare);
  all.measure();
  all.report(state);
}

void small_sum(benchmark::State& state) {
  const matrix a = random_matrix(0, 8, 8);
  matrix result(1, 1);
  result = sum(a);
  bare_kernel bare({&result, &a});
  comparison all;
  all.add("fused", runs_on::device_async, [&] { result = sum(a); });
  add_contenders(all, bare);
  all.measure();
  all.report(state);
}

void round_trip(benchmark::State& state) {
  const matrix a = random_matrix(0, 8, 8);
  matrix result(1, 1);
  result = sum(a);
  bare_kernel bare({&result, &a});
  double host = 0;
  comparison all;
  all.add("fused", runs_on::host, [&] { host = sum(a); });
  all.add("bare_enqueue_and_read", runs_on::host, [&] {
    bare.enqueue();
    host = read_number(result);
  });
  all.measure();
  all.report(state);
  benchmark::DoNotOptimize(host);
}

/// A regression's value and gradient, 8 x 3, which are two launches and one read, against two bare enqueues
/// and that read.
void regression(benchmark::State& state) {
  const matrix x = random_matrix(0, 8, 3), y = random_matrix(1, 8), coefficients = random_matrix(2, 3);
  matrix by_b(3, 1), result(1, 1);
  result = sum(x);
  bare_kernel first({&by_b, &x, &y}), second({&result, &coefficients});
  double value = 0;
  comparison all;
  all.add("expression", runs_on::host, [&] {
    const auto eta = shared(x * coefficients);
    value = value_and_gradient_into(sum(elt_multiply(y, eta) - log1p_exp(eta)), wrt(coefficients), by_b);
  });
  Eigen::VectorXd on_host(3);
  all.add("gradient_on_the_host", runs_on::host, [&] {
    const auto eta = shared(x * coefficients);
    value = value_and_gradient_into(sum(elt_multiply(y, eta) - log1p_exp(eta)), wrt(coefficients), on_host);
  });
  all.add("tape", runs_on::host, [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const var_value<matrix> b = coefficients;
    var density = normal_id_glm_lpdf(y, x, 0.25, b, 1.0);
    density.grad();
    value = density.val();
  });
  all.add("two_bare_enqueues_and_read", runs_on::host, [&] {
    first.set_arguments();
    first.enqueue();
    second.set_arguments();
    second.enqueue();
    value = read_number(result);
  });
  all.measure();
  all.report(state);
  benchmark::DoNotOptimize(value);
}

/// A kernel of n elements and a copy of its result that the host waits for, against the same copy by the
/// OpenCL interface to the program's memory.
void copy_to_host(benchmark::State& state, std::int64_t n) {
  const matrix a = random_matrix(0, n);
  matrix b(n, 1);
  Eigen::VectorXd found(n), bare(n);
  comparison all;
  all.add("from_matrix_cl", runs_on::host, [&] {
    b = 2.0 * a;
    found = from_matrix_cl(b);
  });
  all.add("blocking_read", runs_on::host, [&] {
    b = 2.0 * a;
    runtime::check(
        clEnqueueReadBuffer(opencl_context.queue()(), b.buffer()(), CL_TRUE, 0,
                            static_cast<std::size_t>(n) * sizeof(double), bare.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  });
  all.measure();
  all.report(state);
  benchmark::DoNotOptimize(found.data());
}

}  // namespace

void register_cases() {
  add_case("host_cost/a+b-3c", element_wise);
  add_case("host_cost/sum", small_sum);
  add_case("host_cost/twelve_shared_squarings", shared_squarings);
  add_case("host_cost/twelve_shared_squarings_stored", stored_expression);
  add_case("host_cost/sum_read_by_host", round_trip);
  add_case("host_cost/regression_read_by_host", regression);
  for (const std::int64_t n : {10, 1000, 100000})
    add_case("host_cost/copy_to_host/" + std::to_string(n),
             [n](benchmark::State& state) { copy_to_host(state, n); });
}

}  // namespace fusecl::bench
