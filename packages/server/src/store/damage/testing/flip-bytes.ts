// Bit rot for tests.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Flips all bits of every `step`-th byte, and of at least one byte. */
export function flipBytes(file: string, step: number): void {
  const bytes = readFileSync(file)
  for (let at = Math.min(step, bytes.length) >> 1; at < bytes.length; at += step) bytes[at] ^= 0xff
  writeFileSync(file, bytes)
}

/** The directories of the parts in the directory of a table, without temporary ones. */
export function partDirectories(table: string): readonly string[] {
  return readdirSync(table)
    .filter(name => /^\w+_\d+_\d+_\d+(?:_\d+)?$/.test(name) && !name.startsWith('tmp'))
    .map(name => join(table, name))
}
