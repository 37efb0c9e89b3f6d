// Prints the name of an attribute as selectors spell it: `region`, `resource:region`, `"my key"`.
import { isBareName } from './parse-selector.ts'
import type { Level } from './selector.ts'

interface LevelKey {
  readonly level?: Level | undefined
  readonly key: string
}

export function printKey({ level, key }: LevelKey): string {
  const text = isBareName(key) ? key : printText(key)
  return level === undefined ? text : `${level}:${text}`
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', '"': '\\"' }

export function printText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const escaped = text.replaceAll(/[\u0000-\u001f\u007f"\\]/g, character => {
    return SHORT[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${escaped}"`
}
