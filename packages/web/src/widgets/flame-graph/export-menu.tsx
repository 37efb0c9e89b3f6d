// Exports the view as a file: images and folded stacks of the graph, other formats of all data.
import type { JSX } from 'preact'
import type { ProfileSource } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import type { CallTree } from '@hearth/profile'
import { foldedText } from '@hearth/profile'
import { copyText } from '../controls/copy-text.ts'
import { fileName, saveFile } from '../controls/save-file.ts'
import { SaveItem, SaveMenu, lossText } from '../controls/save-menu.tsx'

export interface ExportMenuProps {
  /** Undefined if the view shows more than one set of profiles. */
  readonly source: ProfileSource | undefined
  readonly tree: CallTree | undefined
  readonly graph: FlameGraphView | undefined
  /** The file name without extension. */
  readonly name: string
}

const FORMATS = [
  ['pprof', 'pprof', '.pprof'],
  ['otlp', 'OTLP (protobuf)', '.otlp'],
  ['otlp-json', 'OTLP (JSON)', '.json'],
  ['flamegraph-html', 'HTML file', '.html'],
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
              <li class="menu-head">Image</li>
              <SaveItem title="PNG" onChoose={() => run(async () => save('.png', await graph.toPng(2)))} />
              <SaveItem title="SVG" onChoose={() => run(() => save('.svg', graph.toSvg(name)))} />
            </>
          )}
          {tree !== undefined && (
            <SaveItem title="Folded stacks" onChoose={() => run(() => save('.folded', foldedText(tree)))} />
          )}
          {source !== undefined && (
            <>
              <li class="menu-head">Data</li>
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
          <SaveItem title="Copy link" onChoose={() => run(() => copyText(location.href).then(() => ''))} />
        </>
      )}
    </SaveMenu>
  )
}
