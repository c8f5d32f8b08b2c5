// SPDX-License-Identifier: MIT
#include "runtime/memory/snapshot.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#include "runtime/base/bytes.hpp"
#include "runtime/base/libraries.hpp"
#include "runtime/base/real.hpp"

namespace plumb::runtime {
namespace {

bool of_the_system(std::string_view path) {
  return path.starts_with("/lib") || path.starts_with("/usr/lib") || path.starts_with("linux-vdso");
}

// Where the runtime itself is: its memory is ours.
bool is_runtime(const dl_phdr_info& info) {
  const auto here = reinterpret_cast<std::uintptr_t>(&of_the_system);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && here - (info.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  }
  return false;
}

std::byte* keep(const void* from, std::size_t bytes, std::size_t zeros) {
  void* const kept =
      mmap(nullptr, bytes + zeros, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (kept == MAP_FAILED) return nullptr;
  copy_bytes(kept, from, bytes);
  return static_cast<std::byte*>(kept);
}

}  // namespace

void Snapshot::add_region(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end || region_count_ == kMost) return;
  std::byte* const copy = keep(reinterpret_cast<void*>(begin), end - begin, 0);
  if (copy == nullptr) return;
  regions_[region_count_++] = {reinterpret_cast<std::byte*>(begin), end - begin, copy};
  global_bytes_ += end - begin;
}

int Snapshot::visit(dl_phdr_info* info, std::size_t, void* self_pointer) {
  auto& self = *static_cast<Snapshot*>(self_pointer);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (is_runtime(*info)) return 0;
  if (is_c_library(path)) return 0;  // what it keeps is also ours, and the kernel's
  const bool system = of_the_system(path);

  std::uintptr_t relro_begin = 0;
  std::uintptr_t relro_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    relro_begin = info->dlpi_addr + segment.p_vaddr;
    relro_end = (relro_begin + segment.p_memsz + 4095) / 4096 * 4096;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && system) {
      self.pages_->watch(relro_end > begin && relro_begin < end ? relro_end : begin, end);
    } else if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      if (relro_end > begin && relro_begin < end) {
        self.add_region(begin, relro_begin);
        self.add_region(relro_end, end);
      } else {
        self.add_region(begin, end);
      }
    }
    if (segment.p_type == PT_TLS && info->dlpi_tls_data != nullptr &&
        self.thread_local_count_ < kMost) {
      const auto fs = static_cast<std::uintptr_t>(real().pthread_self());
      std::byte* const image = keep(reinterpret_cast<void*>(begin), segment.p_filesz,
                                    segment.p_memsz - segment.p_filesz);
      if (image == nullptr) continue;
      self.thread_locals_[self.thread_local_count_++] = {
          static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data) - fs),
          segment.p_memsz, image};
    }
  }
  return 0;
}

void Snapshot::take(Pages& pages) {
  pages_ = &pages;
  environment_ = environ;
  region_count_ = 0;
  thread_local_count_ = 0;
  global_bytes_ = 0;
  dl_iterate_phdr(&Snapshot::visit, this);
}

bool Snapshot::covers(const void* global) const {
  const auto* const p = static_cast<const std::byte*>(global);
  for (int i = 0; i < region_count_; ++i) {
    if (static_cast<std::size_t>(p - regions_[i].begin) < regions_[i].bytes) return true;
  }
  return pages_ != nullptr && pages_->watches(global);
}

void Snapshot::restore_globals() const {
  if (pages_ != nullptr) environ = environment_;
  for (int i = 0; i < region_count_; ++i) {
    copy_bytes(regions_[i].begin, regions_[i].copy, regions_[i].bytes);
  }
}

void Snapshot::restore_thread_locals(std::uint64_t fs) const {
  for (int i = 0; i < thread_local_count_; ++i) {
    const ThreadLocals& t = thread_locals_[i];
    copy_bytes(reinterpret_cast<std::byte*>(fs) + t.offset, t.image, t.bytes);
  }
}

}  // namespace plumb::runtime
