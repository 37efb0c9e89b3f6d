// The Symbols screen: binaries by their share of samples and whether their frames have names, and the uploaded debug files.
import type { Binary, BinariesResponse, SymbolFile } from '@hearth/client'
import { formatBytes, formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SymbolsRoute } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { usePolled } from '../../state/use-polled.ts'
import { counted } from '../../widgets/counted.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatLength } from '../../widgets/format-time.ts'
import { TimeRangePicker } from '../../widgets/query-bar/time-range-picker.tsx'
import { REASON_TEXTS } from '../../widgets/reason-texts.ts'
import { chooseFiles } from '../file/choose-files.ts'
import { useFileDrop } from '../file/use-file-drop.ts'
import type { Upload } from './use-uploads.ts'
import { useUploads } from './use-uploads.ts'
import './symbols.css'

const REFRESH_MS = 5000

export function SymbolsScreen({ route }: { readonly route: SymbolsRoute }): JSX.Element {
  const { from, to } = route
  const [version, setVersion] = useState(0)
  const changed = (): void => setVersion(before => before + 1)
  const { uploads, add } = useUploads(changed)
  const isOver = useFileDrop(add)
  const binaries = usePolled(`binaries:${from}:${to}:${version}`, { everyMs: REFRESH_MS }, signal =>
    client.peek().query('binaries', { from, to }, { signal }),
  )
  const files = usePolled(`symbol-files:${version}`, { everyMs: REFRESH_MS }, signal =>
    client.peek().act('symbolFiles', {}, { signal }),
  )
  const choose = (): void => void chooseFiles().then(add)
  return (
    <div class="symbols">
      <h1 class="visually-hidden">Symbols</h1>
      <div class="bar">
        <span class="muted">Debug files name native frames, including those of profiles that are already stored.</span>
        <span class="spring" />
        <button type="button" class="primary" onClick={choose}>
          Upload debug files
        </button>
        <TimeRangePicker
          name=""
          range={{ from, to }}
          onRange={range => navigate({ ...route, ...range })}
          onRefresh={changed}
        />
      </div>
      {isOver && <p class="symbols-drop">Drop binaries, debug files or archives of source code to upload them</p>}
      <Uploads uploads={uploads} />
      <section class="panel">
        <h2>Binaries</h2>
        {binaries.error !== undefined && binaries.value === undefined ? (
          <Failure error={binaries.error} onRetry={binaries.retry} />
        ) : binaries.value === undefined ? (
          <Progress of={binaries} what="Loading binaries" />
        ) : (
          <Binaries found={binaries.value} onChanged={changed} />
        )}
      </section>
      {files.value !== undefined && (
        <section class="panel">
          <h2>Uploaded files</h2>
          <p class="muted">
            {formatBytes(files.value.bytes)} of {formatBytes(files.value.quotaBytes)} used
          </p>
          <Files files={files.value.files} onChanged={changed} />
        </section>
      )}
    </div>
  )
}

function Uploads({ uploads }: { readonly uploads: readonly Upload[] }): JSX.Element {
  if (uploads.length === 0) return <></>
  return (
    <ul class="symbols-uploads" aria-live="polite" aria-label="Uploads">
      {uploads.map(({ id, name, state, message }) => (
        <li key={id} class={state === 'failed' ? 'symbols-bad' : undefined}>
          <Icon name={state === 'done' ? 'check' : state === 'failed' ? 'warning' : 'file'} />
          {name}: {state === 'sending' ? 'sending and indexing' : message}
        </li>
      ))}
    </ul>
  )
}

interface BinariesProps {
  readonly found: BinariesResponse
  readonly onChanged: () => void
}

function Binaries({ found, onChanged }: BinariesProps): JSX.Element {
  const { binaries, samples, allBinaries } = found
  if (binaries.length === 0) return <p class="muted">No binaries in this range</p>
  return (
    <>
      <table class="plain-table">
        <thead>
          <tr>
            <th>Binary</th>
            <th class="number">Samples</th>
            <th class="number">Self</th>
            <th>Names</th>
            <th>Debug file</th>
            <th class="number">Size</th>
            <th>Age</th>
            <th>
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {binaries.map(binary => (
            <BinaryRow
              key={`${binary.name} ${buildIdOf(binary)}`}
              binary={binary}
              samples={samples}
              onChanged={onChanged}
            />
          ))}
        </tbody>
      </table>
      {allBinaries > binaries.length && (
        <p class="muted">and {counted(allBinaries - binaries.length, 'smaller binary', 'smaller binaries')}</p>
      )}
    </>
  )
}

