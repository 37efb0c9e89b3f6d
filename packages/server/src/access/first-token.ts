// The first token of a server that is installed by a script, such as a container: it is given in a file instead of printed.
import { readFileSync } from 'node:fs'
import { addToken, readAccess, requiresTokens } from './access-file.ts'
import { SCOPES, tokenRow } from './tokens.ts'

export class FirstTokenError extends Error {
  override readonly name = 'FirstTokenError'
}

/**
 * Adds the token in the file, with all scopes and tenants, unless the server ever had a token. A token that was revoked does not
 * come back at the next start. Throws FirstTokenError. Returns whether the token was added.
 */
export function addFirstToken(accessFile: string, tokenFile: string): boolean {
  const access = readAccess(accessFile)
  if (access.tokens.length > 0 || requiresTokens(accessFile)) return false
  let text: string
  try {
    text = readFileSync(tokenFile, 'utf8').trim()
  } catch (error) {
    throw new FirstTokenError(`first-token: cannot read ${tokenFile}`, { cause: error })
  }
  const row = tokenRow(text, { name: 'first-token', tenants: ['default', '*'], scopes: SCOPES })
  if (row === undefined)
    throw new FirstTokenError(
      `first-token: ${tokenFile} does not contain a token; write hearth_, 12 hex digits, _ and 32 letters or digits`,
    )
  addToken(accessFile, row)
  return true
}
