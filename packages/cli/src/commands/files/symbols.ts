// `hearth symbols list|lookup|upload FILE`: shows what a binary or debug file knows about its code, and sends it to a server.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { nodeCodecs } from '@hearth/codecs'
import type { HearthClient } from '@hearth/client'
import type { ObjectFile, ReadSymbols, SymbolFrame } from '@hearth/profile'
import {
  SymbolFileError,
  SymbolIndex,
  crc32,
  demangle,
  formatBytes,
  hasLines,
  htlhash,
  isPackage,
  openObject,
  readSymbols,
  stripElf,
} from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { fileBytes } from '../../files/file-bytes.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { countOf } from '../../terminal/count-text.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

interface SymbolsOptions {
  readonly json?: boolean
  readonly demangle: boolean
}

interface UploadOptions extends RemoteOptions {
  readonly to: string
  readonly buildId?: readonly string[]
  readonly force?: boolean
  readonly code?: boolean
  readonly json?: boolean
}

export function addSymbols(program: Command, context: Context): void {
  const symbols = program
    .command('symbols')
    .summary('names and lines of native code')
    .description(
      'Shows what binaries and debug files know about native code, and sends them to a server, which then names the frames of stored profiles.',
    )
  symbols
    .command('list')
    .summary('describe binaries and debug files')
    .description(
      'Describes binaries, debug files and lists of symbols: their format, build ids, and the names in them.',
    )
    .argument('<file...>', 'ELF, Mach-O, PE, Breakpad, jitdump, kallsyms or perf map')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(['hearth symbols list app app.debug', 'build ids and debug information']))
    .action(async (files: readonly string[], { json }: SymbolsOptions) => {
      const described = files.map(describeFile)
      if (json) await printJson(context.stdout, { files: described })
      else await printLines(context.stdout, described.flatMap(descriptionLines))
    })
  symbols
    .command('lookup')
    .summary('look up addresses in a binary or debug file')
    .description(
      'Prints the functions at each address, the innermost inlined call first. Addresses are those of the file, in hex.',
    )
    .argument('<file>', 'ELF, Mach-O, PE, Breakpad, jitdump, kallsyms or perf map')
    .argument('<address...>', 'addresses in hex, such as 0x401136')
    .option('--no-demangle', 'show mangled C++ and Rust names')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(['hearth symbols lookup app.debug 0x401136 0x40113a', 'functions, files and lines']))
    .action(async (file: string, addresses: readonly string[], options: SymbolsOptions) =>
      lookup(file, addresses, options, context),
    )
  addUpload(symbols, context)
}

function addUpload(symbols: Command, context: Context): void {
  const upload = symbols
    .command('upload')
    .summary('send debug files to a server')
    .description(
      'Sends binaries and debug files to a Hearth server, which names native frames with them, including frames of profiles that ' +
        'are already stored. Code and data are dropped before a file is sent, unless --code is given. Files that the server has are skipped.',
    )
    .argument(
      '<file...>',
      'ELF, Mach-O, PE, Breakpad, kallsyms or System.map; or source code: .tar, .tar.gz, .tar.zst or a source map',
    )
    .option('--to <url>', "the server's address", MAIN_SERVER)
    .option(
      '--build-id <id>',
      'build id of a file that has none, such as that of the kernel for kallsyms; repeatable',
      collected,
    )
    .option('--force', 'send files that the server has')
    .option('--code', 'send the code too, so that the server can show the instructions of functions')
  addRemoteOptions(upload)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth symbols upload app.debug', 'to this machine'],
        [
          'hearth symbols upload build/*.so --to https://hearth:4040',
          'to another server, with a token in HEARTH_TOKEN',
        ],
        ['hearth symbols upload src.tar.gz --build-id 1f2e3d', 'the source code of a binary'],
        ['hearth symbols upload app --code', 'with the code, for the view of instructions'],
        ['hearth symbols upload /boot/System.map-6.1 --build-id 1f2e3d', 'names of the kernel'],
      ),
    )
    .action(async (files: readonly string[], options: UploadOptions) => uploadFiles(files, options, context))
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

