// Variables on the tape, and adjoints that are added to by hand: examples of docs/gradients.md.

#include <iostream>

#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

using namespace fusecl;

/// Derivatives of what several statements compute.
void record(const matrix_cl<double>& data) {
  var_value<matrix_cl<double>> x(data);  // a variable
  var c = 0.7;
  var_value<matrix_cl<double>> y = exp(c * x);  // a statement: one kernel now, one on the way back
  var lp = sum(elt_multiply(y, x));             // value and partial derivatives in one kernel
  lp.grad();                                    // x.adj(), y.adj(), c.adj()
  std::cout << x.adj() << '\n' << c.adj() << '\n';
  recover_memory();  // forget everything recorded on this thread
}

/// What is known of a derivative that no expression of variables gives.
void add_by_hand(const matrix_cl<double>& data, const matrix_cl<double>& weights) {
  var_value<matrix_cl<double>> x(data);
  var c = 0.7;
  // x.adj() += weights * c and c.adj() += sum(elt_multiply(weights, data)), in one kernel
  adjoint_results(x, c) += expressions(weights * c.val(), elt_multiply(weights, data));
  std::cout << x.adj() << '\n' << c.adj() << '\n';
  recover_memory();
}

int main() {
  const matrix_cl<double> data(std::vector<double>{0.1, 0.2, 0.3}), weights(std::vector<double>{1, 2, 4});
  record(data);
  add_by_hand(data, weights);
}
