// `hearth admin token`: creates, lists, rotates and revokes tokens, and `hearth admin open`.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { TokenRow } from '@hearth/server/administration'
import {
  SCOPES,
  accessFileIn,
  duration,
  isExpired,
  makeToken,
  openAccess,
  rotateToken,
} from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { DataArguments, DataOption } from './admin-data.ts'
import { accessError, audit, changeAccess, checkTenant, lines, readAccessOf, valueOf } from './admin-data.ts'

interface TokenOptions extends DataOption {
  readonly tenant: readonly string[]
  readonly scope: readonly string[]
  readonly name?: string
  readonly expires?: string
}

export function addToken(admin: Command, data: DataArguments, context: Context): void {
  const token = admin
    .command('token')
    .summary('manage tokens')
    .description(
      'Tokens grant access to a server. As soon as one exists, every request needs one, and the ' +
        'server may listen on addresses other than loopback. Without its last token, the server is closed. Only the hash of a token is stored: it is shown once, when it is created.',
    )
  token
    .command('create')
    .summary('create a token')
    .description('Creates a token and prints it once.')
    .option(...data)
    .option('--name <name>', 'name to show in lists')
    .option(
      '--tenant <tenant...>',
      'tenants that it can access; * means all. A request without X-Scope-OrgID uses the first',
      ['default'],
    )
    .option('--scope <scope...>', `permissions: ${SCOPES.join(', ')}`, ['write'])
    .option('--expires <duration>', 'lifetime, such as 90d; default: unlimited')
    .addHelpText(
      'after',
      examples(
        ['hearth admin token create --name collector', 'send data as the tenant `default`'],
        ['hearth admin token create --tenant shop --scope read', 'query as the tenant `shop`'],
        ['hearth admin token create --scope admin --name prometheus', 'scrape /metrics'],
      ),
    )
    .action(async (options: TokenOptions) => createToken(options, context))
  token
    .command('list')
    .summary('list the tokens')
    .description('Lists the tokens without their secrets.')
    .option(...data)
    .option('--json', 'print JSON')
    .action(async (options: DataOption & { readonly json?: boolean }) => listTokens(options, context))
  token
    .command('rotate')
    .summary('replace a token without downtime')
    .description(
      'Creates a token with the same name, tenants and scopes, and prints it once. The old token stays valid for the overlap, so that ' +
        'clients can be changed one after the other. Then it expires.',
    )
    .argument('<id>', 'id of the token (see `hearth admin token list`)')
    .option(...data)
    .option('--overlap <duration>', 'how long the old token stays valid', '1d')
    .option('--expires <duration>', 'lifetime of the new token; default: that of the old one')
    .addHelpText(
      'after',
      examples(['hearth admin token rotate 0123456789ab --overlap 7d', 'both tokens are valid for a week']),
    )
    .action(async (id: string, options: RotateOptions) => rotate(id, options, context))
  token
    .command('revoke')
    .summary('revoke a token')
    .description('Revokes a token. Requests with it are rejected from now on.')
    .argument('<id>', 'id of the token (see `hearth admin token list`)')
    .option(...data)
    .action(async (id: string, options: DataOption) => revokeToken(id, options, context))
}

export function addOpen(admin: Command, data: DataArguments, context: Context): void {
  admin
    .command('open')
    .summary('allow requests of this machine without a token')
    .description(
      'Once a token existed, a server without tokens rejects every request, also if its access file was lost. This command allows ' +
        'requests of this machine without a token again.',
    )
    .requiredOption('--loopback', 'confirms that every program on this machine gets access')
    .option(...data)
    .action(async (options: DataOption) => open(options, context))
}

async function open(options: DataOption, context: Context): Promise<void> {
  const file = accessFileIn(options.data)
  const { tokens } = readAccessOf(options)
  if (tokens.length > 0)
    throw new CliError(
      1,
      `${options.data} has ${tokens.length === 1 ? 'a token' : `${tokens.length} tokens`}`,
      'Revoke them first: `hearth admin token revoke ID`.',
    )
  try {
    openAccess(file)
  } catch (error) {
    throw accessError(error, file)
  }
  audit(options, { action: 'access-opened' })
  await print(context.stdout, 'The server accepts requests of this machine without a token.\n')
}

interface RotateOptions extends DataOption {
  readonly overlap: string
  readonly expires?: string
}

