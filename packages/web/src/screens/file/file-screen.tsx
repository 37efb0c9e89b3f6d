// The Files screen: files that were dropped or chosen, read in a worker of this browser. The first two files are compared.
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { fetchFile, fileAddress } from '../../api/fetch-files.ts'
import { withSymbols, withoutSymbols } from '../../api/local-files.ts'
import type { FileRoute } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { SERVER, navigate } from '../../state/navigation.ts'
import { localFiles } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { useMounted } from '../../state/use-mounted.ts'
import { ComparisonView } from '../../widgets/comparison-view/comparison-view.tsx'
import { Failure, failureTitle } from '../../widgets/failure.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { ProfileView } from '../../widgets/profile-view/profile-view.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { chooseFiles } from './choose-files.ts'
import { DropField } from './drop-field.tsx'
import { FileBar } from './file-bar.tsx'
import { MAX_FILES, keepFiles } from './keep-files.ts'
import type { UnreadFile } from './read-files.ts'
import { readFiles, sharedTypes } from './read-files.ts'
import { useFileDrop } from './use-file-drop.ts'
import './file.css'

export function FileScreen({ route }: { readonly route: FileRoute }): JSX.Element {
  const { open: addresses, type, allFrames, comparison, view } = route
  const files = route.files.map(file => withSymbols(file, route.symbols))
  const [problem, setProblem] = useState<unknown>(undefined)
  const reading = useLoaded(files.length === 0 ? undefined : `files:${files.join()}`, signal =>
    readFiles(localFiles, files, signal),
  )
  const change = (to: Partial<FileRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const isShown = useMounted()
  // The user may change the route while files are being stored. Such changes must not be lost.
  const latest = useRef(route)
  latest.current = route
  const open = (chosen: readonly File[], add: boolean): void => {
    setProblem(undefined)
    keepFiles(chosen).then(({ ids, symbols }) => {
      const now = latest.current
      if (!isShown()) return
      // Debug files belong to the profiles that are open, or that come with them.
      const opened = ids.length === 0 ? now.files : add ? [...now.files, ...ids] : ids
      const beside = symbols.length === 0 && !add ? [] : [...now.symbols, ...symbols]
      navigate({
        ...now,
        files: [...new Set(opened)].slice(0, MAX_FILES),
        symbols: [...new Set(beside)].slice(0, MAX_FILES),
        type: '',
        view: { ...now.view, focus: [], transforms: [] },
      })
    }, setProblem)
  }
  const fetched = useLoaded(addresses.length === 0 ? undefined : `open:${addresses.join('\n')}`, async signal => {
    const chosen: File[] = []
    for (const address of addresses) chosen.push(await fetchFile(fileAddress(address, SERVER), signal))
    const { ids, symbols } = await keepFiles(chosen)
    // The URL names the stored files from now on, so that a reload finds them.
    if (!signal.aborted) navigate({ ...latest.current, files: ids.slice(0, MAX_FILES), symbols, open: [] }, 'replace')
  })
  const isOver = useFileDrop(chosen => open(chosen, files.length === 1 && chosen.length === 1))
  const choose = (add: boolean) => (): void => void chooseFiles().then(chosen => chosen.length > 0 && open(chosen, add))
  useCommands(() => [{ title: 'Choose files', group: 'Files', keys: ['mod+o'], run: choose(false) }], [route])
  const found = reading.value?.ids.join() === files.join() ? reading.value : undefined
  useEffect(() => {
    const name = found?.read[0]?.name
    document.title = name === undefined || files.length === 0 ? 'Hearth' : `${name} · Hearth`
    return () => void (document.title = 'Hearth')
  }, [found, files.length])

  if (addresses.length > 0) {
    if (fetched.error !== undefined && !fetched.loading)
      return <Failure error={fetched.error} onRetry={fetched.retry} />
    return (
      <div class="file-reading">
        <Progress of={fetched} what="Loading the file" />
      </div>
    )
  }
  if (problem !== undefined) return <Failure error={problem} onRetry={() => setProblem(undefined)} />
  if (files.length === 0)
    return <DropField isOver={isOver} onChoose={choose(false)} hasSymbols={route.symbols.length > 0} />
  if (reading.error !== undefined && !reading.loading) {
    return <Failure error={reading.error} onRetry={reading.retry} />
  }
  if (found === undefined) {
    return (
      <div class="file-reading">
        <Progress of={reading} what="Reading the file" />
        {reading.cancelled && <p class="muted">Cancelled. Choose a file to continue.</p>}
      </div>
    )
  }
  const { read, unread, missing } = found
  const close = (closed: readonly string[]): void =>
    change({
      files: files.filter(file => !closed.includes(file)).map(withoutSymbols),
      type: '',
      view: { ...view, focus: [] },
    })
  if (read.length === 0 && unread.length > 0) {
    return (
      <div class="file-failed">
        {unread.map(({ file, name, error }) => (
          <Failure key={file} of={name} error={error} onRetry={reading.retry} />
        ))}
        <p>
          <button type="button" onClick={choose(false)}>
            <Icon name="file" /> Choose another file
          </button>
        </p>
      </div>
    )
  }
  if (read.length === 0 || missing.length > 0) return <MissingFile onChoose={choose(false)} />
  const [first, second] = read
  const types = sharedTypes(read.slice(0, 2))
  const shown = types.includes(type) ? type : (types[0] ?? '')
  const empty = (
    <div class="reading">
      <h2>No samples</h2>
      <p class="muted">The file was read as {first.formatTitle}. It contains no samples.</p>
    </div>
  )
  return (
    <div class="explore">
      <h1 class="visually-hidden">{read.map(each => each.name).join(' and ')}</h1>
      <FileBar
        files={read}
        types={types}
        type={shown}
        onType={chosen => change({ type: chosen, view: { ...view, focus: [], transforms: [] } })}
        allFrames={allFrames}
        onAllFrames={all => change({ allFrames: all, view: { ...view, focus: [] } })}
        onFiles={next => {
          const plain = next.map(withoutSymbols)
          change({ files: plain, ...(plain.length === 0 ? { symbols: [] } : {}), view: { ...view, focus: [] } })
        }}
        onAdd={choose(true)}
      />
      {unread.length > 0 && <UnreadFiles files={unread} onClose={() => close(unread.map(({ file }) => file))} />}
      {isOver && (
        <div class="file-over">
          Drop to open{files.length === 1 ? ', to compare, or to name native frames with debug files' : ''}
        </div>
      )}
      {second === undefined ? (
        <ProfileView
          source={localFiles.part({ file: first.file, type, allFrames })}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          name={first.name}
          empty={empty}
        />
      ) : (
        <ComparisonView
          source={localFiles.compare(
            { file: first.file, type: shown, allFrames },
            { file: second.file, type: shown, allFrames },
          )}
          comparison={comparison}
          onComparison={(next, how) => change({ comparison: next }, how)}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          isAlike={types.length > 0}
          empty={empty}
        />
      )}
    </div>
  )
}

interface UnreadFilesProps {
  readonly files: readonly UnreadFile[]
  readonly onClose: () => void
}

/** Names the files that could not be read, above the ones that could. */
function UnreadFiles({ files, onClose }: UnreadFilesProps): JSX.Element {
  return (
    <div class="bar file-unread" role="alert">
      <Icon name="warning" size={12} />
      {files.map(({ file, name, error }) => (
        <span key={file} title={error instanceof Error ? error.message : undefined}>
          <b>{name}</b> was skipped: {failureTitle(error)}
        </span>
      ))}
      <span class="spring" />
      <button type="button" class="plain icon" aria-label="Dismiss" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}

/** Shown if a link or the back button leads to a file that this browser does not keep. */
function MissingFile({ onChoose }: { readonly onChoose: () => void }): JSX.Element {
  return (
    <div class="reading">
      <h1>File not found in this browser</h1>
      <p>The browser keeps the last {MAX_FILES} files that were opened in it. Open the file again.</p>
      <p>
        <button type="button" class="primary" onClick={onChoose}>
          Choose files
        </button>
      </p>
    </div>
  )
}
