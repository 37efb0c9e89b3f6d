// State files under damage: the previous version is used, the damaged one is kept, and nothing is overwritten.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StateFile, StateFileError, encodeState, restorePrevious } from './state-file.ts'
import { stateFileProblems } from './state-problems.ts'

interface Counted {
  readonly n: number
}

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'hearth-state-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const parse = (json: unknown): Counted => {
  if (typeof (json as Counted).n !== 'number') throw new Error('n: not a number')
  return json as Counted
}
const fileOf = (optional = false): StateFile<Counted> =>
  new StateFile(join(directory, 'state.json'), { parse, optional })
const problems = async (): Promise<readonly string[]> =>
  (await stateFileProblems(directory, { content: true })).map(({ file, message }) => `${file} ${message}`)

/** Flips one bit of every byte in turn. */
function* flips(text: string): Generator<Buffer> {
  for (let at = 0; at < Buffer.byteLength(text); at++) {
    const bytes = Buffer.from(text)
    bytes[at] ^= 1 << (at % 8)
    yield bytes
  }
}

describe('StateFile', () => {
  it.each(['sync', 'async'])('reads back what it wrote and keeps the previous version (%s)', async kind => {
    const file = fileOf()
    expect(file.read()).toEqual({ content: undefined, damage: undefined })
    for (const n of [1, 2, 3]) {
      if (kind === 'sync') file.writeSync({ n })
      else await file.write({ n })
    }
    expect(file.read()).toEqual({ content: { n: 3 }, damage: undefined })
    expect(readFileSync(`${file.path}.previous`, 'utf8')).toBe(encodeState({ n: 2 }))
    expect(readdirSync(directory).sort()).toEqual(['state.json', 'state.json.previous'])
    expect(await problems()).toEqual([])
    await file.remove()
    expect(readdirSync(directory)).toEqual([])
  })

  it('never returns the content of a file with a flipped bit', () => {
    const intact = encodeState({ n: 7, text: 'some text' })
    let damaged = 0
    for (const bytes of flips(intact)) {
      for (const name of readdirSync(directory)) rmSync(join(directory, name))
      writeFileSync(join(directory, 'state.json.previous'), encodeState({ n: 6 }))
      writeFileSync(join(directory, 'state.json'), bytes)
      const { content, damage } = fileOf().read()
      // A flip in the space between two values changes nothing.
      if (damage === undefined) expect(content).toEqual({ n: 7, text: 'some text' })
      else {
        damaged++
        expect(content).toEqual({ n: 6 })
        const kept = readdirSync(directory).filter(name => name.includes('.damaged-'))
        expect(kept.map(name => readFileSync(join(directory, name)))).toEqual([bytes])
      }
    }
    expect(damaged).toBeGreaterThan(30)
  })

  it('keeps a damaged file that a write would replace', async () => {
    const file = fileOf()
    file.writeSync({ n: 1 })
    file.writeSync({ n: 2 })
    writeFileSync(file.path, '{"check":1,"con')
    await file.write({ n: 3 })
    expect(file.read().content).toEqual({ n: 3 })
    expect(readFileSync(`${file.path}.previous`, 'utf8')).toBe(encodeState({ n: 1 }))
    expect(await problems()).toEqual([
      expect.stringMatching(/^state\.json\.damaged-\S+ is a damaged version of state\.json;/),
    ])
  })

  it('reports a deleted file and uses its previous version', async () => {
    const file = fileOf()
    file.writeSync({ n: 1 })
    file.writeSync({ n: 2 })
    rmSync(file.path)
    expect(file.read()).toEqual({ content: { n: 1 }, damage: expect.stringContaining('is missing') as string })
    expect(await problems()).toEqual(['state.json is missing; its previous version is used'])
  })

  it('keeps a copy of the first version, unless the file is short-lived', async () => {
    const file = fileOf()
    file.writeSync({ n: 1 })
    writeFileSync(file.path, '{"check":1,"con')
    expect(file.read()).toEqual({
      content: { n: 1 },
      damage: expect.stringContaining('its previous version is used') as string,
    })
    const record = new StateFile(join(directory, 'record.json'), { parse, shortLived: true })
    await record.write({ n: 1 })
    expect(readdirSync(directory).filter(name => name.startsWith('record'))).toEqual(['record.json'])
  })

  it('is restored from its previous version, which replaces nothing', async () => {
    const file = fileOf()
    for (const n of [1, 2]) file.writeSync({ n })
    expect(await restorePrevious(file.path)).toBe(false)
    expect(file.read().content).toEqual({ n: 2 })
    rmSync(file.path)
    expect(await restorePrevious(file.path)).toBe(true)
    expect(file.read()).toEqual({ content: { n: 1 }, damage: undefined })
    expect(await problems()).toEqual([])
    expect(readdirSync(directory).sort()).toEqual(['state.json', 'state.json.previous'])
  })

  it('throws without an intact version, unless the file is optional', async () => {
    writeFileSync(join(directory, 'state.json'), '{}}')
    expect(await problems()).toEqual(['state.json is not complete JSON'])
    expect(() => fileOf().read()).toThrow(StateFileError)
    expect(readdirSync(directory)).toEqual(['state.json'])
    expect(fileOf(true).read()).toMatchObject({
      content: undefined,
      damage: expect.stringContaining('starts empty') as string,
    })
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^state\.json\.damaged-/)])
  })

  it('accepts a file of an earlier version, which has no checksum, if it has the right shape', () => {
    writeFileSync(join(directory, 'state.json'), '{"n": 4}')
    expect(fileOf().read()).toEqual({ content: { n: 4 }, damage: undefined })
    writeFileSync(join(directory, 'state.json'), '{"m": 4}')
    expect(() => fileOf().read()).toThrow(/state\.json: n: not a number/)
    expect(() => fileOf().writeSync({} as Counted)).toThrow(/n: not a number/)
    expect(readFileSync(join(directory, 'state.json'), 'utf8')).toBe('{"m": 4}')
  })
})
