// SPDX-License-Identifier: MIT
#include "runtime/unseen/survey.hpp"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "runtime/base/libraries.hpp"
#include "runtime/unseen/function_table.hpp"

// Where the linker has put what instrumented code calls (hooks/tsan_hooks.cpp).
extern "C" const std::byte __start_plumb_instrumentation[] __attribute__((visibility("hidden")));
extern "C" const std::byte __stop_plumb_instrumentation[] __attribute__((visibility("hidden")));

namespace plumb::runtime {
namespace {

// What the C and C++ libraries do concurrently is known by the names of their functions, which are
// hooks; the others are used by the runtime itself.
bool is_known(std::string_view path) {
  constexpr std::string_view kNames[] = {"libstdc++",   "libc++",    "libunwind",   "libgcc_s",
                                         "libatomic",   "libfmt.so", "libz.so",     "libzstd.so",
                                         "libsimdjson", "libxxhash", "libZydis.so", "libZycore.so",
                                         "libdw.so",    "libelf.so", "liblzma.so",  "libbz2.so"};
  return is_c_library(path) || is_library_of(kNames, path);
}

constexpr std::string_view kCppLibrary[] = {"libstdc++"};

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t a) const { return a - begin < end - begin; }
};

// The program or a library, as it is loaded.
struct LoadedCode {
  std::vector<Range> code, writable;
  Range constant_later;  // written by the loader only
  const std::byte* unwind_table = nullptr;

  bool is_code(std::uintptr_t a) const {
    return std::ranges::any_of(code, [a](const Range& r) { return r.contains(a); });
  }
  bool is_writable(std::uintptr_t a) const {
    return !constant_later.contains(a) &&
           std::ranges::any_of(writable, [a](const Range& r) { return r.contains(a); });
  }
};

LoadedCode loaded_code(const dl_phdr_info& info) {
  LoadedCode module;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    const Range range{begin, begin + segment.p_memsz};
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) module.code.push_back(range);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
      module.writable.push_back(range);
    if (segment.p_type == PT_GNU_RELRO) module.constant_later = range;
    if (segment.p_type == PT_GNU_EH_FRAME)
      module.unwind_table = reinterpret_cast<const std::byte*>(begin);
  }
  return module;
}

constexpr std::int8_t kStackPointer = 4, kFramePointer = 5;

