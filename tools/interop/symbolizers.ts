// Other programs that turn addresses into functions, and their output in one form.
import { execFileSync } from 'node:child_process'
import { posix } from 'node:path'

/** A function, its file without folders, and the line. */
export type OracleFrame = `${string} ${string}:${number}`
export type OracleFrames = readonly OracleFrame[]

export function runTool(program: string, args: readonly string[], input = '', cwd?: string): string {
  return execFileSync(program, args, {
    input,
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export function frame(name: string, file: string, line: number): OracleFrame {
  return `${name} ${posix.basename(file)}:${line}`
}

/** The frames of each address, innermost first. */
export function byLlvmSymbolizer(file: string, addresses: readonly number[]): OracleFrames[] {
  const args = [`--obj=${file}`, '--inlines', '--no-demangle', '--output-style=JSON']
  const output = runTool('llvm-symbolizer', args, addresses.map(at => `0x${at.toString(16)}\n`).join(''))
  const results = output
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as { Symbol?: readonly { FunctionName: string; FileName: string; Line: number }[] })
  return results.map(({ Symbol = [] }) =>
    // It has no names from the supplementary files of dwz, but the lines of their functions.
    Symbol.length === 1 && Symbol[0].FunctionName === ''
      ? []
      : Symbol.map(({ FunctionName, FileName, Line }) => frame(FunctionName, FileName, Line)),
  )
}

/** As `byLlvmSymbolizer`. addr2line prints a line with each address before its frames. */
export function byAddr2line(file: string, addresses: readonly number[]): OracleFrames[] {
  const output = runTool(
    'addr2line',
    ['-a', '-f', '-i', '-e', file],
    addresses.map(at => `${at.toString(16)}\n`).join(''),
  )
  return output
    .split(/^0x[0-9a-f]+\n/m)
    .slice(1)
    .map(text => {
      const lines = text.split('\n').filter(line => line !== '')
      const frames: OracleFrame[] = []
      for (let i = 0; i + 1 < lines.length; i += 2) {
        if (lines[i] === '??') continue
        const [, path = '', line = ''] = /^(.*):(\d+|\?)(?: \(discriminator \d+\))?$/.exec(lines[i + 1]) ?? []
        frames.push(frame(lines[i], path === '??' ? '' : path, Number(line) || 0))
      }
      return frames
    })
}

/** The outermost function only: `go tool addr2line` knows no inlined calls. */
export function byGo(file: string, addresses: readonly number[]): OracleFrames[] {
  const lines = runTool(
    'go',
    ['tool', 'addr2line', file],
    addresses.map(at => `0x${at.toString(16)}\n`).join(''),
  ).split('\n')
  return addresses.map((_, i) => {
    const name = lines[2 * i]
    const [, path = '', line = ''] = /^(.*):(\d+)$/.exec(lines[2 * i + 1]) ?? []
    return name === '?' ? [] : [frame(name, path, Number(line) || 0)]
  })
}
