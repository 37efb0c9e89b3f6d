// The menu that downloads a stored profile in any format that Hearth writes. The server converts it.
import type { JSX } from 'preact'
import { client } from '../../state/session.ts'
import { fileName, saveFile } from '../../widgets/controls/save-file.ts'
import { SaveItem, SaveMenu, lossText } from '../../widgets/controls/save-menu.tsx'
import type { FileSummary } from '../../worker/messages.ts'

export interface DownloadMenuProps {
  readonly profile: string
  readonly formats: FileSummary['writable']
}

export function DownloadMenu({ profile, formats }: DownloadMenuProps): JSX.Element {
  const download = async (format: string, extension: string): Promise<string> => {
    const written = await client.peek().profile(profile, { format })
    saveFile(`${fileName(profile)}${extension === '' ? `.${format}` : extension}`, written.bytes)
    return lossText(format, written)
  }
  return (
    <SaveMenu title="Download">
      {run =>
        formats.map(({ name, title, extension }) => (
          <SaveItem
            key={name}
            title={name}
            hint={title}
            note={extension}
            onChoose={() => run(() => download(name, extension))}
          />
        ))
      }
    </SaveMenu>
  )
}
