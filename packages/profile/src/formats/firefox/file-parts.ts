// Finds the parts of a Firefox profile and reads its `meta`: the first pass over a file or over a nested process.
import { JsonError } from '../../wire/json/json-reader.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { ScaledNumber } from '../recordings/scaled-number.ts'
import { NO_INTERVAL_KEY } from './names.ts'

const NONE = -1
const MILLISECONDS = 6

export interface FileParts {
  /** Offsets. NONE if the part is missing. */
  threads: number
  processes: number
  libs: number
  shared: number
  /** The profile within a recording of the developer tools of Firefox up to version 78. */
  profile: number
  counters: number
  /** Markers of such a recording. */
  markers: number
  /** Nanoseconds since 1970. */
  startTime: bigint
  /** Nanoseconds. 0 if unknown. */
  interval: bigint
  /** The end of the recording, in nanoseconds after startTime. */
  endTime: bigint | undefined
  processedVersion: number | undefined
  /** The error at the end of a truncated file. Only set if `lenient`. */
  cut: JsonError | undefined
}

/** The reader is at the object and moves behind it. */
export function findParts(reader: JsonReader, lenient: boolean): FileParts {
  const parts: FileParts = {
    threads: NONE,
    processes: NONE,
    libs: NONE,
    shared: NONE,
    profile: NONE,
    counters: 0,
    markers: 0,
    startTime: 0n,
    interval: 0n,
    endTime: undefined,
    processedVersion: undefined,
    cut: undefined,
  }
  try {
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) readPart(reader, key, parts)
  } catch (error) {
    if (!lenient || !(error instanceof JsonError)) throw error
    parts.cut = error
  }
  return parts
}

function readPart(reader: JsonReader, key: string, parts: FileParts): void {
  const kind = reader.peek()
  if (key === 'meta' && kind === 'object') readMeta(reader, parts)
  else if ((key === 'threads' || key === 'processes') && kind === 'array') parts[key] = reader.offset
  else if (key === 'libs' && (kind === 'array' || kind === 'string')) parts.libs = reader.offset
  else if ((key === 'shared' || key === 'profile') && kind === 'object') parts[key] = reader.offset
  else if ((key === 'counters' || key === 'markers') && kind === 'array') {
    reader.beginArray()
    while (reader.nextItem()) parts[key]++
  }
}

function readMeta(reader: JsonReader, parts: FileParts): void {
  const number = new ScaledNumber()
  const nanoseconds = (): bigint => {
    const from = reader.offset
    reader.number()
    if (!number.read(reader.bytes, from, reader.offset, MILLISECONDS)) reader.fail('a time exceeds 64 bits', from)
    return number.value
  }
  let unknownInterval = false
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (reader.peek() !== 'number') continue
    if (key === 'startTime') parts.startTime = nanoseconds()
    else if (key === 'interval') parts.interval = nanoseconds()
    else if (key === 'profilingEndTime') parts.endTime = nanoseconds()
    else if (key === NO_INTERVAL_KEY) unknownInterval = true
    else if (key === 'preprocessedProfileVersion') parts.processedVersion = reader.number()
  }
  if (unknownInterval) parts.interval = 0n
  if (parts.startTime < 0n) reader.fail('the profile begins before 1970')
}
