// Prints profiles like the dumps of pprof's own tools, for comparison. A dump numbers locations by first use and has an extra
// mapping for all addresses outside of mappings. The model needs neither.
import { isKeyValueList } from '../../../model/columns/any-value.ts'
import type { AnyValue } from '../../../model/columns/any-value.ts'
import type {
  AttributeIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'

const LABEL_INDENT = ' '.repeat(16)

export function dump(profiles: Profiles): string {
  return new Dump(profiles).lines().join('\n') + '\n'
}

class Dump {
  readonly #profiles: Profiles
  /** Profiles in pprof's order of types. */
  readonly #members: readonly number[]
  readonly #locationIds = new Map<number, number>()
  readonly #mappings: string[]
  #everythingElse = 0

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const listed = this.#order()
    this.#members = listed.map((_, type) => listed.indexOf(type))
    this.#mappings = this.#listedMappings()
  }

  lines(): string[] {
    const { profiles } = this.#profiles
    const samples = this.#samples()
    const locations = [...this.#locationIds].map(([row, id]) => this.#location(row as LocationIndex, id))
    const duration = profiles.duration(0)
    return [
      `PeriodType: ${this.#text(profiles.periodType(0))} ${this.#text(profiles.periodUnit(0))}`,
      `Period: ${profiles.period(0)}`,
      ...(duration === 0n ? [] : [`Duration: ${shortDuration(duration)}`]),
      'Samples:',
      this.#members.map(i => `${this.#text(profiles.type(i))}/${this.#text(profiles.unit(i))}`).join(' '),
      ...samples,
      'Locations',
      ...locations,
      'Mappings',
      ...this.#mappings,
    ]
  }

  #order(): number[] {
    const { scopes, profiles } = this.#profiles
    const order = scopes.scope(0).attributes.find(({ key }) => key === ATTRIBUTES.pprofScopeSampleTypeOrder)?.value
    return Array.isArray(order) ? order.map(Number) : Array.from({ length: profiles.length }, (_, i) => i)
  }

  /** Consecutive threads with the same stack share a line, because dumps do not distinguish threads. */
  #samples(): string[] {
    const { profiles, samples, dictionary } = this.#profiles
    const rows: { values: bigint[]; stack: string; labels: string }[] = []
    const { stacks } = dictionary
    const locationsOf = (stack: StackIndex): LocationIndex[] =>
      stacks.locations.slice(stacks.from(stack), stacks.to(stack))
    const count = profiles.samplesTo(0) - profiles.samplesFrom(0)
    for (let i = 0; i < count; i++) {
      const first = profiles.samplesFrom(0) + i
      const values = this.#members.map(member => samples.total(profiles.samplesFrom(member) + i))
      let stack = ''
      for (const location of locationsOf(samples.stack(first))) stack += `${this.#locationId(location)} `
      const attributes = samples.attributesOf(first).map(attribute => ({
        key: this.#text(dictionary.attributes.key(attribute)),
        value: dictionary.attributes.value(attribute),
      }))
      const labels = attributes
        .filter(({ key }) => !key.startsWith('thread.'))
        .map(({ key, value }) => `${key}:[${typeof value === 'bigint' ? value : '?'}]`)
      const last = rows.at(-1)
      if (last?.stack === stack && attributes.length > labels.length) last.values[0] += values[0]
      else rows.push({ values, stack, labels: labels.length === 0 ? '' : `\n${LABEL_INDENT}${labels.join(' ')}` })
    }
    return rows.map(({ values, stack, labels }) => {
      const columns = values.map(value => ` ${String(value).padStart(10)}`).join('')
      return `${columns}: ${stack}${labels}`
    })
  }

  #locationId(row: number): number {
    let id = this.#locationIds.get(row)
    if (id === undefined) this.#locationIds.set(row, (id = this.#locationIds.size + 1))
    return id
  }

  #location(row: LocationIndex, id: number): string {
    const { locations, functions } = this.#profiles.dictionary
    const address = locations.address(row)
    const mapping = locations.mapping(row)
    let number = mapping === 0 ? 0 : 1 + this.#mappings.findIndex(line => line.endsWith(this.#mappingText(mapping)))
    if (mapping !== 0 && number === 0)
      number = this.#mappings.push(`${this.#mappings.length + 1}: ${this.#mappingText(mapping)}`)
    if (mapping === 0 && address !== 0n) {
      if (this.#everythingElse === 0)
        this.#everythingElse = this.#mappings.push(`${this.#mappings.length + 1}: 0x0/0xffffffffffffffff/0x0   `)
      number = this.#everythingElse
    }
    const head = `${String(id).padStart(6)}: 0x${address.toString(16)} ${number === 0 ? '' : `M=${number} `}`
    const lines: string[] = []
    for (let i = locations.linesFrom(row); i < locations.linesTo(row); i++) {
      const of = locations.lines.function(i)
      const place = `${this.#text(functions.filename(of))}:${locations.lines.line(i)}:${locations.lines.column(i)}`
      lines.push(`${this.#text(functions.name(of))} ${place} s=${functions.startLine(of)}`)
    }
    return lines.length === 0 ? head : lines.map((line, i) => (i === 0 ? head : ' '.repeat(13)) + line).join('\n')
  }

  #listedMappings(): string[] {
    const { profiles, dictionary } = this.#profiles
    for (const attribute of profiles.attributesOf(0)) {
      if (this.#text(dictionary.attributes.key(attribute)) !== ATTRIBUTES.pprofMappings) continue
      const list = dictionary.attributes.value(attribute)
      if (Array.isArray(list)) return list.map((entry, i) => `${i + 1}: ${mappingOfEntry(entry as AnyValue)}`)
    }
    return []
  }

  #mappingText(row: MappingIndex): string {
    const { mappings, attributes } = this.#profiles.dictionary
    const range = [mappings.memoryStart(row), mappings.memoryLimit(row), mappings.fileOffset(row)]
    const isBuildId = (attribute: AttributeIndex): boolean =>
      this.#text(attributes.key(attribute)) === ATTRIBUTES.buildIdGnu
    const found = mappings.attributesOf(row).find(isBuildId)
    const buildId = found === undefined ? '' : attributes.value(found)
    return mappingText(range, this.#text(mappings.filename(row)), typeof buildId === 'string' ? buildId : '?')
  }

  #text(string: StringIndex): string {
    return this.#profiles.dictionary.strings.text(string)
  }
}

