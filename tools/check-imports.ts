// Checks that every source file keeps to the table in allowed-imports.ts, that imports form no cycle, that no folder has too
// many files, and that folders with a job have a README. `npm run imports` runs only this check.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allowedImports, sharedSubfolders, subfoldersApart, testFamilies, testPackages } from './allowed-imports.ts'
import { importCycles, type SourceFile } from './import-cycles.ts'
import { importsOf } from './imports-of.ts'

const tableFile = 'tools/allowed-imports.ts'

/** The maximum number of source files in a folder, tests included. A larger folder contains several concepts. */
const MAX_FILES = 28

export interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

export function checkImports(sources: Iterable<SourceFile>): readonly Violation[] {
  const violations: Violation[] = []
  for (const { path, text } of sources) {
    const folder = folderOf(path)
    if (folder === undefined) {
      violations.push({ file: path, line: 1, message: `${posix.dirname(path)} is not in the table` })
      continue
    }
    for (const { line, name } of importsOf(text)) {
      const message = problemWith(path, folder, name)
      if (message !== undefined) violations.push({ file: path, line, message })
    }
  }
  return violations
}

/** Reports cycles of imports. Tests are not checked: nothing imports them. */
export function checkCycles(sources: readonly SourceFile[]): readonly Violation[] {
  return importCycles(sources.filter(({ path }) => !isTest(path))).map(files => ({
    file: files[0],
    line: 1,
    message: `imports form a cycle: ${files.join(', ')}`,
  }))
}

/** Reports folders with too many source files. */
export function checkFolders(sources: readonly SourceFile[]): readonly Violation[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => ({
      file: folder,
      line: 1,
      message: `the folder has ${count} source files; group them into folders of at most ${MAX_FILES}`,
    }))
}

/** A folder with more source files than this has a README. Tests do not count. */
const MAX_FILES_WITHOUT_README = 7

/**
 * Reports folders without a README: packages, folders directly below their `src`, and folders with many files. Folders named
 * `testing` need none.
 */
export function checkReadmes(
  sources: readonly SourceFile[],
  hasReadme: (folder: string) => boolean,
): readonly Violation[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    if (isTest(path)) continue
    const folder = posix.dirname(path)
    const [, inPackage, , child] = /^(packages\/[^/]+|examples\/[^/]+)(\/src(\/[^/]+)?)?/.exec(folder) ?? []
    if (inPackage !== undefined) counts.set(inPackage, Infinity)
    if (child !== undefined) counts.set(`${inPackage}/src${child}`, Infinity)
    const isRoot = inPackage !== undefined && folder === `${inPackage}/src`
    if (!isRoot) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES_WITHOUT_README && !hasReadme(folder))
    .map(([folder]) => ({ file: folder, line: 1, message: 'the folder has no README.md that says what it is for' }))
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
    // Packages of this repository are imported by a listed entry point, others by any of theirs.
    if (!entry.startsWith('@hearth/') && name.startsWith(`${entry}/`)) return undefined
  }
  return `${folder} may not import ${name}`
}

function problemWithFile(path: string, folder: string, name: string): string | undefined {
  const target = posix.join(posix.dirname(path), name)
  const targetFolder = folderOf(target)
  if (targetFolder === undefined) return `${name} leads to ${posix.dirname(target)}, which is not in the table`
  if (isTest(path)) {
    if (packageOf(path) === packageOf(target) && (packageOf(path) !== undefined || folder === targetFolder))
      return undefined
    // Tests may use the testing/ folders of other packages.
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

/** The longest matching key of the table: packages/profile/src/formats/pprof/read.ts is in 'profile/formats'. */
function folderOf(path: string): string | undefined {
  const parts = stagesOf(path)
  if (parts.length === 1 && `${parts[0]} (door)` in allowedImports) return `${parts[0]} (door)`
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('/')
    if (key in allowedImports) return key
  }
  return undefined
}

/** packages/profile/src/wire/a.ts: profile, wire. tools/a.ts: tools. */
function stagesOf(path: string): readonly string[] {
  const parts = posix.dirname(path).split('/')
  if (parts[0] !== 'packages') return parts
  return parts[2] === 'src' ? [parts[1], ...parts.slice(3)] : parts.slice(1, 2)
}

/** The folder directly below `folder` that contains the file. Undefined for a file directly in `folder`. */
function subfolderOf(path: string, folder: string): string | undefined {
  return stagesOf(path)[folder.split('/').length]
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1]
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/testing/')
}

function* sourcesBelow(folder: string): Generator<SourceFile> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'generated', 'fixtures'].includes(entry.name)) yield* sourcesBelow(path)
    } else if (/\.[cm]?[jt]sx?$/.test(entry.name) && !path.endsWith('.d.ts')) {
      yield { path, text: readFileSync(path, 'utf8') }
    }
  }
}

function* everySource(): Generator<SourceFile> {
  for (const name of readdirSync('packages')) yield* sourcesBelow(`packages/${name}/src`)
  yield* sourcesBelow('tools')
  yield* sourcesBelow('bench')
  yield* sourcesBelow('examples')
}

function main(): void {
  process.chdir(join(import.meta.dirname, '..'))
  const sources = [...everySource()]
  const violations = [
    ...checkImports(sources),
    ...checkCycles(sources),
    ...checkFolders(sources),
    ...checkReadmes(sources, folder => existsSync(join(folder, 'README.md'))),
  ]
  for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message} (${tableFile})`)
  if (violations.length > 0) {
    console.error(`\nMove the code to where it may be imported, change the table in ${tableFile}, or write the README.`)
    process.exitCode = 1
  } else {
    console.log(`${sources.length} files keep to ${tableFile}.`)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
