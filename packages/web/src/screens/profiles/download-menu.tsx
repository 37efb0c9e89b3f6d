// The profile as a file, in any format that Hearth writes: the server makes it.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { client } from '../../state/session.ts'
import { Icon } from '../../widgets/icon.tsx'
import { Popover } from '../../widgets/popover.tsx'
import { fileName, saveFile } from '../../widgets/save-file.ts'
import type { FileSummary } from '../../worker/messages.ts'

export interface DownloadMenuProps {
  readonly profile: string
  readonly formats: FileSummary['writable']
}

export function DownloadMenu({ profile, formats }: DownloadMenuProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const [said, setSaid] = useState('')
  const download = async (format: string, extension: string): Promise<void> => {
    setSaid('')
    try {
      const { bytes, notes } = await client.peek().profile(profile, { format })
      saveFile(`${fileName(profile)}${extension === '' ? `.${format}` : extension}`, bytes)
      if (notes.length === 0) setOpen(false)
      else setSaid(`Saved. ${format} has no place for: ${notes.map(note => note.message).join('; ')}`)
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      label={
        <>
          <Icon name="download" /> Download
        </>
      }
    >
      <ul class="menu-list">
        {formats.map(({ name, title, extension }) => (
          <li key={name}>
            <button type="button" title={title} onClick={() => void download(name, extension)}>
              {name}
              <span class="menu-end code">{extension}</span>
            </button>
          </li>
        ))}
      </ul>
      {said !== '' && (
        <p class="popover-body" role="alert">
          {said}
        </p>
      )}
    </Popover>
  )
}
