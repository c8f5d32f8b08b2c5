// SPDX-License-Identifier: MIT
//! Barrier: "signal_and_wait | signal_and_wait", preemptions 0: violation
//! Barrier: "remove_participant, participants_remaining | signal_and_wait", preemptions 2: holds
//! Barrier: "add_participant, participant_count | remove_participant, current_phase_number", preemptions 2: holds
//! Barrier: "signal_and_wait_or_cancel, participants_remaining | cancel_token", preemptions 2: holds
#include "barrier.hpp"

#include <plumb/test.hpp>

using plumb::objects::Barrier;

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Barrier>("Barrier")
                         .method("signal_and_wait", &Barrier::signal_and_wait)
                         .method("signal_and_wait_or_cancel", &Barrier::signal_and_wait_or_cancel)
                         .method("cancel_token", &Barrier::cancel_token)
                         .method("participants_remaining", &Barrier::participants_remaining)
                         .method("participant_count", &Barrier::participant_count)
                         .method("add_participant", &Barrier::add_participant)
                         .method("remove_participant", &Barrier::remove_participant)
                         .method("current_phase_number", &Barrier::current_phase_number))
      .main(argc, argv);
}
