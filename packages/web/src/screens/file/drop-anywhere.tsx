// Opens files that are dropped on a screen other than Files.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { FILES } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { Failure } from '../../widgets/failure.tsx'
import { keepFiles } from './keep-files.ts'
import { useFileDrop } from './use-file-drop.ts'
import './file.css'

export function DropAnywhere(): JSX.Element {
  const [problem, setProblem] = useState<unknown>(undefined)
  const isOver = useFileDrop(files => {
    keepFiles(files).then(({ ids, symbols }) => {
      setProblem(undefined)
      navigate({ ...FILES, files: ids, symbols })
    }, setProblem)
  })
  return (
    <>
      {isOver && <div class="file-over">Drop to open. Files are read in this browser and are not uploaded.</div>}
      {problem !== undefined && <Failure error={problem} onRetry={() => setProblem(undefined)} />}
    </>
  )
}
