// The lines of a source file with their values, and the text of the file if the server has it.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ProfileSource, SourceFile, TopColumns } from '../../api/profile-source.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { FunctionLine } from '../../tree/only-first-lines.ts'
import { hasOnlyFirstLines } from '../../tree/only-first-lines.ts'

/** Lines of text around those with a value. */
const CONTEXT = 4
/** A longer text would be slow to lay out. */
const MAX_LINES = 5000

export interface FileRows {
  readonly file: string
  readonly self: number
  /** Rows of the table. */
  readonly rows: readonly number[]
}

interface FileLinesProps {
  readonly source: ProfileSource
  readonly lines: TopColumns
  readonly file: FileRows
}

export function FileLines({ source, lines, file }: FileLinesProps): JSX.Element {
  const [isWhole, setIsWhole] = useState(false)
  const loaded = useLoaded(`${source.key}:source:${file.file}`, signal =>
    source.sourceFile(file.file, buildIdsOf(lines, file), signal),
  )
  const found = loaded.loading ? undefined : loaded.value
  const text = useMemo(() => found?.text?.split(/\r?\n/), [found])
  const rows = useMemo(() => shownRows(lines, file, text, isWhole), [lines, file, text, isWhole])
  const isFirstLines = useMemo(() => hasOnlyFirstLines(functionLines(lines)), [lines])
  const most = Math.max(1, ...file.rows.map(row => lines.self[row]))
  return (
    <>
      <div class="lines-heading">
        <span class="code">{file.file === '' ? 'Unknown source file' : file.file}</span>
        {text !== undefined && (
          <button type="button" class="plain" aria-pressed={isWhole} onClick={() => setIsWhole(!isWhole)}>
            Whole file
          </button>
        )}
      </div>
      {isFirstLines && file.rows.some(row => lines.frames.type[lines.frame[row]] === 'v8js') && (
        <p class="lines-why muted">
          Only the first line of each function is known: V8 did not record the executing line.
        </p>
      )}
      {found !== undefined && found.why !== '' && <p class="lines-why muted">{found.why}</p>}
      <table class={text === undefined ? 'plain-table' : 'plain-table has-text'}>
        <thead>
          <tr>
            <th scope="col" class="number lines-number">
              Line
            </th>
            <th scope="col" class="number">
              Self
            </th>
            <th scope="col" class="number">
              %
            </th>
            <th scope="col" class="number">
              Total
            </th>
            <th scope="col" class="number">
              %
            </th>
            <th scope="col">{text === undefined ? 'Function' : 'Source'}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row =>
            row.kind === 'gap' ? (
              <tr key={`gap ${row.line}`} class="lines-gap">
                <td colSpan={6}>⋯</td>
              </tr>
            ) : (
              <Line key={`${row.line} ${row.row ?? ''}`} of={row} lines={lines} found={found} most={most} />
            ),
          )}
        </tbody>
      </table>
    </>
  )
}

function* functionLines({ frames, frame, self, length }: TopColumns): Generator<FunctionLine> {
  for (let row = 0; row < length; row++) {
    const of = frame[row]
    yield {
      name: frames.name[of],
      file: frames.file[of],
      line: Number(frames.line[of]),
      type: frames.type[of],
      self: self[row],
    }
  }
}

/** The binaries with code of the file. */
function buildIdsOf({ frames, frame }: TopColumns, { rows }: FileRows): readonly string[] {
  return [...new Set(rows.map(row => frames.buildId?.[frame[row]] ?? '').filter(id => id !== ''))]
}

interface ShownLine {
  readonly kind: 'line'
  readonly line: number
  /** A row of the table; undefined for a line without a value. */
  readonly row: number | undefined
  /** Undefined without the text of the file. */
  readonly text: string | undefined
}

type ShownRow = ShownLine | { readonly kind: 'gap'; readonly line: number }

interface LineProps {
  readonly of: ShownLine
  readonly lines: TopColumns
  readonly found: SourceFile | undefined
  readonly most: number
}

function Line({ of, lines, found, most }: LineProps): JSX.Element {
  const { line, row, text } = of
  const name = row === undefined ? '' : lines.frames.name[lines.frame[row]]
  const share = row === undefined ? 0 : (100 * Math.max(0, lines.self[row])) / most
  // Beside text, zeros would hide the lines that matter.
  const hasSelf = row !== undefined && (text === undefined || lines.self[row] !== 0)
  const href = line > 0 ? found?.link?.replace('{line}', String(line)) : undefined
  return (
    <tr>
      <td class="number code">
        {href === undefined ? (
          line
        ) : (
          <a href={href} target="_blank" rel="noreferrer">
            {line}
          </a>
        )}
      </td>
      <td class="number">{hasSelf && formatValue(lines.self[row], lines.unit)}</td>
      <td class="number muted">{hasSelf && formatShare(lines.self[row], lines.sum)}</td>
      <td class="number">{row !== undefined && formatValue(lines.total[row], lines.unit)}</td>
      <td class="number muted">{row !== undefined && formatShare(lines.total[row], lines.sum)}</td>
      <td
        class={text === undefined ? 'code lines-function' : 'code lines-function lines-text'}
        style={{ '--share': `${share.toFixed(2)}%` }}
        title={name}
      >
        {text ?? name}
      </td>
    </tr>
  )
}

/** Rows with a value, and the text around them. Several functions can share a line, such as lambdas. */
function shownRows(
  { frames, frame }: TopColumns,
  file: FileRows,
  text: readonly string[] | undefined,
  isWhole: boolean,
): ShownRow[] {
  const valued = file.rows.map(row => ({ row, line: Number(frames.line[frame[row]]) }))
  if (text === undefined) return valued.map(({ row, line }) => ({ kind: 'line', line, row, text: undefined }))
  const byLine = new Map<number, number[]>()
  for (const { row, line } of valued) byLine.set(line, [...(byLine.get(line) ?? []), row])
  const near = new Set<number>()
  if (isWhole) for (let line = 1; line <= Math.min(text.length, MAX_LINES); line++) near.add(line)
  for (const line of byLine.keys()) {
    near.add(line)
    for (let k = Math.max(1, line - CONTEXT); line > 0 && k <= Math.min(text.length, line + CONTEXT); k++) near.add(k)
  }
  const shown: ShownRow[] = []
  let previous: number | undefined
  for (const line of [...near].sort((a, b) => a - b)) {
    if (previous !== undefined && line > previous + 1) shown.push({ kind: 'gap', line })
    previous = line
    const source = text[line - 1] ?? ''
    for (const row of byLine.get(line) ?? [undefined]) shown.push({ kind: 'line', line, row, text: source })
  }
  return shown
}
