import { expect, test } from 'vitest'
import { compact } from '../../model/compact/compact.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import type { LocationSpec } from '../../model/testing/profiles-spec.ts'
import { SymbolTableWriter } from './symbol-table-writer.ts'
import type { SymbolForm } from './symbol-table-writer.ts'
import { hex, join, len, packed, varint } from '../testing/wire.ts'

const leaf: LocationSpec = {
  mapping: { memoryStart: 1n, memoryLimit: 2n ** 64n - 1n, fileOffset: 3n, filename: 'app' },
  address: 2n ** 63n,
  lines: [{ function: { name: 'leaf', systemName: '_leaf', filename: 'a.c', startLine: -1n }, line: 7n, column: 9n }],
}
const root: LocationSpec = { lines: [{ function: { name: 'root' } }] }
const link = { traceId: hex('01020304010203040102030401020304'), spanId: hex('9999999999999999') }
const { dictionary, samples } = compact(
  buildProfiles([
    { scopes: [{ profiles: [{ type: 't', unit: 'u', samples: [{ stack: [leaf, root], values: [1n], link }] }] }] },
  ]),
)

function sections(form: Partial<SymbolForm>) {
  const writer = new SymbolTableWriter(dictionary, {
    locations: { field: 4, first: 2 },
    mappings: { field: 3, first: 2 },
    functions: { field: 5, first: 2 },
    links: 18,
    stacks: { field: 20, order: 'leaf first' },
    writeLocationRest: () => {},
    writeMappingRest: () => 'id',
    ...form,
  })
  writer.links.of(0)
  writer.links.of(samples.link(0))
  writer.stacks.of(samples.stack(0))
  return writer.write()
}

test('writes rows without their ids, numbered as in pprof', () => {
  const { stacks, locations, mappings, functions, links } = sections({})
  expect(stacks).toEqual(len(20, packed(1, [0, 1])))
  // "No mapping" is a separate row, because an unset index means the first one. Functions are numbered from the last row.
  const lines = { leaf: len(4, varint(1, 1), varint(2, 7), varint(3, 9)), root: len(4) }
  expect(locations).toEqual(join(len(4, varint(3, 2n ** 63n), lines.leaf), len(4, varint(2, 1), lines.root)))
  const range = [varint(2, 1), varint(3, 2n ** 64n - 1n), varint(4, 3)]
  expect(mappings).toEqual(join(len(3, ...range, varint(5, 2), varint(6, 1)), len(3, varint(6, 1))))
  expect(functions).toEqual(
    join(len(5, varint(2, 6)), len(5, varint(2, 5), varint(3, 4), varint(4, 3), varint(5, -1n))),
  )
  expect(links).toEqual(join(len(18), len(18, len(1, link.traceId), len(2, link.spanId))))
})

test('writes rows without an id field, stacks root first, and the fields of the draft', () => {
  const { stacks, locations, mappings, functions } = sections({
    stacks: { field: 7, order: 'root first' },
    locations: { field: 9, first: 1 },
    mappings: { field: 8, first: 1 },
    functions: { field: 10, first: 1 },
    writeLocationRest: (out, row) => out.varint32Field(0x28, row + 1),
    writeLine: (out, tag, line) => out.varint64Field(tag, Number(line) & 0xff, 0),
    writeColumn: () => {},
  })
  expect(stacks).toEqual(len(7, packed(1, [0, 1])))
  const rows = [dictionary.stacks.locations.at(1), dictionary.stacks.locations.at(0)]
  expect(locations).toEqual(
    join(
      len(9, varint(1, 1), len(3, varint(1, 1)), varint(5, rows[0] + 1)),
      len(9, varint(2, 2n ** 63n), len(3, varint(2, 7)), varint(5, rows[1] + 1)),
    ),
  )
  const range = [varint(1, 1), varint(2, 2n ** 64n - 1n), varint(3, 3)]
  expect(mappings).toEqual(join(len(8, ...range, varint(4, 2), varint(5, 1)), len(8, varint(5, 1))))
  expect(functions).toEqual(
    join(len(10, varint(1, 6), varint(2, 5), varint(3, 4), varint(4, 255)), len(10, varint(1, 3))),
  )
})

test('writes only rows that samples use, and restarts the numbers after clear', () => {
  const writer = new SymbolTableWriter(dictionary, {
    locations: { field: 4, first: 2 },
    mappings: { field: 3, first: 2 },
    functions: { field: 5, first: 2 },
    links: 18,
    writeLocationRest: () => {},
    writeMappingRest: () => '',
  })
  writer.locations.of(1)
  expect(writer.write().functions.length).toBeGreaterThan(0)
  writer.clear()
  const { locations, mappings, functions, links } = writer.write()
  expect([locations, mappings, functions, links].map(({ length }) => length)).toEqual([0, 0, 0, 0])
})
