// SPDX-License-Identifier: MIT
#include "session/object_workers.hpp"

#include <algorithm>
#include <thread>

#include "plumb/specification.hpp"

namespace plumb::session {

// None: the campaign has the first process only. A specification of the user's is code of his,
// which may not be called by several threads at once.
std::size_t ObjectWorkers::count_of(const Settings& settings,
                                    const ObjectSettings& object_settings) {
  const Specification* const given = object_settings.campaign.check.by.specification;
  const bool is_own = given != nullptr && find_specification(given->name()) != given;
  if (is_own || !settings.replay.empty() || !settings.observations.empty()) return 0;
  const unsigned cores = cores_of(settings);
  return cores > 1 ? cores : 0;
}

unsigned ObjectWorkers::cores_of(const Settings& settings) {
  return settings.jobs > 0 ? static_cast<unsigned>(settings.jobs)
                           : std::max(1U, std::thread::hardware_concurrency());
}

// The system ends a process together with the thread that started it, so each thread has its own.
lineup::Runner* ObjectWorkers::make(unsigned number) {
  auto worker = std::make_unique<Worker>(settings_, object_settings_, cores_, runner_.results());
  if (!worker->watch.open_like(watch_, stop_)) return nullptr;
  workers_[number] = std::move(worker);
  return &workers_[number]->runner;
}

void ObjectWorkers::share_distrust() const {
  for (const std::unique_ptr<Worker>& worker : workers_)
    if (worker != nullptr) runner_.distrust_like(worker->runner);
}

}  // namespace plumb::session
