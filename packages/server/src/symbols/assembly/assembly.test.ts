// Tests for the disassembler and for the cost of instructions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocationIndex, SymbolIndex } from '@hearth/profile'
import { afterAll, describe, expect, it, test } from 'vitest'
import { disassemble } from './capstone.ts'
import { functionAssembly } from './function-assembly.ts'
import { instructionCosts } from './instruction-costs.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-code-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** push rbp; xor edx, edx; call 0x101a; ret; one byte that is no instruction. */
const CODE = Uint8Array.from([0x55, 0x31, 0xd2, 0xe8, 0x12, 0x00, 0x00, 0x00, 0xc3, 0x06])

describe('disassemble', () => {
  it('returns the instructions of x86-64 with their addresses, and other bytes as data', async () => {
    const found = await disassemble('x86_64', CODE, 0x1000n)
    expect(found.map(({ address, size, text }) => `${address.toString(16)} ${size} ${text}`)).toEqual([
      '1000 1 push rbp',
      '1001 2 xor edx, edx',
      '1003 5 call 0x101a',
      '1008 1 ret',
      '1009 1 .byte 0x06',
    ])
  })

  it('returns the instructions of arm64', async () => {
    const code = Uint8Array.from([0xfd, 0x7b, 0xbf, 0xa9, 0xc0, 0x03, 0x5f, 0xd6])
    const texts = (await disassemble('aarch64', code, 0xffff_8000_0000_1000n)).map(({ text }) => text)
    expect(texts).toEqual(['stp x29, x30, [sp, #-0x10]!', 'ret'])
  })

  test.each(['riscv64', ''])('rejects the machine %j', async machine => {
    await expect(disassemble(machine, CODE, 0n)).rejects.toThrow(RangeError)
  })
})

const index = {
  lookup: (address: bigint) => [
    { name: 'f', file: '/src/f.c', line: address < 0x1003n ? 3 : 4, column: 0, startLine: 3 },
  ],
} as unknown as SymbolIndex
const path = join(folder, 'app')
writeFileSync(path, Buffer.concat([Buffer.alloc(64), CODE]))
const segments = [
  { fileOffset: 64, fileSize: CODE.length, address: 0x1000n, memorySize: CODE.length, executable: true },
]

describe('functionAssembly', () => {
  it('reads the code of a function at its place in the file, with source lines', async () => {
    const code = { name: 'f', start: 0x1001n, end: 0x1009n }
    const { instructions, skippedBytes } = (await functionAssembly({ path, machine: 'x86_64', segments }, code, index))!
    expect(instructions.map(({ text, line }) => `${line} ${text}`)).toEqual([
      '3 xor edx, edx',
      '4 call 0x101a',
      '4 ret',
    ])
    expect(skippedBytes).toBe(0)
  })

  it('returns undefined if no segment of the file has the code', async () => {
    const code = { name: 'f', start: 0x5000n, end: 0x5008n }
    expect(await functionAssembly({ path, machine: 'x86_64', segments }, code, index)).toBeUndefined()
  })
})

describe('instructionCosts', () => {
  const at = (location: number): LocationIndex => location as LocationIndex
  const addresses = new Map([
    [at(1), 0x1001n],
    // The last byte of the call: a return address minus 1.
    [at(2), 0x1007n],
    [at(3), 0x1003n],
    [at(4), 0x1ff0n],
  ])
  const costs = new Map([
    [at(1), { self: 5n, total: 5n }],
    [at(2), { self: 0n, total: 7n }],
    [at(3), { self: 1n, total: 1n }],
    [at(4), { self: 9n, total: 9n }],
  ])

  it('adds the cost of an address to the instruction that contains it', async () => {
    const instructions = (await disassemble('x86_64', CODE, 0x1000n)).map(each => ({ ...each, file: '', line: 0 }))
    expect(instructionCosts(instructions, addresses, costs).map(({ self, total }) => [self, total])).toEqual([
      [0n, 0n],
      [5n, 5n],
      [1n, 8n],
      [0n, 0n],
      [0n, 0n],
    ])
  })
})
