// Definitions that perf.data files and the text of `perf script` share: metadata of a recording and its machine, the
// attributes that hold it, and the units of events.
import type { KeyValue } from '../../model/columns/any-value.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

export const PERF_ATTRIBUTES = {
  /** Profile, int: the requested samples per second, if the period was not fixed. */
  frequency: 'perf.frequency',
  /** Profile: the clock of the timestamps, if it does not count from 1970. */
  clock: 'perf.clock',
  /** Scope: the command line of perf. string[] from a file, one string from a text, which does not separate arguments. */
  commandLine: 'perf.command_line',
  /** Scope: the local time of the recording, as written in the text. */
  capturedOn: 'perf.captured_on',
  /** Location, int: offset from the start of its function. */
  symbolOffset: 'perf.frame.symbol_offset',
  /** Location, bool: an inlined call whose caller has another address. */
  inlined: 'perf.frame.inlined',
  /** Mapping, int: the address of the symbol that locates the kernel in memory, if it is not the start. */
  kernelText: 'perf.mapping.kernel_text',
} as const

export const SCOPE_NAME = 'perf'
/** The default clock of perf: the scheduler's clock, which counts from about when the machine started. */
export const PERF_CLOCK = 'perf'

/** Names of other clocks by their clock_gettime(2) id. */
export const CLOCKS: ReadonlyMap<number, string> = new Map([
  [1, 'monotonic'],
  [4, 'monotonic_raw'],
  [7, 'boottime'],
  [11, 'tai'],
])
/** The id of the clock that counts from 1970. */
export const REALTIME = 0

export interface PerfRecording {
  hostName?: string
  /** The kernel's spelling: x86_64, aarch64. */
  arch?: string
  osRelease?: string
  cpuModel?: string
  perfVersion?: string
  commandLine?: string | readonly string[]
  capturedOn?: string
}

/** Opens the resource and the scope of a recording's profiles. */
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

/** Machine names of the kernel and of the semantic conventions. The first match is used in each direction. */
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

/** The unit of an event's periods by the event's name. Modifiers as in `cpu-clock:u` are ignored. */
export function unitOfEvent(name: string): 'nanoseconds' | 'count' {
  return CLOCK_EVENTS.has(name.split(':', 1)[0]) ? 'nanoseconds' : 'count'
}

/** The fixed distance between two samples, or nothing. A frequency gives a fixed distance only for clock events. */
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
