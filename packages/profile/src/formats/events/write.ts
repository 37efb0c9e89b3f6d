// Writes profiles by the timestamped-events proposal: the whole payload as one Profile message. What the proposal has no
// field for goes with the event types, as attributes (see carried-header.ts).
import { compact } from '../../model/compact.ts'
import type { FunctionIndex, LinkIndex, LocationIndex, MappingIndex, StackIndex } from '../../model/brand.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { highHalf, lowHalf } from '../../model/int64.ts'
import type { Profiles } from '../../model/profiles.ts'
import type { BackwardWriter } from '../../wire/backward-writer.ts'
import { AttributeOrder } from '../attribute-order.ts'
import { FieldAttributes } from '../field-attributes.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { RowNumbers, StringNumbers, numberMappings } from '../row-numbers.ts'
import { section, writePacked } from '../write-envelope.ts'
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
  readonly #strings: StringNumbers
  readonly #attributes: AttributeNumbers
  readonly #stacks: RowNumbers
  readonly #locations: RowNumbers
  readonly #functions: RowNumbers
  readonly #mappings: RowNumbers
  readonly #links: RowNumbers
  readonly #clocks = new ClockNumbers()
  readonly #order: AttributeOrder
  readonly #fields: FieldAttributes

  constructor(payload: Profiles, notes: NoteList) {
    const { dictionary } = payload
    this.#payload = payload
    this.#notes = notes
    this.#strings = new StringNumbers(dictionary)
    this.#attributes = new AttributeNumbers(dictionary, this.#strings, notes)
    this.#stacks = new RowNumbers(dictionary.stacks.length)
    this.#locations = new RowNumbers(dictionary.locations.length)
    this.#functions = new RowNumbers(dictionary.functions.length)
    this.#mappings = new RowNumbers(dictionary.mappings.length)
    this.#links = new RowNumbers(dictionary.links.length)
    this.#order = new AttributeOrder(dictionary)
    this.#fields = new FieldAttributes(dictionary, ['gnu', 'hash', 'folded', 'frame-type', 0, 1, 2, 3], this.#order)
    // The first stack is the empty one.
    this.#stacks.of(0)
  }

  write(): Uint8Array {
    const plan = planTypes(this.#payload, this.#notes)
    const events = new EventWriter(this.#payload, this.#notes)
    const numbers = { stacks: this.#stacks, links: this.#links, attributes: this.#attributes, order: this.#order }
    // In the order of what refers to what; then put together in the order of the fields.
    const types = section(out => this.#types(out, plan.types, events))
    const eventFields = events.write(0x0a, numbers)
    const stacks = section(out => this.#writeStacks(out))
    const locations = section(out => this.#writeLocations(out))
    const mappings = section(out => this.#writeMappings(out))
    const functions = section(out => this.#writeFunctions(out))
    const links = section(out => this.#writeLinks(out))
    const clocks = section(out => this.#writeClocks(out))
    const attributes = section(out => this.#attributes.write(out, 0x42))
    const footer = section(out => {
      this.#writeComments(out, plan.comment === undefined ? [] : this.#comments(plan.comment))
      out.varint64Field(0x88, lowHalf(plan.duration), highHalf(plan.duration))
      out.fixed64Field(0x81, lowHalf(plan.end), highHalf(plan.end))
    })
    const strings = section(out => this.#strings.write(out, 0x5a))
    return joined([
      eventFields,
      types,
      stacks,
      locations,
      functions,
      mappings,
      attributes,
      links,
      strings,
      clocks,
      footer,
    ])
  }

  #comments(row: number): readonly string[] {
    return this.#payload.dictionary.attributes.value(row as never) as readonly string[]
  }

  #writeComments(out: BackwardWriter, comments: readonly string[]): void {
    const indexes = Int32Array.from(comments, comment => this.#strings.text(comment))
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
        this.#notes.add('empty-resources', 'resources and scopes without profiles have no place in the proposal')
    }
    for (const { plan, clock, attributes } of written.toReversed()) {
      const mark = out.written
      writePacked(out, 0x3a, Int32Array.from(attributes), 0, attributes.length)
      out.varint64Field(0x20, lowHalf(plan.defaultValue), highHalf(plan.defaultValue))
      if (clock >= 0) {
        out.reserve(8)
        out.rawVarint32(clock)
        out.rawVarint32(0x18)
      }
      out.varint32Field(0x10, this.#strings.text(plan.unit))
      out.varint32Field(0x08, this.#strings.text(plan.name))
      out.messageHeader(0x1a, mark)
    }
  }

  /** The attribute that carries a resource, made when first asked for; none where there is nothing to carry. */
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

  #writeStacks(out: BackwardWriter): void {
    const { stacks } = this.#payload.dictionary
    const { rows } = this.#stacks
    const runs = new GrowingInts()
    const ends: number[] = []
    for (let i = 0; i < rows.length; i++) {
      const row = rows.array[i] as StackIndex
      for (let k = stacks.from(row); k < stacks.to(row); k++) runs.push(this.#locations.of(stacks.locations.at(k)))
      ends.push(runs.length)
    }
    for (let i = rows.length - 1; i >= 0; i--) {
      const mark = out.written
      writePacked(out, 0x0a, runs.array, i === 0 ? 0 : ends[i - 1], ends[i])
      out.messageHeader(0x22, mark)
    }
  }

  #writeLocations(out: BackwardWriter): void {
    const { locations } = this.#payload.dictionary
    const { rows } = this.#locations
    numberMappings(this.#payload.dictionary, this.#locations, this.#mappings)
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as LocationIndex
      const mark = out.written
      const fields = this.#fields.split(
        locations.attributes,
        locations.attributesFrom(row),
        locations.attributesTo(row),
      )
      this.#attributeList(out, 0x32, fields)
      out.varint32Field(0x28, this.#strings.text(fields.texts.get('frame-type') ?? ''))
      out.varint32Field(0x20, fields.flags.has('folded') ? 1 : 0)
      for (let k = locations.linesTo(row) - 1; k >= locations.linesFrom(row); k--) this.#line(out, k)
      const address = locations.address(row)
      out.varint64Field(0x10, lowHalf(address), highHalf(address))
      if (this.#mappings.length > 0) out.varint32Field(0x08, this.#mappings.of(locations.mapping(row)))
      out.messageHeader(0x2a, mark)
    }
  }

  #line(out: BackwardWriter, k: number): void {
    const { lines } = this.#payload.dictionary.locations
    const mark = out.written
    const column = lines.column(k)
    out.varint64Field(0x18, lowHalf(column), highHalf(column))
    const line = lines.line(k)
    out.varint64Field(0x10, lowHalf(line), highHalf(line))
    out.varint32Field(0x08, this.#functions.of(lines.function(k)))
    out.messageHeader(0x1a, mark)
  }

  #writeMappings(out: BackwardWriter): void {
    const { mappings } = this.#payload.dictionary
    const { rows } = this.#mappings
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as MappingIndex
      const mark = out.written
      const fields = this.#fields.split(mappings.attributes, mappings.attributesFrom(row), mappings.attributesTo(row))
      for (const flag of [3, 2, 1, 0] as const) out.varint32Field(0x40 + 8 * flag, fields.flags.has(flag) ? 1 : 0)
      this.#attributeList(out, 0x3a, fields)
      const { text, kind } = fields.buildId()
      out.varint32Field(0x30, kind)
      out.varint32Field(0x28, this.#strings.text(text))
      out.varint32Field(0x20, this.#strings.of(mappings.filename(row)))
      const offset = mappings.fileOffset(row)
      out.varint64Field(0x18, lowHalf(offset), highHalf(offset))
      const limit = mappings.memoryLimit(row)
      out.varint64Field(0x10, lowHalf(limit), highHalf(limit))
      const start = mappings.memoryStart(row)
      out.varint64Field(0x08, lowHalf(start), highHalf(start))
      out.messageHeader(0x3a, mark)
    }
  }

  #attributeList(out: BackwardWriter, tag: number, { rest, restLength }: FieldAttributes): void {
    const numbers = Int32Array.from(rest.subarray(0, restLength), row => this.#attributes.of(row as never))
    writePacked(out, tag, numbers, 0, numbers.length)
  }

  #writeFunctions(out: BackwardWriter): void {
    const { functions } = this.#payload.dictionary
    const { rows } = this.#functions
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as FunctionIndex
      const mark = out.written
      const line = functions.startLine(row)
      out.varint64Field(0x28, lowHalf(line), highHalf(line))
      out.varint32Field(0x20, this.#strings.of(functions.filename(row)))
      out.varint32Field(0x18, this.#strings.of(functions.systemName(row)))
      out.varint32Field(0x10, this.#strings.of(functions.name(row)))
      out.messageHeader(0x32, mark)
    }
  }

  #writeLinks(out: BackwardWriter): void {
    const { links } = this.#payload.dictionary
    const { rows } = this.#links
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as LinkIndex
      const mark = out.written
      const span = links.spanId(row)
      if (span.length > 0) out.bytesField(0x12, span, 0, span.length)
      const trace = links.traceId(row)
      if (trace.length > 0) out.bytesField(0x0a, trace, 0, trace.length)
      out.messageHeader(0x52, mark)
    }
  }

  #writeClocks(out: BackwardWriter): void {
    for (const { frequency, start, attributes } of this.#clocks.clocks.toReversed()) {
      const mark = out.written
      const numbers = Int32Array.from(attributes, ({ key, value }) => this.#attributes.add(key, value))
      writePacked(out, 0x1a, numbers, 0, numbers.length)
      out.fixed64Field(0x11, lowHalf(start), highHalf(start))
      out.varint64Field(0x08, lowHalf(frequency), highHalf(frequency))
      out.messageHeader(0x62, mark)
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
