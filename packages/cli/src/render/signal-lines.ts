// The text of `hearth inspect` for traces, logs and metrics.
import { formatBytes, formatTime } from '@hearth/profile'
import type { Context } from '../context.ts'
import { shownName } from '../errors.ts'
import { attributesText } from '../files/attributes-json.ts'
import type { Inspection, InspectedScope } from '../files/inspection.ts'
import type { SignalInspection } from '../files/signal-inspection.ts'
import { countText } from '../terminal/count-text.ts'
import { noteText } from '../terminal/notes.ts'
import { printable } from '../terminal/printable.ts'
import type { Column } from '../terminal/table.ts'
import { table } from '../terminal/table.ts'
import { countedList, factLines } from './fact-lines.ts'

/** The columns of a group, by its key. `items` is the number of spans, records or points. */
const COLUMNS: Readonly<Record<string, readonly (readonly [key: string, column: Column])[]>> = {
  traces: [
    ['items', { title: 'SPANS', align: 'right' }],
    ['name', { title: 'OPERATION', flexible: true }],
  ],
  logs: [
    ['items', { title: 'RECORDS', align: 'right' }],
    ['severityNumber', { title: 'SEVERITY', align: 'right' }],
    ['name', { title: 'TEXT', flexible: true }],
  ],
  metrics: [
    ['name', { title: 'METRIC', flexible: true }],
    ['unit', { title: 'UNIT' }],
    ['kind', { title: 'KIND' }],
    ['temporality', { title: 'TEMPORALITY' }],
    ['items', { title: 'POINTS', align: 'right' }],
  ],
}

/** The maximum number of groups, unless all are wanted. */
const MAX_GROUPS = 20

export function signalLines(inspection: SignalInspection, all: boolean, context: Context): string[] {
  const { file, format, signal, messages, counts, groups, resources, scopes, notes } = inspection
  const columns = COLUMNS[signal]
  const shown = all ? groups : groups.slice(0, MAX_GROUPS)
  const rows = shown.map(group =>
    columns.map(([key]) => {
      const value = group[key]
      return printable(typeof value === 'number' ? countText(value) : value)
    }),
  )
  const hidden = groups.length - shown.length
  const more = hidden === 0 ? [] : [`and ${countText(hidden)} more (--all shows them)`]
  const used = Object.entries(counts).filter(([, count], i) => count > 0 || i === 0)
  return [
    printable(`${shownName(file)}: ${format} ${signal}, ${packedText(inspection)}`),
    '',
    ...table(
      columns.map(([, column]) => column),
      rows,
      context.width,
    ),
    ...more,
    '',
    ...factLines(
      [
        ['content', [used.map(([name, count]) => `${words(name)} ${countText(count)}`).join(', ')]],
        ['messages', messages === 1 ? [] : [countText(messages)]],
        ['time', timeTexts(inspection)],
        [
          'resources',
          countedList(
            resources.map(({ attributes }) => attributesText(attributes, all)),
            all,
          ),
        ],
        [
          'scopes',
          countedList(
            scopes.map(scope => scopeText(scope, all)),
            all,
          ),
        ],
        ['notes', notes.map(noteText)],
      ],
      all,
      context,
    ),
  ]
}

/** `25.1 KiB (gzip of 105 KiB)` */
export function packedText({ bytes, compression, contentBytes }: Inspection | SignalInspection): string {
  return formatBytes(bytes) + (compression === 'none' ? '' : ` (${compression} of ${formatBytes(contentBytes)})`)
}

export function scopeText({ name, version, attributes }: InspectedScope, all: boolean): string {
  return `${name} ${version} ${attributesText(attributes, all)}`
}

function timeTexts({ firstUnixNano: first, lastUnixNano: last }: SignalInspection): string[] {
  if (first === undefined || last === undefined) return []
  if (first === last) return [formatTime(BigInt(first))]
  return [`${formatTime(BigInt(first))} to ${formatTime(BigInt(last))}`]
}

/** `droppedAttributes` becomes `dropped attributes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}
