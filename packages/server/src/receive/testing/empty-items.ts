// Requests with as many items as fit: an item without fields takes two bytes of protobuf and three of JSON.
import { gzipSync } from 'node:zlib'
import type { Signal } from '../../store/keeper.ts'
import type { EncodedBody } from '../decode-payload.ts'

/** The number of the repeated field in each message around the items, outermost first. The last contains the items. */
const PATHS: Readonly<Record<Signal, readonly number[]>> = {
  profiles: [1, 2, 2, 2],
  traces: [1, 2, 2],
  logs: [1, 2, 2],
  metrics: [1, 2, 2, 5, 1],
}

const NAMES: Readonly<Record<Signal, readonly string[]>> = {
  profiles: ['resourceProfiles', 'scopeProfiles', 'profiles', 'samples'],
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
}

/** The field of the outermost container that holds its schema URL, for a text that makes the body larger. */
const SCHEMA_URL = 3

export function emptyItems(signal: Signal, encoding: 'protobuf' | 'json', count: number): EncodedBody {
  return { signal, encoding, body: encoding === 'json' ? emptyJson(signal, count) : emptyProtobuf(signal, count) }
}

/**
 * Gzip of a request with `count` items and a text of 8 bytes for each. Decoders allow more memory for larger bodies, and the
 * text costs a thousandth of its size.
 */
export function compressedItems(signal: Signal, encoding: 'protobuf' | 'json', count: number): Uint8Array {
  return gzipSync(emptyItems(signal, encoding, count).body)
}

function emptyProtobuf(signal: Signal, count: number): Buffer {
  const [outer, ...inner] = PATHS[signal]
  const item = inner.at(-1)!
  let content: Buffer = Buffer.alloc(2 * count)
  for (let i = 0; i < content.length; i += 2) content[i] = (item << 3) | 2
  for (const field of inner.slice(0, -1).toReversed()) content = delimited(field, content)
  return delimited(outer, Buffer.concat([content, delimited(SCHEMA_URL, Buffer.alloc(8 * count, 'x'))]))
}

function delimited(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  return Buffer.from([...bytes, value])
}

function emptyJson(signal: Signal, count: number): Buffer {
  const names = NAMES[signal]
  const items = `[${'{},'.repeat(Math.max(0, count - 1))}{}]`
  const open = names.map(name => `{"${name}":`).join('[')
  const schemaUrl = `,"schemaUrl":"${'x'.repeat(8 * count)}"`
  return Buffer.from(`${open}${items}${'}]'.repeat(names.length - 2)}${schemaUrl}}]}`)
}
