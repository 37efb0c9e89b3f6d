// The search for a browser, on machines made up for the test: what is looked for first, and when apt-get may run.
import { describe, expect, test } from 'vitest'
import { findChromium, type Machine } from './find-chromium.ts'

interface MadeUp {
  readonly env?: Machine['env']
  readonly isRoot?: boolean
  readonly files?: readonly string[]
  readonly brings?: string // what apt-get install puts on the machine
}

function machineWith({ env = {}, isRoot = true, files = [], brings }: MadeUp): Machine & { readonly ran: string[] } {
  const present = new Set(files)
  const ran: string[] = []
  return {
    env,
    isRoot,
    ran,
    isExecutable: path => present.has(path),
    run(command, args) {
      const verb = args.includes('install') ? 'install' : 'update'
      ran.push(`${command} ${verb}`)
      if (verb === 'install' && brings !== undefined) present.add(brings)
      return true
    },
  }
}

describe('found', () => {
  test('by name before the usual places', () => {
    const machine = machineWith({
      env: { CHROMIUM_PATH: '/opt/chromium' },
      files: ['/opt/chromium', '/usr/bin/chromium'],
    })
    expect(findChromium(machine)).toEqual({ kind: 'found', path: '/opt/chromium' })
  })

  test('in a usual place, with nothing installed', () => {
    const machine = machineWith({ env: { CI: 'true' }, files: ['/usr/bin/google-chrome', '/usr/bin/apt-get'] })
    expect(findChromium(machine)).toEqual({ kind: 'found', path: '/usr/bin/google-chrome' })
    expect(machine.ran).toEqual([])
  })

  test('by installing it on a CI machine', () => {
    const machine = machineWith({ env: { CI: 'true' }, files: ['/usr/bin/apt-get'], brings: '/usr/bin/chromium' })
    expect(findChromium(machine)).toEqual({ kind: 'found', path: '/usr/bin/chromium' })
    expect(machine.ran).toEqual(['apt-get update', 'apt-get install'])
  })
})

describe('missing', () => {
  test('when the name leads nowhere, even if another browser is there', () => {
    const machine = machineWith({ env: { CHROMIUM_PATH: '/opt/gone' }, files: ['/usr/bin/chromium'] })
    expect(findChromium(machine)).toEqual({
      kind: 'missing',
      why: 'CHROMIUM_PATH names /opt/gone, which cannot be run',
    })
  })

  test.each<[string, MadeUp]>([
    ['not CI', { files: ['/usr/bin/apt-get'] }],
    ['CI=false', { env: { CI: 'false' }, files: ['/usr/bin/apt-get'] }],
    ['not root', { env: { CI: 'true' }, isRoot: false, files: ['/usr/bin/apt-get'] }],
    ['no apt-get', { env: { CI: 'true' } }],
  ])('and not installed: %s', (_, madeUp) => {
    const machine = machineWith(madeUp)
    expect(findChromium(machine).kind).toBe('missing')
    expect(machine.ran).toEqual([])
  })

  test('when apt-get brings nothing', () => {
    const machine = machineWith({ env: { CI: 'true' }, files: ['/usr/bin/apt-get'] })
    expect(findChromium(machine)).toEqual({
      kind: 'missing',
      why: 'no Chromium was found, and apt-get could not install one',
    })
  })
})
