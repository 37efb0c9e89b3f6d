// The lines of a source file in both versions, side by side, with their share of each version.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { LinesSource, TopColumns } from '../../api/profile-source.ts'
import type { View } from '../../address/view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { AlignedLine } from '../../tree/align-lines.ts'
import { alignLines } from '../../tree/align-lines.ts'
import { Failure } from '../failure.tsx'
import { FilesSplit } from '../profile-view/files-split.tsx'

export interface ComparedLinesProps {
  readonly before: LinesSource
  readonly after: LinesSource
  readonly view: View
  readonly onView: (view: View) => void
  readonly search: string
}

/** Lines of text around those with a value. */
const CONTEXT = 3

/** The values of a file's lines in one version. */
interface FileValues {
  readonly self: ReadonlyMap<number, number>
  readonly total: ReadonlyMap<number, number>
  readonly sum: number
  readonly buildIds: readonly string[]
}

interface ComparedFile {
  readonly file: string
  readonly before: FileValues
  readonly after: FileValues
  /** The change of the file's share. */
  readonly change: number
}

export function ComparedLines({ before, after, view, onView, search }: ComparedLinesProps): JSX.Element {
  const loaded = useLoaded(`${before.key}|${after.key}:lines`, signal =>
    Promise.all([before.lines(signal), after.lines(signal)]),
  )
  const files = useMemo(
    () => (loaded.value === undefined ? [] : comparedFiles(...loaded.value, search)),
    [loaded.value, search],
  )
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const chosen = files.find(each => each.file === view.frameFile) ?? files[0]
  return (
    <FilesSplit
      loaded={loaded}
      files={files}
      chosen={chosen}
      onChoose={({ file }) => onView({ ...view, frameFile: file })}
      measure="Change"
      valueOf={({ change }) => pointsText(change)}
      label="Lines of both versions"
    >
      {chosen !== undefined && loaded.value !== undefined && (
        <FileVersions file={chosen} unit={loaded.value[1].unit} before={before} after={after} />
      )}
      {loaded.value !== undefined && files.length === 0 && <p class="reading">No function has a known source file.</p>}
    </FilesSplit>
  )
}

interface FileVersionsProps {
  readonly file: ComparedFile
  readonly unit: string
  readonly before: LinesSource
  readonly after: LinesSource
}

function FileVersions({ file, unit, before, after }: FileVersionsProps): JSX.Element {
  const texts = useLoaded(`${before.key}|${after.key}:source:${file.file}`, signal =>
    Promise.all([
      before.sourceFile(file.file, file.before.buildIds, signal),
      after.sourceFile(file.file, file.after.buildIds, signal),
    ]),
  )
  const [was, is] = texts.value ?? []
  const rows = useMemo(() => versionRows(file, linesOf(was?.text), linesOf(is?.text)), [file, was, is])
  return (
    <>
      <div class="lines-heading">
        <span class="code">{file.file}</span>
      </div>
      <table class="plain-table has-text">
        <thead>
          <tr>
            <th scope="col" class="number lines-number">
              Line
            </th>
            <th scope="col" class="number">
              Self
            </th>
            <th scope="col">Baseline</th>
            <th scope="col" class="number lines-number">
              Line
            </th>
            <th scope="col" class="number">
              Self
            </th>
            <th scope="col">Comparison</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) =>
            row === undefined ? (
              <tr key={`gap ${i}`} class="lines-gap">
                <td colSpan={6}>⋯</td>
              </tr>
            ) : (
              <tr key={`${row.before ?? ''}|${row.after ?? ''}`}>
                <Version line={row.before} values={file.before} text={was?.text && linesOf(was.text)} unit={unit} />
                <Version line={row.after} values={file.after} text={is?.text && linesOf(is.text)} unit={unit} />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </>
  )
}

interface VersionProps {
  /** Undefined if the version has no such line. */
  readonly line: number | undefined
  readonly values: FileValues
  readonly text: readonly string[] | '' | undefined
  readonly unit: string
}

