// Files are checked line by line before anything is made of them.

#include "data.hpp"

#include <cmath>
#include <vector>

#include "../common/read_table.hpp"
#include "../sampling/random.hpp"

namespace example {
namespace {

/// The mean and the standard deviation of x + x^2 - x^3 + 100 sin 2x for x uniform on (-10, 10).
struct moments {
  double mean, sd;
};

moments moments_of_made_function() {
  // Of the even part, x^2, and of the odd one, by the integrals of x^k, x^k sin 2x and sin^2 2x over (0, 10).
  constexpr double l = 10;
  const double s = std::sin(2 * l), c = std::cos(2 * l);
  const double x_sin = -l * c / 2 + s / 4;
  const double x3_sin = -l * l * l * c / 2 + 3 * l * l * s / 4 + 3 * l * c / 4 - 3 * s / 8;
  const double sin_sin = l / 2 - std::sin(4 * l) / 8;
  const double even = 4 * std::pow(l, 4) / 45;
  const double odd = std::pow(l, 2) / 3 - 2 * std::pow(l, 4) / 5 + std::pow(l, 6) / 7 +
                     (200 * x_sin - 200 * x3_sin + 1e4 * sin_sin) / l;
  return {l * l / 3, std::sqrt(even + odd)};
}

}  // namespace

double made_function(double x) {
  static const moments known = moments_of_made_function();
  return (x + x * x - x * x * x + 100 * std::sin(2 * x) - known.mean) / known.sd;
}

series made_data(Eigen::Index n, std::uint64_t seed) {
  sampling::random_source random(seed, 0);
  series made{Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    made.x[i] = 20 * random.uniform() - 10;
    made.y[i] = made_function(made.x[i]) + 0.1 * random.normal();
  }
  return made;
}

Eigen::VectorXd places_about(const Eigen::VectorXd& x) {
  const double least = x.minCoeff(), most = x.maxCoeff();
  const double beyond = most > least ? 0.1 * (most - least) : 1;
  return Eigen::VectorXd::LinSpaced(241, least - beyond, most + beyond);
}

series read_series(const std::string& path) {
  const table read = read_table(path, outcome_type::number, 1);
  if (read.features.cols() != 1)
    fail_at(path, 1, "expected one feature, found " + std::to_string(read.features.cols()));
  return {read.features.col(0), read.outcome};
}

monthly_means read_carbon_dioxide(const std::string& path, int every) {
  text_file file(path);
  if (split(file, file.first_line()) != std::vector<std::string>{"date", "co2"})
    file.fail("expected 'date,co2'");

  struct month {
    int number;  ///< of months since the year 0
    double sum, weeks;
  };
  std::vector<month> months;
  monthly_means result{{}, 0, 0};
  for (std::string line; file.next(line);) {
    const std::vector<std::string> fields = split(file, line);
    const std::string_view day = trimmed(fields[0]);
    int date = 0;
    if (fields.size() != 2 || day.size() != 8 || !parse(day, date) || date / 100 % 100 < 1 ||
        date / 100 % 100 > 12 || date % 100 < 1 || date % 100 > 31)
      file.fail("expected a date, yyyymmdd, and a comma, found '" + line + "'");
    if (trimmed(fields[1]).empty()) continue;  // no value that week
    const double ppm = number(file, fields, 1);
    if (ppm <= 0) file.fail(1, "a concentration is positive, and empty where it is missing");
    const int month_of_date = date / 10000 * 12 + date / 100 % 100 - 1;
    if (months.empty() || months.back().number < month_of_date)
      months.push_back({month_of_date, 0, 0});
    else if (months.back().number > month_of_date)
      file.fail("the date is before that of an earlier line");
    months.back().sum += ppm;
    months.back().weeks += 1;
    ++result.weeks;
  }
  std::vector<month> kept;
  for (std::size_t k = 0; k < months.size(); k += static_cast<std::size_t>(every)) kept.push_back(months[k]);
  if (kept.size() < 2) throw table_error(path + " has values of fewer than two months");

  const auto n = static_cast<Eigen::Index>(kept.size());
  result.data = {Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const month& m = kept[static_cast<std::size_t>(i)];
    result.data.x[i] = (m.number + 0.5) / 12;
    result.data.y[i] = m.sum / m.weeks;
  }
  result.mean = result.data.y.mean();
  result.data.y.array() -= result.mean;
  return result;
}

}  // namespace example
