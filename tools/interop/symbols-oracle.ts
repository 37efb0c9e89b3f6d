// Compares the reader of native symbols with addr2line, llvm-symbolizer and `go tool addr2line`. `npm run symbols-oracle -- --write`
// writes the figures into docs/symbols.md.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import type { ObjectFile } from '@hearth/profile'
import { SymbolIndex, openObject, readSymbols } from '@hearth/profile'
import { buildPrograms, type OracleProgram } from './oracle-programs.ts'
import { byAddr2line, byGo, byLlvmSymbolizer, frame, type OracleFrames } from './symbolizers.ts'

export interface OracleResult {
  readonly name: string
  readonly addresses: number
  /** Addresses at which Hearth returns the same functions, files and lines. */
  readonly equal: Readonly<Record<string, number>>
  /** Addresses at which Hearth agrees with at least one of the programs. */
  readonly confirmed: number
  readonly differences: readonly string[]
}

const MAX_ADDRESSES = 20_000

export function compareProgram(program: OracleProgram): OracleResult {
  const { reference = program.file, language } = program
  const read = readSymbols(bytesOf(program.file), {
    codecs: nodeCodecs,
    supplement: supplementOf(program),
    splitUnit: (_, name) => objectAt(join(program.folder, basename(name))),
  })
  const index = SymbolIndex.open(read.index)
  const addresses = sampledAddresses(objectAt(reference)!)
  const own = addresses.map(at => index.lookup(BigInt(at)).map(({ name, file, line }) => frame(name, file, line)))
  const oracles: Record<string, OracleFrames[]> =
    language === 'go'
      ? { 'go tool addr2line': byGo(reference, addresses) }
      : { 'llvm-symbolizer': byLlvmSymbolizer(reference, addresses), addr2line: byAddr2line(reference, addresses) }
  const equal: Record<string, number> = {}
  const agrees = addresses.map(() => false)
  const outermostOnly = language === 'go'
  for (const [oracle, frames] of Object.entries(oracles)) {
    let count = 0
    for (const i of addresses.keys()) {
      if (!isEqual(own[i], frames[i] ?? [], outermostOnly)) continue
      agrees[i] = true
      count++
    }
    equal[oracle] = count
  }
  const differences = addresses.flatMap((at, i) =>
    agrees[i]
      ? []
      : [
          `0x${at.toString(16)}: Hearth ${own[i].join(' < ')}; ${Object.entries(oracles)
            .map(([name, frames]) => `${name} ${frames[i]?.join(' < ')}`)
            .join('; ')}`,
        ],
  )
  return {
    name: program.name,
    addresses: addresses.length,
    equal,
    confirmed: addresses.length - differences.length,
    differences,
  }
}

function isEqual(own: OracleFrames, other: OracleFrames, outermostOnly: boolean): boolean {
  if (!outermostOnly) return own.join(' < ') === other.join(' < ')
  // The line of `go tool addr2line` is that of the innermost call, its function the outermost one.
  const nameOf = (frames: OracleFrames): string => frames.at(-1)?.replace(/ [^ ]*$/, '') ?? ''
  const placeOf = (frames: OracleFrames): string => frames.at(0)?.replace(/^.* /, '') ?? ''
  return nameOf(own) === nameOf(other) && placeOf(own) === placeOf(other)
}

function sampledAddresses(object: ObjectFile): number[] {
  const text = object.sections.find(({ name }) => name === '.text')
  if (text === undefined) return []
  const step = Math.max(1, Math.ceil(text.size / MAX_ADDRESSES))
  return Array.from({ length: Math.floor(text.size / step) }, (_, i) => Number(text.address) + i * step)
}

function bytesOf(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path))
}

function objectAt(path: string): ObjectFile | undefined {
  return existsSync(path) ? openObject(bytesOf(path), { codecs: nodeCodecs }) : undefined
}

function supplementOf({ file, folder }: OracleProgram): ObjectFile | undefined {
  const wanted = objectAt(file)?.supplement
  if (wanted === undefined) return undefined
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => basename(path) === basename(wanted.name))
    .map(objectAt)
    .find(object => object?.buildId === wanted.buildId)
}

/** Builds all programs and compares them. */
export function runOracle(): { results: OracleResult[]; skipped: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-oracle-'))
  try {
    const { programs, skipped } = buildPrograms(folder)
    return { results: programs.map(compareProgram), skipped }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function oracleTable(results: readonly OracleResult[]): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`
  const cell = (result: OracleResult, oracle: string): string =>
    result.equal[oracle] === undefined ? '' : percent(result.equal[oracle], result.addresses)
  return [
    '| program | addresses | llvm-symbolizer | addr2line | go tool addr2line | any of them |',
    '|---|--:|--:|--:|--:|--:|',
    ...results.map(
      result =>
        `| ${result.name} | ${result.addresses} | ${cell(result, 'llvm-symbolizer')} | ${cell(result, 'addr2line')} | ${cell(result, 'go tool addr2line')} | ${percent(result.confirmed, result.addresses)} |`,
    ),
  ].join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const { results, skipped } = runOracle()
  const table = oracleTable(results)
  console.log(table)
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  for (const { name, differences } of results) {
    if (differences.length > 0)
      console.log(`\n${name}: ${differences.length} differ\n${differences.slice(0, 8).join('\n')}`)
  }
  if (process.argv.includes('--write')) {
    const page = new URL('../../docs/symbols.md', import.meta.url)
    const [open, close] = ['<!-- symbols-oracle -->\n', '<!-- /symbols-oracle -->']
    const text = readFileSync(page, 'utf8')
    const from = text.indexOf(open) + open.length
    writeFileSync(page, `${text.slice(0, from)}${table}\n${text.slice(text.indexOf(close))}`)
  }
}
