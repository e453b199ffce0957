#pragma once
// Objects that every thread has of its own and that are there as long as the thread runs anything: also in
// the destructors of its thread_local objects, and for the main thread in those of static objects.

#include <pthread.h>

#include <fusion/base/config.hpp>

namespace fusecl {

/// The calling thread's `T`, made at its first use. POSIX ends it after all thread_local objects; what is
/// made anew even later ends in a further round. That of the main thread is left to the end of the process.
template <class T>
class per_thread {
 public:
  static T& get() {
    if (own != nullptr) [[likely]]
      return *own;
    return make();
  }

 private:
  struct thread_end {
    thread_end() { known = pthread_key_create(&key, end) == 0; }
    ~thread_end() {  // a library that is unloaded takes the code of `end` with it
      if (known) pthread_key_delete(key);
      known = false;
    }
    static void end(void* object) {
      own = nullptr;
      delete static_cast<T*>(object);
    }
    pthread_key_t key{};
    bool known;
  };

  static T& make() {
    static thread_end at_end;
    T* fresh = new T;
    if (at_end.known) pthread_setspecific(at_end.key, fresh);
    own = fresh;
    return *fresh;
  }

  static inline FUSECL_SHARED constinit thread_local T* own = nullptr;
};

}  // namespace fusecl
