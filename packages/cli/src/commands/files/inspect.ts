// `hearth inspect FILE…`: shows the format and content of files.
import type { Command } from 'commander'
import { formatBytes, formatDuration, formatTime, formatValue, countedTotal } from '@hearth/profile'
import { attributesText, isInternal } from '../../files/attributes-json.ts'
import type { Context } from '../../context.ts'
import { countOf, countText } from '../../terminal/count-text.ts'
import { aboutFile, shownName } from '../../errors.ts'
import type { Input } from '../../files/input.ts'
import { readContent } from '../../files/input.ts'
import { checkInputs, openInput } from '../../files/open-input.ts'
import type { SignalInspection } from '../../files/signal-inspection.ts'
import { inspectSignal } from '../../files/signal-inspection.ts'
import { readSignal, signalKindOf } from '../../files/signal-input.ts'
import type { Fact } from '../../render/fact-lines.ts'
import { countedList, factLines } from '../../render/fact-lines.ts'
import { packedText, scopeText, signalLines } from '../../render/signal-lines.ts'
import type { DictionarySizes, InspectedLabel, InspectedProfile, Inspection } from '../../files/inspection.ts'
import { inspectInput } from '../../files/inspection.ts'
import { noteText } from '../../terminal/notes.ts'
import type { ReadingOptions } from '../../options.ts'
import { addReadingOptions, examples } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { measuresOf } from '../../files/select-profiles.ts'
import { table } from '../../terminal/table.ts'

interface InspectOptions extends ReadingOptions {
  readonly all?: boolean
  readonly json?: boolean
}

const SHAPES: Readonly<Record<string, string>> = {
  values: 'one value per sample',
  timestamps: 'timestamps, each counts 1',
  both: 'values with timestamps',
  mixed: 'several shapes',
  none: 'none',
}

export function addInspect(program: Command, context: Context): void {
  addReadingOptions(program.command('inspect'))
    .summary('show the format and content of files')
    .description(
      'Shows the format and generation of a file, and its content: profiles, samples, times, labels, sizes. ' +
        'Of traces, logs and metrics (OTLP), it shows counts, times, operations, severities and metrics.',
    )
    .argument('<file...>', 'profiles in any format, or traces, logs or metrics as OTLP; `-` is standard input')
    .option('--all', 'show whole values, complete lists and the internal hearth.* attributes')
    .option('--json', 'print JSON: an object, or an array for several files')
    .addHelpText(
      'after',
      examples(
        ['hearth inspect cpu.otlp', 'one file'],
        ['hearth inspect *.pb.gz', 'several files'],
        ['hearth inspect traces.otlp.json', 'traces, logs or metrics'],
        ['curl -s $URL | hearth inspect - --json', 'standard input, as JSON'],
      ),
    )
    .action(async (files: readonly string[], options: InspectOptions) => inspect(files, options, context))
}

async function inspect(files: readonly string[], options: InspectOptions, context: Context): Promise<void> {
  checkInputs(files)
  const inspections: (Inspection | SignalInspection)[] = []
  for (const file of files) {
    const { inspection, lines } = await inspectFile(file, options, context)
    if (options.json) inspections.push(inspection)
    else {
      context.progress.done()
      await printLines(context.stdout, file === files[0] ? lines() : ['', ...lines()])
    }
  }
  context.progress.done()
  if (options.json) await printJson(context.stdout, files.length === 1 ? inspections[0] : inspections)
}

interface Inspected {
  readonly inspection: Inspection | SignalInspection
  readonly lines: () => string[]
}

async function inspectFile(file: string, options: InspectOptions, context: Context): Promise<Inspected> {
  const opened = await openInput(file, options, context)
  const kind = await signalKindOf(opened, options)
  if (kind !== undefined) {
    const inspection = inspectSignal(await readSignal(opened, kind, options))
    return { inspection, lines: () => signalLines(inspection, options.all ?? false, context) }
  }
  const input = await readContent(opened, options)
  const inspection = inspected(input)
  return { inspection, lines: () => inspectionLines(input, inspection, options, context) }
}

function inspected(input: Input): Inspection {
  try {
    return inspectInput(input)
  } catch (error) {
    throw aboutFile(error, input.file)
  }
}

