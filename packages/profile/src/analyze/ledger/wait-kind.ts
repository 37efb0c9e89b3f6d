// Distinguishes waits for locks and queues from waits for I/O and timers, by the functions of the stack and by the name of the event.

export type WaitKind = 'lock' | 'io'

const LOCK =
  /mutex|futex|semacquire|semaphore|sem_(?:timed)?wait|lll_lock|monitor|pthread_cond|pthread_join|cond_(?:timed)?wait|condvar|\.park|^park|parknanos|chanrecv|chansend|selectgo|selectnbrecv|waitgroup|rwlock|\block\b|lock$|atomics\.wait|queue_?(?:wait|time)|native_lock|mutex_delay|block_delay|contention|acquire|object\.wait|\bjoin\b|psynch|ulock|waitforsingleobject|waitformultipleobjects/i
const IO =
  /sleep|timer|socket|epoll|kqueue|kevent|\bpoll|poll$|pollwait|netpoll|\bread|\bwrite|fsync|\bpread|\bpwrite|(?<!chan)recv|send(?:to|msg)|accept|connect|dns|getaddrinfo|file_|syscall|io_uring|io_schedule|select$|network|nanosleep|uv__io/i

/**
 * Returns the kind of a wait from names, the innermost function first. The first known name decides: `sync.(*Mutex).Lock`
 * stands above `runtime.gopark`, which says nothing. Undefined if no name is known.
 */
export function waitKindOf(names: Iterable<string>): WaitKind | undefined {
  for (const name of names) {
    if (IO.test(name)) return 'io'
    if (LOCK.test(name)) return 'lock'
  }
  return undefined
}
