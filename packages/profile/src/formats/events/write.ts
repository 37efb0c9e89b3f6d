// Writes profiles in the timestamped-events proposal: the complete payload as one Profile message. Data without a field in the
// proposal is stored in attributes of event types (see carried-header.ts).
import { compact } from '../../model/compact/compact.ts'
import type { LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { AttributeOrder } from '../former-drafts/attribute-order.ts'
import { FieldAttributes } from '../former-drafts/field-attributes.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { SymbolTableWriter, writeLocationFields } from '../former-drafts/symbol-table-writer.ts'
import { section, writeLong, writePacked, writeSections } from '../former-drafts/write-fields.ts'
import { HEADER, RESOURCE, SCOPE } from './attribute-names.ts'
import { headerValue, resourceValue, scopeValue } from './carried-header.ts'
import type { TypePlan } from './plan-types.ts'
import { planTypes } from './plan-types.ts'
import { ClockNumbers, EventWriter } from './write-events.ts'
import { AttributeNumbers } from './write-values.ts'

export function writeEventProfile(profiles: Profiles): WriteResult {
  const notes = new NoteList()
  const bytes = new FileWriter(compact(profiles), notes).write()
  return { bytes, notes: notes.list() }
}

class FileWriter {
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #symbols: SymbolTableWriter
  readonly #attributes: AttributeNumbers
  readonly #clocks = new ClockNumbers()
  readonly #order: AttributeOrder
  readonly #fields: FieldAttributes

  constructor(payload: Profiles, notes: NoteList) {
    const { dictionary } = payload
    this.#payload = payload
    this.#notes = notes
    this.#symbols = new SymbolTableWriter(dictionary, {
      stacks: { field: 4, order: 'leaf first' },
      locations: { field: 5, first: 1 },
      functions: { field: 6, first: 2 },
      mappings: { field: 7, first: 1 },
      links: 10,
      writeLocationRest: (out, row) => this.#locationRest(out, row),
      writeMappingRest: (out, row) => this.#mappingRest(out, row),
    })
    this.#attributes = new AttributeNumbers(dictionary, this.#symbols.strings, notes)
    this.#order = new AttributeOrder(dictionary)
    this.#fields = new FieldAttributes(dictionary, ['gnu', 'hash', 'folded', 'frame-type', 0, 1, 2, 3], this.#order)
    // The first stack is the empty one.
    this.#symbols.stacks.of(0)
  }

  write(): Uint8Array {
    const plan = planTypes(this.#payload, this.#notes)
    const events = new EventWriter(this.#payload, this.#notes)
    const { stacks, links } = this.#symbols
    const numbers = { stacks, links, attributes: this.#attributes, order: this.#order }
    // Encoded in the order of references, then joined in the order of fields.
    const types = section(out => this.#types(out, plan.types, events))
    const eventFields = events.write(0x0a, numbers)
    const { stacks: stackFields, locations, mappings, functions, links: linkFields } = this.#symbols.write()
    const clocks = section(out => this.#writeClocks(out))
    const attributes = section(out => this.#attributes.write(out, 0x42))
    const footer = section(out => {
      this.#writeComments(out, plan.comment === undefined ? [] : this.#comments(plan.comment))
      writeLong(out, 0x88, plan.duration)
      out.fixed64Field(0x81, lowHalf(plan.end), highHalf(plan.end))
    })
    const strings = section(out => this.#symbols.strings.write(out, 0x5a))
    const symbols = [stackFields, locations, functions, mappings]
    const file = [eventFields, types, ...symbols, attributes, linkFields, strings, clocks, footer]
    return section(out => writeSections(out, file))
  }

  #comments(row: number): readonly string[] {
    return this.#payload.dictionary.attributes.value(row as never) as readonly string[]
  }

  #writeComments(out: BackwardWriter, comments: readonly string[]): void {
    const indexes = Int32Array.from(comments, comment => this.#symbols.strings.text(comment))
    writePacked(out, 0x92, indexes, 0, indexes.length)
  }

  #types(out: BackwardWriter, plans: readonly (readonly TypePlan[])[], events: EventWriter): void {
    const { resources } = this.#payload
    const written: { readonly plan: TypePlan; readonly clock: number; readonly attributes: readonly number[] }[] = []
    for (let r = 0; r < resources.length; r++) {
      const resource = this.#resource(r)
      let isEmpty = true
      for (let s = resources.from(r); s < resources.to(r); s++) {
        if (plans[s].length === 0) continue
        isEmpty = false
        const around = [...resource(), ...this.#scope(r, s)]
        for (const plan of plans[s]) {
          const clock = this.#clocks.of(plan)
          const carried =
            Object.keys(plan.header).length === 0 ? [] : [this.#attributes.add(HEADER, headerValue(plan.header))]
          const attributes = [
            ...this.#order.sorted(plan.attributes).map(row => this.#attributes.of(row)),
            ...carried,
            ...around,
          ]
          events.add(written.length, plan, clock)
          written.push({ plan, clock, attributes })
        }
      }
      if (isEmpty)
        this.#notes.add('empty-resources', 'resources and scopes without profiles cannot be written in the proposal')
    }
    for (const { plan, clock, attributes } of written.toReversed()) {
      const mark = out.written
      writePacked(out, 0x3a, Int32Array.from(attributes), 0, attributes.length)
      writeLong(out, 0x20, plan.defaultValue)
      if (clock >= 0) {
        out.reserve(8)
        out.rawVarint32(clock)
        out.rawVarint32(0x18)
      }
      out.varint32Field(0x10, this.#symbols.strings.text(plan.unit))
      out.varint32Field(0x08, this.#symbols.strings.text(plan.name))
      out.messageHeader(0x1a, mark)
    }
  }

  /** Returns the attribute with a resource, which is created on first use, or none if the resource is empty. */
  #resource(r: number): () => readonly number[] {
    let number: number | undefined
    const { resources } = this.#payload
    if (r === 0 && resources.messageLength(r) === 0 && resources.schemaUrl(r) === '') return () => []
    return () => {
      const carried = { index: BigInt(r), schemaUrl: resources.schemaUrl(r), resource: resources.resource(r) }
      number ??= this.#attributes.add(RESOURCE, resourceValue(carried))
      return [number]
    }
  }

  #scope(r: number, s: number): readonly number[] {
    const { resources, scopes } = this.#payload
    const index = s - resources.from(r)
    if (index === 0 && scopes.messageLength(s) === 0 && scopes.schemaUrl(s) === '') return []
    const carried = { index: BigInt(index), schemaUrl: scopes.schemaUrl(s), scope: scopes.scope(s) }
    return [this.#attributes.add(SCOPE, scopeValue(carried))]
  }

  #locationRest(out: BackwardWriter, row: LocationIndex): void {
    const { locations } = this.#payload.dictionary
    const fields = this.#fields.split(locations.attributes, locations.attributesFrom(row), locations.attributesTo(row))
    writeLocationFields(out, 4, { fields, strings: this.#symbols.strings, attributes: this.#attributes })
  }

  #mappingRest(out: BackwardWriter, row: MappingIndex): string {
    const { mappings } = this.#payload.dictionary
    const fields = this.#fields.split(mappings.attributes, mappings.attributesFrom(row), mappings.attributesTo(row))
    for (const flag of [3, 2, 1, 0] as const) out.varint32Field(0x40 + 8 * flag, fields.flags.has(flag) ? 1 : 0)
    fields.writeRest(out, 0x3a, this.#attributes)
    const { text, kind } = fields.buildId()
    out.varint32Field(0x30, kind)
    return text
  }

  #writeClocks(out: BackwardWriter): void {
    for (const { frequency, start, attributes } of this.#clocks.clocks.toReversed()) {
      const mark = out.written
      const numbers = Int32Array.from(attributes, ({ key, value }) => this.#attributes.add(key, value))
      writePacked(out, 0x1a, numbers, 0, numbers.length)
      out.fixed64Field(0x11, lowHalf(start), highHalf(start))
      writeLong(out, 0x08, frequency)
      out.messageHeader(0x62, mark)
    }
  }
}
