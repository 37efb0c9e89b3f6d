// A list of source files with a value each, beside the lines of the selected one.
import type { ComponentChildren, JSX } from 'preact'
import type { Loaded } from '../../state/use-loaded.ts'
import { Progress } from '../controls/progress.tsx'
import { SplitHandle } from '../controls/split-handle.tsx'

export interface FilesSplitProps<File extends { readonly file: string }> {
  readonly loaded: Loaded<unknown>
  readonly files: readonly File[]
  readonly chosen: File | undefined
  readonly onChoose: (file: File) => void
  /** The heading of the values. */
  readonly measure: string
  readonly valueOf: (file: File) => string | undefined
  /** Names the part with the lines. */
  readonly label: string
  /** The lines of the chosen file. */
  readonly children: ComponentChildren
}

const MAX_FILES = 500

export function FilesSplit<File extends { readonly file: string }>(props: FilesSplitProps<File>): JSX.Element {
  const { loaded, files, chosen, onChoose, measure, valueOf, label, children } = props
  return (
    <div class="lines split column-if-narrow">
      <Progress of={loaded} what="Loading lines" />
      <div class="lines-files scrolls split-first" tabIndex={0} role="region" aria-label="Files">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                {measure}
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
                    onClick={() => onChoose(each)}
                  >
                    <bdi>{each.file === '' ? 'unknown source file' : each.file}</bdi>
                  </button>
                </td>
                <td class="number">{valueOf(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <SplitHandle name="lines" first={0.34} label="Size of the list of files" />
      <div class="lines-lines scrolls" tabIndex={0} role="region" aria-label={label}>
        {children}
      </div>
    </div>
  )
}
