// Facts about a file, one name with its texts:
//
//   resources   service.name=shop
//               service.name=db (2 times)
import type { Context } from '../context.ts'
import { countText } from '../terminal/count-text.ts'
import { clipped, printable } from '../terminal/printable.ts'

export type Fact = readonly [name: string, texts: readonly string[]]

/** The width of the names. */
const NAME_WIDTH = 12
/** The maximum number of texts of a fact. */
const MAX_ITEMS = 8

/** `all` shows whole texts. */
export function factLines(facts: readonly Fact[], all: boolean, context: Context): string[] {
  return facts.flatMap(([name, texts]) =>
    texts.map((text, i) => {
      const shown = all ? printable(text) : fitted(printable(text), context, NAME_WIDTH)
      return `${(i === 0 ? name : '').padEnd(NAME_WIDTH)}${shown}`
    }),
  )
}

/** Equal texts appear once, with their count. Without `all` the list is limited. */
export function countedList(texts: readonly string[], all: boolean): string[] {
  const max = all ? Infinity : MAX_ITEMS
  const counts = new Map<string, number>()
  for (const text of texts.map(t => t.trim())) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1)
  const lines = [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${countText(count)} times)`))
  if (lines.length <= max) return lines
  return [...lines.slice(0, max - 1), `and ${countText(lines.length - max + 1)} more (--all shows them)`]
}

function fitted(text: string, { width }: Context, indent: number): string {
  return width === undefined ? text : clipped(text, Math.max(20, width - indent))
}
