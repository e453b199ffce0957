// One mutex guards the list of requests; it is not held while the model is evaluated.

#include "shared_evaluator.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sampling {

shared_evaluator::shared_evaluator(model& evaluated, int chains)
    : model_(&evaluated), active_(chains), idle_since_(clock::now()) {}

double shared_evaluator::evaluate(int chain, const Eigen::VectorXd& position, Eigen::VectorXd& gradient) {
  request mine{chain, &position, &gradient, 0, nullptr, false};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  const auto arrival = clock::now();
  while (!mine.done) {
    if (busy_) {
      changed_.wait(lock);
      continue;
    }
    // Whoever was in the evaluation that just ended is about to ask again: time counts from that end.
    const auto deadline = std::max(arrival, idle_since_) + patience_;
    if (static_cast<int>(waiting_.size()) >= active_ || clock::now() >= deadline)
      lead(lock);
    else
      changed_.wait_until(lock, deadline);
  }
  if (mine.failure) std::rethrow_exception(mine.failure);
  return mine.value;
}

void shared_evaluator::leave() {
  const std::lock_guard lock(mutex_);
  --active_;
  changed_.notify_all();
}

shared_evaluator::counts shared_evaluator::counted() const {
  const std::lock_guard lock(mutex_);
  return counted_;
}

void shared_evaluator::lead(std::unique_lock<std::mutex>& lock) {
  std::vector<request*> requests = std::exchange(waiting_, {});
  std::sort(requests.begin(), requests.end(), [](auto* a, auto* b) { return a->chain < b->chain; });
  ++counted_.evaluations;
  counted_.positions += static_cast<std::int64_t>(requests.size());
  busy_ = true;
  lock.unlock();
  const auto begin = clock::now();
  try {
    evaluate_together(requests);
  } catch (...) {  // no memory to tell requests apart: nobody may wait for ever
    for (request* each : requests) each->failure = std::current_exception();
  }
  lock.lock();
  busy_ = false;
  idle_since_ = clock::now();
  patience_ = (3 * patience_ + (idle_since_ - begin)) / 4;
  for (request* each : requests) each->done = true;
  changed_.notify_all();
}

void shared_evaluator::evaluate_together(const std::vector<request*>& requests) {
  try {
    evaluate_columns(requests);
  } catch (const std::domain_error&) {
    if (requests.size() > 1) {  // one of them is at fault; the others get what they would get alone
      for (request* each : requests) evaluate_together({each});
      return;
    }
    requests[0]->value = -std::numeric_limits<double>::infinity();
    requests[0]->gradient->setZero(requests[0]->position->size());
  } catch (...) {
    for (request* each : requests) each->failure = std::current_exception();
  }
}

void shared_evaluator::evaluate_columns(const std::vector<request*>& requests) {
  const auto columns = static_cast<Eigen::Index>(requests.size());
  positions_.resize(model_->dimension(), columns);
  gradients_.resize(model_->dimension(), columns);
  values_.resize(columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    positions_.col(j) = *requests[static_cast<std::size_t>(j)]->position;
  model_->evaluate(positions_, values_, gradients_);
  for (Eigen::Index j = 0; j < columns; ++j) {
    request& each = *requests[static_cast<std::size_t>(j)];
    each.value = values_[j];
    *each.gradient = gradients_.col(j);
  }
}

}  // namespace sampling
