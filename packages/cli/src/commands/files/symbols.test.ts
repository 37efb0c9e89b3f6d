import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { programs } from '../../../../profile/src/symbols/native/testing/generated/programs.ts'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()

const LISTING = 'MODULE Linux x86_64 C0FFEE0 shop\nFILE 0 shop.cc\nFUNC 1000 20 0 _ZN4shop5totalEv\n1000 20 12 0\n'

describe('hearth symbols', () => {
  it('lists the format and build id of a file', async () => {
    writeFileSync(file('shop.sym'), LISTING)
    const { status, stdout } = await runHearth(['symbols', 'list', file('shop.sym')])
    expect(status).toBe(0)
    expect(stdout).toMatch(/shop\.sym: breakpad\n {2}build id +c0ffee0\n/)
  })

  it('prints functions, files and lines of addresses', async () => {
    writeFileSync(file('shop.sym'), LISTING)
    const { stdout } = await runHearth(['symbols', 'lookup', file('shop.sym'), '0x1004', '2000'])
    expect(stdout).toBe('0x1004\n  shop::total()  shop.cc:12\n2000\n  no function\n')
    const { stdout: json } = await runHearth(['symbols', 'lookup', '--json', '--no-demangle', file('shop.sym'), '1000'])
    expect(JSON.parse(json)).toEqual({
      addresses: [
        {
          address: '1000',
          frames: [{ name: '_ZN4shop5totalEv', file: 'shop.cc', line: 12, column: 0, startLine: 0 }],
        },
      ],
    })
  })

  it('reads split debug information from the package beside the file', async () => {
    const lookup = async (): Promise<string> =>
      (await runHearth(['symbols', 'lookup', file('split'), '0x401000'])).stdout
    writeFileSync(file('split'), Buffer.from(programs.split5, 'base64'))
    expect(await lookup()).not.toContain('discounted')
    writeFileSync(file('split.dwp'), Buffer.from(programs.split5Package, 'base64'))
    expect(await lookup()).toMatch(/^0x401000\n {2}rounded .*\n {2}discounted .*\n {2}shop::Cart::total/)
  })

  it('follows the debug link of a stripped binary to the file beside it', async () => {
    writeFileSync(file('linked'), Buffer.from(programs.linked, 'base64'))
    const lookup = async (): Promise<string> =>
      (await runHearth(['symbols', 'lookup', file('linked'), '0x401000'])).stdout
    expect(await lookup()).toBe('0x401000\n  no function\n')
    writeFileSync(file('linked.debug'), Buffer.from(programs.dwarf5, 'base64'))
    expect(await lookup()).toBe('0x401000\n  no function\n')
    writeFileSync(file('linked.debug'), Buffer.from(programs.linkedDebug, 'base64'))
    expect(await lookup()).toMatch(/^0x401000\n {2}rounded .*\n {2}discounted .*\n {2}shop::Cart::total/)
  })

  it('rejects other files and addresses with advice', async () => {
    writeFileSync(file('notes.txt'), 'hello')
    const wrongFile = await runHearth(['symbols', 'list', file('notes.txt')])
    expect([wrongFile.status, wrongFile.stderr]).toEqual([1, expect.stringContaining('not ELF, Mach-O, PE')])
    const wrongAddress = await runHearth(['symbols', 'lookup', file('shop.sym'), 'main'])
    expect([wrongAddress.status, wrongAddress.stderr]).toEqual([2, expect.stringContaining('"main" is not an address')])
  })
})
