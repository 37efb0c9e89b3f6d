// Makes names safe for the text: one line, no spaces at the ends, and not mistakable for other columns.

const IDS = /(?:^|[ \t])-?\d+(?:\/-?\d+)?[ \t]/

export const UNKNOWN = '[unknown]'
const OFFSET = /\+0x([0-9a-f]{1,8})$/i

export class PlainText {
  /** The number of changed names. */
  changed = 0

  /** The name of a function. */
  name(text: string): string {
    return this.#count(text, known(oneLine(text)))
  }

  /** The name of an inlined function, which has no offset. */
  inlinedName(text: string): string {
    return this.#count(text, known(oneLine(text).replace(OFFSET, '_0x$1')))
  }

  /** Counts a name whose end will be read as an offset. The text stays the same. */
  noteOffset(name: string): void {
    if (OFFSET.test(name)) this.changed++
  }

  /** A file in brackets at the end of a line, which readers find from the end. */
  file(text: string): string {
    const line = oneLine(text)
    const whole = isBalanced(line) ? line : line.replaceAll(/[()]/g, '_')
    return this.#count(text, whole === 'inlined' ? 'inlined_' : known(whole))
  }

  /** A file at the start of a line, where an address or a sample could also be. */
  source(text: string): string {
    const plain = oneLine(text).replaceAll(/:(?=[ \t])/g, '_')
    // The text `??` means an unknown file.
    return this.#count(text, plain === '??' ? '' : plain.replace(/^([0-9a-f]{1,16})[ \t]/i, '$1_'))
  }

  /** The name of an event, which is one word. */
  word(text: string): string {
    const word = oneLine(text)
      .replaceAll(/[ \t]/g, '_')
      .replace(/,$/, '_')
      // It would be read as a time.
      .replace(/^(\d+)\.(\d+)$/, '$1_$2')
    return this.#count(text, word.startsWith('PERF_RECORD_') ? `_${word}` : word)
  }

  /** The name of a thread, before its ids. */
  thread(text: string): string {
    // Text like a time would be read as one, and a number before a colon would be read as ids and an event.
    const line = oneLine(text).replaceAll(/(\d\.\d+):/g, '$1_')
    return this.#count(text, IDS.test(line) ? line.replaceAll(/:(?=[ \t]|$)/g, '_') : line)
  }

  #count(before: string, after: string): string {
    if (before !== after) this.changed++
    return after
  }
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\n\r]/g, ' ')
    .replace(/^[ \t]+/, '')
    .trimEnd()
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    else if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

/** `[unknown]` means that there is no name. */
function known(name: string): string {
  return name === UNKNOWN ? '' : name
}
