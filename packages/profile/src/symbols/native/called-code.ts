// The machine code of functions that profiles name: where it is in the binary, and which locations of the profiles are in it.
import type { FunctionIndex, LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { addressInFile, rangeOf, type BinarySymbols } from './apply-symbols.ts'
import type { FunctionCode } from './index/symbol-index.ts'

export interface CalledCode extends FunctionCode {
  readonly mapping: MappingIndex
  /** The address in the file of each location in the code. */
  readonly addresses: ReadonlyMap<LocationIndex, bigint>
}

/** A name of templates can have many instances. More are of no use to a reader. */
const MAX_FUNCTIONS = 100

/**
 * The functions with a name, as the dictionary has it. If the compiler inlined every call, the functions that contain those calls.
 * `find` returns the symbols of a mapping's binary.
 */
export function calledCode(
  dictionary: Pick<Dictionary, 'locations' | 'functions' | 'strings' | 'mappings'>,
  name: string,
  find: (mapping: MappingIndex) => BinarySymbols | undefined,
): CalledCode[] {
  const { locations, functions, strings } = dictionary
  const names = new Map<FunctionIndex, boolean>()
  const isNamed = (line: number): boolean => {
    const row = locations.lines.function(line)
    let known = names.get(row)
    if (known === undefined) names.set(row, (known = strings.text(functions.name(row)) === name))
    return known
  }
  const own: LocationIndex[] = []
  const inlined: LocationIndex[] = []
  for (let i = 1 as LocationIndex; i < locations.length; i++) {
    const [from, to] = [locations.linesFrom(i), locations.linesTo(i)]
    if (to > from && isNamed(to - 1)) own.push(i)
    else for (let line = from; line < to; line++) if (isNamed(line) && inlined.push(i)) break
  }
  const place = (i: LocationIndex): bigint | undefined => {
    const mapping = locations.mapping(i)
    const symbols = locations.address(i) === 0n ? undefined : find(mapping)
    return symbols && addressInFile(locations.address(i), rangeOf(dictionary, mapping), symbols.segments)
  }
  const found = new Map<string, CalledCode & { readonly addresses: Map<LocationIndex, bigint> }>()
  for (const i of own.length > 0 ? own : inlined) {
    const mapping = locations.mapping(i)
    const address = place(i)
    const code = address === undefined ? undefined : find(mapping)?.index.functionAround(address)
    if (code === undefined || found.size >= MAX_FUNCTIONS) continue
    found.set(`${mapping} ${code.start}`, { ...code, mapping, addresses: new Map() })
  }
  const all = [...found.values()]
  for (let i = 1 as LocationIndex; all.length > 0 && i < locations.length; i++) {
    const mapping = locations.mapping(i)
    if (!all.some(code => code.mapping === mapping)) continue
    const address = place(i)
    if (address === undefined) continue
    for (const code of all)
      if (code.mapping === mapping && address >= code.start && address < code.end) code.addresses.set(i, address)
  }
  return all
}
