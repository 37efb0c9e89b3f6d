// google.rpc.Status, the body of errors in OTLP/HTTP and the details of errors in gRPC, with the RetryInfo that says when to
// retry. Any and Duration have a special JSON.
import type { JsonWriter } from '@hearth/profile'
import { BackwardWriter, quotedBase64, readBytes } from '@hearth/profile'
import { bytes, int32, int64, message, messages, text } from '../protobuf/field.ts'
import type { JsonCursor } from '../protobuf/json-cursor.ts'
import type { ContentOf, Message } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'
import { WireCursor, WireFault } from '../protobuf/wire-cursor.ts'

const openDuration = defineMessage('google.protobuf.Duration', { seconds: int64(1), nanos: int32(2) })
export interface Duration extends ContentOf<typeof openDuration> {}

/** JSON writes it as `"1.5s"`. */
export const DURATION: Message<Duration> = { ...openDuration, readJson: readDuration, writeJson: writeDuration }

export const RETRY_INFO = defineMessage('google.rpc.RetryInfo', { retryDelay: message<Duration>(1, DURATION) })
export interface RetryInfo extends ContentOf<typeof RETRY_INFO> {}

const openAny = defineMessage('google.protobuf.Any', { typeUrl: text(1), value: bytes(2) })
export interface Any extends ContentOf<typeof openAny> {}

/** JSON writes the members of the message beside `@type`. Only RetryInfo is known; other messages are bytes in `value`. */
export const ANY: Message<Any> = { ...openAny, readJson: readAny, writeJson: writeAny }

export const RPC_STATUS = defineMessage('google.rpc.Status', {
  code: int32(1),
  message: text(2),
  details: messages<Any>(3, ANY),
})
export interface RpcStatus extends ContentOf<typeof RPC_STATUS> {}

export const RETRY_INFO_URL = `type.googleapis.com/${RETRY_INFO.name}`

/** The status of a refused request. `retryAfterMs` says that the sender may retry, and when. */
export function statusOf(code: number, text: string, retryAfterMs?: number): RpcStatus {
  if (retryAfterMs === undefined) return { code, message: text, details: [] }
  const whole = Math.floor(retryAfterMs / 1000)
  const nanos = Math.round((retryAfterMs - whole * 1000) * 1e6)
  const writer = new BackwardWriter(256)
  RETRY_INFO.write(writer, { retryDelay: { seconds: BigInt(whole), nanos } })
  return { code, message: text, details: [{ typeUrl: RETRY_INFO_URL, value: writer.finish() }] }
}

/** The delay of the RetryInfo in a status, or undefined. */
export function retryDelayMs(status: RpcStatus): number | undefined {
  const detail = status.details.find(({ typeUrl }) => typeUrl === RETRY_INFO_URL)
  const delay = detail === undefined ? undefined : retryInfoIn(detail)?.retryDelay
  return delay === undefined ? undefined : Number(delay.seconds) * 1000 + delay.nanos / 1e6
}

function retryInfoIn(any: Any): RetryInfo | undefined {
  try {
    return RETRY_INFO.read(new WireCursor(any.value, Infinity), any.value.length, undefined)
  } catch (error) {
    if (error instanceof WireFault) return undefined
    throw error
  }
}

const DURATION_TEXT = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/

function readDuration(cursor: JsonCursor): Duration {
  const at = cursor.offset
  const match = DURATION_TEXT.exec(cursor.textValue())
  if (match === null) return cursor.fail('invalid duration; write it as "1.5s"', at)
  const [, minus, seconds, fraction = ''] = match
  const sign = minus === '' ? 1 : -1
  return { seconds: BigInt(seconds) * BigInt(sign), nanos: Number(fraction.padEnd(9, '0')) * sign + 0 }
}

function writeDuration(writer: JsonWriter, { seconds, nanos }: Duration): void {
  const minus = seconds < 0n || nanos < 0 ? '-' : ''
  const whole = seconds < 0n ? -seconds : seconds
  const fraction = nanos === 0 ? '' : `.${String(Math.abs(nanos)).padStart(9, '0').replace(/0+$/, '')}`
  writer.string(`${minus}${whole}${fraction}s`)
}

function readAny(cursor: JsonCursor): Any {
  let typeUrl = ''
  let value: Uint8Array = new Uint8Array(0)
  let retryDelay: Duration | undefined
  cursor.members(key => {
    if (key === '@type') typeUrl = cursor.textValue()
    else if (key === 'value' && cursor.peek() === 'string') value = readBytes(cursor, 'base64')
    else if (key === 'retryDelay' && cursor.peek() === 'string') retryDelay = readDuration(cursor)
  })
  if (typeUrl !== RETRY_INFO_URL || retryDelay === undefined) return { typeUrl, value }
  const writer = new BackwardWriter(64)
  RETRY_INFO.write(writer, { retryDelay })
  return { typeUrl, value: writer.finish() }
}

function writeAny(writer: JsonWriter, any: Any): void {
  const delay = any.typeUrl === RETRY_INFO_URL ? retryInfoIn(any)?.retryDelay : undefined
  writer.beginObject()
  writer.key('@type')
  writer.string(any.typeUrl)
  if (delay !== undefined) {
    writer.key('retryDelay')
    writeDuration(writer, delay)
  } else if (any.value.length > 0) {
    writer.key('value')
    writer.raw(quotedBase64(any.value))
  }
  writer.endObject()
}
