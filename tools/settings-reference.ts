// Generates the table of settings in docs/server.md: `npm run settings-reference` writes it. Without --write this checks that it
// is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTING_NAMES, environmentName, settings } from '@hearth/server/administration'

const PAGE = join(import.meta.dirname, '../docs/server.md')
const [BEGIN, END] = ['<!-- settings -->\n', '<!-- /settings -->']

export function settingsTable(): string {
  const rows = SETTING_NAMES.map(name => {
    const { help, byDefault } = settings[name]
    const value = byDefault === undefined || byDefault === '' ? '' : code(byDefault)
    return `| ${code(name)} | ${code(environmentName(name))} | ${value} | ${help.replaceAll('|', '\\|')} |`
  })
  return ['| setting | environment variable | default | |', '|---|---|---|---|', ...rows].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

/** The page with the table as it should be. */
export function withTable(page: string): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from === -1 || to < from) throw new Error(`docs/server.md has no ${BEGIN.trim()} … ${END}`)
  return `${page.slice(0, from)}${BEGIN}${settingsTable()}\n${page.slice(to)}`
}

export function readPage(): string {
  return readFileSync(PAGE, 'utf8')
}

function main(): void {
  const page = readPage()
  const wanted = withTable(page)
  if (process.argv.includes('--write')) writeFileSync(PAGE, wanted)
  else if (page === wanted) console.log('The settings in docs/server.md are up to date.')
  else {
    console.error('docs/server.md differs from the settings; `npm run settings-reference` writes its table.')
    process.exitCode = 1
  }
}

if (process.argv[1] === import.meta.filename) main()
