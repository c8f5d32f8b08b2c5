// SPDX-License-Identifier: MIT
#include "plumb/object_under_test.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace plumb::detail {
namespace {

using OwnedCallable = std::unique_ptr<void, void (*)(void*)>;

OwnedCallable own_callable(const Erased& erased) { return {erased.self, erased.destroy}; }

struct OwnedCall {
  void (*run)(const void* self, void* object) = nullptr;
  OwnedCallable self{nullptr, nullptr};
};

struct TestedOperation {
  std::string name, text, sample;
  OwnedCallable self;
};

}  // namespace

struct ObjectUnderTest::Content {
  std::atomic<int> owners{1};
  std::string name;
  std::vector<TestedOperation> methods;     // what the operations point to
  std::vector<plumb_operation> operations;  // one for each
  OwnedCall validate, attach, detach;
  OwnedCallable make_self{nullptr, nullptr};
  void* (*make)(const void* self) = nullptr;
  bool has_default = true;
  std::string refused, refused_test;
  plumb_object table = {};

  template <OwnedCall Content::*kCall>
  static void run(const void* content, void* object) {
    const OwnedCall& call = static_cast<const Content*>(content)->*kCall;
    call.run(call.self.get(), object);
  }

  // A later method of the same name may have made the same operation more than once.
  template <class Change>
  void change_last(Change change) {
    for (std::size_t i = 0; i < methods.size(); ++i)
      if (methods[i].name == methods.back().name) change(operations[i]);
  }
};

ObjectUnderTest::ObjectUnderTest(const char* name, void* (*create)(const void*),
                                 void (*destroy)(void*), bool has_default)
    : content_(new Content) {
  content_->name = name;
  content_->has_default = has_default;
  if (!has_default)
    content_->refused = content_->name + " has no default constructor: give .made_by(...)";
  content_->table.create = create;
  content_->table.destroy = destroy;
  content_->table.self = content_;
}

ObjectUnderTest::ObjectUnderTest(const ObjectUnderTest& other) : content_(other.content_) {
  content_->owners.fetch_add(1, std::memory_order_relaxed);
}

ObjectUnderTest::~ObjectUnderTest() {
  if (content_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete content_;
}

void ObjectUnderTest::add(const Operation& o) {
  content_->methods.push_back({o.method, o.text, o.sample, own_callable(o.self)});
  content_->operations.push_back({nullptr, nullptr, o.run, o.self.self, -1, 0, o.traits, nullptr});
}

void ObjectUnderTest::set_last_only_on(int column) {
  content_->change_last([column](plumb_operation& operation) { operation.only_on = column; });
}
void ObjectUnderTest::set_last_one_thread() {
  content_->change_last([](plumb_operation& operation) { operation.one_thread = 1; });
}
void ObjectUnderTest::add_last_trait(int trait) {
  content_->change_last([trait](plumb_operation& operation) { operation.traits |= trait; });
}

void ObjectUnderTest::set_data_independent() { content_->table.data_independent = 1; }

void ObjectUnderTest::set_validate(Call validate, Erased self) {
  content_->validate = {validate, own_callable(self)};
  content_->table.validate = &Content::run<&Content::validate>;
}

void ObjectUnderTest::set_each_thread(Call attach, Erased attach_self, Call detach,
                                      Erased detach_self) {
  content_->attach = {attach, own_callable(attach_self)};
  content_->detach = {detach, own_callable(detach_self)};
  content_->table.attach = &Content::run<&Content::attach>;
  content_->table.detach = &Content::run<&Content::detach>;
}

void ObjectUnderTest::set_make(void* (*make)(const void*), Erased self) {
  content_->make = make;
  content_->make_self = own_callable(self);
  content_->refused.clear();
  content_->table.create = [](const void* content) {
    const auto& its = *static_cast<const Content*>(content);
    return its.make(its.make_self.get());
  };
}

void ObjectUnderTest::set_without_values(const char* method) {
  content_->refused_test = std::string(method) + " of " + content_->name +
                           " has arguments: say what they are, by plumb::values(...) for each";
}

const plumb_object& ObjectUnderTest::table() const {
  for (std::size_t i = 0; i < content_->methods.size(); ++i) {
    const TestedOperation& method = content_->methods[i];
    plumb_operation& operation = content_->operations[i];
    operation.method = method.name.c_str();
    operation.text = method.text.c_str();
    operation.sample = method.sample.c_str();
  }
  content_->table.name = content_->name.c_str();
  content_->table.operations = content_->operations.data();
  content_->table.count = static_cast<int>(content_->operations.size());
  return content_->table;
}

const char* ObjectUnderTest::refuse() const { return content_->refused.c_str(); }

const char* ObjectUnderTest::refuse_test() const {
  return content_->refused_test.empty() ? refuse() : content_->refused_test.c_str();
}

}  // namespace plumb::detail
