// Writes Go execution traces, event by event.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export class TraceWriter {
  readonly #bytes: number[] = []

  constructor(version: number) {
    this.#bytes.push(...encodeUtf8(`go 1.${version} trace\0\0\0`))
  }

  batch(generation: number, thread: number | bigint, time: number, content: readonly number[]): this {
    this.#bytes.push(
      1,
      ...varint(generation),
      ...varint(thread),
      ...varint(time),
      ...varint(content.length),
      ...content,
    )
    return this
  }

  raw(...bytes: readonly number[]): this {
    this.#bytes.push(...bytes)
    return this
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

function varint(value: number | bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return [...bytes, Number(rest)]
}

/** An event: its type and its numbers. */
export function event(type: number, ...args: readonly (number | bigint)[]): number[] {
  return [type, ...args.flatMap(varint)]
}

export function stringEvent(id: number, text: string): number[] {
  const bytes = encodeUtf8(text)
  return [...event(5, id, bytes.length), ...bytes]
}

/** Frames of address, name, file and line. */
export function stackEvent(id: number, ...frames: readonly (readonly (number | bigint)[])[]): number[] {
  return [...event(3, id, frames.length), ...frames.flat().flatMap(varint)]
}
