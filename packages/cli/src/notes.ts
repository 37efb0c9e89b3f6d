// What a reader or writer could not carry, counted on standard error.
import type { Note } from '@hearth/profile'
import type { Context } from './context.ts'
import { countText } from './count-text.ts'
import { printLines } from './output.ts'
import { printable } from './printable.ts'

/** `12 × links: folded has no place for links` */
export function noteText({ code, count, message }: Note): string {
  return printable(`${countText(count)} × ${code}: ${message}`)
}

/** `file` is what was read or written, as people should read it. */
export async function printNotes(context: Context, file: string, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return
  context.progress.done()
  await printLines(
    context.stderr,
    notes.map(note => `hearth: ${printable(file)}: ${noteText(note)}`),
  )
}
