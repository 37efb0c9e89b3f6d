// `hearth admin`: manages tokens, and the retention of each tenant. It changes a file in the data directory, which a running
// server reads again within a second.
import type { Command } from 'commander'
import type { Access } from '@hearth/server/administration'
import {
  AccessFileError,
  SCOPES,
  ValueError,
  accessFileIn,
  duration,
  isTenantName,
  makeToken,
  readAccess,
  retention,
  retentionText,
  writeAccess,
} from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError, aboutFile } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'

interface DataOption {
  readonly data: string
}

interface TokenOptions extends DataOption {
  readonly tenant: readonly string[]
  readonly scope: readonly string[]
  readonly name?: string
  readonly expires?: string
}

const DATA = './hearth-data'

export function addAdmin(program: Command, context: Context): void {
  const admin = program
    .command('admin')
    .summary('manage tokens and the retention of tenants')
    .description(
      'Changes tokens and retention in the data directory of `hearth serve`. A running server applies changes within a second, ' +
        'others at their next start.',
    )
  const data = ['--data <dir>', "the server's data directory", context.env?.['HEARTH_DATA'] ?? DATA] as const
  addToken(admin, data, context)
  addRetention(admin, data, context)
}

type DataArguments = readonly [flags: string, description: string, byDefault: string]

function addToken(admin: Command, data: DataArguments, context: Context): void {
  const token = admin
    .command('token')
    .summary('manage tokens')
    .description(
      'Tokens grant access to a server. As soon as one exists, every request needs one, and the ' +
        'server may listen on addresses other than loopback. Only the hash of a token is stored: it is shown once, when it is created.',
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
    .command('revoke')
    .summary('revoke a token')
    .description('Revokes a token. Requests with it are rejected from now on.')
    .argument('<id>', 'id of the token (see `hearth admin token list`)')
    .option(...data)
    .action(async (id: string, options: DataOption) => revokeToken(id, options, context))
}

function addRetention(admin: Command, data: DataArguments, context: Context): void {
  const command = admin
    .command('retention')
    .summary('manage the retention of tenants')
    .description(
      'Sets how long and how much the server stores of each signal of a tenant, if that differs from `hearth serve ' +
        '--retention`. Other signals keep the retention of the server.',
    )
  command
    .command('set')
    .summary('set the retention of a tenant')
    .description('Sets the retention of a tenant. Replaces an earlier setting.')
    .argument('<tenant>', 'name of the tenant')
    .argument(
      '<keep...>',
      'age, size or both per signal, such as `profiles=7d,10GiB traces=2d logs=forever`; `7d` applies to all signals',
    )
    .option(...data)
    .addHelpText(
      'after',
      examples(['hearth admin retention set shop profiles=7d,10GiB traces=2d', 'shorter retention for one tenant']),
    )
    .action(async (tenant: string, keep: readonly string[], options: DataOption) =>
      setRetention(tenant, keep.join(' '), options, context),
    )
  command
    .command('clear')
    .summary('remove the retention of a tenant')
    .description('Removes the retention of a tenant. That of the server applies again.')
    .argument('<tenant>', 'name of the tenant')
    .option(...data)
    .action(async (tenant: string, options: DataOption) => clearRetention(tenant, options, context))
  command
    .command('list')
    .summary('list the tenants with their own retention')
    .description('Lists the tenants that have their own retention.')
    .option(...data)
    .action(async (options: DataOption) => listRetention(options, context))
}

async function createToken(options: TokenOptions, context: Context): Promise<void> {
  for (const name of options.tenant) if (name !== '*') checkTenant(name)
  const scopes = options.scope.map(name => {
    const scope = SCOPES.find(known => known === name)
    if (scope === undefined) throw new CliError(2, `--scope: unknown scope '${name}'`, `Scopes: ${SCOPES.join(', ')}.`)
    return scope
  })
  const { row, token } = makeToken({
    name: options.name ?? '',
    tenants: options.tenant,
    scopes,
    expires: expiryOf(options.expires),
  })
  change(options, access => ({
    ...access,
    tokens: [...access.tokens, { ...row, tenants: [...row.tenants], scopes: [...scopes] }],
  }))
  await print(context.stdout, `${token}\n`)
  await print(context.stderr, 'The token is shown only once. Clients send it as `Authorization: Bearer TOKEN`.\n')
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
  const tokens = read(options).tokens.map(({ secretSha256: _, ...shown }) => shown)
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
  const { tokens } = change(options, access => {
    const left = access.tokens.filter(token => token.id !== id)
    if (left.length === access.tokens.length)
      throw new CliError(
        1,
        `no token '${id}' in ${options.data}`,
        '`hearth admin token list` lists the tokens; `--data` selects another directory.',
      )
    return { ...access, tokens: left }
  })
  const last =
    tokens.length === 0
      ? ' This was the last token: the server now accepts requests from this machine only, without a token.'
      : ''
  await print(context.stdout, `Revoked the token ${id}.${last}\n`)
}

async function setRetention(tenant: string, text: string, options: DataOption, context: Context): Promise<void> {
  checkTenant(tenant)
  const keep = valueOf('', () => retention(text))
  change(options, access => ({ ...access, retention: { ...access.retention, [tenant]: keep } }))
  await print(context.stdout, `retention of ${tenant}: ${retentionText(keep)}\n`)
}

async function clearRetention(tenant: string, options: DataOption, context: Context): Promise<void> {
  change(options, access => {
    if (!Object.hasOwn(access.retention, tenant))
      throw new CliError(
        1,
        `'${tenant}' has no retention in ${options.data}`,
        '`hearth admin retention list` lists the tenants that have one; `--data` selects another directory.',
      )
    const others = Object.entries(access.retention).filter(([name]) => name !== tenant)
    return { ...access, retention: Object.fromEntries(others) }
  })
  await print(context.stdout, `retention of ${tenant}: that of the server\n`)
}

async function listRetention(options: DataOption, context: Context): Promise<void> {
  const entries = Object.entries(read(options).retention)
  if (entries.length === 0) {
    return print(context.stdout, `No tenant in ${printable(options.data)} has its own retention.\n`)
  }
  await print(
    context.stdout,
    lines(
      ['TENANT', 'KEEPS'],
      entries.map(([tenant, keep]) => [printable(tenant), retentionText(keep)]),
    ),
  )
}

function checkTenant(name: string): void {
  if (isTenantName(name)) return
  throw new CliError(
    2,
    `'${name}' is not a valid tenant name`,
    'Use 1 to 64 letters, digits, dots, dashes or underscores.',
  )
}

/** Parses a value that a person has written. `where` prefixes the error. */
function valueOf<Value>(where: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ValueError) throw new CliError(2, `${where}${error.message}`, '', { cause: error })
    throw error
  }
}

function read({ data }: DataOption): Access {
  const file = accessFileIn(data)
  try {
    return readAccess(file)
  } catch (error) {
    throw accessError(error, file)
  }
}

/** Returns the new state. */
function change(options: DataOption, to: (access: Access) => Access): Access {
  const file = accessFileIn(options.data)
  const access = to(read(options))
  try {
    writeAccess(file, access)
  } catch (error) {
    throw accessError(error, file)
  }
  return access
}

function accessError(error: unknown, file: string): unknown {
  if (!(error instanceof AccessFileError)) return aboutFile(error, file)
  return new CliError(1, error.message, 'Fix the file, or move it away to start with an empty one.', { cause: error })
}

function lines(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${table(
    titles.map(title => ({ title })),
    rows,
  ).join('\n')}\n`
}
