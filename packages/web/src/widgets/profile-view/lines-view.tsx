// Source lines by value: the files, and the lines of the selected file in order.
import { formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource, TopColumns } from '../../api/profile-source.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import type { FileRows } from './file-lines.tsx'
import { FileLines } from './file-lines.tsx'
import { FilesSplit } from './files-split.tsx'
import { firstShown } from './first-shown.ts'
import { Failure } from '../failure.tsx'

export interface LinesViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View) => void
}

export function LinesView({ source, view, onView }: LinesViewProps): JSX.Element {
  const loaded = useLoaded(`${source.key}:lines`, signal => source.lines(signal))
  const lines = loaded.value
  const files = useMemo(() => (lines === undefined ? [] : filesOf(lines, view.search)), [lines, view.search])
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const chosen = files.find(each => addressOf(each.file) === view.frameFile) ?? firstShown(files)
  return (
    <FilesSplit
      loaded={loaded}
      files={files}
      chosen={chosen}
      onChoose={({ file }) => onView({ ...view, frameFile: addressOf(file) })}
      measure="Self"
      valueOf={({ self }) => lines && formatShare(self, lines.sum)}
      label="Lines"
    >
      {lines !== undefined && chosen !== undefined && <FileLines source={source} lines={lines} file={chosen} />}
    </FilesSplit>
  )
}

/** The name of a file in addresses. Frames without a file need one too, because empty means `firstShown`. */
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
