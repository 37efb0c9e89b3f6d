// Open a file: dropped or chosen, read in a worker of this browser. Two files are a comparison.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { fetchFile, fileAddress } from '../../api/fetch-files.ts'
import type { FileRoute } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { SERVER, navigate } from '../../state/navigation.ts'
import { localFiles } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { ComparisonView } from '../../widgets/comparison-view/comparison-view.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { Icon } from '../../widgets/icon.tsx'
import { ProfileView } from '../../widgets/profile-view/profile-view.tsx'
import { Progress } from '../../widgets/progress.tsx'
import type { FileSummary } from '../../worker/messages.ts'
import { chooseFiles } from './choose-files.ts'
import { DropField } from './drop-field.tsx'
import { FileBar } from './file-bar.tsx'
import { useFileDrop } from './use-file-drop.ts'
import './file.css'

export function FileScreen({ route }: { readonly route: FileRoute }): JSX.Element {
  const { files, open: addresses, type, comparison, view } = route
  const [problem, setProblem] = useState<unknown>(undefined)
  const summaries = useLoaded(files.length === 0 ? undefined : `files:${files.join()}`, async signal => {
    const found: (FileSummary | undefined)[] = []
    for (const file of files) found.push(await localFiles.summary(file, signal))
    return { files, found }
  })
  const change = (to: Partial<FileRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const open = (chosen: readonly File[], add: boolean): void => {
    setProblem(undefined)
    keepFiles(chosen).then(
      ids =>
        change({
          files: add ? [...files.slice(-1), ...ids].slice(-2) : ids.slice(0, 2),
          type: '',
          view: { ...view, focus: [], transforms: [] },
        }),
      setProblem,
    )
  }
  const fetched = useLoaded(addresses.length === 0 ? undefined : `open:${addresses.join('\n')}`, async signal => {
    const chosen: File[] = []
    for (const address of addresses) chosen.push(await fetchFile(fileAddress(address, SERVER), signal))
    const ids = await keepFiles(chosen)
    // The address with the files in their place is what a reload finds.
    navigate({ ...route, files: ids.slice(0, 2), open: [] }, 'replace')
  })
  const isOver = useFileDrop(chosen => open(chosen, files.length === 1 && chosen.length === 1))
  const choose = (add: boolean) => (): void => void chooseFiles().then(chosen => chosen.length > 0 && open(chosen, add))
  useCommands(() => [{ title: 'Choose files', group: 'Files', keys: ['mod+o'], run: choose(false) }], [route])
  useEffect(() => {
    const name = summaries.value?.found[0]?.name
    document.title = name === undefined || files.length === 0 ? 'Hearth' : `${name} · Hearth`
    return () => void (document.title = 'Hearth')
  }, [summaries.value, files.length])

  if (addresses.length > 0) {
    if (fetched.error !== undefined && !fetched.loading)
      return <Failure error={fetched.error} onRetry={fetched.retry} />
    return (
      <div class="file-reading">
        <Progress of={fetched} what="Fetching the file" />
      </div>
    )
  }
  if (problem !== undefined) return <Failure error={problem} onRetry={() => setProblem(undefined)} />
  if (files.length === 0) return <DropField isOver={isOver} onChoose={choose(false)} />
  if (summaries.error !== undefined && !summaries.loading) {
    return (
      <div class="file-failed">
        <Failure error={summaries.error} onRetry={summaries.retry} />
        <p>
          <button type="button" onClick={choose(false)}>
            <Icon name="file" /> Choose another file
          </button>
        </p>
      </div>
    )
  }
  const found =
    summaries.value?.files === files || summaries.value?.files.join() === files.join()
      ? summaries.value?.found
      : undefined
  if (found === undefined) {
    return (
      <div class="file-reading">
        <Progress of={summaries} what="Reading the file" />
        {summaries.cancelled && <p class="muted">Cancelled. Choose a file again to go on.</p>}
      </div>
    )
  }
  const open1 = found.filter(each => each !== undefined)
  if (open1.length < found.length) return <Forgotten onChoose={choose(false)} />
  const [first, second] = open1
  const bar = (
    <FileBar
      files={open1}
      type={type === '' ? (first.measures[0]?.type ?? '') : type}
      onType={chosen => change({ type: chosen, view: { ...view, focus: [], transforms: [] } })}
      onSwap={() => change({ files: files.toReversed() })}
      onClose={() => change({ files: [], type: '' })}
      onAdd={choose(true)}
    />
  )
  const nothing = (
    <div class="reading">
      <h2>The file holds no samples</h2>
      <p class="muted">It was read as {first.formatTitle}, and there is nothing in it to draw.</p>
    </div>
  )
  return (
    <div class="explore">
      <h1 class="visually-hidden">{open1.map(each => each.name).join(' and ')}</h1>
      {bar}
      {isOver && <div class="file-over">Drop to open{files.length === 1 ? ', or to compare' : ''}</div>}
      {second === undefined ? (
        <ProfileView
          source={localFiles.part(first.file, type)}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          name={first.name}
          empty={nothing}
        />
      ) : (
        <ComparisonView
          source={localFiles.compare({ file: first.file, type }, { file: second.file, type })}
          comparison={comparison}
          onComparison={(next, how) => change({ comparison: next }, how)}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          empty={nothing}
        />
      )}
    </div>
  )
}

/** Where a link or the back button leads to a file that this browser has not, or no longer. */
function Forgotten({ onChoose }: { readonly onChoose: () => void }): JSX.Element {
  return (
    <div class="reading">
      <h1>This file is not in this browser</h1>
      <p>
        Files stay on the machine where they were opened, and the oldest are forgotten. Choose it again to look at it.
      </p>
      <p>
        <button type="button" class="primary" onClick={onChoose}>
          Choose files
        </button>
      </p>
    </div>
  )
}

async function keepFiles(files: readonly File[]): Promise<string[]> {
  const ids: string[] = []
  for (const file of files) ids.push(await localFiles.add(file.name, file))
  return ids
}
