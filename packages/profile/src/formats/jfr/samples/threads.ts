// Converts threads of a chunk to sets of attributes.
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { JfrAttributeSets } from './attributes.ts'
import { JFR_ATTRIBUTES, integerAttribute, textAttribute } from './attributes.ts'
import type { Constants } from '../encoding/constants.ts'
import { Cursor } from '../encoding/cursor.ts'
import { Extractor } from '../encoding/extract.ts'
import type { Texts } from '../encoding/texts.ts'

const Slot = { javaId: 0, osId: 1, javaName: 2, osName: 3, virtual: 4 } as const

export class JfrThreads {
  readonly #cursor: Cursor
  readonly #constants: Constants
  readonly #texts: Texts
  readonly #builder: ProfilesBuilder
  readonly #sets: JfrAttributeSets
  readonly #thread: Extractor
  /** Set + 1 of each constant; 0 if it was not read yet. */
  readonly #known: Int32Array

  constructor(
    bytes: Uint8Array,
    base: number,
    type: number,
    constants: Constants,
    texts: Texts,
    builder: ProfilesBuilder,
    sets: JfrAttributeSets,
  ) {
    this.#cursor = new Cursor(bytes, base)
    this.#constants = constants
    this.#texts = texts
    this.#builder = builder
    this.#sets = sets
    const fields = ['javaThreadId', 'osThreadId', 'javaName', 'osName', 'virtual']
    this.#thread = new Extractor(constants.layouts, this.#cursor, type, fields, 'last')
    this.#known = new Int32Array(constants.pool(type).length)
  }

  /** The attributes of the thread in a constant. */
  ofRow(type: number, row: number): number {
    if (this.#known[row] === 0) this.#known[row] = this.at(this.#constants.pool(type).position(row)) + 1
    return this.#known[row] - 1
  }

  /** An attribute with the id of the thread in a constant; 0 if it has none. */
  idOfRow(type: number, row: number, key: string): number {
    this.#thread.values.fill(0)
    this.#cursor.pos = this.#constants.pool(type).position(row)
    this.#thread.run(this.#cursor)
    const slot = this.#isSet(Slot.javaId) ? Slot.javaId : Slot.osId
    return this.#isSet(slot) ? this.#id(key, slot) : 0
  }

  /** The attributes of the thread at a position of the chunk. */
  at(position: number): number {
    const thread = this.#thread
    const { values } = thread
    values.fill(0)
    this.#cursor.pos = position
    thread.run(this.#cursor)
    const attributes: AttributeIndex[] = []
    const builder = this.#builder
    // By convention `thread.id` is the id that the program itself uses. Threads of the JVM have only the system's id.
    const isJava = this.#isSet(Slot.javaId)
    if (isJava) attributes.push(this.#id(ATTRIBUTES.threadId, Slot.javaId))
    if (this.#isSet(Slot.osId)) {
      attributes.push(this.#id(isJava ? JFR_ATTRIBUTES.osThreadId : ATTRIBUTES.threadId, Slot.osId))
    }
    const texts = this.#texts
    if ((texts.read(thread, Slot.javaName) && texts.length > 0) || texts.read(thread, Slot.osName)) {
      if (texts.length > 0) attributes.push(textAttribute(builder, ATTRIBUTES.threadName, texts))
    }
    if (this.#isSet(Slot.virtual)) attributes.push(builder.attribute(JFR_ATTRIBUTES.virtualThread, true))
    return this.#sets.add(attributes)
  }

  /** async-profiler writes -1 for an unknown Java thread id. */
  #isSet(slot: number): boolean {
    const { forms, values } = this.#thread
    const high = values[2 * slot + 1]
    return forms[slot] === 'integer' && high >= 0 && (high > 0 || values[2 * slot] !== 0)
  }

  #id(key: string, slot: number): AttributeIndex {
    const { values } = this.#thread
    return integerAttribute(this.#builder, key, values[2 * slot], values[2 * slot + 1])
  }
}
