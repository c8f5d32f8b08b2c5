// SPDX-License-Identifier: MIT
#include "session/identity.hpp"

#include <link.h>

#include <fstream>
#include <iterator>
#include <string_view>

namespace plumb::session {

std::uint64_t identity_of(const Settings& s, const std::string& gtest, int call,
                          const std::vector<std::string>& arguments) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211ull; };
  const auto add_text = [&add](std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  };
  // Code under test may be in any library.
  std::vector<std::string> files = {"/proc/self/exe"};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
          static_cast<std::vector<std::string>*>(all)->emplace_back(info->dlpi_name);
        return 0;
      },
      &files);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    add_text(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  add_text(gtest);
  add(static_cast<std::uint64_t>(call));
  for (const std::string& argument : arguments) add_text(argument);
  const bool is_random =
      s.strategy == SearchBy::pct || s.strategy == SearchBy::pos || s.strategy == SearchBy::random;
  for (const std::uint64_t word :
       {std::uint64_t(s.strategy), std::uint64_t(s.schedule_at), std::uint64_t(s.heap),
        std::uint64_t(s.preemptions), std::uint64_t(s.preemptions_given),
        std::uint64_t(s.exhaustive), s.max_steps, s.seed, is_random ? s.max_executions : 0,
        std::uint64_t(s.spurious), std::uint64_t(s.start_points), std::uint64_t(s.watch_all),
        std::uint64_t(s.call_points), std::uint64_t(s.ignore.race), std::uint64_t(s.ignore.stuck),
        std::uint64_t(s.leaks), std::uint64_t(s.keep_going), std::uint64_t(s.random_values)}) {
    add(word);
  }
  add_text(s.sites);
  if (!s.suppressions.empty()) {
    std::ifstream in(s.suppressions, std::ios::binary);
    add_text(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  return hash;
}

std::uint64_t object_identity_of(const Settings& settings, const std::string& gtest, int call,
                                 std::vector<std::string> arguments) {
  for (const options::Option* option : options::options_of(options::object)) {
    const std::string value = option->show(option->takes, settings);
    if (!value.empty()) arguments.push_back(std::string(option->name) + "=" + value);
  }
  if (settings.max_executions_given) arguments.push_back(std::to_string(settings.max_executions));
  return identity_of(settings, gtest, call, arguments);
}

}  // namespace plumb::session
