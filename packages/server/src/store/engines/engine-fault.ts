// Classifies ClickHouse's errors for the store. The numbers are ClickHouse's own and never change their meaning.
import type { EngineFault } from '../engine.ts'
import { EngineError } from '../engine.ts'

const FAULTS = new Map<number, EngineFault>([
  [243, 'disk-full'], // NOT_ENOUGH_SPACE

  [158, 'limit'], // TOO_MANY_ROWS
  [159, 'limit'], // TIMEOUT_EXCEEDED
  [160, 'limit'], // TOO_SLOW
  [173, 'limit'], // CANNOT_ALLOCATE_MEMORY
  [191, 'limit'], // SET_SIZE_LIMIT_EXCEEDED
  [241, 'limit'], // MEMORY_LIMIT_EXCEEDED
  [307, 'limit'], // TOO_MANY_BYTES
  [396, 'limit'], // TOO_MANY_ROWS_OR_BYTES

  [394, 'cancelled'], // QUERY_WAS_CANCELLED
  [735, 'cancelled'], // QUERY_WAS_CANCELLED_BY_CLIENT

  [75, 'unavailable'], // CANNOT_WRITE_TO_FILE_DESCRIPTOR
  [76, 'unavailable'], // CANNOT_OPEN_FILE
  [198, 'unavailable'], // DNS_ERROR
  [202, 'unavailable'], // TOO_MANY_SIMULTANEOUS_QUERIES
  [203, 'unavailable'], // NO_FREE_CONNECTION
  [209, 'unavailable'], // SOCKET_TIMEOUT
  [210, 'unavailable'], // NETWORK_ERROR
  [225, 'unavailable'], // NO_ZOOKEEPER
  [236, 'unavailable'], // ABORTED
  [242, 'unavailable'], // TABLE_IS_READ_ONLY: a replica without Keeper
  [252, 'unavailable'], // TOO_MANY_PARTS: merges are behind
  [279, 'unavailable'], // ALL_CONNECTION_TRIES_FAILED
  [285, 'unavailable'], // TOO_FEW_LIVE_REPLICAS
  [286, 'unavailable'], // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  [289, 'unavailable'], // REPLICA_IS_NOT_IN_QUORUM
  [319, 'unavailable'], // UNKNOWN_STATUS_OF_INSERT
  [364, 'unavailable'], // RECEIVED_ERROR_TOO_MANY_REQUESTS
  [425, 'unavailable'], // SYSTEM_ERROR
  [473, 'unavailable'], // DEADLOCK_AVOIDED
  [999, 'unavailable'], // KEEPER_EXCEPTION

  [27, 'corrupt'], // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  [32, 'corrupt'], // ATTEMPT_TO_READ_AFTER_EOF
  [33, 'corrupt'], // CANNOT_READ_ALL_DATA
  [40, 'corrupt'], // CHECKSUM_DOESNT_MATCH
  [74, 'corrupt'], // CANNOT_READ_FROM_FILE_DESCRIPTOR
  [226, 'corrupt'], // NO_FILE_IN_DATA_PART
  [228, 'corrupt'], // BAD_SIZE_OF_FILE_IN_DATA_PART
  [231, 'corrupt'], // TOO_MANY_UNEXPECTED_DATA_PARTS
  [246, 'corrupt'], // CORRUPTED_DATA
  [271, 'corrupt'], // CANNOT_DECOMPRESS
  [354, 'corrupt'], // ZLIB_INFLATE_FAILED
])

/** The operating system's messages for a full disk, which occur in errors of any number. */
const NO_SPACE = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|errno: 28\b|Not enough space/i

const READING = /while reading (?:from part|column)|in data part|from file .*\.(?:bin|c?mrk\d?)\b/i

/** `Code: 241. DB::Exception: …`, anywhere in the text. */
const CODE = /Code: (\d+)\. DB::\w*Exception/

/** An engine that fails after the first blocks writes its message in place of the next block. */
export const LONGEST_MESSAGE = 64 * 1024

/** The engine's message at the end of a response; empty if there is none. */
export function messageIn(rest: Uint8Array): string {
  const text = Buffer.from(rest.subarray(Math.max(0, rest.length - LONGEST_MESSAGE))).toString('utf8')
  const at = text.search(CODE)
  return at === -1 ? '' : text.slice(at)
}

export function codeOf(message: string): number {
  const match = CODE.exec(message)
  return match === null ? 0 : Number(match[1])
}

export function faultOf(code: number, message: string): EngineFault {
  if (NO_SPACE.test(message)) return 'disk-full'
  // Damaged bytes cause errors of many numbers. The engine adds the part that it was reading.
  return FAULTS.get(code) ?? (READING.test(message) ? 'corrupt' : 'refused')
}

/** Returns any thrown value as an EngineError. Truncates the message, which can be as long as the statement. */
export function engineErrorOf(error: unknown, about: string, secret = ''): EngineError {
  if (error instanceof EngineError) return error
  const text = error instanceof Error ? error.message : String(error)
  const code = codeOf(text)
  return new EngineError(faultOf(code, text), code, hide(`${about}: ${text.slice(0, 2000)}`, secret))
}

export function hide(text: string, secret: string): string {
  if (secret === '') return text
  return text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
}
