// Prints the notes of a reader or writer to standard error.
import type { Note } from '@hearth/profile'
import type { Context } from '../context.ts'
import { countText } from './count-text.ts'
import { shownName } from '../errors.ts'
import type { Input } from '../files/input.ts'
import type { ReadingOptions } from '../options.ts'
import { printLines } from './output.ts'
import { printable } from './printable.ts'

/** `12 × links: folded has no place for links` */
export function noteText({ code, count, message }: Note): string {
  return printable(`${countText(count)} × ${code}: ${message}`)
}

/** `file` is the name of the input or output for people. */
export async function printNotes(context: Context, file: string, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return
  context.progress.done()
  await printLines(
    context.stderr,
    notes.map(note => `hearth: ${printable(file)}: ${noteText(note)}`),
  )
}

/** For commands that show numbers: people must know what is missing from them. */
export async function printDamage(context: Context, { lenient }: ReadingOptions, input: Input): Promise<void> {
  const notes = lenient === true ? input.notes : input.notes.filter(({ isDamage }) => isDamage === true)
  await printNotes(context, shownName(input.file), notes)
}
