// Everything that can be done by a key or by name: components say what they offer while they are shown, and the keyboard, the
// command palette and the help all go by this one table.
import { computed, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

export interface Command {
  readonly title: string
  /** Under which heading it stands in the help. */
  readonly group: string
  /** As `mod+k`, `shift+x`, `/`; mod is Ctrl, on a Mac Cmd. None: only by name. */
  readonly keys: readonly string[]
  /** Undefined where the drawing itself listens to the key, and the table only tells of it. */
  readonly run: (() => void) | undefined
}

/** Keys that a drawing listens to by itself while it has the focus: the table only tells of them. */
export function toldKeys(
  group: string,
  keys: readonly (readonly [title: string, keys: readonly string[]])[],
): Command[] {
  return keys.map(([title, of]) => ({ title, group, keys: of, run: undefined }))
}

const offered = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map())

export const commands = computed(() => [...offered.value.values()].flat())

/** `given` is asked for anew whenever one of `inputs` changes. Keys work from the first picture on: effects come after it. */
export function useCommands(given: () => readonly Command[], inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    const key = Symbol('commands')
    offered.value = new Map([...offered.peek(), [key, given()]])
    return () => {
      const rest = new Map(offered.peek())
      rest.delete(key)
      offered.value = rest
    }
    // The caller names what its commands depend on.
  }, inputs)
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** For the whole page, once. */
export function listenToKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing) return
    const name = keyName(event)
    if (isTyping(event.target) && !name.startsWith('mod+')) return
    // An open dialog has the keyboard for itself.
    if (document.querySelector('dialog[open]') !== null && !name.startsWith('mod+')) return
    const command = commands.peek().findLast(each => each.run !== undefined && each.keys.includes(name))
    if (command?.run === undefined) return
    event.preventDefault()
    command.run()
  })
}

/** What was pressed, as tables spell it. Signs as `?` already have their shift in them. */
export function keyName(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
): string {
  // A Mac types other signs with Alt; the key itself is the same.
  const plain = event.altKey ? /^(?:Digit|Key)(.)$/.exec(event.code)?.[1] : undefined
  const key = plain?.toLowerCase() ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key)
  const isLetter = /^[a-z]$/.test(key) || event.key.length > 1
  const mod = isMac ? event.metaKey : event.ctrlKey
  return `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.shiftKey && isLetter ? 'shift+' : ''}${key}`
}

/** For people: `Ctrl K`. */
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