function mappingOfEntry(entry: AnyValue): string {
  if (entry === undefined || !isKeyValueList(entry)) return '?'
  const fields = new Map(entry.entries.map(({ key, value }) => [key, value]))
  const number = (key: string): bigint => {
    const value = fields.get(key)
    return typeof value === 'bigint' ? BigInt.asUintN(64, value) : 0n
  }
  const text = (key: string): string => {
    const value = fields.get(key)
    return typeof value === 'string' ? value : '?'
  }
  const range = [number('memory_start'), number('memory_limit'), number('file_offset')]
  return mappingText(range, text('filename'), text('build_id'))
}

function mappingText(range: readonly bigint[], file: string, buildId: string): string {
  return `${range.map(address => `0x${address.toString(16)}`).join('/')} ${file} ${buildId} `
}

/** The first four characters of hours, minutes and seconds, which is all that dumps show. */
function shortDuration(nanos: bigint): string {
  const seconds = nanos / 1_000_000_000n
  const milliseconds = String((nanos / 1_000_000n) % 1000n).padStart(3, '0')
  const hours = seconds / 3600n
  const minutes = (seconds / 60n) % 60n
  return `${hours > 0n ? `${hours}h` : ''}${hours > 0n || minutes > 0n ? `${minutes}m` : ''}${seconds % 60n}.${milliseconds}s`.slice(
    0,
    4,
  )
}
