// Attributes for the parts of a pprof mapping that have no field in OTLP.
import { ValueKind } from '../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { MAPPING_FLAGS } from '../former-drafts/field-attributes.ts'
import type { AttributeRows } from '../attribute-rows.ts'

/** `isZero`: the mapping has only zeros. Without an attribute it would equal the dictionary's zero row, "no mapping". */
export function pushMappingAttributes(
  attributes: GrowingInts,
  rows: AttributeRows,
  buildId: number,
  flags: number,
  isZero: boolean,
): void {
  if (buildId !== 0) attributes.push(rows.text(ATTRIBUTES.buildIdGnu, buildId))
  for (let bit = 0; bit < MAPPING_FLAGS.length; bit++) {
    if ((flags & (1 << bit)) !== 0) attributes.push(rows.bool(MAPPING_FLAGS[bit]))
  }
  if (isZero) attributes.push(rows.row(rows.name(MAPPING_FLAGS[0]), 0, ValueKind.bool, 0, 0))
}
