// SPDX-License-Identifier: MIT
// What Linux knows of the processes that one has started.
//
// A process whose parent ends becomes a child of its nearest ancestor that is a subreaper
// (PR_SET_CHILD_SUBREAPER), so that nothing can hide: it is always found as a child, after its own
// parent was ended.
#pragma once

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

namespace plumb {

/// A child is listed at the thread that started it.
template <class Visit>
void visit_children(int pid, const Visit& visit) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* const tasks = ::opendir(path);
  if (tasks == nullptr) return;
  while (const dirent* task = ::readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    char file[384];
    std::snprintf(file, sizeof file, "%s/%s/children", path, task->d_name);
    std::FILE* const children = std::fopen(file, "re");
    if (children == nullptr) continue;
    for (int child = 0; std::fscanf(children, "%d", &child) == 1;) visit(child);
    std::fclose(children);
  }
  ::closedir(tasks);
}

/// Kills those children of this process that `is_meant` selects, and what they leave behind, until
/// there are none.
template <class IsMeant>
void end_children(const IsMeant& is_meant) {
  for (bool any = true; any;) {
    std::vector<int> found;
    visit_children(::getpid(), [&](int child) {
      if (is_meant(child)) found.push_back(child);
    });
    any = false;
    for (const int child : found) {
      if (::kill(child, SIGKILL) != 0) continue;
      any = true;
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    }
  }
}

}  // namespace plumb
