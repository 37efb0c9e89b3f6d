// What perf.data files and the text of `perf script` have in common: what a recording says about itself and its machine,
// where the model keeps that, and the unit in which an event is counted.
import type { KeyValue } from '../../model/columns/any-value.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

export const PERF_ATTRIBUTES = {
  /** Profile, int: how many samples a second were asked for, where the period was not fixed. */
  frequency: 'perf.frequency',
  /** Profile: the clock of the timestamps, where they don't count from 1970. */
  clock: 'perf.clock',
  /** Scope: how perf was called; string[] from a file, one string from a text, which does not tell where arguments end. */
  commandLine: 'perf.command_line',
  /** Scope: the local time of the recording, as the text has it. */
  capturedOn: 'perf.captured_on',
  /** Location, int: how far behind the start of its function it is. */
  symbolOffset: 'perf.frame.symbol_offset',
  /** Location, bool: an inlined call whose caller has another address. */
  inlined: 'perf.frame.inlined',
  /** Mapping, int: the address of the symbol by which the kernel's place in memory is known, where it is not the start. */
  kernelText: 'perf.mapping.kernel_text',
} as const

export const SCOPE_NAME = 'perf'
/** The clock that perf uses if not told otherwise: the scheduler's, which counts from about when the machine started. */
export const PERF_CLOCK = 'perf'

/** Other clocks by their ids, those of clock_gettime(2). */
export const CLOCKS: ReadonlyMap<number, string> = new Map([
  [1, 'monotonic'],
  [4, 'monotonic_raw'],
  [7, 'boottime'],
  [11, 'tai'],
])
/** The id of the clock whose time is that of 1970. */
export const REALTIME = 0

export interface PerfRecording {
  hostName?: string
  /** As the kernel spells it: x86_64, aarch64. */
  arch?: string
  osRelease?: string
  cpuModel?: string
  perfVersion?: string
  commandLine?: string | readonly string[]
  capturedOn?: string
}

/** Opens the resource and the scope in which the profiles of a recording stand. */
export function openRecording(builder: ProfilesBuilder, recording: PerfRecording): void {
  const { hostName, arch, osRelease, cpuModel, perfVersion, commandLine, capturedOn } = recording
  builder.resource({
    attributes: given([
      [ATTRIBUTES.hostName, hostName],
      [ATTRIBUTES.hostArch, arch === undefined ? undefined : conventionalArch(arch)],
      [ATTRIBUTES.hostCpuModelName, cpuModel],
      [ATTRIBUTES.osType, osRelease === undefined ? undefined : 'linux'],
      [ATTRIBUTES.osVersion, osRelease],
    ]),
  })
  builder.scope({
    name: SCOPE_NAME,
    version: perfVersion ?? '',
    attributes: given([
      [PERF_ATTRIBUTES.commandLine, commandLine],
      [PERF_ATTRIBUTES.capturedOn, capturedOn],
    ]),
  })
}

function given(pairs: readonly (readonly [string, string | readonly string[] | undefined])[]): KeyValue[] {
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

/** The kernel's names of machines and those of the conventions; the first of several for one is written back. */
const ARCHITECTURES: readonly (readonly [string, string])[] = [
  ['x86_64', 'amd64'],
  ['aarch64', 'arm64'],
  ['armv7l', 'arm32'],
  ['i686', 'x86'],
  ['i586', 'x86'],
  ['i386', 'x86'],
  ['ppc64le', 'ppc64'],
  ['ppc', 'ppc32'],
]

export function conventionalArch(arch: string): string {
  return ARCHITECTURES.find(([kernel]) => kernel === arch)?.[1] ?? arch
}

export function kernelArch(arch: string): string {
  return ARCHITECTURES.find(([, conventional]) => conventional === arch)?.[0] ?? arch
}

/** Events whose period is time. */
const CLOCK_EVENTS = new Set(['cpu-clock', 'task-clock', 'offcpu-time'])

/** The unit of an event's periods, by its name; modifiers as in `cpu-clock:u` don't matter. */
export function unitOfEvent(name: string): 'nanoseconds' | 'count' {
  return CLOCK_EVENTS.has(name.split(':', 1)[0]) ? 'nanoseconds' : 'count'
}

/** What lies between two samples, where that is fixed. Clocks tick, so a frequency fixes theirs. */
export function periodFields(
  type: string,
  unit: string,
  period: bigint,
  isFrequency: boolean,
): { period?: bigint; periodType?: string; periodUnit?: string } {
  const between = isFrequency && period > 0n ? 1_000_000_000n / period : period
  if (BigInt.asIntN(64, between) <= 0n || (isFrequency && unit !== 'nanoseconds')) return {}
  return { period: between, periodType: type, periodUnit: unit }
}
