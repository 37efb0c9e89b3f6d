// Holds every source file to the table in allowed-imports.ts. `npm run imports` runs it alone.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allowedImports, sharedSubfolders, subfoldersApart, testFamilies, testPackages } from './allowed-imports.ts'
import { importsOf } from './imports-of.ts'

const tableFile = 'tools/allowed-imports.ts'

export interface Source {
  readonly path: string // from the root of the repository, with forward slashes
  readonly text: string
}

export interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

export function checkImports(sources: Iterable<Source>): readonly Violation[] {
  const violations: Violation[] = []
  for (const { path, text } of sources) {
    const folder = folderOf(path)
    if (folder === undefined) {
      violations.push({ file: path, line: 1, message: `${posix.dirname(path)} is a folder without an entry` })
      continue
    }
    for (const { line, name } of importsOf(text)) {
      const message = problemWith(path, folder, name)
      if (message !== undefined) violations.push({ file: path, line, message })
    }
  }
  return violations
}

function problemWith(path: string, folder: string, name: string | undefined): string | undefined {
  if (name === undefined) {
    return packageOf(path) === undefined || isTest(path)
      ? undefined
      : 'an import computed at run time cannot be checked'
  }
  return name.startsWith('.') ? problemWithFile(path, folder, name) : problemWithPackage(path, folder, name)
}

function problemWithPackage(path: string, folder: string, name: string): string | undefined {
  const allowed = isTest(path) ? [...allowedImports[folder], ...testPackages] : [...allowedImports[folder]]
  if (isTest(path) && /\.node(\.test)?\.ts$/.test(path)) allowed.push('node:*')
  if (isTest(path) && testFamilies[packageOf(path) ?? '']?.some(family => name.startsWith(family))) return undefined
  for (const entry of allowed) {
    if (entry === 'node:*' ? name.startsWith('node:') : name === entry) return undefined
    // Our own packages have one door; others may be entered by any door they export.
    if (!entry.startsWith('@hearth/') && name.startsWith(`${entry}/`)) return undefined
  }
  return `${folder} may not import ${name}`
}

function problemWithFile(path: string, folder: string, name: string): string | undefined {
  const target = posix.join(posix.dirname(path), name)
  const targetFolder = folderOf(target)
  if (targetFolder === undefined) return `${name} leads to ${posix.dirname(target)}, a folder without an entry`
  if (isTest(path)) {
    if (packageOf(path) === packageOf(target) && (packageOf(path) !== undefined || folder === targetFolder))
      return undefined
    // What one package makes for its tests, others may test with.
    if (/\/testing\//.test(target)) return undefined
  } else if (isTest(target)) {
    return `${name} is for tests only`
  }
  const apart = subfoldersApart[folder]
  const from = subfolderOf(path, folder)
  if (folder !== targetFolder) {
    const allowed = [...allowedImports[folder], ...(apart?.[from ?? ''] ?? [])]
    return allowed.includes(targetFolder) ? undefined : `${folder} may not import ${targetFolder}`
  }
  const to = subfolderOf(target, folder)
  if (apart === undefined || from === undefined || to === undefined || from === to) return undefined
  if (sharedSubfolders[folder]?.includes(to)) return undefined
  return apart[from]?.includes(to) ? undefined : `${folder}/${from} may not import ${folder}/${to}`
}

// The longest key of the table that fits: packages/profile/src/formats/pprof/read.ts is in 'profile/formats'.
function folderOf(path: string): string | undefined {
  const parts = stagesOf(path)
  if (parts.length === 1 && `${parts[0]} (door)` in allowedImports) return `${parts[0]} (door)`
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('/')
    if (key in allowedImports) return key
  }
  return undefined
}

// packages/profile/src/wire/a.ts: profile, wire. tools/a.ts: tools.
function stagesOf(path: string): readonly string[] {
  const parts = posix.dirname(path).split('/')
  if (parts[0] !== 'packages') return parts
  return parts[2] === 'src' ? [parts[1], ...parts.slice(3)] : parts.slice(1, 2)
}

// The folder directly below `folder` that holds the file; undefined for a file directly in `folder`.
function subfolderOf(path: string, folder: string): string | undefined {
  return stagesOf(path)[folder.split('/').length]
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1]
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/testing/')
}

function* sourcesBelow(folder: string): Generator<Source> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'generated', 'fixtures'].includes(entry.name)) yield* sourcesBelow(path)
    } else if (/\.[cm]?[jt]sx?$/.test(entry.name) && !path.endsWith('.d.ts')) {
      yield { path, text: readFileSync(path, 'utf8') }
    }
  }
}

function* everySource(): Generator<Source> {
  for (const name of readdirSync('packages')) yield* sourcesBelow(`packages/${name}/src`)
  yield* sourcesBelow('tools')
  yield* sourcesBelow('bench')
  yield* sourcesBelow('examples')
}

function main(): void {
  process.chdir(join(import.meta.dirname, '..'))
  const sources = [...everySource()]
  const violations = checkImports(sources)
  for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message} (${tableFile})`)
  if (violations.length > 0) {
    console.error(`\nMove the code to where it may be imported, or change the table in ${tableFile}.`)
    process.exitCode = 1
  } else {
    console.log(`${sources.length} files keep to ${tableFile}.`)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
