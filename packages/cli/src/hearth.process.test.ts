// The real process.
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { BUILT_HEARTH } from './testing/built-command.ts'

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** With `readOnce`, the reader closes the pipe after the first bytes, as `head` does. */
async function hearth(argv: readonly string[], stdin: string, readOnce = false): Promise<Ended> {
  const child = spawn(process.execPath, [BUILT_HEARTH, ...argv])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    if (readOnce) child.stdout.destroy()
  })
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { status, stdout, stderr }
}

test('hearth uses the standard input, standard output and exit status of the process', async () => {
  const [good, bad] = await Promise.all([
    hearth(['convert', '-', '-o', '-', '--to', 'folded'], 'b;a 1\na;c 2\n'),
    hearth(['top', '/nowhere'], ''),
  ])
  expect(good).toMatchObject({ status: 0, stdout: 'a;c 2\nb;a 1\n' })
  expect(bad).toMatchObject({ status: 1, stdout: '' })
  expect(bad.stderr).toMatch(/^hearth: \/nowhere: no such file or directory\n/)
})

test('hearth ends silently if the reader closes the pipe', async () => {
  // Far more than the 64 KiB that a pipe buffers.
  const stacks = Array.from({ length: 20_000 }, (_, i) => `main;function${i} ${i + 1}\n`).join('')
  const { status, stdout, stderr } = await hearth(['top', '-', '--json'], stacks, true)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.length).toBeLessThan(1_000_000)
})
