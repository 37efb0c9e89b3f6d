// Checks that strings are UTF-8, as protobuf demands. Many parsers reject the complete payload otherwise.
import type { AttributeIndex, StringIndex } from '../columns/brand.ts'
import { ValueKind } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { firstInvalidUtf8, isUtf8 } from '../../wire/utf8.ts'
import type { ProblemList } from './problems.ts'

export function checkStrings({ dictionary }: Profiles, problems: ProblemList): void {
  const { strings, attributes } = dictionary
  for (let i = 0; i < strings.length; i++) {
    const from = strings.offset(i as StringIndex)
    const to = from + strings.byteLength(i as StringIndex)
    if (!isUtf8(strings.bytes, from, to)) report(strings.bytes, from, to, `dictionary.string_table[${i}]`, problems)
  }
  for (let i = 0; i < attributes.length; i++) {
    const row = i as AttributeIndex
    if (attributes.kind(row) !== ValueKind.string) continue
    const from = attributes.a(row)
    const to = from + attributes.b(row)
    const { bytes } = attributes
    if (!isUtf8(bytes, from, to)) report(bytes, from, to, `dictionary.attribute_table[${i}].value`, problems)
  }
}

/** Outside of the loops, which would otherwise allocate an object per string; see dictionary-rows.ts. */
function report(bytes: Uint8Array, from: number, to: number, path: string, problems: ProblemList): void {
  problems.add('string-utf8', () => [
    path,
    `invalid UTF-8 at byte ${firstInvalidUtf8(bytes, from, to) - from} of the string`,
  ])
}
