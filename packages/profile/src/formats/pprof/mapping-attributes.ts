// What pprof says of a mapping and OTLP has no field for.
import { ValueKind } from '../../model/dictionary.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { MAPPING_FLAGS } from '../field-attributes.ts'
import type { AttributeRows } from './attribute-rows.ts'

/** `isZero`: a mapping of nothing but zeros would be the dictionary's zero row, "no mapping", if nothing were said of it. */
export function mappingAttributes(rows: AttributeRows, buildId: number, flags: number, isZero: boolean): number[] {
  const attributes: number[] = []
  if (buildId !== 0) attributes.push(rows.text(ATTRIBUTES.buildIdGnu, buildId))
  for (const [bit, name] of MAPPING_FLAGS.entries()) if ((flags & (1 << bit)) !== 0) attributes.push(rows.bool(name))
  if (isZero) attributes.push(rows.row(rows.name(MAPPING_FLAGS[0]), 0, ValueKind.bool, 0, 0))
  return attributes
}
