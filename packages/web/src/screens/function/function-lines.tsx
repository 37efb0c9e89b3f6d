// The lines of one function with their values.
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource } from '../../api/profile-source.ts'
import type { FunctionName } from '../../address/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { FileLines } from '../../widgets/profile-view/file-lines.tsx'
import { linesOf } from './function-data.ts'
import '../../widgets/profile-view/profile-view.css'

export function FunctionLines({
  source,
  of,
}: {
  readonly source: ProfileSource
  readonly of: FunctionName
}): JSX.Element {
  const loaded = useLoaded(`${source.key}:lines`, signal => source.lines(signal))
  const { name, file } = of
  const rows = useMemo(
    () => (loaded.value === undefined ? [] : linesOf(loaded.value, { name, file })),
    [loaded.value, name, file],
  )
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const lines = loaded.value
  if (lines === undefined) return <Progress of={loaded} what="Loading lines" />
  if (rows.length === 0) return <p class="reading muted">The profiles do not state lines of this function.</p>
  const ofFile = lines.frames.file[lines.frame[rows[0]]]
  const self = rows.reduce((sum, row) => sum + lines.self[row], 0)
  return (
    <div class="lines-lines">
      <FileLines source={source} lines={lines} file={{ file: ofFile, self, rows }} />
    </div>
  )
}
