// The constants of perf_event.h (kernel records, sample fields) and of perf's own util/event.h and util/header.h (records from
// 64 on, features of the header).

export const RecordType = {
  mmap: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  throttle: 5,
  unthrottle: 6,
  fork: 7,
  read: 8,
  sample: 9,
  mmap2: 10,
  aux: 11,
  lostSamples: 13,
  contextSwitch: 14,
  contextSwitchCpuWide: 15,
  ksymbol: 17,
  headerAttr: 64,
  eventType: 65,
  tracingData: 66,
  buildId: 67,
  finishedRound: 68,
  auxtrace: 71,
  eventUpdate: 78,
  feature: 80,
  compressed: 81,
  compressed2: 83,
} as const

/** Records that carry no information about samples, or only information from elsewhere. Skipping them loses nothing. */
export const SILENT_RECORDS: ReadonlySet<number> = new Set([
  RecordType.finishedRound,
  RecordType.unthrottle,
  // ITRACE_START, BPF_EVENT, which KSYMBOL repeats, ID_INDEX, AUXTRACE_INFO, THREAD_MAP, CPU_MAP, STAT_CONFIG,
  // TIME_CONV, FINISHED_INIT.
  12,
  18,
  69,
  70,
  73,
  74,
  75,
  79,
  82,
])

/** Bits of a record's `misc`. */
export const Misc = {
  cpuModeMask: 7,
  /** Set on a FORK that perf synthesized: memory maps are not inherited. */
  forkExec: 1 << 13,
  mmap2BuildId: 1 << 14,
  /** Set on a BUILD_ID record that has the length of its id. */
  buildIdSize: 1 << 15,
} as const

export const CpuMode = { unknown: 0, kernel: 1, user: 2, hypervisor: 3, guestKernel: 4, guestUser: 5 } as const
export type CpuMode = (typeof CpuMode)[keyof typeof CpuMode]

/** The modes of context markers in a callchain, which are -32, -128 and so on as int64. */
export function contextMode(lo: number): CpuMode {
  switch (lo) {
    case -32:
      return CpuMode.hypervisor
    case -128:
      return CpuMode.kernel
    // -640: the rest of the chain comes later, in a separate record.
    case -512:
    case -640:
      return CpuMode.user
    case -2048:
    case -2176:
      return CpuMode.guestKernel
    case -2560:
      return CpuMode.guestUser
    default:
      return CpuMode.unknown
  }
}

/** Entries of a callchain from this value up to -1 (as int64) are not addresses. */
export const FIRST_CONTEXT = -4095

/** Bits of `sample_type`: which fields a sample has. */
export const SampleBit = {
  ip: 1 << 0,
  tid: 1 << 1,
  time: 1 << 2,
  addr: 1 << 3,
  read: 1 << 4,
  callchain: 1 << 5,
  id: 1 << 6,
  cpu: 1 << 7,
  period: 1 << 8,
  streamId: 1 << 9,
  raw: 1 << 10,
  branchStack: 1 << 11,
  regsUser: 1 << 12,
  stackUser: 1 << 13,
  weight: 1 << 14,
  dataSource: 1 << 15,
  identifier: 1 << 16,
  transaction: 1 << 17,
  regsIntr: 1 << 18,
  physicalAddress: 1 << 19,
  aux: 1 << 20,
  cgroup: 1 << 21,
  dataPageSize: 1 << 22,
  codePageSize: 1 << 23,
  weightStruct: 1 << 24,
} as const

export const ReadFormat = { timeEnabled: 1, timeRunning: 2, id: 4, group: 8, lost: 16 } as const

/** Bits of the header's feature bitmap. */
export const Feature = {
  buildId: 2,
  hostName: 3,
  osRelease: 4,
  version: 5,
  arch: 6,
  cpuDescription: 8,
  commandLine: 11,
  eventDescription: 12,
  pmuMappings: 15,
  directoryFormat: 24,
  clockData: 29,
} as const