// Reads a function's instructions one after the other.
class Reader {
 public:
  Reader(const LoadedCode& module, bool all, std::vector<Hidden>& found)
      : module_(module), all_(all), found_(found) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  void read(const FunctionTable::Function& function) {
    const std::size_t first = found_.size();
    is_hooked_ = is_blind_ = has_frame_ = false;
    const auto* at = reinterpret_cast<const std::byte*>(function.begin);
    const auto* const end = reinterpret_cast<const std::byte*>(function.end);
    while (at < end) {
      ZydisDecodedInstruction one;
      ZydisDecoderContext context;
      const auto room = static_cast<ZyanUSize>(end - at);
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, &context, at, room, &one))) {
        // Data among code: what was found here may be no instruction.
        found_.resize(first);
        return;
      }
      look_at(at, one, context);
      at += one.length;
    }
    finish(function, first);
  }

 private:
  void look_at(const std::byte* at, const ZydisDecodedInstruction& one,
               const ZydisDecoderContext& context) {
    const bool has_memory =
        (one.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && one.raw.modrm.mod != 3;
    switch (one.mnemonic) {
      case ZYDIS_MNEMONIC_RDTSC:
      case ZYDIS_MNEMONIC_RDTSCP: add(at, one, Hidden::Kind::clock); return;
      case ZYDIS_MNEMONIC_SYSCALL: add(at, one, Hidden::Kind::system_call); return;
      case ZYDIS_MNEMONIC_PAUSE: add(at, one, Hidden::Kind::pause); return;
      case ZYDIS_MNEMONIC_RDRAND:
      case ZYDIS_MNEMONIC_RDSEED: {
        Hidden& hidden = add(at, one, Hidden::Kind::random);
        hidden.target = static_cast<std::uint8_t>(one.raw.modrm.rm | rex_b(one) << 3);
        hidden.target_bytes = static_cast<std::uint8_t>(one.operand_width / 8);
        return;
      }
      case ZYDIS_MNEMONIC_CALL:
      case ZYDIS_MNEMONIC_JMP: is_hooked_ = !all_ && (is_hooked_ || leads_to_hook(at, one)); return;
      case ZYDIS_MNEMONIC_LEA:
      case ZYDIS_MNEMONIC_NOP: return;
      default: break;
    }
    if (one.mnemonic == ZYDIS_MNEMONIC_MOV && one.length == 3 && at[0] == std::byte{0x48} &&
        at[1] == std::byte{0x89} && at[2] == std::byte{0xe5})
      has_frame_ = true;  // mov %rsp, %rbp
    if (one.meta.category == ZYDIS_CATEGORY_STRINGOP) return add_string(at, one);
    if (!has_memory || one.meta.category == ZYDIS_CATEGORY_PREFETCH ||
        one.meta.category == ZYDIS_CATEGORY_WIDENOP || is_fence(one))
      return;
    if (is_update(one) || (!is_hooked_ && is_elsewhere(at, one))) add_access(at, one, context);
  }

  static bool is_update(const ZydisDecodedInstruction& one) {
    return (one.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || one.mnemonic == ZYDIS_MNEMONIC_XCHG;
  }

  // `lock orq $0, (%rsp)`
  static bool is_fence(const ZydisDecodedInstruction& one) {
    return (one.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 && one.raw.imm[0].size != 0 &&
           one.raw.imm[0].value.u == 0 &&
           (one.mnemonic == ZYDIS_MNEMONIC_OR || one.mnemonic == ZYDIS_MNEMONIC_ADD);
  }

  static unsigned rex_b(const ZydisDecodedInstruction& one) {
    return (one.attributes & ZYDIS_ATTRIB_HAS_REX) != 0 ? one.raw.rex.B : 0;
  }

  // Neither on the stack, nor thread-local, nor a constant.
  bool is_elsewhere(const std::byte* at, const ZydisDecodedInstruction& one) const {
    if ((one.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) != 0) return false;
    const auto& modrm = one.raw.modrm;
    if (modrm.mod == 0 && modrm.rm == 5) {
      const auto target = reinterpret_cast<std::uintptr_t>(at) + one.length +
                          static_cast<std::uintptr_t>(one.raw.disp.value);
      return module_.is_writable(target);
    }
    const unsigned base = (modrm.rm == 4 ? one.raw.sib.base : modrm.rm) | rex_b(one) << 3;
    return base != kStackPointer && !(base == kFramePointer && has_frame_);
  }

  Hidden& add(const std::byte* at, const ZydisDecodedInstruction& one, Hidden::Kind kind) {
    Hidden hidden;
    hidden.at = const_cast<std::byte*>(at);
    hidden.length = one.length;
    hidden.kind = kind;
    hidden.name = ZydisMnemonicGetString(one.mnemonic);
    return found_.emplace_back(hidden);
  }

  void add_access(const std::byte* at, const ZydisDecodedInstruction& one,
                  const ZydisDecoderContext& context) {
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeOperands(&decoder_, &context, &one, operands, one.operand_count)))
      return;
    for (const ZydisDecodedOperand& operand : std::span(operands, one.operand_count)) {
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN)
        continue;
      if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) continue;  // push: the stack
      constexpr int kMostBits = 64 * 8;
      const bool is_usual = operand.mem.type == ZYDIS_MEMOP_TYPE_MEM && operand.size <= kMostBits;
      if (!is_usual) is_blind_ = true;  // gather, scatter, all registers at once
      else add_access(at, one, operand);
    }
  }

  void add_access(const std::byte* at, const ZydisDecodedInstruction& one,
                  const ZydisDecodedOperand& operand) {
    Hidden& hidden = add(at, one, is_update(one) ? Hidden::Kind::update : Hidden::Kind::access);
    hidden.reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    hidden.writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    Operand& memory = hidden.operand;
    memory.size = static_cast<std::uint8_t>(operand.size / 8);
    memory.of_thread = operand.mem.segment == ZYDIS_REGISTER_FS;
    memory.displacement = operand.mem.disp.has_displacement ? operand.mem.disp.value : 0;
    if (operand.mem.base == ZYDIS_REGISTER_RIP) {
      memory.displacement +=
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at)) + one.length;
    } else {
      memory.base = number(operand.mem.base);
    }
    memory.index = number(operand.mem.index);
    memory.scale = operand.mem.scale;
  }

  // Their memory is where RDI and RSI point. Those that compare end where the memory says.
  void add_string(const std::byte* at, const ZydisDecodedInstruction& one) {
    const bool moves = one.mnemonic >= ZYDIS_MNEMONIC_MOVSB && one.mnemonic <= ZYDIS_MNEMONIC_MOVSW;
    const bool stores =
        one.mnemonic == ZYDIS_MNEMONIC_STOSB || one.mnemonic == ZYDIS_MNEMONIC_STOSW ||
        one.mnemonic == ZYDIS_MNEMONIC_STOSD || one.mnemonic == ZYDIS_MNEMONIC_STOSQ;
    if (!moves && !stores) {
      is_blind_ = true;
      return;
    }
    Hidden& hidden = add(at, one, Hidden::Kind::string);
    hidden.reads = moves;
    hidden.writes = true;
    hidden.repeats = (one.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
    hidden.operand.size = static_cast<std::uint8_t>(one.operand_width / 8);
  }

  static std::int8_t number(ZydisRegister name) {
    return name == ZYDIS_REGISTER_NONE ? Operand::kNone : ZydisRegisterGetId(name);
  }

  // A call or a jump to a hook, in most cases by way of the linkage table.
  bool leads_to_hook(const std::byte* at, const ZydisDecodedInstruction& one) const {
    const std::byte* const next = at + one.length;
    if (one.raw.modrm.mod == 0 && one.raw.modrm.rm == 5 &&
        (one.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0)
      return is_hook(slot(next + one.raw.disp.value));
    if (!one.raw.imm[0].is_relative) return false;
    const std::byte* const to = next + one.raw.imm[0].value.s;
    if (!module_.is_code(reinterpret_cast<std::uintptr_t>(to))) return is_hook(to);
    return is_hook(to) || is_hook(through_table(to));
  }

  // Where an entry of the linkage table jumps to: [endbr64] [bnd] jmp *slot(%rip)
  const std::byte* through_table(const std::byte* at) const {
    for (int i = 0; i < 2; ++i) {
      ZydisDecodedInstruction one;
      if (!module_.is_code(reinterpret_cast<std::uintptr_t>(at) + 15)) return nullptr;
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, at, 15, &one)))
        return nullptr;
      const std::byte* const next = at + one.length;
      if (one.mnemonic == ZYDIS_MNEMONIC_JMP && one.raw.modrm.mod == 0 && one.raw.modrm.rm == 5 &&
          (one.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0)
        return slot(next + one.raw.disp.value);
      if (one.mnemonic != ZYDIS_MNEMONIC_ENDBR64) return nullptr;
      at = next;
    }
    return nullptr;
  }

  // The loader has filled it: all calls are bound at once.
  static const std::byte* slot(const std::byte* at) {
    const std::byte* to = nullptr;
    std::memcpy(&to, at, sizeof to);
    return to;
  }

  static bool is_hook(const std::byte* to) {
    return to >= __start_plumb_instrumentation && to < __stop_plumb_instrumentation;
  }

  // What a hook announces need not be watched. A function without hooks is, once it is entered.
  void finish(const FunctionTable::Function& function, std::size_t first) {
    const auto is_announced = [this](const Hidden& hidden) {
      return is_hooked_ &&
             (hidden.kind == Hidden::Kind::access || hidden.kind == Hidden::Kind::string ||
              hidden.kind == Hidden::Kind::pause);
    };
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(first);
    found_.erase(std::remove_if(begin, found_.end(), is_announced), found_.end());
    const bool uses_memory =
        is_blind_ || std::any_of(begin, found_.end(), [](const Hidden& hidden) {
          return hidden.kind == Hidden::Kind::access || hidden.kind == Hidden::Kind::string;
        });
    const CodeRange code{reinterpret_cast<std::byte*>(function.begin),
                         reinterpret_cast<std::byte*>(function.end)};
    const bool enters = !is_hooked_ && uses_memory;
    if (enters && (first == found_.size() || found_[first].at != code.begin)) {
      Hidden entry;
      entry.at = code.begin;
      found_.insert(found_.begin() + static_cast<std::ptrdiff_t>(first), entry);
    }
    for (std::size_t i = first; i < found_.size(); ++i) found_[i].function = code;
    if (!enters) return;
    found_[first].enters = true;
    found_[first].is_blind = is_blind_;
  }

  const LoadedCode& module_;
  const bool all_;  // as if nothing had hooks
  std::vector<Hidden>& found_;
  ZydisDecoder decoder_{};
  bool is_hooked_ = false, is_blind_ = false, has_frame_ = false;
};

