// Writes the figures of a benchmark into docs/benchmarks.md, between the marks of its name, if `--write` is given.
import { readFileSync, writeFileSync } from 'node:fs'

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url)

/** `name` is the mark, for example `bench:query` for `<!-- bench:query -->`. */
export function writeFigures(name: string, text: string): void {
  if (!process.argv.includes('--write')) return
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const page = readFileSync(PAGE, 'utf8')
  const from = page.indexOf(open)
  const to = page.indexOf(close, from)
  if (from < 0 || to < 0) throw new Error(`docs/benchmarks.md has no ${open.trim()} marks`)
  writeFileSync(PAGE, `${page.slice(0, from + open.length)}${text}\n${page.slice(to)}`)
}
