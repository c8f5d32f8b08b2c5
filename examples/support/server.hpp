// SPDX-License-Identifier: MIT
// Servers for an example: child processes on loopback that never outlive it.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace example {

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A listening socket on a port that the system chooses, or -1.
inline int listen_anywhere(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || listen(fd, 16) != 0 || getsockname(fd, generic, &size) != 0) {
    close(fd);
    return -1;
  }
  port = ntohs(address.sin_port);
  return fd;
}

/// `count` different ports on which no process listens now.
inline std::vector<int> free_ports(std::size_t count) {
  std::vector<int> ports(count), sockets;
  for (int& port : ports) sockets.push_back(listen_anywhere(port));
  for (const int fd : sockets) {
    if (fd < 0) throw std::runtime_error("no free port");
    close(fd);
  }
  return ports;
}

/// Connects, with a time limit for each later send and receive. Returns: the socket, or -1.
inline int connect_to(int port, std::chrono::milliseconds limit) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval time{limit.count() / 1000, limit.count() % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  const sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

/// A running program. Start it on the main thread: the kernel kills it when that thread ends, for
/// whatever reason.
class Server {
 public:
  Server(std::vector<std::string> command, std::string log)
      : command_(std::move(command)), log_(std::move(log)) {
    start();
  }
  Server(Server&& other) noexcept
      : command_(std::move(other.command_)), log_(std::move(other.log_)),
        pid_(std::exchange(other.pid_, 0)) {}
  ~Server() { kill(); }

  void start() {
    std::vector<char*> args;
    for (std::string& arg : command_) args.push_back(arg.data());
    args.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(args[0], args.data());
    _exit(127);
  }
  /// SIGKILL: the program cannot clean up.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  std::vector<std::string> command_;
  std::string log_;
  pid_t pid_ = 0;
};

/// Waits until `ready()`; throws after the time limit.
template <class Ready>
void wait_until(const std::string& what, int seconds, const Ready& ready) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace example
