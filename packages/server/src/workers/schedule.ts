// Decides which thread runs a call. Calls have a key, the tenant. A thread runs calls of one key at a time, and a key never takes
// the last free thread if it has another one. So a tenant's long call delays only calls of the same tenant.
//
//   threads    0: a a   1: b   2: -        a's next call goes to 0, not to 2, which stays free for c
//
// A key returns to the thread that it used last, because that one has the tenant's data in memory.

export interface Slot {
  /** The key of the running calls; meaningless without any. */
  readonly key: string
  readonly calls: number
  /** Whether the thread has not reacted for a while, so that calls sent to it would wait. */
  readonly stuck: boolean
  /** A number that grows with each start of a call on any thread. */
  readonly used: number
  readonly isStarted: boolean
}

/**
 * The index of the thread for a call of this key; -1 if the call must wait. `home` is the thread that the key used last, and
 * `crowded` says that calls of keys without a thread wait already.
 */
export function chooseSlot(
  slots: readonly Slot[],
  key: string,
  { home, perThread, crowded }: { readonly home: number; readonly perThread: number; readonly crowded: boolean },
): number {
  let own = -1
  let free = -1
  let freeCount = 0
  let hasThread = false
  for (const [i, slot] of slots.entries()) {
    if (slot.calls === 0) {
      freeCount++
      if (free < 0 || i === home || (free !== home && isBetter(slot, slots[free]))) free = i
    } else if (slot.key === key) {
      hasThread = true
      if (
        slot.calls < perThread &&
        !slot.stuck &&
        (own < 0 || i === home || (own !== home && slot.calls < slots[own].calls))
      )
        own = i
    }
  }
  if (own >= 0 && !crowded) return own
  return freeCount > 1 || (freeCount === 1 && (!hasThread || slots.length === 1)) ? free : -1
}

/** Started threads first, then the one that was used longest ago: other keys are not likely to return to it. */
function isBetter(slot: Slot, than: Slot): boolean {
  return slot.isStarted === than.isStarted ? slot.used < than.used : slot.isStarted
}
