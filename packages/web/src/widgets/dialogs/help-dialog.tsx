// The keyboard shortcuts of the current screen, generated from the same table that handles the keys.
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Command } from '../../state/commands.ts'
import { commands, keyLabels } from '../../state/commands.ts'
import { Modal } from '../controls/modal.tsx'
import './dialogs.css'

export function HelpDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const groups = useMemo(() => {
    const found = new Map<string, Command[]>()
    for (const command of commands.peek()) {
      if (command.keys.length === 0) continue
      const group = found.get(command.group)
      if (group === undefined) found.set(command.group, [command])
      else group.push(command)
    }
    return [...found]
  }, [])
  return (
    <Modal title="Keyboard shortcuts" wide onClose={onClose}>
      <div class="help">
        {groups.map(([group, list]) => (
          <section key={group}>
            <h2>{group}</h2>
            <dl>
              {list.map(({ title, keys }) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>
                    {keys.map(key => (
                      <span key={key} class="help-key">
                        {keyLabels(key).map(label => (
                          <kbd key={label}>{label}</kbd>
                        ))}
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
