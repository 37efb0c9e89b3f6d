// Writes the tables that former drafts took from pprof (locations with their lines, mappings, functions), and stacks and
// links. The fields are in pprof's order in every draft, so a draft is described by the number of the first field:
//
//   pprof, OTEP 0239   Function { 1 id, 2 name, 3 system_name, 4 filename, 5 start_line }     first: 2
//   arrays draft       Function {       1 name, 2 system_name, 3 filename, 4 start_line }     first: 1
//
// Rows count from 0 and are numbered by first use, so only rows that samples use are written.
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
} from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { FieldAttributes } from './field-attributes.ts'
import { RowNumbers, StringNumbers, numberMappings } from './row-numbers.ts'
import { section, writeBytes, writeLong, writePacked } from './write-fields.ts'

const VARINT = 0
const LENGTH = 2

/** The field number of a table in the profile, and of the first field of its rows after the id. */
interface TablePlace {
  readonly field: number
  readonly first: number
}

export interface SymbolForm {
  readonly locations: TablePlace
  readonly mappings: TablePlace
  readonly functions: TablePlace
  readonly links: number
  /** Undefined if the draft has no table of stacks. */
  readonly stacks?: { readonly field: number; readonly order: 'leaf first' | 'root first' }
  /** Writes the fields of a location after its lines. */
  readonly writeLocationRest: (out: BackwardWriter, row: LocationIndex) => void
  /** Writes the fields of a mapping after its build id. Returns the build id. */
  readonly writeMappingRest: (out: BackwardWriter, row: MappingIndex) => string
  /** For drafts whose lines and columns are not 64-bit numbers. */
  readonly writeLine?: (out: BackwardWriter, tag: number, line: bigint) => void
  readonly writeColumn?: (out: BackwardWriter, tag: number, column: bigint) => void
}

/** The is_folded flag, type and attributes of a location, with the tables they refer to. */
export interface LocationFields {
  readonly fields: FieldAttributes
  readonly strings: StringNumbers
  readonly attributes: { of(row: AttributeIndex): number }
}

/** The encoded fields of each table. */
export interface SymbolSections {
  readonly stacks: Uint8Array
  readonly locations: Uint8Array
  readonly mappings: Uint8Array
  readonly functions: Uint8Array
  readonly links: Uint8Array
}

export class SymbolTableWriter {
  readonly strings: StringNumbers
  readonly stacks: RowNumbers
  readonly locations: RowNumbers
  readonly mappings: RowNumbers
  readonly functions: RowNumbers
  readonly links: RowNumbers
  readonly #dictionary: Dictionary
  readonly #form: SymbolForm

  constructor(dictionary: Dictionary, form: SymbolForm) {
    this.#dictionary = dictionary
    this.#form = form
    this.strings = new StringNumbers(dictionary)
    this.stacks = new RowNumbers(dictionary.stacks.length)
    this.locations = new RowNumbers(dictionary.locations.length)
    this.mappings = new RowNumbers(dictionary.mappings.length)
    this.functions = new RowNumbers(dictionary.functions.length)
    this.links = new RowNumbers(dictionary.links.length)
  }

  clear(): void {
    this.strings.clear()
    for (const rows of [this.stacks, this.locations, this.mappings, this.functions, this.links]) rows.clear()
  }

