#pragma once
// Events of the program that queues were told to wait for. A host that waits for such a queue on its own
// account, rather than for the program, may wait for ever: the program completes them when it likes.

#include <vector>

#include <fusion/runtime/cl.hpp>

namespace fusecl::runtime {

/// Keeps one more event, and forgets those that are complete whenever there are many.
void keep_event(std::vector<cl::Event>& events, const cl::Event& event);

/// A queue waits for the event from here on.
void note_program_event(cl_event event);
/// Whether one that was noted is not complete.
bool awaits_program_event();

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/program_events.ipp>
#endif
