// Names in speedscope files, and the attributes for content that the model has no field for.

export const SCHEMA = 'https://www.speedscope.app/file-format-schema.json'

/** Defined by Hearth, on the scope (file) and on profiles. */
export const SPEEDSCOPE_ATTRIBUTES = {
  fileName: 'speedscope.file.name',
  /** int: the profile that the file opens with. */
  activeProfile: 'speedscope.file.active_profile_index',
  profileName: 'speedscope.profile.name',
} as const

/**
 * The key of a profile under which Hearth keeps content that the format has no field for. Other tools skip it.
 *
 * "hearth": { "type": "cpu", "unit": "ns", "aggregated": true, "threadId": 12, "threadName": "main" }
 */
export const EXTRA_KEY = 'hearth'

export interface UnitMeaning {
  /** Values in the file are multiplied by 10^shift. */
  readonly shift: number
  readonly type: string
  readonly unit: string
  /** Whether the values of the file's axis are times. */
  readonly isTime: boolean
}

const time = (shift: number): UnitMeaning => ({ shift, type: 'time', unit: 'nanoseconds', isTime: true })

const UNITS: ReadonlyMap<string, UnitMeaning> = new Map([
  ['nanoseconds', time(0)],
  ['microseconds', time(3)],
  ['milliseconds', time(6)],
  ['seconds', time(9)],
  ['bytes', { shift: 0, type: 'memory', unit: 'bytes', isTime: false }],
  ['none', { shift: 0, type: 'samples', unit: 'count', isTime: false }],
])

/** Values in units that speedscope does not know are numbers of that unit. */
export function meaningOfUnit(unit: string): UnitMeaning {
  return UNITS.get(unit) ?? { shift: 0, type: 'samples', unit: unit === '' ? 'count' : unit, isTime: false }
}