interface BinaryRowProps {
  readonly binary: Binary
  readonly samples: number
  readonly onChanged: () => void
}

function BinaryRow({ binary, samples, onChanged }: BinaryRowProps): JSX.Element {
  const { name, self, total, file, buildIds } = binary
  const share = (part: number): string => formatShare(BigInt(part), BigInt(samples))
  const buildId = buildIdOf(binary)
  const canRetry = binary.reason === 'download-failed' || (binary.reason === 'no-debug-info' && buildId !== '')
  const retry = (): void =>
    void client
      .peek()
      .act('retrySymbols', { buildIds: Object.values(buildIds) })
      .then(onChanged)
  return (
    <tr>
      <td>
        {name === '' ? '(no name)' : name}
        {buildId !== '' && (
          <span class="code muted symbols-id" title={`build id ${buildId}`}>
            {buildId.slice(0, 12)}
          </span>
        )}
      </td>
      <td class="number">{share(total)}</td>
      <td class="number">{share(self)}</td>
      <td>
        <State binary={binary} />
      </td>
      <td>{file === undefined ? '' : `${file.name} (${SOURCES[file.source]})`}</td>
      <td class="number">{file === undefined ? '' : formatBytes(file.bytes)}</td>
      <td>{file === undefined ? '' : ageOf(file.created)}</td>
      <td>
        {canRetry && (
          <button type="button" class="plain" title="Look for the debug file again" onClick={retry}>
            Retry
          </button>
        )}
      </td>
    </tr>
  )
}

const SOURCES: Readonly<Record<SymbolFile['source'], string>> = {
  upload: 'upload',
  parca: 'agent',
  folder: 'folder',
  debuginfod: 'debuginfod',
}

function State({ binary }: { readonly binary: Binary }): JSX.Element {
  const { addresses, unresolved, reason, message, file } = binary
  if (addresses === 0) return <span class="muted">as sent</span>
  if (unresolved === 0)
    return <span class="symbols-good">{file?.quality === 'lines' ? 'names and lines' : 'names'}</span>
  const text = reason === undefined ? '' : REASON_TEXTS[reason]
  return (
    <span class={unresolved === addresses && reason !== 'downloading' ? 'symbols-bad' : undefined} title={message}>
      {counted(unresolved, 'address', 'addresses')} {text}
    </span>
  )
}

function Files({
  files,
  onChanged,
}: {
  readonly files: readonly SymbolFile[]
  readonly onChanged: () => void
}): JSX.Element {
  if (files.length === 0)
    return (
      <p class="muted">
        No files. Drop debug files or archives of source code here, or use <code>hearth symbols upload</code>.
      </p>
    )
  const remove = (id: string): void => void client.peek().act('removeSymbols', {}, { of: id }).then(onChanged)
  return (
    <table class="plain-table">
      <thead>
        <tr>
          <th>File</th>
          <th>Content</th>
          <th>Build ids</th>
          <th class="number">Size</th>
          <th class="number">Index</th>
          <th>Age</th>
          <th>
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map(file => (
          <tr key={file.id}>
            <td>{file.name}</td>
            <td>{contentOf(file)}</td>
            <td class="code" title={file.buildIds.join('\n')}>
              {file.buildIds[0]?.slice(0, 12)}
              {file.buildIds.length > 1 ? ` and ${file.buildIds.length - 1} more` : ''}
            </td>
            <td class="number">{formatBytes(file.bytes)}</td>
            <td class="number">{formatBytes(file.indexBytes)}</td>
            <td>{ageOf(file.created)}</td>
            <td>
              <button type="button" class="plain" aria-label={`Delete ${file.name}`} onClick={() => remove(file.id)}>
                Delete
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function contentOf({ format, quality, code, sources, missingUnits }: SymbolFile): string {
  if (sources !== undefined) return counted(sources, 'source file')
  const names = quality === 'lines' ? 'names and lines' : quality === 'names' ? 'names' : ''
  const split = missingUnits === undefined ? '' : `${counted(missingUnits, 'unit', 'units')} in a missing .dwp`
  const parts = [names, code === undefined ? '' : 'code', split].filter(part => part !== '')
  return `${format}, ${parts.length === 0 ? 'part of other files' : parts.join(' and ')}`
}

function buildIdOf({ buildIds }: Binary): string {
  return buildIds['gnu'] ?? buildIds['go'] ?? buildIds['htlhash'] ?? ''
}

function ageOf(created: string): string {
  return formatLength(1000 * Math.max(1, Math.floor((Date.now() - Date.parse(created)) / 1000)))
}
