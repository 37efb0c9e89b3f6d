// What is shown, as a file: pictures and folded text of the graph as it is, other formats of everything behind it.
import type { JSX } from 'preact'
import type { ProfileSource } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import type { CallTree } from '@hearth/profile'
import { foldedText } from '@hearth/profile'
import { copyText } from '../controls/copy-text.ts'
import { fileName, saveFile } from '../controls/save-file.ts'
import { SaveItem, SaveMenu, lossText } from '../controls/save-menu.tsx'

export interface ExportMenuProps {
  /** Undefined where what is shown is none of one set of profiles. */
  readonly source: ProfileSource | undefined
  readonly tree: CallTree | undefined
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
  const save = (extension: string, content: Blob | Uint8Array | string): string => {
    saveFile(`${fileName(name)}${extension}`, content)
    return ''
  }
  const write = async (from: ProfileSource, format: string, extension: string): Promise<string> => {
    const written = await from.write(format, new AbortController().signal)
    save(extension, written.bytes)
    return lossText(format, written)
  }
  return (
    <SaveMenu title="Export">
      {run => (
        <>
          {graph !== undefined && tree !== undefined && (
            <>
              <li class="menu-head">The graph as it is</li>
              <SaveItem title="Picture, PNG" onChoose={() => run(async () => save('.png', await graph.toPng(2)))} />
              <SaveItem title="Picture, SVG" onChoose={() => run(() => save('.svg', graph.toSvg(name)))} />
            </>
          )}
          {tree !== undefined && (
            <SaveItem title="Folded stacks" onChoose={() => run(() => save('.folded', foldedText(tree)))} />
          )}
          {source !== undefined && (
            <>
              <li class="menu-head">Everything behind it</li>
              {FORMATS.map(([format, title, extension]) => (
                <SaveItem
                  key={format}
                  title={title}
                  note={extension}
                  onChoose={() => run(() => write(source, format, extension))}
                />
              ))}
            </>
          )}
          <li class="menu-head">This view</li>
          <SaveItem title="Copy a link to it" onChoose={() => run(() => copyText(location.href).then(() => ''))} />
        </>
      )}
    </SaveMenu>
  )
}
