import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TableDefinitions } from './table-definitions.ts'

let directory: string
let definition: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-definitions-'))
  definition = join(directory, 'store', 'a1b', 'a1b2-c3', 'spans.sql')
  mkdirSync(dirname(definition), { recursive: true })
})
afterEach(() => rmSync(directory, { recursive: true }))

const create = async (text: string): Promise<void> =>
  new TableDefinitions(directory).during('CREATE TABLE IF NOT EXISTS spans', async () =>
    writeFileSync(definition, text),
  )
const text = (): string => readFileSync(definition, 'utf8')
const kept = (): readonly string[] => readdirSync(directory).filter(name => name.includes('.damaged-'))

describe('TableDefinitions', () => {
  it('restores a damaged definition and keeps the damaged file', async () => {
    await create('ATTACH TABLE _')
    writeFileSync(definition, 'ATTACH\xffTABLE _')
    new TableDefinitions(directory).restore()
    expect([text(), kept()]).toEqual(['ATTACH TABLE _', [expect.stringMatching(/^spans\.sql\.damaged-/)]])
    new TableDefinitions(directory).restore()
    expect(kept()).toHaveLength(1)
  })

  it('restores a damaged format version', async () => {
    const version = join(dirname(definition), 'format_version.txt')
    writeFileSync(version, '1')
    await create('ATTACH TABLE _')
    writeFileSync(version, 'd')
    new TableDefinitions(directory).restore()
    expect([readFileSync(version, 'utf8'), kept()]).toEqual([
      '1',
      [expect.stringMatching(/^format_version\.txt\.damaged-/)],
    ])
  })

  it('restores deleted definitions', async () => {
    await create('ATTACH TABLE _')
    rmSync(dirname(definition), { recursive: true })
    new TableDefinitions(directory).restore()
    expect([text(), kept()]).toEqual(['ATTACH TABLE _', []])
  })

  it('keeps a change that a crash interrupted', async () => {
    await create('old')
    const crashed = new TableDefinitions(directory).during('ALTER TABLE spans ADD COLUMN x UInt8', async () => {
      writeFileSync(definition, 'new')
      throw new Error('killed')
    })
    await expect(crashed).rejects.toThrow('killed')
    new TableDefinitions(directory).restore()
    expect([text(), kept()]).toEqual(['new', []])
  })

  it('leaves the copies alone while parts change', async () => {
    await create('old')
    const before = readFileSync(join(directory, 'table-definitions.json'), 'utf8')
    await new TableDefinitions(directory).during("ALTER TABLE spans DROP PARTITION '1'", async () => undefined)
    expect(readFileSync(join(directory, 'table-definitions.json'), 'utf8')).toBe(before)
  })
})
