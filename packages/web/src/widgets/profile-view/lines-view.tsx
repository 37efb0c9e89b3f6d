// Source lines by value: the files, and the lines of the selected file in order.
import { formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource, TopColumns } from '../../api/profile-source.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import type { FileRows } from './file-lines.tsx'
import { FileLines } from './file-lines.tsx'
import { Failure } from '../failure.tsx'
import { Progress } from '../controls/progress.tsx'
import { SplitHandle } from '../controls/split-handle.tsx'

export interface LinesViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View) => void
}

const MAX_FILES = 500

export function LinesView({ source, view, onView }: LinesViewProps): JSX.Element {
  const loaded = useLoaded(`${source.key}:lines`, signal => source.lines(signal))
  const lines = loaded.value
  const files = useMemo(() => (lines === undefined ? [] : filesOf(lines, view.search)), [lines, view.search])
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const chosen = files.find(each => addressOf(each.file) === view.frameFile) ?? files[0]
  return (
    <div class="lines split column-if-narrow">
      <Progress of={loaded} what="Loading lines" />
      <div class="lines-files scrolls split-first" tabIndex={0} role="region" aria-label="Files">
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
      <SplitHandle name="lines" first={0.34} label="Size of the list of files" />
      <div class="lines-lines scrolls" tabIndex={0} role="region" aria-label="Lines">
        {lines !== undefined && chosen !== undefined && <FileLines source={source} lines={lines} file={chosen} />}
      </div>
    </div>
  )
}

/** The name of a file in addresses. Frames without a file need one too, because empty means the first file. */
function addressOf(file: string): string {
  return file === '' ? '-' : file
}

/** Largest self first; the rows of each file by line. */
function filesOf(lines: TopColumns, search: string): FileRows[] {
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
