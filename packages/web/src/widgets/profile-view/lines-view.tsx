// Source lines by value: the files, and the lines of the selected file in order.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource, TopColumns } from '../../api/profile-source.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import { Failure } from '../failure.tsx'
import { Progress } from '../controls/progress.tsx'

export interface LinesViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View) => void
}

interface SourceFile {
  readonly file: string
  readonly self: number
  /** Rows of the table. */
  readonly rows: readonly number[]
}

const MAX_FILES = 500

export function LinesView({ source, view, onView }: LinesViewProps): JSX.Element {
  const loaded = useLoaded(`${source.key}:lines`, signal => source.lines(signal))
  const lines = loaded.value
  const files = useMemo(() => (lines === undefined ? [] : filesOf(lines, view.search)), [lines, view.search])
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const chosen = files.find(each => addressOf(each.file) === view.frameFile) ?? files[0]
  return (
    <div class="lines">
      <Progress of={loaded} what="Loading lines" />
      <div class="lines-files scrolls" tabIndex={0} role="region" aria-label="Files">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                Self
              </th>
            </tr>
          </thead>
          <tbody>
            {files.slice(0, MAX_FILES).map(each => (
              <tr key={each.file} class={each === chosen ? 'marked' : undefined}>
                <td>
                  <button
                    type="button"
                    class="plain lines-name"
                    title={each.file}
                    aria-current={each === chosen}
                    onClick={() => onView({ ...view, frameFile: addressOf(each.file) })}
                  >
                    <bdi>{each.file === '' ? 'unknown source file' : each.file}</bdi>
                  </button>
                </td>
                <td class="number">{lines && formatShare(each.self, lines.sum)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="lines-lines scrolls" tabIndex={0} role="region" aria-label="Lines">
        {lines !== undefined && chosen !== undefined && <FileLines lines={lines} file={chosen} />}
      </div>
    </div>
  )
}

function FileLines({ lines, file }: { readonly lines: TopColumns; readonly file: SourceFile }): JSX.Element {
  const most = Math.max(1, ...file.rows.map(row => lines.self[row]))
  return (
    <table class="plain-table">
      <caption class="code lines-caption">{file.file === '' ? 'Unknown source file' : file.file}</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            Line
          </th>
          <th scope="col">Function</th>
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
        </tr>
      </thead>
      <tbody>
        {file.rows.map(row => (
          <tr key={row}>
            <td class="number code">{lines.frames.line[lines.frame[row]]}</td>
            <td
              class="code lines-function"
              style={{ '--share': `${((100 * Math.max(0, lines.self[row])) / most).toFixed(2)}%` }}
            >
              {lines.frames.name[lines.frame[row]]}
            </td>
            <td class="number">{formatValue(lines.self[row], lines.unit)}</td>
            <td class="number muted">{formatShare(lines.self[row], lines.sum)}</td>
            <td class="number">{formatValue(lines.total[row], lines.unit)}</td>
            <td class="number muted">{formatShare(lines.total[row], lines.sum)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The name of a file in addresses. Frames without a file need one too, because empty means the first file. */
function addressOf(file: string): string {
  return file === '' ? '-' : file
}

/** Largest self first; the rows of each file by line. */
function filesOf(lines: TopColumns, search: string): SourceFile[] {
  const wanted = search.toLowerCase()
  const found = new Map<string, number[]>()
  for (let i = 0; i < lines.length; i++) {
    const file = lines.frames.file[lines.frame[i]]
    const name = lines.frames.name[lines.frame[i]]
    if (!file.toLowerCase().includes(wanted) && !name.toLowerCase().includes(wanted)) continue
    const rows = found.get(file)
    if (rows === undefined) found.set(file, [i])
    else rows.push(i)
  }
  const lineOf = (row: number): number => Number(lines.frames.line[lines.frame[row]])
  return [...found]
    .map(([file, rows]) => ({
      file,
      self: rows.reduce((sum, row) => sum + lines.self[row], 0),
      rows: rows.sort((a, b) => lineOf(a) - lineOf(b)),
    }))
    .sort((a, b) => b.self - a.self)
}
