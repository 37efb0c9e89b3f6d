// Small pprof files with given types and stacks, built from the messages of google.v1.
import { codecOf } from '@hearth/signals'
import type { GoogleProfile } from '../messages/google-profile.ts'
import { GOOGLE_PROFILE } from '../messages/google-profile.ts'

export const googleProfile = codecOf(GOOGLE_PROFILE, 'google.v1.Profile')

export interface PprofContent {
  readonly types: readonly (readonly [type: string, unit: string])[]
  /** By stack, root first, for example `main;run`. */
  readonly stacks: Readonly<Record<string, readonly bigint[]>>
  readonly time?: bigint
  readonly duration?: bigint
  readonly period?: readonly [type: string, unit: string, period: bigint]
}

export function pprofMessage({ types, stacks, time = 0n, duration = 0n, period }: PprofContent): GoogleProfile {
  const stringTable = ['']
  const string = (text: string): bigint => {
    const known = stringTable.indexOf(text)
    return BigInt(known < 0 ? stringTable.push(text) - 1 : known)
  }
  const names = [...new Set(Object.keys(stacks).flatMap(stack => stack.split(';')))]
  const idOf = (name: string): bigint => BigInt(names.indexOf(name) + 1)
  const valueType = (type: string, unit: string) => ({ type: string(type), unit: string(unit) })
  const [periodType, periodUnit, periodValue] = period ?? ['', '', 0n]
  return {
    sampleType: types.map(([type, unit]) => valueType(type, unit)),
    sample: Object.entries(stacks).map(([stack, value]) => ({
      locationId: stack.split(';').toReversed().map(idOf),
      value,
      label: [],
    })),
    mapping: [],
    location: names.map(name => ({
      id: idOf(name),
      mappingId: 0n,
      address: 0n,
      line: [{ functionId: idOf(name), line: 1n }],
      isFolded: false,
    })),
    function: names.map(name => ({
      id: idOf(name),
      name: string(name),
      systemName: 0n,
      filename: string('app.js'),
      startLine: 0n,
    })),
    periodType: period === undefined ? undefined : valueType(periodType, periodUnit),
    period: periodValue,
    dropFrames: 0n,
    keepFrames: 0n,
    timeNanos: time,
    durationNanos: duration,
    comment: [],
    defaultSampleType: 0n,
    docUrl: 0n,
    stringTable,
  }
}

export function pprofOf(content: PprofContent): Uint8Array {
  return googleProfile.encode(pprofMessage(content))
}

export const CPU_TYPES = [
  ['samples', 'count'],
  ['cpu', 'nanoseconds'],
] as const
