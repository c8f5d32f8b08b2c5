// SPDX-License-Identifier: MIT
// Records what clients of a real etcd see: three members, whose leader is killed and restarted
// while several clients read, write and compare-and-set a few keys through all of them.
//   example_etcd FOLDER     writes FOLDER/etcd.jsonl
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <plumb/recorder.hpp>
#include <random>

#include "../support/server.hpp"

namespace {

using namespace std::chrono_literals;
using example::Server;
using nlohmann::json;

constexpr int kMembers = 3, kKeys = 4, kClients = 6;

struct Lost : std::runtime_error {  // no answer, or one without a clear outcome
  using std::runtime_error::runtime_error;
};

// Bytes are base64 in etcd's JSON.
std::string to_base64(const std::string& bytes) {
  static const char* const kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string key_name(int key) { return to_base64("key" + std::to_string(key)); }
// Few values, so that they are recognised without decoding.
constexpr int kValues = 5;
std::string value_name(int value) { return to_base64(std::to_string(value)); }

// One request to etcd's JSON gateway. It connects first: if the member is down, nothing was sent,
// so nothing happened.
class Request {
 public:
  explicit Request(int port) : socket_(example::connect_to(port, 1000ms)) {
    if (socket_ < 0) throw Lost("cannot connect");
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() { close(socket_); }

  json post(const std::string& path, const json& body) {
    const std::string text = body.dump();
    // HTTP 1.0: the answer ends where the connection does.
    send_all("POST " + path + " HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
             "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    const std::string answer = receive_all();
    const std::size_t end = answer.find("\r\n\r\n");
    const std::size_t status = answer.find(' ');
    if (end == std::string::npos || answer.compare(status, 5, " 200 ") != 0)
      throw Lost("refused: " + answer.substr(0, answer.find('\r')));
    json parsed = json::parse(answer.substr(end + 4), nullptr, false);
    if (parsed.is_discarded()) throw Lost("half an answer");
    return parsed;
  }

 private:
  void send_all(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) throw Lost("cannot send");
      sent += static_cast<std::size_t>(n);
    }
  }
  std::string receive_all() const {
    std::string text;
    char bytes[4096];
    for (;;) {
      const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
      if (n < 0) throw Lost("no answer in time");
      if (n == 0) return text;
      text.append(bytes, static_cast<std::size_t>(n));
    }
  }

  int socket_;
};

// Returns: -1 for a key without value, and for a value that was never written: a violation.
int read(Request& request, int key) {
  const json answer = request.post("/v3/kv/range", {{"key", key_name(key)}});
  if (!answer.contains("header")) throw Lost("odd answer");
  const json value = answer.value("/kvs/0/value"_json_pointer, json());
  for (int v = 0; v < kValues; ++v)
    if (value == value_name(v)) return v;
  return -1;
}

json put(int key, int value) { return {{"key", key_name(key)}, {"value", value_name(value)}}; }

void write(Request& request, int key, int value) {
  if (!request.post("/v3/kv/put", put(key, value)).contains("header")) throw Lost("odd answer");
}

bool cas(Request& request, int key, int expect, int desired) {
  const json body = {{"compare", json::array({{{"target", "VALUE"},
                                               {"result", "EQUAL"},
                                               {"key", key_name(key)},
                                               {"value", value_name(expect)}}})},
                     {"success", json::array({{{"requestPut", put(key, desired)}}})}};
  const json answer = request.post("/v3/kv/txn", body);
  if (!answer.contains("header")) throw Lost("odd answer");
  return answer.value("succeeded", false);
}

struct Cluster {
  std::vector<int> ports;  // for clients, by member
  std::vector<Server> members;

  explicit Cluster(const std::string& folder) {
    const std::vector<int> all = example::free_ports(2 * kMembers);
    ports.assign(all.begin(), all.begin() + kMembers);
    const auto name = [](int m) { return "member" + std::to_string(m); };
    const auto url = [](int port) { return "http://127.0.0.1:" + std::to_string(port); };
    std::string cluster;
    for (int m = 0; m < kMembers; ++m)
      cluster += (m ? "," : "") + name(m) + "=" + url(all[static_cast<std::size_t>(kMembers + m)]);
    for (int m = 0; m < kMembers; ++m) {
      const std::string client = url(all[static_cast<std::size_t>(m)]);
      const std::string peer = url(all[static_cast<std::size_t>(kMembers + m)]);
      members.push_back(Server({"etcd",
                                "--name",
                                name(m),
                                "--data-dir",
                                folder + "/" + name(m),
                                "--listen-client-urls",
                                client,
                                "--advertise-client-urls",
                                client,
                                "--listen-peer-urls",
                                peer,
                                "--initial-advertise-peer-urls",
                                peer,
                                "--initial-cluster",
                                cluster,
                                "--initial-cluster-state",
                                "new",
                                "--heartbeat-interval",
                                "50",
                                "--election-timeout",
                                "500"},
                               folder + "/" + name(m) + ".log"));
    }
  }

  /// Returns: its number, or -1 while there is none.
  int leader() const {
    for (int m = 0; m < kMembers; ++m) try {
        const json status = Request(ports[static_cast<std::size_t>(m)])
                                .post("/v3/maintenance/status", json::object());
        const json self = status.value("/header/member_id"_json_pointer, json());
        if (self.is_string() && self == status.value("leader", json())) return m;
      } catch (const Lost&) {}
    return -1;
  }
};

void record(const std::string& folder) {
  Cluster cluster(folder);
  example::wait_until("leader", 10, [&] { return cluster.leader() >= 0; });
  for (int key = 0; key < kKeys; ++key)
    example::wait_until("first write", 5, [&] {
      try {
        Request request(cluster.ports[0]);
        write(request, key, 0);
        return true;
      } catch (const Lost&) { return false; }
    });

  plumb::Recorder recorder(folder + "/etcd.jsonl", {.object = "array"});
  std::atomic<bool> stop{false};
  std::atomic<int> done{0}, unknown{0};
  std::vector<std::jthread> clients;
  for (int c = 0; c < kClients; ++c)
    clients.emplace_back([&, c, process = recorder.process()]() mutable {
      std::mt19937 random(static_cast<unsigned>(c));
      std::size_t member = static_cast<std::size_t>(c) % kMembers;
      int seen[kKeys] = {};
      while (!stop) {
        const int key = static_cast<int>(random() % kKeys),
                  value = static_cast<int>(random() % kValues);
        bool sent = false;
        try {
          Request request(cluster.ports[member]);
          sent = true;
          switch (random() % 3) {
            case 0:
              seen[key] = process.record("read", key, [&] { return read(request, key); });
              break;
            case 1: process.record("write", key, value, [&] { write(request, key, value); }); break;
            default:
              process.record("cas", key, seen[key], value,
                             [&] { return cas(request, key, seen[key], value); });
          }
          ++done;
        } catch (const Lost&) {  // recorded as unknown if it was sent
          unknown += sent;
          member = (member + 1) % kMembers;
          std::this_thread::sleep_for(20ms);
        }
      }
    });
  struct Stop {  // before the clients are joined, on every exit path
    std::atomic<bool>& stop;
    ~Stop() { stop = true; }
  } const stop_clients{stop};
  const auto let_them_work = [&](std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
    const int until = done + 50;
    example::wait_until("progress", 8, [&] { return done >= until; });
  };

  let_them_work(1500ms);
  int leader = -1;
  example::wait_until("leader", 5, [&] { return (leader = cluster.leader()) >= 0; });
  Server& victim = cluster.members[static_cast<std::size_t>(leader)];
  victim.kill();
  let_them_work(2000ms);
  victim.start();
  let_them_work(1500ms);
  stop = true;
  clients.clear();  // joins
  if (const plumb::Status status = recorder.flush(); !status)
    throw std::runtime_error(status.error().to_string());
  std::printf("member %d, the leader, was killed and came back; %d operations, %d unknown\n",
              leader, done.load(), unknown.load());
}

}  // namespace

int main(int argc, char** argv) {
  alarm(20);  // ends this program; the kernel then ends the servers
  try {
    record(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
