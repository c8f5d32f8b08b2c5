#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/mutants makes the mistakes that its rules name, the same ones from the same seed, and counts what it should.

    mutants_test.py PLUMB [Rules | Runs]
"""
import argparse
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PLUMB = ""


def load():
    loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "bench/mutants"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    sys.modules["mutants"] = module
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


mutants = load()


def made(rule, code):
    return [code[:begin] + new + code[end:] for begin, end, new in rule(code)]


class Rules(unittest.TestCase):
    def test_a_compare_and_swap_becomes_a_load_and_a_store(self):
        self.assertEqual(made(mutants.exchange_in_two_steps, "if (a[i].next->compare_exchange_weak(old, f(x, y))) go();"),
                         ["if ((a[i].next->load() == old ? (a[i].next->store(f(x, y)), true) "
                          ": (old = a[i].next->load(), false))) go();"])

    def test_what_failed_is_not_tried_again(self):
        self.assertEqual(made(mutants.no_retry, "do { x = y; } while (!top.compare_exchange_weak(x, y));"),
                         ["do { x = y; } while (void(top.compare_exchange_weak(x, y)), false);"])

    def test_memory_orders_stay_out(self):
        self.assertEqual(made(mutants.exchange_in_two_steps, "if (top_.compare_exchange_weak(x, y, acq, rel)) go();"),
                         ["if ((top_.load() == x ? (top_.store(y), true) : (x = top_.load(), false))) go();"])
        self.assertEqual(made(mutants.update_in_two_steps, "n.fetch_add(2, rel);"),
                         ["[&] { const auto was = n.load(); n.store(was + (2)); return was; }();"])
        self.assertEqual(made(mutants.stale_read, "  x_ = y.load(acq);\n"), ["  ;\n"])

    def test_code_of_other_styles(self):
        self.assertEqual(made(mutants.no_check, "if(x < y) {\n  return false;\n}\n"), ["(void)(x < y);\n"])
        self.assertEqual(made(mutants.no_check, "if (!x)\n  goto retry;\n"), ["(void)(!x);\n"])
        self.assertEqual(made(mutants.no_retry, "goto retry;"), ["return {};"])
        self.assertEqual(made(mutants.no_retry, "} while(UNLIKELY(!top.compare_exchange_weak(x, y)));"),
                         ["} while (void(UNLIKELY(!top.compare_exchange_weak(x, y))), false);"])
        self.assertEqual(made(mutants.no_store, "  slots[i % n].turn.store(1);\n"), ["  ;\n"])
        self.assertEqual(made(mutants.off_by_one, "x + 1U"), ["x + 2", "x"])
        self.assertEqual(made(mutants.smaller_section, "  std::unique_lock<std::mutex> lock{mutex_};\n"),
                         ["  { std::unique_lock<std::mutex> lock{mutex_}; }\n"])

    def test_half_of_a_condition(self):
        self.assertEqual(made(mutants.half_a_condition, "return here->next == next && !here->removed;"),
                         ["return !here->removed;", "return here->next == next;"])

    def test_neighbouring_stores_are_exchanged(self):
        self.assertEqual(made(mutants.swapped_statements, "  a = 1;\n  b.store(2);\n  f();\n"), ["  b.store(2);\n  a = 1;\n  f();\n"])

    def test_a_lock_is_given_back_at_once(self):
        self.assertEqual(made(mutants.smaller_section, "  const std::lock_guard lock(mutex_);\n"),
                         ["  { const std::lock_guard lock(mutex_); }\n"])

    def test_comments_are_not_mutated(self):
        self.assertEqual(list(mutants.no_retry(mutants.blank("// continue;\n/* continue;\n continue; */"))), [])
        self.assertEqual(mutants.blank("/* a\n b */c"), "    \n     c")

    def test_there_are_enough_and_every_rule_makes_some(self):
        all_of_them = list(mutants.candidates([]))
        self.assertGreater(len(all_of_them), 500)
        self.assertEqual({m.rule for m in all_of_them}, {rule.__name__ for rule in mutants.RULES})

    def test_a_seed_says_which_and_in_which_order(self):
        draw = lambda seed: list(mutants.drawn(mutants.candidates([]), seed))
        self.assertEqual(draw(1), draw(1))
        self.assertNotEqual(draw(1), draw(2))
        self.assertEqual(set(draw(1)), set(draw(2)))


class Runs(unittest.TestCase):
    def test_only_what_behaves_otherwise_counts(self):
        workshop = mutants.Workshop(argparse.Namespace(seconds=600))
        mine = list(mutants.candidates(["LazySet"]))
        for mutant in mine:
            if mutant.rule == "smaller_section":
                report = workshop.run(mutant)
                self.assertTrue(mutants.is_killed(report), report)
                break
        else:
            self.fail("no lock to be given back")
        early = next(m for m in mine if m.rule == "returns_early")
        workshop.args.seconds = 1
        self.assertTrue(workshop.run(early)["named"])
        same = mutants.Mutant(mine[0].subject, "none", 0, 0, "// nothing\n")
        self.assertIsNone(workshop.run(same))
        wrong = mutants.Mutant(mine[0].subject, "none", 0, 0, "no C++\n")
        self.assertIsNone(workshop.run(wrong))


if __name__ == "__main__":
    mutants.PLUMB = sys.argv.pop(1)
    unittest.main()
