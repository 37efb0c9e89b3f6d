// Writes the columns before the time of a sample's line: thread name, ids and CPU, from the sample's attributes.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { PlainText } from './plain-text.ts'

export class ThreadTexts {
  /** Texts by row. */
  readonly texts = new BytesInterner(new GrowingBytes(4096))
  readonly #payload: Profiles
  readonly #plain: PlainText
  /** Keys: the process of a resource and a list of attributes. Each has a text, and a count of attributes without a column. */
  readonly #keys = new SequenceInterner()
  readonly #textOfKey = new GrowingInts()
  readonly #lostOfKey = new GrowingInts()
  #key = new Int32Array(16)

  constructor(payload: Profiles, plain: PlainText) {
    this.#payload = payload
    this.#plain = plain
  }

  /** The key of a sample, in a resource whose process is `pid`, or -1. */
  key(sample: number, pid: number): number {
    const { samples } = this.#payload
    const from = samples.attributesFrom(sample)
    const count = samples.attributesTo(sample) - from
    if (count + 1 > this.#key.length) this.#key = new Int32Array(2 * count + 2)
    this.#key[0] = pid
    for (let i = 0; i < count; i++) this.#key[i + 1] = samples.attributes.at(from + i)
    const key = this.#keys.intern(this.#key, 0, count + 1)
    if (key === this.#textOfKey.length) this.#add(samples.attributesOf(sample), pid)
    return key
  }

  text(key: number): number {
    return this.#textOfKey.array[key]
  }

  lost(key: number): number {
    return this.#lostOfKey.array[key]
  }

  #add(attributes: readonly AttributeIndex[], pidOfResource: number): void {
    const { strings, attributes: table } = this.#payload.dictionary
    const values = new Map(attributes.map(row => [strings.text(table.key(row)), table.value(row)]))
    const whole = (key: string): bigint | undefined => {
      const value = values.get(key)
      return typeof value === 'bigint' && value >= 0n ? value : undefined
    }
    const pid = whole(ATTRIBUTES.processPid) ?? (pidOfResource < 0 ? undefined : BigInt(pidOfResource))
    const tid = whole(ATTRIBUTES.threadId)
    const cpu = whole(ATTRIBUTES.cpuLogicalNumber)
    const given = values.get(ATTRIBUTES.threadName)
    const name = typeof given === 'string' ? this.#plain.thread(given) : ''
    const isNamed = name !== '' && name !== `:${tid ?? -1}`
    const ids = pid === undefined ? `${tid ?? -1}`.padStart(5) : `${`${pid}`.padStart(5)}/${`${tid ?? -1}`.padEnd(5)}`
    const column = cpu === undefined ? '' : ` [${`${cpu}`.padStart(3, '0')}]`
    // A line that begins with # would be a comment.
    const text = encodeUtf8(`${name.startsWith('#') ? ' ' : ''}${isNamed ? name : `:${tid ?? -1}`} ${ids}${column} `)
    this.#textOfKey.push(this.texts.intern(text, 0, text.length))
    const kept = [whole(ATTRIBUTES.processPid), tid, cpu, isNamed ? name : undefined].filter(
      value => value !== undefined,
    )
    this.#lostOfKey.push(attributes.length - kept.length)
  }
}