// What the C++ library's containers do outside of its headers, on nodes of the program.
constexpr const char* kContainers[] = {
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm"};

std::vector<std::uintptr_t> functions_of_containers() {
  std::vector<std::uintptr_t> functions;
  for (const char* const name : kContainers)
    functions.push_back(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name)));
  return functions;
}

struct Survey {
  bool all;
  std::vector<Hidden> found;
};

int read_module(dl_phdr_info* info, std::size_t, void* to) {
  auto& survey = *static_cast<Survey*>(to);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const LoadedCode module = loaded_code(*info);
  const bool is_cpp_library = is_library_of(kCppLibrary, path);
  const bool is_own = module.is_code(reinterpret_cast<std::uintptr_t>(&read_module));
  if (is_own || (is_known(path) && !is_cpp_library)) return 0;
  Reader reader(module, survey.all, survey.found);
  const FunctionTable table(module.unwind_table);
  const std::size_t first = survey.found.size();
  const std::vector<std::uintptr_t> only =
      is_cpp_library ? functions_of_containers() : std::vector<std::uintptr_t>();
  for (const FunctionTable::Function& function : table.all()) {
    if (is_cpp_library && std::ranges::find(only, function.begin) == only.end()) continue;
    if (module.is_code(function.begin) && module.is_code(function.end - 1)) reader.read(function);
  }
  for (std::size_t i = first; i < survey.found.size(); ++i)
    survey.found[i].is_plain = is_cpp_library;
  return 0;
}

}  // namespace

std::vector<Hidden> survey_code(bool all) {
  Survey survey{all, {}};
  dl_iterate_phdr(&read_module, &survey);
  std::ranges::sort(survey.found, {}, &Hidden::at);
  return std::move(survey.found);
}

}  // namespace plumb::runtime
