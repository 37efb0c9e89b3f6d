// Derives perf's name of an event from its numbers. Files name their events in the header or in records, but old and truncated
// files do not.
import type { EventAttr } from './event-attr.ts'

const EventType = { hardware: 0, software: 1, tracepoint: 2, cache: 3, raw: 4, breakpoint: 5 } as const

const HARDWARE = [
  'cycles',
  'instructions',
  'cache-references',
  'cache-misses',
  'branches',
  'branch-misses',
  'bus-cycles',
  'stalled-cycles-frontend',
  'stalled-cycles-backend',
  'ref-cycles',
]

const SOFTWARE = [
  'cpu-clock',
  'task-clock',
  'page-faults',
  'context-switches',
  'cpu-migrations',
  'minor-faults',
  'major-faults',
  'alignment-faults',
  'emulation-faults',
  'dummy',
  'bpf-output',
  'cgroup-switches',
]

const CACHES = ['L1-dcache', 'L1-icache', 'LLC', 'dTLB', 'iTLB', 'branch', 'node']
/** Names for loads, stores and prefetches: all of them, and the misses. */
const CACHE_RESULTS = [
  ['loads', 'load-misses'],
  ['stores', 'store-misses'],
  ['prefetches', 'prefetch-misses'],
]

/** `pmus` has the names of the types from 6 on. */
export function nameOfEvent({ type, config }: EventAttr, pmus: ReadonlyMap<number, string>): string {
  switch (type) {
    case EventType.hardware:
      // The upper half has the type of the core.
      return nth(HARDWARE, config & 0xffff_ffffn) ?? `hardware-${hex(config)}`
    case EventType.software:
      return nth(SOFTWARE, config) ?? `software-${hex(config)}`
    case EventType.tracepoint:
      return `tracepoint-${config}`
    case EventType.cache:
      return cacheName(config) ?? `cache-${hex(config)}`
    case EventType.raw:
      return `r${config.toString(16)}`
    case EventType.breakpoint:
      return 'mem'
    default:
      return `${pmus.get(type) ?? `pmu${type}`}/config=${hex(config)}/`
  }
}

/** Returns whether the numbers alone identify the event. */
export function isStandard({ type }: EventAttr): boolean {
  return type === EventType.hardware || type === EventType.software || type === EventType.cache
}

/** The dummy event is opened only for records other than samples. */
export function isDummy({ type, config }: EventAttr): boolean {
  return type === EventType.software && config === 9n
}

export function isClock({ type, config }: EventAttr): boolean {
  return type === EventType.software && config < 2n
}

function cacheName(config: bigint): string | undefined {
  const cache = nth(CACHES, config & 0xffn)
  const results = nth(CACHE_RESULTS, (config >> 8n) & 0xffn)
  const result = results === undefined ? undefined : nth(results, (config >> 16n) & 0xffn)
  return cache === undefined || result === undefined ? undefined : `${cache}-${result}`
}

function nth<T>(list: readonly T[], place: bigint): T | undefined {
  return place < BigInt(list.length) ? list[Number(place)] : undefined
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
