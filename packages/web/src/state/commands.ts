// Commands with their keys. Components register theirs while they are shown. Keyboard, command palette and help use
// this one table.
import { computed, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

export interface Command {
  readonly title: string
  /** The heading in the help. */
  readonly group: string
  /** Such as `mod+k`, `shift+x`, `/`; mod is Ctrl, or Cmd on a Mac. Empty: only by name. */
  readonly keys: readonly string[]
  /** Undefined if a drawing handles the key itself and the table only documents it. */
  readonly run: (() => void) | undefined
}

/** Keys that a focused drawing handles itself. The table only documents them. */
export function documentedKeys(
  group: string,
  keys: readonly (readonly [title: string, keys: readonly string[]])[],
): Command[] {
  return keys.map(([title, of]) => ({ title, group, keys: of, run: undefined }))
}

const offered = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map())

export const commands = computed(() => [...offered.value.values()].flat())

/** Calls `given` when one of `inputs` changes. Uses a layout effect, so keys work from the first frame on. */
export function useCommands(given: () => readonly Command[], inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    const key = Symbol('commands')
    offered.value = new Map([...offered.peek(), [key, given()]])
    return () => {
      const rest = new Map(offered.peek())
      rest.delete(key)
      offered.value = rest
    }
    // The caller lists the inputs of its commands.
  }, inputs)
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Handles keys for the whole page. Call it once. */
export function listenToKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing) return
    const name = keyName(event)
    if (isTyping(event.target) && !name.startsWith('mod+')) return
    // An open dialog handles keys itself.
    if (document.querySelector('dialog[open]') !== null && !name.startsWith('mod+')) return
    const command = commands.peek().findLast(each => each.run !== undefined && each.keys.includes(name))
    if (command?.run === undefined) return
    event.preventDefault()
    command.run()
  })
}

/** The pressed key in the notation of the table. Characters such as `?` already include shift. */
function keyName(event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>): string {
  // On a Mac, Alt types other characters. The key code is the same.
  const plain = event.altKey ? /^(?:Digit|Key)(.)$/.exec(event.code)?.[1] : undefined
  const key = plain?.toLowerCase() ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key)
  const isLetter = /^[a-z]$/.test(key) || event.key.length > 1
  const mod = isMac ? event.metaKey : event.ctrlKey
  return `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.shiftKey && isLetter ? 'shift+' : ''}${key}`
}

/** For display: `Ctrl K`. */
export function keyLabels(key: string): readonly string[] {
  return key.split(/\+(?=.)/).map(part => LABELS[part] ?? (part.length === 1 ? part.toUpperCase() : part))
}

const LABELS: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  alt: isMac ? '⌥' : 'Alt',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  ' ': 'Space',
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'file'].includes(target.type)
  return target.matches('textarea, select') || target.isContentEditable
}
