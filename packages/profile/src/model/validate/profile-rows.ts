// Checks profiles without their samples: types, ids and the original payload.
import type { Profiles } from '../columns/profiles.ts'
import { ProfileColumn } from '../columns/profiles.ts'
import { profilePath } from './paths.ts'
import type { ProblemList } from './problems.ts'
import { quote } from './quote.ts'
import { isUnset } from './unset-string.ts'

const PROFILE_ID_BYTES = 16
const PAYLOAD_FORMATS: ReadonlySet<string> = new Set(['pprof', 'jfr', 'linux_perf'])

export function checkProfileRows(all: Profiles, problems: ProblemList): void {
  for (let p = 0; p < all.profiles.length; p++) checkProfile(all, p, problems)
  if (problems.strict) checkIds(all, problems)
}

function checkIds(all: Profiles, problems: ProblemList): void {
  const { profiles, scopes } = all
  const first = new Map<string, number>()
  let scope = 0
  const recordings = new Map<number, string>()
  for (let p = 0; p < profiles.length; p++) {
    while (scopes.to(scope) <= p) scope++
    const id = profiles.id(p)
    if (id.length !== PROFILE_ID_BYTES || id.every(byte => byte === 0)) continue
    const recording = `${scope} ${profiles.time(p)} ${profiles.duration(p)}`
    recordings.set(p, recording)
    const key = id.join(' ')
    const known = first.get(key)
    if (known === undefined) first.set(key, p)
    else if (recordings.get(known) !== recording)
      problems.add('profile-id-unique', () => [
        `${profilePath(all, p)}.profile_id`,
        `it equals that of ${profilePath(all, known)}`,
      ])
  }
}

function checkProfile(all: Profiles, p: number, problems: ProblemList): void {
  const { profiles } = all
  const path = (field: string): string => `${profilePath(all, p)}.${field}`
  const { strings } = all.dictionary

  if (isUnset(strings, profiles.type(p))) {
    problems.add('sample-type', () => [path('sample_type.type_strindex'), 'the type of the values is missing'])
  }
  if (isUnset(strings, profiles.unit(p))) {
    problems.add('sample-type', () => [path('sample_type.unit_strindex'), 'the unit of the values is missing'])
  }
  // Profilers without a fixed period send a type without a period. A unit alone has no meaning.
  const needsType = profiles.period(p) !== 0n
  if (isUnset(strings, profiles.periodType(p)) && (needsType || !isUnset(strings, profiles.periodUnit(p)))) {
    problems.add('period-type', () => [path('period_type.type_strindex'), 'the type of the period is missing'])
  }
  if (isUnset(strings, profiles.periodUnit(p)) && (needsType || !isUnset(strings, profiles.periodType(p)))) {
    problems.add('period-type', () => [path('period_type.unit_strindex'), 'the unit of the period is missing'])
  }

  const id = profiles.id(p)
  if (id.length !== 0 && id.length !== PROFILE_ID_BYTES) {
    problems.add('profile-id-length', () => [path('profile_id'), `the id has ${id.length} bytes, but needs 16`])
  } else if (id.length > 0 && id.every(byte => byte === 0)) {
    problems.add('profile-id-zero', () => [path('profile_id'), 'the id is all zero'])
  }

  const hasPayload = profiles.column(p, ProfileColumn.payloadLength) > 0
  const hasFormat = profiles.column(p, ProfileColumn.formatLength) > 0
  if (hasPayload && !hasFormat) {
    problems.add('original-payload-pair', () => [path('original_payload'), 'original_payload_format is missing'])
  }
  if (!hasFormat) return
  if (!hasPayload) {
    problems.add('original-payload-pair', () => [path('original_payload_format'), 'original_payload is missing'])
  }
  const format = profiles.originalPayloadFormat(p)
  if (!PAYLOAD_FORMATS.has(format)) {
    problems.add('original-payload-format', () => [
      path('original_payload_format'),
      `${quote(format)} is not one of ${[...PAYLOAD_FORMATS].join(', ')}`,
    ])
  }
}