  /** Writes the tables in the order of their references, after the samples were numbered. Strings may still be added. */
  write(): SymbolSections {
    return {
      stacks: section(out => this.#stacks(out)),
      locations: section(out => this.#locations(out)),
      mappings: section(out => this.#mappings(out)),
      functions: section(out => this.#functions(out)),
      links: section(out => this.#links(out)),
    }
  }

  #stacks(out: BackwardWriter): void {
    const { stacks: form } = this.#form
    if (form === undefined) return
    const { stacks } = this.#dictionary
    const { rows } = this.stacks
    const runs = new GrowingInts()
    const ends: number[] = []
    for (let i = 0; i < rows.length; i++) {
      const row = rows.array[i] as StackIndex
      const from = stacks.from(row)
      const to = stacks.to(row)
      for (let k = 0; k < to - from; k++) {
        runs.push(this.locations.of(stacks.locations.at(form.order === 'leaf first' ? from + k : to - 1 - k)))
      }
      ends.push(runs.length)
    }
    for (let i = rows.length - 1; i >= 0; i--) {
      const mark = out.written
      writePacked(out, tagOf(1, LENGTH), runs.array, i === 0 ? 0 : ends[i - 1], ends[i])
      out.messageHeader(tagOf(form.field, LENGTH), mark)
    }
  }

  #locations(out: BackwardWriter): void {
    const { locations } = this.#dictionary
    const { field, first } = this.#form.locations
    const { rows } = this.locations
    numberMappings(this.#dictionary, this.locations, this.mappings)
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as LocationIndex
      const mark = out.written
      this.#form.writeLocationRest(out, row)
      for (let k = locations.linesTo(row) - 1; k >= locations.linesFrom(row); k--) {
        const lineMark = out.written
        this.#line(out, k)
        out.messageHeader(tagOf(first + 2, LENGTH), lineMark)
      }
      writeLong(out, tagOf(first + 1, VARINT), locations.address(row))
      if (this.mappings.length > 0) out.varint32Field(tagOf(first, VARINT), this.mappings.of(locations.mapping(row)))
      out.messageHeader(tagOf(field, LENGTH), mark)
    }
  }

  #line(out: BackwardWriter, k: number): void {
    const { lines } = this.#dictionary.locations
    const { writeLine = writeLong, writeColumn = writeLong } = this.#form
    writeColumn(out, tagOf(3, VARINT), lines.column(k))
    writeLine(out, tagOf(2, VARINT), lines.line(k))
    out.varint32Field(tagOf(1, VARINT), this.functions.of(lines.function(k)))
  }

  #mappings(out: BackwardWriter): void {
    const { mappings } = this.#dictionary
    const { field, first } = this.#form.mappings
    const { rows } = this.mappings
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as MappingIndex
      const mark = out.written
      const buildId = this.#form.writeMappingRest(out, row)
      out.varint32Field(tagOf(first + 4, VARINT), this.strings.text(buildId))
      out.varint32Field(tagOf(first + 3, VARINT), this.strings.of(mappings.filename(row)))
      writeLong(out, tagOf(first + 2, VARINT), mappings.fileOffset(row))
      writeLong(out, tagOf(first + 1, VARINT), mappings.memoryLimit(row))
      writeLong(out, tagOf(first, VARINT), mappings.memoryStart(row))
      out.messageHeader(tagOf(field, LENGTH), mark)
    }
  }

  #functions(out: BackwardWriter): void {
    const { functions } = this.#dictionary
    const { field, first } = this.#form.functions
    const { writeLine = writeLong } = this.#form
    const { rows } = this.functions
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as FunctionIndex
      const mark = out.written
      writeLine(out, tagOf(first + 3, VARINT), functions.startLine(row))
      out.varint32Field(tagOf(first + 2, VARINT), this.strings.of(functions.filename(row)))
      out.varint32Field(tagOf(first + 1, VARINT), this.strings.of(functions.systemName(row)))
      out.varint32Field(tagOf(first, VARINT), this.strings.of(functions.name(row)))
      out.messageHeader(tagOf(field, LENGTH), mark)
    }
  }

  #links(out: BackwardWriter): void {
    const { links } = this.#dictionary
    const { rows } = this.links
    for (let i = rows.length - 1; i >= 0; i--) {
      const row = rows.array[i] as LinkIndex
      const mark = out.written
      // Row 0 of the model means "no link", whatever its bytes are.
      if (row !== 0) {
        writeBytes(out, tagOf(2, LENGTH), links.spanId(row))
        writeBytes(out, tagOf(1, LENGTH), links.traceId(row))
      }
      out.messageHeader(tagOf(this.#form.links, LENGTH), mark)
    }
  }
}

/** Writes the fields of a location after its lines, starting at field `first`. */
export function writeLocationFields(
  out: BackwardWriter,
  first: number,
  { fields, strings, attributes }: LocationFields,
): void {
  fields.writeRest(out, tagOf(first + 2, LENGTH), attributes)
  out.varint32Field(tagOf(first + 1, VARINT), strings.text(fields.texts.get('frame-type') ?? ''))
  out.varint32Field(tagOf(first, VARINT), fields.flags.has('folded') ? 1 : 0)
}

function tagOf(field: number, wireType: number): number {
  return (field << 3) | wireType
}
