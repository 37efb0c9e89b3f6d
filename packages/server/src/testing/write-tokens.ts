// Creates tokens in a data directory, for tests of other packages.
import { NO_ACCESS, accessFileIn, writeAccess } from '../access/access-file.ts'
import type { TokenRow } from '../access/tokens.ts'
import { makeToken } from '../access/tokens.ts'

/** Returns the secrets in order. */
export function writeTokens(
  dataDirectory: string,
  given: readonly Pick<TokenRow, 'name' | 'tenants' | 'scopes' | 'expires'>[],
): readonly string[] {
  const made = given.map(each => makeToken(each))
  const tokens = made.map(({ row }) => ({ ...row, tenants: [...row.tenants], scopes: [...row.scopes] }))
  writeAccess(accessFileIn(dataDirectory), { ...NO_ACCESS, tokens })
  return made.map(({ token }) => token)
}
