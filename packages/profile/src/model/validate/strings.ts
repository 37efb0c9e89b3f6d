// Checks that strings are UTF-8, as protobuf demands. Many parsers reject the complete payload otherwise.
import type { AttributeIndex, StringIndex } from '../columns/brand.ts'
import { ValueKind } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { firstInvalidUtf8, isUtf8 } from '../../wire/utf8.ts'
import type { ProblemList } from './problems.ts'

export function checkStrings({ dictionary }: Profiles, problems: ProblemList): void {
  const { strings, attributes } = dictionary
  const check = (bytes: Uint8Array, offset: number, length: number, path: () => string): void => {
    if (isUtf8(bytes, offset, offset + length)) return
    problems.add('string-utf8', () => {
      const at = firstInvalidUtf8(bytes, offset, offset + length) - offset
      return [path(), `invalid UTF-8 at byte ${at} of the string`]
    })
  }
  for (let i = 0; i < strings.length; i++) {
    const row = i as StringIndex
    check(strings.bytes, strings.offset(row), strings.byteLength(row), () => `dictionary.string_table[${i}]`)
  }
  for (let i = 0; i < attributes.length; i++) {
    const row = i as AttributeIndex
    if (attributes.kind(row) !== ValueKind.string) continue
    const path = (): string => `dictionary.attribute_table[${i}].value`
    check(attributes.bytes, attributes.a(row), attributes.b(row), path)
  }
}
