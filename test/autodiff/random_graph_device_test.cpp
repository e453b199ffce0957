// Random graphs with their gradients on the device against the interpreter, within the bounds that the
// records of their operations give. Building kernels takes the time, so a statement computes a batch of
// graphs over the same operands. fuzz.hpp says how many; FUSECL_FUZZ_BATCH sets the size of a batch,
// and FUSECL_FUZZ_FACTORS=1 has factors in all graphs.

#include <autodiff/fuzz.hpp>
#include <autodiff/graph_on_device.hpp>
#include <autodiff/with_gradients.hpp>
#include <support/both_forms.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Compares the roots of a graph, computed in one statement.
std::vector<wrong_element> compare_on_device(const bound_graph& bound, const ir::graph& g, tally& done) {
  ++done.statements;
  return compare(bound, g, on_device(bound, g), done);
}

/// Compares graphs `begin` to `end`; says what is wrong, if anything.
std::string differences(const random_graphs& made, std::size_t begin, std::size_t end, tally& done) {
  const with_gradients all(made, begin, end);
  std::ostringstream text;
  try {
    for (const wrong_element& d : compare_on_device(made.result, all.g, done)) {
      const auto graph = std::upper_bound(all.first.begin(), all.first.end(), d.root) - all.first.begin() - 1;
      text << "graph " << begin + static_cast<std::size_t>(graph) << " root "
           << d.root - all.first[static_cast<std::size_t>(graph)] << " " << d << "\n";
    }
  } catch (const std::exception& e) {
    return std::string("throws ") + e.what() + "\n";
  }
  return text.str();
}

/// The graph with fewer roots, of which one is still wrong: parts of the others are left out while that
/// holds.
ir::graph shrunk(const bound_graph& bound, ir::graph g) {
  tally ignored;
  const auto is_wrong = [&](const list_of<ir::node_id>& roots) {
    ir::graph fewer = g;
    fewer.roots = roots;
    try {
      return !compare_on_device(bound, passes::merge_and_prune(fewer), ignored).empty();
    } catch (const std::exception&) {
      return true;
    }
  };
  list_of<ir::node_id> roots = g.roots;
  for (std::size_t part = (roots.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
    for (std::size_t at = 0; at < roots.size() && roots.size() > 1;) {
      list_of<ir::node_id> fewer;
      for (std::size_t k = 0; k < roots.size(); ++k)
        if (k < at || k >= at + part) fewer.push_back(roots[k]);
      if (!fewer.empty() && is_wrong(fewer))
        roots = fewer;
      else
        at += part;
    }
  g.roots = roots;
  return passes::merge_and_prune(g);
}

/// What is wrong with a batch, and the first of its graphs that is wrong alone, or else the fewest roots
/// found that are wrong together.
std::string report(const random_graphs& made, const std::string& wrong) {
  tally ignored;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const std::string alone = differences(made, k, k + 1, ignored);
    if (!alone.empty()) return wrong + "alone: " + alone + to_string(with_gradients(made, k, k + 1).g);
  }
  return wrong + "together: " + to_string(shrunk(made.result, with_gradients(made, 0, made.size()).g));
}

TEST(RandomGraphsOnTheDevice, AgreeWithTheInterpreter) {
  FUSECL_NEEDS_DOUBLE;
  const std::uint64_t wanted = number_from_environment("FUSECL_FUZZ_DEVICE_GRAPHS", 48);
  const std::uint64_t batch = number_from_environment("FUSECL_FUZZ_BATCH", 16);
  const fuzz_shard mine;
  const bool only_factors = number_from_environment("FUSECL_FUZZ_FACTORS", 0) != 0;
  const char* given = std::getenv("FUSECL_SCHEDULE");
  const std::string form = given != nullptr ? given : "";
  tally done;
  int wrong_batches = 0;
  const time_limit limit;
  for (std::uint64_t k = 0; k * batch < wanted && wrong_batches < 5 && !limit.is_over(); ++k) {
    if (!mine.has(k)) continue;
    const std::uint64_t seed = base_seed() + k;
    const bool factors = only_factors || seed % 8 == 3, products = factors || seed % 4 == 1;
    // whose kernels take long to build: fewer graphs
    const std::uint64_t most = products ? std::min<std::uint64_t>(batch, 4) : batch;
    const auto graphs = static_cast<std::size_t>(std::min(most, wanted - k * batch));
    const std::int64_t rows = seed % 4 == 0 ? 19 : seed % 8 == 5 || seed % 16 == 11 ? 37 : 4;
    const random_graphs made(seed, {.floats = true,
                                    .graphs = graphs,
                                    .rows = rows,
                                    .steps = factors ? 3 : 6,
                                    .products = products,
                                    .factors = factors,
                                    .costly = 6});
    std::string wrong = differences(made, 0, graphs, done);
    if (!wrong.empty()) wrong = report(made, wrong);
    if (form.empty() && seed % 8 == 0) {  // the other form as well; slow where a driver is not made for it
      const bool cpu = opencl_context.capabilities().cpu;
      if (!cpu || gpu_form_is_sound()) {
        set_schedule(cpu ? "gpu" : "cpu");
        const std::string other = differences(made, 0, std::min<std::size_t>(graphs, 2), done);
        if (!other.empty()) wrong += "the form for the other kind of device: " + other;
        set_schedule("");
      }
    }
    done.graphs += graphs;
    if (wrong.empty()) continue;
    ++wrong_batches;
    ADD_FAILURE() << "FUSECL_TEST_SEED=" << seed << ", batches of " << batch << "\n" << wrong;
  }
  std::cout << "[  graphs  ] " << done.graphs << " of " << wanted << " from seed " << base_seed() << ", in "
            << done.statements << " statements: " << done.compared << " results compared, " << done.zero
            << " of them zero, " << done.uncertain << " too uncertain\n";
  // one graph whose numbers cancel may leave many of a short run uncertain
  const std::uint64_t share = done.statements > 200 ? 9 : only_factors ? 1 : 4;
  if (done.statements > 10) {
    EXPECT_GE(done.compared, share * done.uncertain);
  }
}

}  // namespace
}  // namespace fusecl