async function uploadFiles(files: readonly string[], options: UploadOptions, context: Context): Promise<void> {
  const client = await connect(options.to, '--to', options, context)
  const sent: object[] = []
  for (const [i, file] of files.entries()) {
    if (isSourceCode(file)) {
      const bytes = fileBytes(file)
      const request = { name: basename(file), buildId: [...(options.buildId ?? [])] }
      const isForced = options.force === true
      const stored = await context.progress.during(
        `sending ${file}`,
        sendSources(client, bytes, request, file, isForced),
      )
      sent.push({ file, ...(stored ?? { skipped: true }) })
      const what = stored === undefined ? 'the server has it' : countOf(stored.sources ?? 0, 'source file')
      if (options.json !== true) await printLines(context.stdout, [printable(`${file}: ${what}`)])
      continue
    }
    const { bytes, ...symbols } = read(file)
    const { buildId, object } = symbols
    // The server cannot compute the hash of the file that ran from a stripped one.
    const kernelId = options.buildId === undefined ? ownKernelId(file) : undefined
    const given = [...(options.buildId ?? []), ...(kernelId === undefined ? [] : [kernelId])]
    const ids = [...given, ...idsBeside(file, symbols), htlhash(bytes)]
    const quality = hasLines(symbols) ? 'lines' : 'names'
    try {
      const known = [buildId, object?.goBuildId, ...ids].filter(id => id !== undefined)
      const [{ quality: has, code: hasCode }] = (await client.act('checkSymbols', { binaries: [known] })).binaries
      // A package completes the file that the server has.
      const isPart = object !== undefined && isPackage(object)
      const isKnown = options.code === true ? hasCode : !isPart && (has === 'lines' || has === quality)
      if (options.force !== true && isKnown) {
        sent.push({ file, skipped: true })
        if (options.json !== true) await printLines(context.stdout, [printable(`${file}: the server has it`)])
        continue
      }
      const content = options.code === true ? bytes : stripElf(bytes)
      const request = { name: basename(file), buildId: ids, ...(options.code === true ? { code: true } : {}) }
      const sending = client.uploadSymbols(new Uint8Array(content), request)
      const stored = await context.progress.during(`sending ${i + 1} of ${files.length}: ${file}`, sending)
      context.progress.done()
      sent.push({ file, ...stored })
      const what = { lines: 'names, files and lines', names: 'names', none: 'code' }[stored.quality]
      const sizes = `${formatBytes(content.length)} of ${formatBytes(bytes.length)} sent`
      if (options.json !== true) {
        await printLines(context.stdout, [
          printable(`${file}: ${what}; ${sizes}`),
          ...missingParts(file, stored, symbols),
        ])
      }
    } catch (error) {
      throw aboutServer(error, { option: '--server', file })
    }
  }
  if (options.json === true) await printJson(context.stdout, { files: sent })
}

/** The server receives packages of split units, not the units themselves. */
function missingParts(
  file: string,
  { missingUnits = 0 }: { missingUnits?: number },
  { object }: ReadSymbols,
): string[] {
  if (missingUnits === 0 || object === undefined || isPackage(object)) return []
  const units = countOf(missingUnits, 'unit')
  return [printable(`  ${units} of split debug information missing: run \`dwp -e ${file}\` and upload ${file}.dwp`)]
}

/** The build ids of `app` for `app.dwp`, which has none of its own. */
function idsBeside(file: string, { object }: ReadSymbols): readonly string[] {
  if (object === undefined || !isPackage(object)) return []
  for (const binary of [file.replace(/\.dwp$/, ''), file.replace(/\.dwp$/, '.debug')]) {
    if (binary === file || !existsSync(binary)) continue
    const { buildId, object: beside } = read(binary)
    return [buildId, beside?.goBuildId].filter(id => id !== undefined)
  }
  return []
}

/** Whether the name is that of an archive or a source map. The server checks the content. */
function isSourceCode(file: string): boolean {
  return /\.(?:tar|tar\.gz|tgz|tar\.zst|map)$/i.test(file) && !/System\.map/.test(file)
}

/** Undefined if the server has an archive with the same content. */
async function sendSources(
  client: HearthClient,
  bytes: Uint8Array<ArrayBuffer>,
  request: Parameters<HearthClient['uploadSymbols']>[1],
  file: string,
  isForced: boolean,
): Promise<Awaited<ReturnType<HearthClient['uploadSymbols']>> | undefined> {
  try {
    const hash = createHash('sha256').update(bytes).digest('hex')
    const [{ quality }] = (await client.act('checkSymbols', { binaries: [[hash]] })).binaries
    return quality === undefined || isForced ? await client.uploadSymbols(bytes, request) : undefined
  } catch (error) {
    throw aboutServer(error, { option: '--server', file })
  }
}

