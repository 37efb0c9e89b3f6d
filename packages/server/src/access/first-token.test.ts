import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accessFileIn, readAccess, writeAccess } from './access-file.ts'
import { addFirstToken } from './first-token.ts'
import { findToken, makeToken } from './tokens.ts'

const { token } = makeToken({ name: '', tenants: ['default'], scopes: ['read'] })
let folder: string
let access: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-first-token-'))
  access = accessFileIn(folder)
  file = join(folder, 'token')
  writeFileSync(file, `${token}\n`)
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('addFirstToken', () => {
  it('adds the token of the file once, with all scopes', () => {
    expect(addFirstToken(access, file)).toBe(true)
    expect(findToken(readAccess(access).tokens, token)).toMatchObject({
      name: 'first-token',
      tenants: ['default', '*'],
      scopes: expect.arrayContaining(['admin', 'write']) as unknown,
    })
    expect(addFirstToken(access, file)).toBe(false)
    expect(readAccess(access).tokens).toHaveLength(1)
  })

  it('does not bring back a token that was revoked', () => {
    addFirstToken(access, file)
    writeAccess(access, { ...readAccess(access), tokens: [] })
    expect(addFirstToken(access, file)).toBe(false)
    expect(readAccess(access).tokens).toEqual([])
  })

  it('rejects a file that is missing or has another content', () => {
    writeFileSync(file, 'secret')
    expect(() => addFirstToken(access, file)).toThrow('does not contain a token')
    expect(() => addFirstToken(access, join(folder, 'none'))).toThrow('cannot read')
    expect(readAccess(access).tokens).toEqual([])
  })
})
