#pragma once
// Objects that every thread has of its own and that are there as long as the thread runs anything: also in
// the destructors of its thread_local objects, and for the main thread in those of static objects.

#include <pthread.h>

#include <fusion/base/config.hpp>

namespace fusecl {

/// Makes and ends the objects of type `T` of all threads.
template <class T>
class per_thread {
 public:
  /// The object that `own`, a thread_local pointer, leads to; the first call on a thread makes it. POSIX ends
  /// it after all thread_local objects; what is made anew even later ends in a further round. That of the
  /// main thread is left to the end of the process.
  static T& get(T*& own) {
    if (own != nullptr) [[likely]]
      return *own;
    return make(own);
  }

 private:
  struct held {
    T object;
    T** own;
  };
  struct thread_end {
    thread_end() { known = pthread_key_create(&key, end) == 0; }
    ~thread_end() {  // a library that is unloaded takes the code of `end` with it
      if (known) pthread_key_delete(key);
      known = false;
    }
    FUSECL_INLINE static void end(void* pointer) {
      held* ending = static_cast<held*>(pointer);
      *ending->own = nullptr;
      delete ending;
    }
    pthread_key_t key{};
    bool known;
  };

  FUSECL_INLINE static T& make(T*& own) {
    static thread_end at_end;
    held* fresh = new held{{}, &own};
    if (at_end.known) pthread_setspecific(at_end.key, fresh);
    own = &fresh->object;
    return *own;
  }
};

}  // namespace fusecl
