// The events of Go's execution traces from version 1.22 on, by their numbers in the file.

export const GoEventType = {
  eventBatch: 1,
  stacks: 2,
  stack: 3,
  strings: 4,
  string: 5,
  cpuSamples: 6,
  cpuSample: 7,
  frequency: 8,
  procsChange: 9,
  procStart: 10,
  procStop: 11,
  procSteal: 12,
  procStatus: 13,
  goCreate: 14,
  goCreateSyscall: 15,
  goStart: 16,
  goDestroy: 17,
  goDestroySyscall: 18,
  goStop: 19,
  goBlock: 20,
  goUnblock: 21,
  goSyscallBegin: 22,
  goSyscallEnd: 23,
  goSyscallEndBlocked: 24,
  goStatus: 25,
  stwBegin: 26,
  stwEnd: 27,
  gcActive: 28,
  gcBegin: 29,
  gcEnd: 30,
  gcSweepActive: 31,
  gcSweepBegin: 32,
  gcSweepEnd: 33,
  gcMarkAssistActive: 34,
  gcMarkAssistBegin: 35,
  gcMarkAssistEnd: 36,
  heapAlloc: 37,
  heapGoal: 38,
  goLabel: 39,
  userTaskBegin: 40,
  userTaskEnd: 41,
  userRegionBegin: 42,
  userRegionEnd: 43,
  userLog: 44,
  // Since 1.23.
  goSwitch: 45,
  goSwitchDestroy: 46,
  goCreateBlocked: 47,
  goStatusStack: 48,
  experimentalBatch: 49,
  // Since 1.25: the clock of a generation. Before, there was only a frequency.
  sync: 50,
  clockSnapshot: 51,
  // Since 1.26.
  endOfGeneration: 52,
} as const

/** The number of arguments of each event in a thread's stream, from procsChange on. The first argument is a time. */
const ARGUMENTS = [
  3,
  3,
  1,
  4,
  3, // procs
  4,
  2,
  3,
  1,
  1,
  3,
  3,
  4,
  3,
  1,
  1,
  4, // goroutines
  3,
  1,
  2,
  3,
  2,
  2,
  2,
  3,
  2,
  2,
  1,
  2,
  2, // garbage collection
  2,
  5,
  3,
  4,
  4,
  5, // annotations
  3,
  3,
  4,
  5, // since 1.23
]
/** Experiments: spans, objects and stacks of the heap. They are off by default. */
const FIRST_EXPERIMENTAL = 128
const EXPERIMENTAL_ARGUMENTS = [4, 4, 2, 3, 3, 2, 3, 3, 2]

export const MAX_ARGUMENTS = 5

/** For each type of event, its number of arguments in a thread's stream, or 0 if it may not occur there. */
export function argumentCounts(version: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, type) => {
    if (type > GoEventType.userLog && version < 23) return 0
    return ARGUMENTS[type - GoEventType.procsChange] ?? EXPERIMENTAL_ARGUMENTS[type - FIRST_EXPERIMENTAL] ?? 0
  })
}

/** Events that programs emit themselves and that samples cannot represent: logs and labels. */
export function isLost(type: number): boolean {
  return type === GoEventType.goLabel || type === GoEventType.userLog
}

/** The trace's numbers for the states of goroutines. */
export const GoStatus = { runnable: 1, running: 2, syscall: 3, waiting: 4 } as const
export const ProcStatus = { running: 1, syscall: 3 } as const
