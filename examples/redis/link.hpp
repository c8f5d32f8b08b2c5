// SPDX-License-Identifier: MIT
// A network between two servers: forwards bytes from its own port to another port. It can hold them
// back, like a slow or broken network.
#pragma once

#include <poll.h>

#include <atomic>

#include "../support/server.hpp"

namespace example {

class Link {
 public:
  explicit Link(int to) : to_(to), listener_(listen_anywhere(port_)) {
    if (listener_ < 0) throw std::runtime_error("no free port");
    thread_ = std::thread([this] { forward(); });
  }
  ~Link() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }
  void hold() { held_ = true; }

 private:
  struct Pair {
    int near, far;
  };

  void forward() {
    std::vector<Pair> pairs;
    while (!stop_) {
      if (held_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
      for (const Pair& pair : pairs) {
        watched.push_back({pair.near, POLLIN, 0});
        watched.push_back({pair.far, POLLIN, 0});
      }
      if (poll(watched.data(), watched.size(), 5) <= 0 || held_) continue;
      for (std::size_t i = pairs.size(); i-- > 0;) {
        const bool open = (!watched[1 + 2 * i].revents || copy(pairs[i].near, pairs[i].far)) &&
                          (!watched[2 + 2 * i].revents || copy(pairs[i].far, pairs[i].near));
        if (open) continue;
        close(pairs[i].near);
        close(pairs[i].far);
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (!watched[0].revents) continue;
      const int near = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int far = connect_to(to_, std::chrono::seconds(1));
      if (near >= 0 && far >= 0) pairs.push_back({near, far});
    }
    for (const Pair& pair : pairs) {
      close(pair.near);
      close(pair.far);
    }
  }

  /// Returns: whether the connection is still open.
  static bool copy(int from, int to) {
    char bytes[65536];
    const ssize_t n = recv(from, bytes, sizeof bytes, 0);
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t m = send(to, bytes + sent, static_cast<std::size_t>(n - sent), MSG_NOSIGNAL);
      if (m <= 0) return false;
      sent += m;
    }
    return n > 0;
  }

  int to_, port_ = 0;
  int listener_;
  std::atomic<bool> stop_{false}, held_{false};
  std::thread thread_;
};

}  // namespace example
