// Writes chunks of recordings for tests: any classes, constants and events in any order, without checks.
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { HEADER_BYTES } from '../encoding/chunk-header.ts'

export interface FieldSpec {
  readonly name: string
  /** The name of the field's class. */
  readonly type: string
  readonly constant?: boolean
  readonly array?: boolean
}

export interface ClassSpec {
  readonly name: string
  readonly id: bigint
  readonly fields: readonly FieldSpec[]
}

export interface ClockSpec {
  readonly startNanos?: bigint
  readonly durationNanos?: bigint
  readonly startTicks?: bigint
  readonly ticksPerSecond?: bigint
}

/** A growing list of bytes, with the encodings of JFR. */
export class Sink {
  readonly bytes: number[] = []

  byte(value: number): this {
    this.bytes.push(value & 0xff)
    return this
  }

  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.bytes.push(byte)
    return this
  }

  /** Writes 64 bits. Negative numbers take nine bytes. */
  long(value: bigint | number): this {
    let rest = BigInt.asUintN(64, BigInt(value))
    for (let i = 0; i < 8; i++) {
      if (rest < 128n) return this.byte(Number(rest))
      this.byte(Number(rest & 127n) | 128)
      rest >>= 7n
    }
    return this.byte(Number(rest))
  }

  /** Writes 32 bits. Negative numbers take five bytes. */
  int(value: number): this {
    return this.long(BigInt(value >>> 0))
  }

  longs(...values: readonly (bigint | number)[]): this {
    for (const value of values) this.long(value)
    return this
  }

  text(text: string | undefined): this {
    if (text === undefined) return this.byte(0)
    if (text === '') return this.byte(1)
    const bytes = encodeUtf8(text)
    return this.byte(3).long(bytes.length).raw(bytes)
  }

  textOfConstant(key: bigint | number): this {
    return this.byte(2).long(key)
  }

  textOfChars(text: string): this {
    this.byte(4).long(text.length)
    for (let i = 0; i < text.length; i++) this.long(text.charCodeAt(i))
    return this
  }

  textOfLatin1(text: string): this {
    return this.byte(5)
      .long(text.length)
      .raw(Array.from(text, char => char.charCodeAt(0)))
  }
}

export class ChunkWriter {
  readonly #classes: readonly ClassSpec[]
  readonly #clock: ClockSpec
  readonly #body = new Sink()
  #lastCheckpoint = 0
  #metadata = 0

  constructor(classes: readonly ClassSpec[], clock: ClockSpec = {}) {
    this.#classes = classes
    this.#clock = clock
  }

  /** Adds an event of a class, by name. `write` writes its fields. */
  event(name: string, write: (sink: Sink) => unknown): this {
    return this.eventOfType(this.#idOf(name), write)
  }

  eventOfType(id: bigint, write: (sink: Sink) => unknown): this {
    const content = new Sink().long(id)
    write(content)
    return this.#append(content)
  }

  /** Adds constants by class name: the key and a function that writes the value. */
  constants(pools: Readonly<Record<string, readonly (readonly [bigint | number, (sink: Sink) => unknown])[]>>): this {
    const at = HEADER_BYTES + this.#body.bytes.length
    const delta = this.#lastCheckpoint === 0 ? 0 : this.#lastCheckpoint - at
    this.#lastCheckpoint = at
    const content = new Sink().longs(1, 0, 0, delta).byte(1).long(Object.keys(pools).length)
    for (const [name, entries] of Object.entries(pools)) {
      content.long(this.#idOf(name)).long(entries.length)
      for (const [key, write] of entries) {
        content.long(key)
        write(content)
      }
    }
    return this.#append(content)
  }

  /** Adds the metadata. `bytes` adds it at the end if this was not called. */
  metadata(): this {
    this.#metadata = HEADER_BYTES + this.#body.bytes.length
    const strings: string[] = []
    const string = (text: string): number => {
      if (!strings.includes(text)) strings.push(text)
      return strings.indexOf(text)
    }
    const tree = new Sink()
    const element = (name: string, attributes: Readonly<Record<string, string>>, children: number): void => {
      tree.long(string(name)).long(Object.keys(attributes).length)
      for (const [key, value] of Object.entries(attributes)) tree.longs(string(key), string(value))
      tree.long(children)
    }
    element('root', {}, 2)
    element('metadata', {}, this.#classes.length)
    for (const { name, id, fields } of this.#classes) {
      element('class', { name, id: String(id), superType: 'x' }, fields.length + 1)
      element('annotation', { class: '1', 'value-0': 'A label' }, 0)
      for (const field of fields) {
        const attributes: Record<string, string> = { name: field.name, class: String(this.#idOf(field.type)) }
        if (field.constant === true) attributes['constantPool'] = 'true'
        if (field.array === true) attributes['dimension'] = '1'
        element('field', attributes, 1)
        element('annotation', { class: '1' }, 0)
      }
    }
    element('region', { locale: 'en_US' }, 0)
    const content = new Sink().longs(0, 0, 0, 1).long(strings.length)
    for (const text of strings) content.text(text)
    return this.#append(content.raw(tree.bytes))
  }

  bytes(): Uint8Array {
    if (this.#metadata === 0) this.metadata()
    const size = HEADER_BYTES + this.#body.bytes.length
    const bytes = new Uint8Array(size)
    const view = new DataView(bytes.buffer)
    bytes.set(encodeUtf8('FLR\0'))
    view.setUint16(4, 2)
    view.setUint16(6, 1)
    view.setBigInt64(8, BigInt(size))
    view.setBigInt64(16, BigInt(this.#lastCheckpoint))
    view.setBigInt64(24, BigInt(this.#metadata))
    view.setBigInt64(32, this.#clock.startNanos ?? 1_700_000_000_000_000_000n)
    view.setBigInt64(40, this.#clock.durationNanos ?? 1_000_000_000n)
    view.setBigInt64(48, this.#clock.startTicks ?? 1_000n)
    view.setBigInt64(56, this.#clock.ticksPerSecond ?? 1_000_000_000n)
    view.setUint32(64, 1)
    bytes.set(this.#body.bytes, HEADER_BYTES)
    return bytes
  }

  #idOf(name: string): bigint {
    return this.#classes.find(one => one.name === name)?.id ?? 999_999n
  }

  /** The size includes its own bytes and is always padded to four bytes, which recorders do too. */
  #append(content: Sink): this {
    const size = content.bytes.length + 4
    this.#body.raw([(size & 127) | 128, ((size >> 7) & 127) | 128, ((size >> 14) & 127) | 128, size >> 21])
    this.#body.raw(content.bytes)
    return this
  }
}

export function joined(...chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
