// With `--write`, what a bench found goes into the README, between the marks of its name.
import { readFileSync, writeFileSync } from 'node:fs'

const README = new URL('../../docs/benchmarks.md', import.meta.url)

/** `name` as in `<!-- bench:query -->`. */
export function writeFigures(name: string, text: string): void {
  if (!process.argv.includes('--write')) return
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const readme = readFileSync(README, 'utf8')
  const from = readme.indexOf(open)
  const to = readme.indexOf(close, from)
  if (from < 0 || to < 0) throw new Error(`the README has no ${open.trim()} marks`)
  writeFileSync(README, `${readme.slice(0, from + open.length)}${text}\n${readme.slice(to)}`)
}
