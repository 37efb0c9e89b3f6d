// Reads the response of a backend: partial success, or a google.rpc.Status with a retry delay. A proxy may respond instead of
// the backend, so the bytes can be anything and must do no harm.

export interface PartialSuccess {
  readonly rejected: bigint
  readonly message: string
}

export type ResponseEncoding = 'protobuf' | 'json'

const MAX_MESSAGE = 500

/** Reads an ExportProfilesServiceResponse. Returns undefined if everything was accepted. */
export function partialSuccessIn(body: Uint8Array, encoding: ResponseEncoding): PartialSuccess | undefined {
  if (body.length === 0) return undefined
  try {
    const { rejected, message } = encoding === 'json' ? partialOfJson(body) : partialOfProtobuf(body)
    return rejected === 0n && message === '' ? undefined : { rejected, message: shortened(message) }
  } catch {
    return { rejected: 0n, message: 'the response is not from an OTLP backend' }
  }
}

export interface RpcStatus {
  readonly message: string
  readonly retryAfterMillis: number | undefined
}

/** Reads a google.rpc.Status. An unreadable one counts as empty. */
export function rpcStatusIn(body: Uint8Array, encoding: ResponseEncoding): RpcStatus {
  try {
    return encoding === 'json' ? statusOfJson(body) : statusOfProtobuf(body)
  } catch {
    return { message: '', retryAfterMillis: undefined }
  }
}

/** The header contains seconds or a date. */
export function retryAfterMillis(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function partialOfProtobuf(body: Uint8Array): PartialSuccess {
  let rejected = 0n
  let message = ''
  for (const { field, value } of fieldsOf(body)) {
    if (field !== 1 || typeof value === 'bigint') continue
    for (const inner of fieldsOf(value)) {
      if (inner.field === 1 && typeof inner.value === 'bigint') rejected = BigInt.asIntN(64, inner.value)
      else if (inner.field === 2 && typeof inner.value !== 'bigint') message = decodeUtf8(inner.value)
    }
  }
  return { rejected, message }
}

function partialOfJson(body: Uint8Array): PartialSuccess {
  const partial = memberOf(JSON.parse(decodeUtf8(body)), 'partialSuccess')
  const rejected = memberOf(partial, 'rejectedProfiles') ?? 0
  const message = memberOf(partial, 'errorMessage') ?? ''
  return { rejected: BigInt(rejected as string | number), message: typeof message === 'string' ? message : '' }
}

const RETRY_INFO = 'google.rpc.RetryInfo'

function statusOfProtobuf(body: Uint8Array): RpcStatus {
  let message = ''
  let millis: number | undefined
  for (const { field, value } of fieldsOf(body)) {
    if (typeof value === 'bigint') continue
    if (field === 2) message = shortened(decodeUtf8(value))
    else if (field === 3) millis ??= retryInfoIn(value)
  }
  return { message, retryAfterMillis: millis }
}

/** Any { type_url = 1, value = 2 } with RetryInfo { retry_delay = 1 } with Duration { seconds = 1, nanos = 2 }. */
function retryInfoIn(any: Uint8Array): number | undefined {
  const fields = fieldsOf(any)
  const type = fields.find(({ field }) => field === 1)?.value
  if (!(type instanceof Uint8Array) || !decodeUtf8(type).endsWith(`/${RETRY_INFO}`)) return undefined
  const info = fields.find(({ field }) => field === 2)?.value
  const delay = info instanceof Uint8Array ? fieldsOf(info).find(({ field }) => field === 1)?.value : undefined
  if (!(delay instanceof Uint8Array)) return 0
  let millis = 0
  for (const { field, value } of fieldsOf(delay)) {
    if (typeof value === 'bigint') millis += Number(BigInt.asIntN(64, value)) * (field === 1 ? 1000 : 1e-6)
  }
  return Math.max(0, millis)
}

function statusOfJson(body: Uint8Array): RpcStatus {
  const status: unknown = JSON.parse(decodeUtf8(body))
  const details = memberOf(status, 'details')
  let millis: number | undefined
  for (const detail of Array.isArray(details) ? (details as readonly unknown[]) : []) {
    const type = memberOf(detail, '@type')
    if (typeof type !== 'string' || !type.endsWith(`/${RETRY_INFO}`)) continue
    const delay = /^(\d+(?:\.\d+)?)s$/.exec(String(memberOf(detail, 'retryDelay')))
    millis = delay === null ? 0 : Number(delay[1]) * 1000
  }
  const message = memberOf(status, 'message')
  return { message: typeof message === 'string' ? shortened(message) : '', retryAfterMillis: millis }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

interface Field {
  readonly field: number
  readonly value: bigint | Uint8Array
}

/** The fields of a message, one level deep. Throws RangeError if the bytes are not protobuf. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = []
  let p = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (p >= bytes.length) break
      const byte = bytes[p++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('invalid varint')
  }
  const view = (length: number): Uint8Array => {
    if (length > bytes.length - p) throw new RangeError('length beyond the end')
    p += length
    return bytes.subarray(p - length, p)
  }
  while (p < bytes.length) {
    const tag = varint()
    const field = Number(tag >> 3n)
    if (field === 0) throw new RangeError('field number 0')
    switch (Number(tag & 7n)) {
      case 0:
        fields.push({ field, value: varint() })
        break
      case 1:
        fields.push({ field, value: view(8) })
        break
      case 2:
        fields.push({ field, value: view(Number(varint())) })
        break
      case 5:
        fields.push({ field, value: view(4) })
        break
      default:
        throw new RangeError('unknown wire type')
    }
  }
  return fields
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
}
