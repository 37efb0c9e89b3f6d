// Names, attributes, resources and scopes that a file lacks, because the store has lost them. The rest of the file is complete.
import type { Note } from '@hearth/profile'
import { NoteList } from '@hearth/profile'

const MESSAGE = 'names, stacks, attributes, resources or scopes are lost or damaged in the store, and empty here'

export class MissingSymbols {
  #count = 0

  /** For everything that reads symbols. */
  readonly onFault = (): void => {
    this.#count++
  }

  /** Reports the losses so far. */
  notes(): readonly Note[] {
    const notes = new NoteList()
    notes.addDamage('missing-symbols', MESSAGE, this.#count)
    return notes.list()
  }
}
