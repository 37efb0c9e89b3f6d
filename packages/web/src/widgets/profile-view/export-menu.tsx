// What is shown, as a file: pictures and folded text of the graph as it is, other formats of everything behind it.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ProfileSource } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph-view.ts'
import { foldedText } from '../../tree/folded.ts'
import type { Tree } from '../../tree/tree.ts'
import { copyText } from '../copy-text.ts'
import { Icon } from '../icon.tsx'
import { Popover } from '../popover.tsx'
import { fileName, saveFile } from '../save-file.ts'

export interface ExportMenuProps {
  readonly source: ProfileSource
  readonly tree: Tree | undefined
  readonly graph: FlameGraphView | undefined
  /** Before the extension. */
  readonly name: string
}

const FORMATS = [
  ['pprof', 'pprof', '.pprof'],
  ['otlp', 'OTLP, as protobuf', '.otlp'],
  ['otlp-json', 'OTLP, as JSON', '.json'],
  ['flamegraph-html', 'A page with the flame graph', '.html'],
  ['speedscope', 'speedscope', '.speedscope.json'],
  ['firefox', 'Firefox Profiler', '.firefox.json'],
] as const

export function ExportMenu({ source, tree, graph, name }: ExportMenuProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const [said, setSaid] = useState('')
  /** What is returned is said, and keeps the menu open. */
  const run = async (make: () => Promise<string> | string): Promise<void> => {
    setSaid('')
    try {
      const text = await make()
      if (text === '') setOpen(false)
      else setSaid(text)
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error))
    }
  }
  const save = (extension: string, content: Blob | Uint8Array | string): string => {
    saveFile(`${fileName(name)}${extension}`, content)
    return ''
  }
  const write = async (format: string, extension: string): Promise<string> => {
    const { bytes, notes } = await source.write(format, new AbortController().signal)
    save(extension, bytes)
    if (notes.length === 0) return ''
    return `Saved. ${format} has no place for: ${notes.map(note => note.message).join('; ')}`
  }
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      label={
        <>
          <Icon name="download" /> Export
        </>
      }
    >
      <ul class="menu-list">
        {graph !== undefined && tree !== undefined && (
          <>
            <li class="menu-head">The graph as it is</li>
            <Item title="Picture, PNG" onChoose={() => void run(async () => save('.png', await graph.toPng(2)))} />
            <Item title="Picture, SVG" onChoose={() => void run(() => save('.svg', graph.toSvg(name)))} />
          </>
        )}
        {tree !== undefined && (
          <Item title="Folded stacks" onChoose={() => void run(() => save('.folded', foldedText(tree)))} />
        )}
        <li class="menu-head">Everything behind it</li>
        {FORMATS.map(([format, title, extension]) => (
          <Item key={format} title={title} note={extension} onChoose={() => void run(() => write(format, extension))} />
        ))}
        <li class="menu-head">This view</li>
        <Item title="Copy a link to it" onChoose={() => void run(() => copyText(location.href).then(() => ''))} />
      </ul>
      {said !== '' && (
        <p class="popover-body" role="alert">
          {said}
        </p>
      )}
    </Popover>
  )
}

interface ItemProps {
  readonly title: string
  readonly note?: string
  readonly onChoose: () => void
}

function Item({ title, note, onChoose }: ItemProps): JSX.Element {
  return (
    <li>
      <button type="button" onClick={onChoose}>
        {title}
        {note !== undefined && <span class="menu-end code">{note}</span>}
      </button>
    </li>
  )
}