/** The debug file of a stripped binary: by build id below /usr/lib/debug, or by the name that the binary states. */
function debugFileOf(file: string, { object }: ReadSymbols): string | undefined {
  const { buildId = '', debugLink } = object ?? {}
  const folder = dirname(resolve(file))
  const root = '/usr/lib/debug'
  const byId = buildId === '' ? [] : [join(root, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`)]
  const linked = debugLink === undefined ? [] : [folder, join(folder, '.debug'), join(root, folder)]
  const byName = linked
    .map(each => join(each, basename(debugLink!.name)))
    .filter(path => existsSync(path) && resolve(path) !== resolve(file))
    .filter(path => {
      const bytes = readFileSync(path)
      return crc32(bytes, 0, bytes.length) >>> 0 === debugLink!.crc
    })
  return [...byId.filter(path => existsSync(path)), ...byName].at(0)
}

/** The build id of the kernel that runs here, for its list of symbols. */
function ownKernelId(file: string): string | undefined {
  const notes = '/sys/kernel/notes'
  if (resolve(file) !== '/proc/kallsyms' || !existsSync(notes)) return undefined
  const bytes = readFileSync(notes)
  const at = bytes.indexOf('GNU\0')
  // A note has the length of its name, the length of its content and its type, then both. Type 3 is a build id.
  if (at < 12 || bytes.readUInt32LE(at - 4) !== 3) return undefined
  return bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at - 8)).toString('hex')
}

/** Reads a file with the rest of its debug information, which may be in files beside it: .dwp, .dwo and the supplement of dwz. */
function read(file: string): ReadSymbols & { readonly bytes: Uint8Array } {
  const bytes = fileBytes(file)
  try {
    const supplement = openObject(bytes, { codecs: nodeCodecs })?.supplement
    const symbols = readSymbols(bytes, {
      codecs: nodeCodecs,
      package: objectAt(`${file}.dwp`) ?? objectAt(file.replace(/\.debug$/, '.dwp')),
      splitUnit: (_, name) => objectAt(join(dirname(file), basename(name))),
      supplement: supplement && objectAt(resolve(dirname(file), supplement.name)),
    })
    return { ...symbols, bytes }
  } catch (error) {
    if (!(error instanceof SymbolFileError)) throw error
    throw new CliError(1, `${file}: ${error.message}`, 'Use a binary, a debug file or a list of symbols.', {
      cause: error,
    })
  }
}

function objectAt(path: string): ObjectFile | undefined {
  return existsSync(path) ? openObject(fileBytes(path), { codecs: nodeCodecs }) : undefined
}

interface FileDescription {
  readonly file: string
  readonly format: string
  readonly machine: string | undefined
  readonly buildId: string | undefined
  readonly goBuildId: string | undefined
  readonly htlhash: string
  readonly debugInfo: boolean
  readonly units: number
  readonly missingSplitUnits: number
  readonly brokenUnits: number
  readonly debugLink: string | undefined
  readonly ranges: number
}

function describeFile(file: string): FileDescription {
  const { bytes, format, buildId, object, index, dwarf } = read(file)
  return {
    file,
    format,
    machine: object?.machine,
    buildId,
    goBuildId: object?.goBuildId,
    htlhash: htlhash(bytes),
    debugInfo: dwarf !== undefined,
    units: dwarf?.units ?? 0,
    missingSplitUnits: dwarf?.missingSplitUnits ?? 0,
    brokenUnits: dwarf?.brokenUnits ?? 0,
    debugLink: object?.debugLink?.name,
    ranges: SymbolIndex.open(index).starts.length,
  }
}

function descriptionLines(described: FileDescription): string[] {
  const { file, format, machine, debugInfo, units, missingSplitUnits, brokenUnits, ranges } = described
  const lines = [`${printable(file)}: ${[format, machine].filter(Boolean).join(', ')}`]
  const add = (label: string, value: string | undefined): void => {
    if (value !== undefined) lines.push(`  ${label.padEnd(16)}${printable(value)}`)
  }
  add('build id', described.buildId)
  add('Go build id', described.goBuildId)
  add('htlhash', described.htlhash)
  add('debug info', debugInfo ? `${units} units` : 'none')
  if (missingSplitUnits > 0) add('', `${missingSplitUnits} units are in .dwo files that are not beside the file`)
  if (brokenUnits > 0) add('', `${brokenUnits} units are broken and were skipped`)
  add('debug link', described.debugLink)
  add('address ranges', `${ranges}`)
  return lines
}

async function lookup(
  file: string,
  addresses: readonly string[],
  options: SymbolsOptions,
  context: Context,
): Promise<void> {
  const own = read(file)
  const debugFile = hasLines(own) ? undefined : debugFileOf(file, own)
  const index = SymbolIndex.open((debugFile === undefined ? own : read(debugFile)).index)
  const found = addresses.map(text => ({ address: text, frames: index.lookup(parseAddress(text)) }))
  if (options.json) {
    await printJson(context.stdout, {
      addresses: found.map(({ address, frames }) => ({ address, frames: frames.map(f => shown(f, options)) })),
    })
    return
  }
  await printLines(
    context.stdout,
    found.flatMap(({ address, frames }) => [
      address,
      ...(frames.length === 0 ? ['  no function'] : frames.map(frame => `  ${frameText(shown(frame, options))}`)),
    ]),
  )
}

function shown(frame: SymbolFrame, options: SymbolsOptions): SymbolFrame {
  return options.demangle ? { ...frame, name: demangle(frame.name) ?? frame.name } : frame
}

function frameText({ name, file, line, column }: SymbolFrame): string {
  const place = [file, ...[line, column].filter(part => part > 0)].join(':')
  return printable(place === '' ? name : `${name}  ${place}`)
}

function parseAddress(text: string): bigint {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{1,16})$/.exec(text) ?? []
  if (digits === undefined) throw new CliError(2, `"${text}" is not an address`, 'Write it in hex, such as 0x401136.')
  return BigInt(`0x${digits}`)
}
