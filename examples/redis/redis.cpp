// SPDX-License-Identifier: MIT
// Records what clients of a real Redis see, in three set-ups:
//   primary.jsonl   one server, GET, SET and a compare-and-set in Lua
//   replica.jsonl   writes go to the primary, reads to its replica; the primary is killed and the
//                   replica promoted
//   failover.jsonl  reads and writes go to the primary; it is killed, the replica is promoted, and
//                   all clients continue there
// Redis replicates asynchronously: it answers a SET before the replica has it. So the first
// history is linearizable and the others are not.
//   example_redis FOLDER
#include <hiredis/hiredis.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <plumb/recorder.hpp>
#include <random>

#include "link.hpp"

namespace {

using namespace std::chrono_literals;
using example::Server;

constexpr int kKeys = 4, kClients = 6;

struct Lost : std::runtime_error {  // the connection: the outcome of the command is unknown
  using std::runtime_error::runtime_error;
};

class Connection {
 public:
  explicit Connection(int port) : context_(nullptr, redisFree) {
    const timeval limit{1, 0};
    context_.reset(redisConnectWithTimeout("127.0.0.1", port, limit));
    if (!context_ || context_->err || redisSetTimeout(context_.get(), limit) != REDIS_OK)
      throw Lost("cannot connect");
  }

  int read(int key) {
    const Reply reply = command({"GET", name(key)});
    return reply->type == REDIS_REPLY_STRING ? std::stoi(reply->str) : 0;
  }
  void write(int key, int value) { command({"SET", name(key), std::to_string(value)}); }
  bool cas(int key, int expect, int desired) {
    static const std::string kScript =
        "if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return 0 end "
        "redis.call('SET', KEYS[1], ARGV[2]) return 1";
    return command(
               {"EVAL", kScript, "1", name(key), std::to_string(expect), std::to_string(desired)})
               ->integer == 1;
  }

  using Reply = std::unique_ptr<redisReply, void (*)(void*)>;
  Reply command(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    Reply reply(static_cast<redisReply*>(redisCommandArgv(
                    context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())),
                freeReplyObject);
    if (!reply) throw Lost(context_->errstr);
    if (reply->type == REDIS_REPLY_ERROR) throw Lost(reply->str);
    return reply;
  }

 private:
  static std::string name(int key) { return "key" + std::to_string(key); }
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

Server start(const std::string& folder, const std::string& name, int port) {
  const std::string data = folder + "/" + name;
  std::filesystem::create_directories(data);
  return Server({"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--save",
                 "", "--appendonly", "no", "--repl-diskless-sync-delay", "0", "--dir", data},
                data + "/log");
}

void wait_for(int port) {
  example::wait_until("answer from redis-server", 5, [&] {
    try {
      return Connection(port).command({"PING"})->type == REDIS_REPLY_STATUS;
    } catch (const Lost&) { return false; }
  });
}

void finish(plumb::Recorder& recorder) {
  if (const plumb::Status status = recorder.flush(); !status)
    throw std::runtime_error(status.error().to_string());
}

void record_primary(const std::string& folder) {
  const int port = example::free_ports(1)[0];
  const Server server = start(folder, "primary-data", port);
  wait_for(port);
  plumb::Recorder recorder(folder + "/primary.jsonl", {.object = "array"});
  std::vector<std::jthread> clients;
  for (int c = 0; c < kClients; ++c)
    clients.emplace_back([c, port, process = recorder.process()]() mutable {
      std::mt19937 random(static_cast<unsigned>(c));
      int seen[kKeys] = {};
      std::optional<Connection> redis;
      for (int i = 0; i < 2000; ++i) {
        const int key = static_cast<int>(random() % kKeys), value = static_cast<int>(random() % 5);
        try {
          if (!redis) redis.emplace(port);
          switch (random() % 3) {
            case 0:
              seen[key] = process.record("read", key, [&] { return redis->read(key); });
              break;
            case 1: process.record("write", key, value, [&] { redis->write(key, value); }); break;
            default:
              process.record("cas", key, seen[key], value,
                             [&] { return redis->cas(key, seen[key], value); });
          }
        } catch (const Lost&) { redis.reset(); }
      }
    });
  clients.clear();  // joins
  finish(recorder);
}

// A primary with a replica behind a link. Clients write each number at most once.
void record_replicated(const std::string& folder, const std::string& name, bool read_replica) {
  const std::vector<int> ports = example::free_ports(2);
  Server primary = start(folder, name + "-primary-data", ports[0]);
  const Server replica = start(folder, name + "-replica-data", ports[1]);
  wait_for(ports[0]);
  wait_for(ports[1]);
  example::Link link(ports[0]);
  Connection control(ports[1]);
  control.command({"REPLICAOF", "127.0.0.1", std::to_string(link.port())});
  example::wait_until("replication", 10, [&] {
    const auto reply = control.command({"INFO", "replication"});
    return std::string(reply->str, reply->len).find("master_link_status:up") != std::string::npos;
  });

  std::atomic<int> write_port{ports[0]};  // 0: no writes
  std::atomic<int> read_port{read_replica ? ports[1] : ports[0]};
  std::atomic<int> next{1}, acknowledged{0};
  std::atomic<bool> stop{false};
  plumb::Recorder recorder(folder + "/" + name + ".jsonl", {.object = "array"});
  std::vector<std::jthread> clients;
  for (int c = 0; c < kClients; ++c)
    clients.emplace_back([&, c, process = recorder.process()]() mutable {
      std::mt19937 random(static_cast<unsigned>(c));
      std::optional<Connection> writes, reads;
      int writes_to = 0, reads_from = 0;
      const auto reach = [](std::optional<Connection>& connection, int& port, int wanted) {
        if (connection && port == wanted) return;
        connection.emplace(wanted);
        port = wanted;
      };
      while (!stop) {
        const int key = static_cast<int>(random() % kKeys);
        try {
          const int port = write_port;
          if (port == 0 || random() % 2) {
            reach(reads, reads_from, read_port);
            process.record("read", key, [&] { return reads->read(key); });
          } else {
            reach(writes, writes_to, port);
            const int value = next++;
            process.record("write", key, value, [&] { writes->write(key, value); });
            ++acknowledged;
          }
        } catch (const Lost&) {  // recorded as unknown, if it was sent
          writes.reset();
          reads.reset();
          std::this_thread::sleep_for(20ms);
        }
        std::this_thread::sleep_for(1ms);
      }
    });
  struct Stop {  // before the clients are joined, on every exit path
    std::atomic<bool>& stop;
    ~Stop() { stop = true; }
  } const stop_clients{stop};
  const auto let_them_write = [&](int count) {
    const int until = acknowledged + count;
    example::wait_until("progress", 10, [&] { return acknowledged >= until; });
  };

  let_them_write(500);
  link.hold();  // from here on the replica receives nothing; the primary still answers
  let_them_write(500);
  primary.kill();
  write_port = 0;
  control.command({"REPLICAOF", "NO", "ONE"});
  read_port = ports[1];
  plumb::Recorder::Process process = recorder.process();
  for (int key = 0; key < kKeys; ++key)
    process.record("read", key, [&] { return control.read(key); });
  write_port = ports[1];
  let_them_write(500);
  stop = true;
  clients.clear();  // joins
  finish(recorder);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(20);  // ends this program; the kernel then ends the servers
  try {
    const std::string folder = argc > 1 ? argv[1] : ".";
    record_primary(folder);
    record_replicated(folder, "replica", true);
    record_replicated(folder, "failover", false);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
