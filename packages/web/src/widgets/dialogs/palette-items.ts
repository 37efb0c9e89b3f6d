// The items of the command palette: search and order, without the DOM.

export const PALETTE_GROUPS = ['ID', 'Commands', 'Views', 'Services', 'Operations', 'Functions', 'Labels'] as const
export type PaletteGroup = (typeof PALETTE_GROUPS)[number]

export interface PaletteItem {
  readonly title: string
  readonly group: PaletteGroup
  /** A muted text beside the title, which is searched too. */
  readonly note: string
  /** Keys of a command. */
  readonly keys?: readonly string[]
  readonly run: () => void
}

const MAX_SHOWN = 60
/** One group must not hide the others. */
const MAX_OF_GROUP = 12

/**
 * The items that contain every typed word, best first: a title that is the text, that starts with it, that contains it, and
 * then the rest. Without a text only commands and views are shown.
 */
export function matchingItems(items: readonly PaletteItem[], typed: string): readonly PaletteItem[] {
  const text = typed.trim().toLowerCase()
  if (text === '') return items.filter(({ group }) => group === 'Commands' || group === 'Views').slice(0, MAX_SHOWN)
  const words = text.split(/\s+/)
  const ranked = items
    .map((item, i) => ({ item, i, rank: rankOf(item, text, words) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .toSorted(
      (a, b) =>
        a.rank - b.rank || PALETTE_GROUPS.indexOf(a.item.group) - PALETTE_GROUPS.indexOf(b.item.group) || a.i - b.i,
    )
  const counts = new Map<PaletteGroup, number>()
  return ranked
    .filter(({ item }) => {
      const count = (counts.get(item.group) ?? 0) + 1
      counts.set(item.group, count)
      return count <= MAX_OF_GROUP
    })
    .slice(0, MAX_SHOWN)
    .map(({ item }) => item)
}

const NO_MATCH = 4

function rankOf({ title, note, group }: PaletteItem, text: string, words: readonly string[]): number {
  if (group === 'ID') return 0
  const name = title.toLowerCase()
  if (name === text) return 0
  if (name.startsWith(text)) return 1
  if (name.includes(text)) return 2
  const all = `${name} ${note.toLowerCase()} ${group.toLowerCase()}`
  return words.every(word => all.includes(word)) ? 3 : NO_MATCH
}

/** The id of a trace or a profile: 32 hex digits, with dashes between them or not. Undefined for other texts. */
export function idIn(text: string): string | undefined {
  const plain = text.trim().toLowerCase().replaceAll('-', '')
  return /^[0-9a-f]{32}$/.test(plain) && !/^0+$/.test(plain) ? plain : undefined
}
