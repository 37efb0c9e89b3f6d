// Short names of files that differ visibly: the common start is shortened, so that what differs is not cut off.

/** A longer name does not fit into its button. */
const MAX_LENGTH = 28
/** The part of the common start that stays, to recognise the file. */
const KEPT = 6

/** Returns a text for each name. Names that fit stay whole. */
export function distinctNames(names: readonly string[]): string[] {
  const common = names.length < 2 ? 0 : commonStart(names)
  return names.map(name => {
    if (name.length <= MAX_LENGTH) return name
    const start = Math.min(KEPT, common)
    const rest = name.slice(common > start + 1 ? common : start)
    return common > start + 1 ? `${name.slice(0, start)}…${shortenedMiddle(rest)}` : shortenedMiddle(name)
  })
}

function commonStart(names: readonly string[]): number {
  const [first, ...others] = names
  let length = 0
  while (length < first.length && others.every(other => other[length] === first[length])) length++
  // Starts at a word, unless that shows the whole name again.
  const word = first.slice(0, length).search(/[\w]*$/)
  return length - word < 12 ? word : length
}

function shortenedMiddle(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  const end = Math.floor(MAX_LENGTH / 2)
  return `${text.slice(0, MAX_LENGTH - end - 1)}…${text.slice(-end)}`
}
