// Writes results to a file, atomically, or to standard output.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Compression } from '@hearth/profile'
import { compressionOf } from '@hearth/profile'
import { CliError, OutputClosed, aboutFile } from '../errors.ts'
import { nodeCodecs, opened } from '@hearth/codecs'
import { printableJson } from './printable.ts'
import type { Sink } from './terminal.ts'

/** Resolves when the stream has accepted everything. */
export async function print(sink: Sink, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    sink.write(chunk, error => {
      if (error === undefined || error === null) resolve()
      else reject('code' in error && error.code === 'EPIPE' ? new OutputClosed() : error)
    })
  })
}

export async function printLines(sink: Sink, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await print(sink, `${lines.join('\n')}\n`)
}

/** Compresses if the extension of `file` requires it and the bytes are not compressed yet. */
export function compressedFor(file: string, bytes: Uint8Array): Uint8Array {
  if (compressionOf(bytes) !== 'none') return bytes
  const wanted = compressionByName(file)
  return wanted === 'none' ? bytes : nodeCodecs[wanted]!(bytes)
}

/** Returns an original file unchanged, unless the extension of `file` requires another compression. */
export async function originalFor(file: string, original: Uint8Array): Promise<Uint8Array> {
  const wanted = compressionByName(file)
  if (wanted === 'none' || compressionOf(original) === wanted) return original
  return compressedFor(file, (await opened(original)).bytes)
}

function compressionByName(file: string): Exclude<Compression, 'zlib'> {
  if (/\.gz(?:ip)?$/i.test(file)) return 'gzip'
  return /\.zstd?$/i.test(file) ? 'zstd' : 'none'
}

/** Throws if the output is one of the inputs. Call it before reading, so that no time is wasted. */
export function checkOutput(output: string, inputs: readonly string[]): void {
  const target = statOf(output)
  if (target === undefined) return
  if (target.isDirectory()) {
    throw new CliError(2, `${output}: is a directory`, 'Use -o DIRECTORY/FILE.')
  }
  if (!target.isFile()) return
  for (const input of inputs) {
    const source = statOf(input)
    if (source === undefined || source.dev !== target.dev || source.ino !== target.ino) continue
    const names = input === output ? output : `${output}: the same file as ${input}`
    throw new CliError(2, `${names}: is an input and would be overwritten`, 'Choose another output file.')
  }
}

function statOf(file: string): fs.BigIntStats | undefined {
  return file === '-' ? undefined : fs.statSync(file, { bigint: true, throwIfNoEntry: false })
}

/** Throws if binary data would be written to a terminal. */
export function checkTerminal(output: string, bytes: Uint8Array, stdout: Sink): void {
  if (output !== '-' || stdout.isTTY !== true || !bytes.subarray(0, 1024).some(isBinary)) return
  throw new CliError(
    2,
    'the output is binary and standard output is a terminal',
    'Write to a file (-o FILE) or to a pipe.',
  )
}

/** A control character other than tab and line end. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d
}

/** Runs `write` and attributes its errors to the output. */
export function writing<T>(output: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw aboutFile(error, output, 'standard output')
  }
}

/** `-` is standard output. A file is written completely or not at all. */
export async function writeOutput(output: string, bytes: Uint8Array, stdout: Sink): Promise<void> {
  await writePieces(output, [bytes], stdout)
}

/** Writes pieces as they arrive. A file appears when it is complete. */
export async function writePieces(
  output: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  stdout: Sink,
): Promise<void> {
  if (output === '-') {
    for await (const piece of pieces) await print(stdout, piece)
    return
  }
  try {
    await replaceFile(output, pieces)
  } catch (error) {
    throw aboutFile(error, output, 'standard output')
  }
}

/** Parts of this size are compressed separately: both formats allow several parts in a file. */
const COMPRESSED_BYTES = 8 << 20

/**
 * Checks the first piece like `checkTerminal`, and compresses like `compressedFor`, with a part of the content in memory at a
 * time.
 */
export async function* outputPieces(
  output: string,
  pieces: AsyncIterable<Uint8Array>,
  stdout: Sink,
): AsyncGenerator<Uint8Array, void> {
  let isFinal: boolean | undefined
  let waiting: Uint8Array[] = []
  let size = 0
  const wanted = compressionByName(output)
  for await (const piece of pieces) {
    isFinal ??= wanted === 'none' || compressionOf(piece) !== 'none'
    if (isFinal) {
      if (size === 0) checkTerminal(output, piece, stdout)
      size += piece.length
      yield piece
      continue
    }
    waiting.push(piece)
    size += piece.length
    if (size < COMPRESSED_BYTES) continue
    yield compressedFor(output, Buffer.concat(waiting))
    waiting = []
    size = 0
  }
  if (waiting.length > 0) yield compressedFor(output, Buffer.concat(waiting))
}

async function replaceFile(output: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const old = fs.statSync(output, { throwIfNoEntry: false })
  // Pipes and devices (/dev/null, >(command)) cannot be replaced, only written to.
  if (old !== undefined && !old.isFile()) {
    await fs.promises.writeFile(output, pieces)
    return
  }
  // Replaces the target of a symbolic link, not the link.
  const target = old === undefined ? output : fs.realpathSync(output)
  const name = `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`
  const temporary = path.join(path.dirname(target), name)
  try {
    const mode = old === undefined ? 0o666 : old.mode & 0o777
    await fs.promises.writeFile(temporary, pieces, { flag: 'wx', mode })
    fs.renameSync(temporary, target)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}

/** Prints one indented document, for scripts and people. */
export async function printJson(sink: Sink, value: unknown): Promise<void> {
  await print(sink, `${printableJson(JSON.stringify(value, undefined, 2))}\n`)
}
