// How random graphs with their gradients are cut into steps, for either form of a device and all sizes.
// fuzz.hpp says how many.

#include <autodiff/fuzz.hpp>
#include <autodiff/with_gradients.hpp>
#include <support/sound_plan.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(RandomPlans, AreSound) {
  const std::uint64_t wanted = number_from_environment("FUSECL_FUZZ_PLANS", 600);
  std::uint64_t plans = 0, steps = 0, most = 0;
  for_seeds(wanted, [&](std::uint64_t seed) {
    const bool factors = seed % 2 == 0, products = factors || seed % 4 == 1;
    const random_graphs made(seed, {.floats = true,
                                    .graphs = products ? 4u : 16u,
                                    .rows = seed % 3 == 0 ? 37 : 4,
                                    .steps = factors ? 3 : 6,
                                    .products = products,
                                    .factors = factors,
                                    .costly = 6});
    const ir::graph all = passes::run_pipeline(with_gradients(made, 0, made.size()).g);
    const auto& extents = made.result.values.extents;
    for (const auto form : {schedule::device_form::gpu, schedule::device_form::cpu})
      for (const schedule::plan& p : schedule::make_plans(all, form, extents.data(), extents.size())) {
        EXPECT_EQ(what_is_unsound(p), "") << "seed " << seed << "\n" << to_string(p.graph);
        ++plans;
        steps += p.steps.size();
        most = std::max<std::uint64_t>(most, p.steps.size());
      }
    return true;
  });
  std::cout << "[  plans   ] " << plans << " with " << steps << " steps, at most " << most << "\n";
  EXPECT_GT(steps, 5 * plans);
}

}  // namespace
}  // namespace fusecl