function inspectionLines(
  input: Input,
  inspection: Inspection,
  { all = false }: InspectOptions,
  context: Context,
): string[] {
  const shortList = (texts: readonly string[]): string[] => countedList(texts, all)
  const lines = [headline(inspection), '', ...measureLines(input, inspection, context), '']
  const { profiles, resources, scopes, labels, dictionary, notes } = inspection
  const facts: readonly Fact[] = [
    ['time', shortList(profiles.map(timeText))],
    ['samples', shortList(profiles.map(({ shape }) => SHAPES[shape] ?? shape))],
    ['resources', shortList(resources.map(({ attributes }) => attributesText(attributes, all)))],
    ['scopes', shortList(scopes.map(scope => scopeText(scope, all)))],
    ['attributes', shortList(profiles.map(({ attributes }) => attributesText(attributes, all)))],
    ['labels', shortList(labels.filter(({ key }) => all || !isInternal(key)).map(labelText))],
    ['payloads', shortList(profiles.map(payloadText))],
    ['dictionary', [dictionaryText(dictionary)]],
    ['notes', notes.map(noteText)],
  ]
  return [...lines, ...factLines(facts, all, context)]
}

/** `cpu.otlp.gz: otlp v1.11, 25.1 KiB (gzip of 105 KiB)` */
function headline(inspection: Inspection): string {
  const { file, format, generation, confidence } = inspection
  const guess = confidence === 'possible' ? ', format guessed' : ''
  return printable(`${shownName(file)}: ${`${format} ${generation}`.trim()}, ${packedText(inspection)}${guess}`)
}

/** One row per profile type: a file may contain hundreds of profiles of it. */
function measureLines(input: Input, inspection: Inspection, context: Context): string[] {
  const rows = measuresOf(input.profiles).map(({ rows: indexes, type, unit }) => {
    const members = indexes.map(i => inspection.profiles[i])
    const sum = (of: (profile: InspectedProfile) => number): number => members.reduce((total, p) => total + of(p), 0)
    return [
      type === '' ? '(none)' : type,
      unit,
      countText(members.length),
      countText(sum(p => p.samples)),
      countText(sum(p => p.observations)),
      totalText(input, indexes, unit),
      periodText(members[0]),
    ].map(printable)
  })
  if (rows.length === 0) return ['No profiles.']
  const right = 'right'
  return table(
    [
      { title: 'TYPE', flexible: true },
      { title: 'UNIT' },
      { title: 'PROFILES', align: right },
      { title: 'SAMPLES', align: right },
      { title: 'OBSERVATIONS', align: right },
      { title: 'TOTAL', align: right },
      { title: 'PERIOD', align: right },
    ],
    rows,
    context.width,
  )
}

/**
 * The total without cumulative profiles that a later one supersedes, and with snapshots of a state averaged over time. `-` if the
 * profiles cannot be added up.
 */
function totalText({ profiles }: Input, rows: readonly number[], unit: string): string {
  try {
    return formatValue(countedTotal(profiles, rows), unit)
  } catch (error) {
    if (error instanceof RangeError) return '-'
    throw error
  }
}

function periodText({ period, periodType, periodUnit }: InspectedProfile): string {
  if (period === '0' && periodType === '') return '-'
  return `${periodType} ${formatValue(BigInt(period), periodUnit)}`.trim()
}

/** `2023-11-14T22:13:20Z for 10.0 s`, or the times of the samples if the header has none. */
function timeText(profile: InspectedProfile): string {
  const { timeUnixNano, durationNano, firstTimestampUnixNano: first, lastTimestampUnixNano: last } = profile
  const duration = durationNano === '0' ? '' : ` for ${formatDuration(BigInt(durationNano))}`
  if (timeUnixNano !== '0') return `${formatTime(BigInt(timeUnixNano))}${duration}`
  if (first === undefined || last === undefined) return duration.trim()
  return `samples from ${formatTime(BigInt(first))} to ${formatTime(BigInt(last))}`
}

function labelText({ key, values, samples }: InspectedLabel): string {
  return `${key}: ${countOf(values, 'value')} in ${countOf(samples, 'sample')}`
}

function dictionaryText(sizes: DictionarySizes): string {
  const tables = Object.entries(sizes).map(([name, rows]) => `${name} ${countText(rows)}`)
  return tables.join(', ')
}

function payloadText({ originalPayloadFormat, originalPayloadBytes }: InspectedProfile): string {
  if (originalPayloadFormat === '' && originalPayloadBytes === 0) return ''
  return `${originalPayloadFormat} of ${formatBytes(originalPayloadBytes)}`
}
