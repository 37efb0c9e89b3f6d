// Makes the Unreleased section of CHANGELOG.md out of tools/change-files/; prints it, or with --write puts it in place.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const kinds = ['added', 'changed', 'fixed', 'removed'] as const
type Kind = (typeof kinds)[number]

export interface Change {
  readonly kind: Kind
  readonly sentence: string
}

const heading = '## Unreleased'
const changeFiles = join(import.meta.dirname, '..', 'change-files')
const changelogFile = join(import.meta.dirname, '..', '..', 'CHANGELOG.md')

export function readChange(fileName: string, text: string): Change {
  const problem = (what: string): Error => new Error(`tools/change-files/${fileName}: ${what}`)
  if (!/^\d{4}-(0[1-9]|1[0-2])-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(fileName))
    throw problem('the name is not YYYY-MM-name.md')
  const match = /^---\r?\nkind: *(\S*) *\r?\n---\r?\n([^]*)$/.exec(text)
  if (match === null) throw problem('it does not open with ---, `kind: …`, ---')
  const kind = kinds.find(known => known === match[1])
  if (kind === undefined) throw problem(`kind is "${match[1]}", not one of ${kinds.join(', ')}`)
  const sentence = match[2].trim().replace(/\s+/g, ' ')
  if (sentence === '') throw problem('the sentence is missing')
  return { kind, sentence }
}

export function sectionOf(changes: readonly Change[]): string {
  const parts = [heading]
  for (const kind of kinds) {
    const lines = changes.filter(change => change.kind === kind).map(change => `- ${change.sentence}`)
    if (lines.length > 0) parts.push(`### ${kind[0].toUpperCase()}${kind.slice(1)}`, lines.join('\n'))
  }
  return parts.join('\n\n') + '\n'
}

// The changelog with its Unreleased section replaced; every other section stays byte for byte.
export function withSection(changelog: string, section: string): string {
  const lines = changelog.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`CHANGELOG.md has no line "${heading}"`)
  const next = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  const before = lines.slice(0, start).map(line => line + '\n')
  const after = next < 0 ? '' : '\n' + lines.slice(next).join('\n')
  return before.join('') + section + after
}

export function changesOnDisk(): readonly Change[] {
  return readdirSync(changeFiles)
    .filter(name => name !== 'README.md')
    .sort()
    .map(name => readChange(name, readFileSync(join(changeFiles, name), 'utf8')))
}

function main(): void {
  const section = sectionOf(changesOnDisk())
  if (process.argv.includes('--write')) {
    writeFileSync(changelogFile, withSection(readFileSync(changelogFile, 'utf8'), section))
  } else {
    process.stdout.write(section)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
