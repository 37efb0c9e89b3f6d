// Compares the reader of native symbols with addr2line, llvm-symbolizer and `go tool addr2line`. `npm run symbols-oracle -- --write`
// writes the figures into docs/symbols.md.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import type { ObjectFile } from '@hearth/profile'
import { SymbolIndex, openObject, readSymbols } from '@hearth/profile'
import { buildPrograms, type OracleProgram } from './oracle-programs.ts'
import { FunctionAliases, isEqualChain, isEqualToGo, reasonOf, textOf } from './symbol-differences.ts'
import { byAddr2line, byGo, byLlvmSymbolizer, frame, type OracleFrames } from './symbolizers.ts'

export interface OracleResult {
  readonly name: string
  readonly addresses: number
  /** Addresses at which Hearth returns the same functions, files and lines. */
  readonly equal: Readonly<Record<string, number>>
  /** Addresses at which Hearth agrees with at least one of the programs. */
  readonly confirmed: number
  /** The other addresses, by the reason of the difference. */
  readonly reasons: ReadonlyMap<string, number>
  /** The differences without a known reason. */
  readonly unexplained: readonly string[]
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
  const object = objectAt(reference)!
  const addresses = sampledAddresses(object)
  const names = new FunctionAliases([object, ...(read.object === undefined ? [] : [read.object])])
  const toolFrames: Record<string, OracleFrames[]> =
    language === 'go'
      ? {
          'go tool addr2line': byGo(
            reference,
            addresses.map(at => at - startOfGo(object)),
          ),
        }
      : { 'llvm-symbolizer': byLlvmSymbolizer(reference, addresses), addr2line: byAddr2line(reference, addresses) }
  const equal = Object.fromEntries(Object.keys(toolFrames).map(tool => [tool, 0]))
  const reasons = new Map<string, number>()
  const unexplained: string[] = []
  let confirmed = 0
  const isEqual = language === 'go' ? isEqualToGo : isEqualChain
  for (const [i, address] of addresses.entries()) {
    const own = index.lookup(BigInt(address)).map(({ name, file, line }) => frame(name, file, line))
    const agreeing = Object.keys(toolFrames).filter(tool => isEqual(own, toolFrames[tool][i] ?? [], names))
    for (const tool of agreeing) equal[tool]++
    if (agreeing.length > 0) {
      confirmed++
      continue
    }
    const others = Object.values(toolFrames).map(frames => frames[i] ?? [])
    const reason = reasonOf(own, others, names)
    if (reason === undefined) {
      const list = Object.entries(toolFrames).map(([tool, frames]) => `${tool} ${textOf(frames[i] ?? [])}`)
      unexplained.push(`0x${address.toString(16)}: Hearth ${textOf(own)}; ${list.join('; ')}`)
    } else reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return { name: program.name, addresses: addresses.length, equal, confirmed, reasons, unexplained }
}

function sampledAddresses(object: ObjectFile): number[] {
  const text = object.sections.find(({ name }) => name === '.text')
  if (text === undefined) return []
  const step = Math.max(1, Math.ceil(text.size / MAX_ADDRESSES))
  return Array.from({ length: Math.floor(text.size / step) }, (_, i) => Number(text.address) + i * step)
}

/** `go tool addr2line` expects Go's code at the start of .text. In programs with code of C it begins later. */
function startOfGo({ sections, littleEndian, wide }: ObjectFile): number {
  const text = sections.find(({ name }) => name === '.text')
  const table = sections.find(({ name }) => name === '.gopclntab')?.content()
  if (text === undefined || table === undefined) return 0
  const view = new DataView(table.buffer, table.byteOffset)
  // Versions before 1.18 have addresses in the table.
  if (![0xffff_fff0, 0xffff_fff1].includes(view.getUint32(0, littleEndian))) return 0
  const start = wide ? view.getBigUint64(24, littleEndian) : BigInt(view.getUint32(16, littleEndian))
  return start > text.address ? Number(start - text.address) : 0
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

export function oracleTables(results: readonly OracleResult[]): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`
  const cell = (result: OracleResult, oracle: string): string =>
    result.equal[oracle] === undefined ? '' : percent(result.equal[oracle], result.addresses)
  const reasons = new Map<string, number>()
  for (const result of results)
    for (const [reason, count] of result.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  const total = results.reduce((sum, { addresses }) => sum + addresses, 0)
  const confirmed = results.reduce((sum, result) => sum + result.confirmed, 0)
  const unexplained = results.reduce((sum, result) => sum + result.unexplained.length, 0)
  return [
    '| program | addresses | llvm-symbolizer | addr2line | go tool addr2line | any of them | unexplained |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...results.map(
      result =>
        `| ${result.name} | ${result.addresses} | ${cell(result, 'llvm-symbolizer')} | ${cell(result, 'addr2line')} ` +
        `| ${cell(result, 'go tool addr2line')} | ${percent(result.confirmed, result.addresses)} | ${result.unexplained.length} |`,
    ),
    '',
    `| of all ${total} addresses | addresses | share |`,
    '|---|--:|--:|',
    ...[
      ['equal to at least one of the programs', confirmed] as const,
      ...[...reasons].toSorted(([, a], [, b]) => b - a),
      ['unexplained', unexplained] as const,
    ].map(([reason, count]) => `| ${reason} | ${count} | ${percent(count, total)} |`),
  ].join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const { results, skipped } = runOracle()
  const tables = oracleTables(results)
  console.log(tables)
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  for (const { name, unexplained } of results) {
    if (unexplained.length > 0)
      console.log(`\n${name}: ${unexplained.length} unexplained\n${unexplained.slice(0, 8).join('\n')}`)
  }
  if (process.argv.includes('--write')) {
    const page = new URL('../../docs/symbols.md', import.meta.url)
    const [open, close] = ['<!-- symbols-oracle -->\n', '<!-- /symbols-oracle -->']
    const text = readFileSync(page, 'utf8')
    const from = text.indexOf(open) + open.length
    writeFileSync(page, `${text.slice(0, from)}${tables}\n${text.slice(text.indexOf(close))}`)
  }
}
