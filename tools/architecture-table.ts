// Generates the table of folders in ARCHITECTURE.md from allowed-imports.ts: `npm run architecture-table` writes it. Without
// --write this checks that it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allowedImports } from './allowed-imports.ts'
import { folderPurposes } from './folder-purposes.ts'

const PAGE = join(import.meta.dirname, '../ARCHITECTURE.md')
const [BEGIN, END] = ['<!-- folders -->\n', '<!-- /folders -->']

export function architectureTable(): string {
  const rows = Object.entries(allowedImports).map(
    ([key, imports]) => `| \`${pathOf(key)}\` | ${folderPurposes[key] ?? ''} | ${imports.map(nameOf).join(', ')} |`,
  )
  return ['| folder | contains | may import |', '|---|---|---|', ...rows].join('\n')
}

/** 'profile/wire' is packages/profile/src/wire, and 'profile (door)' the files directly in packages/profile/src. */
function pathOf(key: string): string {
  const [name, ...rest] = key.replace(' (door)', '').split('/')
  if (['bench', 'examples', 'tools'].includes(name)) return key
  return ['packages', name, 'src', ...rest, ...(key.endsWith('(door)') ? ['*.ts'] : [])].join('/')
}

function nameOf(entry: string): string {
  return entry === 'node:*' ? 'Node' : entry.replace(' (door)', '')
}

/** The page with the table as it should be. */
export function withArchitectureTable(page: string): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from === -1 || to < from) throw new Error(`ARCHITECTURE.md has no ${BEGIN.trim()} … ${END}`)
  return `${page.slice(0, from)}${BEGIN}${architectureTable()}\n${page.slice(to)}`
}

export function readArchitecture(): string {
  return readFileSync(PAGE, 'utf8')
}

function main(): void {
  const page = readArchitecture()
  const wanted = withArchitectureTable(page)
  if (process.argv.includes('--write')) writeFileSync(PAGE, wanted)
  else if (page === wanted) console.log('The table in ARCHITECTURE.md is up to date.')
  else {
    console.error('ARCHITECTURE.md differs from tools/allowed-imports.ts; run `npm run architecture-table`.')
    process.exitCode = 1
  }
}

if (process.argv[1] === import.meta.filename) main()
