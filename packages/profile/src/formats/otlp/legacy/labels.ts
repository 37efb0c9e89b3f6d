// Converts the parts of samples that only v1.3 has: pprof's labels, and a global id of the stack.
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { int64 } from '../../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { LegacyContext } from './context.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'

interface Label {
  /** Indexes of strings. */
  readonly text: number
  readonly unit: number
  readonly number: bigint
  readonly steps: (field: string) => Steps
}

/** Appends them as attributes to those of the sample, which is at the end of the steps. */
export function pushLabels(
  context: LegacyContext,
  tables: LegacyTables,
  attributes: GrowingInts,
  steps: () => Steps,
): void {
  const { sample, label: row, slots } = context.rows
  const { sample: slot, label } = slots
  const id = sample.number(slot.stacktraceId)
  const idAttribute =
    id === 0
      ? undefined
      : tables.textAttribute(ATTRIBUTES.stacktraceId, id, () => [...steps(), ['stacktrace_id_index', 0]])
  if (idAttribute !== undefined) attributes.push(idAttribute)
  const count = sample.nestedCount(slot.labels)
  if (count === 0) return
  context.bound(count, () => [...steps(), ['label', 0]])
  const byKey = new Map<string, Label[]>()
  sample.eachNested(slot.labels, row, i => {
    const at = (field: string): Steps => [...steps(), ['label', i], [field, 0]]
    const key = tables.stringAt(row.number(label.key), () => at('key'))
    const found: Label = {
      text: row.number(label.text),
      unit: row.number(label.unit),
      number: int64(row.lo[label.number], row.hi[label.number]),
      steps: at,
    }
    const sameKey = byKey.get(key)
    if (sameKey === undefined) byKey.set(key, [found])
    else sameKey.push(found)
  })
  for (const [key, labels] of byKey) {
    const text = labels.length === 1 ? textLabel(tables, key, labels[0]) : undefined
    attributes.push(text ?? otherLabel(context, tables, key, labels))
  }
}

/** Nearly all labels are strings, and few of them are distinct. */
function textLabel(
  tables: LegacyTables,
  key: string,
  { text, unit, number, steps }: Label,
): AttributeIndex | undefined {
  const isText = number === 0n && unit === 0
  return isText ? tables.textAttribute(key, text, () => steps('str')) : undefined
}

/** Converts labels with the same key, which pprof discourages but allows, to one attribute with a list. */
function otherLabel(
  context: LegacyContext,
  tables: LegacyTables,
  key: string,
  labels: readonly Label[],
): AttributeIndex {
  const { builder, notes } = context
  const units = labels.map(({ unit, steps }) => tables.stringAt(unit, () => steps('num_unit')))
  if (new Set(units).size > 1) notes.add('label-units', 'labels of one key have different units; the first was kept')
  const values = labels.map(({ text: index, number, steps }) => {
    if (index === 0) return number
    if (number !== 0n) notes.add('label-numbers', 'labels have both a string and a number; the string was kept')
    const at = (): Steps => steps('str')
    const text = tables.stringAt(index, at)
    context.spendText(text, at)
    return text
  })
  return builder.attribute(key, values.length === 1 ? values[0] : values, units[0])
}