function Version({ line, values, text, unit }: VersionProps): JSX.Element {
  if (line === undefined) return <td colSpan={3} class="lines-absent" />
  const self = values.self.get(line) ?? 0
  const most = Math.max(1, ...values.self.values())
  const total = values.total.get(line) ?? 0
  const title = total === 0 ? undefined : `total ${formatValue(total, unit)}, ${formatShare(total, values.sum)}`
  return (
    <>
      <td class="number code">{line}</td>
      <td class="number" title={title}>
        {self !== 0 && formatShare(self, values.sum)}
      </td>
      <td
        class="code lines-function lines-text"
        style={{ '--share': `${((100 * Math.max(0, self)) / most).toFixed(2)}%` }}
        title={title}
      >
        {text ? text[line - 1] : ''}
      </td>
    </>
  )
}

function linesOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(/\r?\n/)
}

/** Lines with a value and those around them. Undefined marks a gap. */
function versionRows(
  { before, after }: ComparedFile,
  was: readonly string[] | undefined,
  is: readonly string[] | undefined,
): readonly (AlignedLine | undefined)[] {
  const isValued = ({ before: a = 0, after: b = 0 }: AlignedLine): boolean => before.total.has(a) || after.total.has(b)
  // Without both texts, equal numbers are the best guess.
  if (was === undefined || is === undefined) {
    const numbers = new Set([...before.total.keys(), ...after.total.keys()])
    return [...numbers].sort((a, b) => a - b).map(line => ({ before: line, after: line }))
  }
  const aligned = alignLines(was, is)
  const near = new Set<number>()
  for (const [i, pair] of aligned.entries())
    if (isValued(pair)) for (let k = i - CONTEXT; k <= i + CONTEXT; k++) if (k >= 0 && k < aligned.length) near.add(k)
  const rows: (AlignedLine | undefined)[] = []
  let previous = -1
  for (const i of [...near].sort((a, b) => a - b)) {
    if (previous >= 0 && i > previous + 1) rows.push(undefined)
    rows.push(aligned[i])
    previous = i
  }
  return rows
}

/** The largest change of a share first. Frames without a file are skipped: they have no lines. */
function comparedFiles(before: TopColumns, after: TopColumns, search: string): ComparedFile[] {
  const wanted = search.toLowerCase()
  const [was, is] = [valuesByFile(before, wanted), valuesByFile(after, wanted)]
  const share = (values: FileValues): number => {
    let self = 0
    for (const value of values.self.values()) self += value
    return values.sum === 0 ? 0 : self / values.sum
  }
  return [...new Set([...was.keys(), ...is.keys()])]
    .map(file => {
      const a = was.get(file) ?? emptyValues(before)
      const b = is.get(file) ?? emptyValues(after)
      return { file, before: a, after: b, change: share(b) - share(a) }
    })
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.file < b.file ? -1 : 1))
}

function emptyValues({ sum }: TopColumns): FileValues {
  return { self: new Map(), total: new Map(), sum: Number(sum), buildIds: [] }
}

function valuesByFile(top: TopColumns, wanted: string): ReadonlyMap<string, FileValues> {
  const { frames, frame } = top
  const files = new Map<
    string,
    { self: Map<number, number>; total: Map<number, number>; sum: number; buildIds: string[] }
  >()
  for (let row = 0; row < top.length; row++) {
    const of = frame[row]
    const file = frames.file[of]
    if (file === '' || !(file.toLowerCase().includes(wanted) || frames.name[of].toLowerCase().includes(wanted)))
      continue
    let values = files.get(file)
    if (values === undefined) {
      values = { self: new Map(), total: new Map(), sum: Number(top.sum), buildIds: [] }
      files.set(file, values)
    }
    const line = Number(frames.line[of])
    values.self.set(line, (values.self.get(line) ?? 0) + top.self[row])
    values.total.set(line, (values.total.get(line) ?? 0) + top.total[row])
    const buildId = frames.buildId?.[of] ?? ''
    if (buildId !== '' && !values.buildIds.includes(buildId)) values.buildIds.push(buildId)
  }
  return files
}

/** A difference of shares in percentage points. */
function pointsText(change: number): string {
  const points = 100 * change
  return `${points > 0 ? '+' : points < 0 ? '−' : ''}${Math.abs(points).toFixed(1)} pt`
}
