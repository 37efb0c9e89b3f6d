// Names as the text can carry them: on one line, without blanks at the ends, and not to be taken for something else.

const IDS = /(?:^|[ \t])-?\d+(?:\/-?\d+)?[ \t]/

export const UNKNOWN = '[unknown]'
const OFFSET = /\+0x([0-9a-f]{1,8})$/i

export class PlainText {
  /** How many had to be changed. */
  changed = 0

  /** The name of a function. */
  name(text: string): string {
    return this.#count(text, known(oneLine(text)))
  }

  /** The name of an inlined function, which has no offset behind. */
  inlinedName(text: string): string {
    return this.#count(text, known(oneLine(text).replace(OFFSET, '_0x$1')))
  }

  /** Takes note of a name whose end will be taken for an offset: the text stays the same. */
  noteOffset(name: string): void {
    if (OFFSET.test(name)) this.changed++
  }

  /** A file in brackets at the end of a line, which is found from behind. */
  file(text: string): string {
    const line = oneLine(text)
    const whole = isBalanced(line) ? line : line.replaceAll(/[()]/g, '_')
    return this.#count(text, whole === 'inlined' ? 'inlined_' : known(whole))
  }

  /** A file at the start of a line, where an address or a sample could stand as well. */
  source(text: string): string {
    const plain = oneLine(text).replaceAll(/:(?=[ \t])/g, '_')
    // Two question marks stand for a file that is not known.
    return this.#count(text, plain === '??' ? '' : plain.replace(/^([0-9a-f]{1,16})[ \t]/i, '$1_'))
  }

  /** A word: the name of an event. */
  word(text: string): string {
    const word = oneLine(text)
      .replaceAll(/[ \t]/g, '_')
      .replace(/,$/, '_')
      // It would be taken for a time.
      .replace(/^(\d+)\.(\d+)$/, '$1_$2')
    return this.#count(text, word.startsWith('PERF_RECORD_') ? `_${word}` : word)
  }

  /** The name of a thread, before its ids. */
  thread(text: string): string {
    // What looks like a time would be taken for it, and a number with a colon somewhere behind for ids and an event.
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

/** What the text calls unknown has no name once it is read. */
function known(name: string): string {
  return name === UNKNOWN ? '' : name
}
