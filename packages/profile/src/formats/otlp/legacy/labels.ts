// Converts the parts of samples that only v1.3 has: pprof's labels, and a global id of the stack.
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { LegacyContext } from './context.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { fewMessagesOf, numberOf, wholeOf } from '../generations/message-fields.ts'
import type { Message } from '../generations/schema-reader.ts'

/** Appends them as attributes to those of the sample, which is at the end of the steps. */
export function pushLabels(
  context: LegacyContext,
  tables: LegacyTables,
  sample: Message,
  attributes: GrowingInts,
  steps: () => Steps,
): void {
  for (const id of tables.textAttribute(ATTRIBUTES.stacktraceId, sample, 'stacktrace_id_index', steps)) {
    attributes.push(id)
  }
  const byKey = new Map<string, Label[]>()
  let i = 0
  for (const message of fewMessagesOf(sample, 'label')) {
    const row = i++
    const label: Label = { message, steps: () => [...steps(), ['label', row]] }
    const key = tables.string(message, 'key', label.steps)
    const sameKey = byKey.get(key)
    if (sameKey === undefined) byKey.set(key, [label])
    else sameKey.push(label)
  }
  for (const [key, labels] of byKey) {
    const text = labels.length === 1 ? textLabel(tables, key, labels[0]) : []
    if (text.length > 0) attributes.push(text[0])
    else attributes.push(otherLabel(context, tables, key, labels))
  }
}

interface Label {
  readonly message: Message
  readonly steps: () => Steps
}

/** Nearly all labels are strings, and few of them are distinct. */
function textLabel(tables: LegacyTables, key: string, { message, steps }: Label): AttributeIndex[] {
  const isText = wholeOf(message, 'num') === 0n && numberOf(message, 'num_unit') === 0
  return isText ? tables.textAttribute(key, message, 'str', steps) : []
}

/** Converts labels with the same key, which pprof discourages but allows, to one attribute with a list. */
function otherLabel(
  context: LegacyContext,
  tables: LegacyTables,
  key: string,
  labels: readonly Label[],
): AttributeIndex {
  const { builder, notes } = context
  const units = labels.map(({ message, steps }) => tables.string(message, 'num_unit', steps))
  if (new Set(units).size > 1) notes.add('label-units', 'labels of one key have different units; the first was kept')
  const values = labels.map(({ message, steps }) => {
    const number = wholeOf(message, 'num')
    if (numberOf(message, 'str') === 0) return number
    if (number !== 0n) notes.add('label-numbers', 'labels have both a string and a number; the string was kept')
    const text = tables.string(message, 'str', steps)
    context.spendText(text, steps)
    return text
  })
  return builder.attribute(key, values.length === 1 ? values[0] : values, units[0])
}