async function createToken(options: TokenOptions, context: Context): Promise<void> {
  for (const name of options.tenant) if (name !== '*') checkTenant(name)
  const scopes = options.scope.map(name => {
    const scope = SCOPES.find(known => known === name)
    if (scope === undefined) throw new CliError(2, `--scope: unknown scope '${name}'`, `Scopes: ${SCOPES.join(', ')}.`)
    return scope
  })
  const isNew = !existsSync(options.data)
  const { row, token } = makeToken({
    name: options.name ?? '',
    tenants: options.tenant,
    scopes,
    expires: expiryOf(options.expires),
  })
  changeAccess(options, access => ({
    ...access,
    tokens: [...access.tokens, { ...row, tenants: [...row.tenants], scopes: [...scopes] }],
  }))
  audit(options, { action: 'token-created', details: { id: row.id, ...described(row) } })
  await print(context.stdout, `${token}\n`)
  await print(context.stderr, 'The token is shown only once. Clients send it as `Authorization: Bearer TOKEN`.\n')
  if (isNew)
    await print(
      context.stderr,
      `The data directory ${options.data} is new. Only a server with \`--data ${options.data}\` accepts the token.\n`,
    )
}

async function rotate(id: string, options: RotateOptions, context: Context): Promise<void> {
  const overlap = valueOf('--overlap: ', () => duration(options.overlap))
  if (overlap > MAX_LIFETIME_MS) throw new CliError(2, `--overlap: '${options.overlap}' is longer than a century`)
  const overlapEnds = new Date(Date.now() + overlap)
  const expires = expiryOf(options.expires)
  const old = findById(readAccessOf(options).tokens, id, options)
  if (isExpired(old)) throw new CliError(1, `the token ${id} expired at ${old.expires}`, 'Create another one.')
  const { old: ending, next } = rotateToken(old, { overlapEnds, expires })
  const { row, token } = next
  changeAccess(options, access => ({
    ...access,
    tokens: access.tokens.flatMap(each =>
      each.id === id
        ? [
            { ...each, expires: ending.expires },
            { ...row, tenants: [...row.tenants], scopes: [...row.scopes] },
          ]
        : [each],
    ),
  }))
  audit(options, { action: 'token-rotated', details: { id: row.id, replaces: id, ...described(row) } })
  await print(context.stdout, `${token}\n`)
  await print(context.stderr, `The token is shown only once. The token ${id} stays valid until ${ending.expires}.\n`)
}

/** The properties of a token in the audit log. */
function described({ name, tenants, scopes, expires }: Omit<TokenRow, 'secretSha256'>): Record<string, string> {
  return {
    name,
    tenants: tenants.join(' '),
    scopes: scopes.join(' '),
    ...(expires === undefined ? {} : { expires }),
  }
}

function findById<Row extends { readonly id: string }>(rows: readonly Row[], id: string, { data }: DataOption): Row {
  const row = rows.find(each => each.id === id)
  if (row !== undefined) return row
  throw new CliError(
    1,
    `no token '${id}' in ${data}`,
    '`hearth admin token list` lists the tokens; `--data` selects another directory.',
  )
}

/** A century. A token that should last longer needs no expiry. */
const MAX_LIFETIME_MS = 36_525 * 86_400_000

function expiryOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const ms = valueOf('--expires: ', () => duration(text))
  if (ms === 0 || ms > MAX_LIFETIME_MS)
    throw new CliError(
      2,
      `--expires: '${text}' is ${ms === 0 ? 'zero' : 'longer than a century'}; omit it for an unlimited lifetime`,
    )
  return new Date(Date.now() + ms).toISOString()
}

async function listTokens(options: DataOption & { readonly json?: boolean }, context: Context): Promise<void> {
  const tokens = readAccessOf(options).tokens.map(({ secretSha256: _, ...shown }) => shown)
  if (options.json === true) return print(context.stdout, `${JSON.stringify(tokens, undefined, 2)}\n`)
  if (tokens.length === 0) return print(context.stdout, `No tokens in ${printable(options.data)}.\n`)
  const rows = tokens.map(({ id, name, tenants, scopes, created, expires }) => [
    id,
    printable(name),
    tenants.join(' '),
    scopes.join(' '),
    created.slice(0, 10),
    expires === undefined ? 'never' : `${Date.parse(expires) <= Date.now() ? 'ended ' : ''}${expires.slice(0, 10)}`,
  ])
  await print(context.stdout, lines(['ID', 'NAME', 'TENANTS', 'SCOPES', 'CREATED', 'EXPIRES'], rows))
}

async function revokeToken(id: string, options: DataOption, context: Context): Promise<void> {
  const row = findById(readAccessOf(options).tokens, id, options)
  const { tokens } = changeAccess(options, access => ({
    ...access,
    tokens: access.tokens.filter(token => token.id !== id),
  }))
  audit(options, { action: 'token-revoked', details: { id, ...described(row) } })
  const last =
    tokens.length === 0
      ? ' This was the last token: the server rejects every request now. `hearth admin token create` creates another one, ' +
        'and `hearth admin open --loopback` allows requests of this machine without a token.'
      : ''
  await print(context.stdout, `Revoked the token ${id}.${last}\n`)
}
