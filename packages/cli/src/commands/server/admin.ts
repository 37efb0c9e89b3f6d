// `hearth admin`: who may send and ask, and what each tenant keeps. It changes a file in the data directory, which a
// running server reads again within a second.
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
    .summary('tokens for a server, and what each of its tenants keeps')
    .description(
      'Changes what is in the data directory of `hearth serve`. A running server notices within a second; one that ' +
        'does not run yet finds it when it starts.',
    )
  const data = ['--data <dir>', "the server's data directory", context.env?.['HEARTH_DATA'] ?? DATA] as const
  addToken(admin, data, context)
  addRetention(admin, data, context)
}

type DataArguments = readonly [flags: string, description: string, byDefault: string]

function addToken(admin: Command, data: DataArguments, context: Context): void {
  const token = admin
    .command('token')
    .summary('who may send and ask')
    .description(
      'Tokens say who may send to a server and ask it. As soon as there is one, every request needs one, and the ' +
        'server may listen on other addresses than loopback. Only a hash is kept of a token: it is shown once, when it is made.',
    )
  token
    .command('create')
    .summary('make a token')
    .description('Makes a token and prints it, once.')
    .option(...data)
    .option('--name <name>', 'what people know it by')
    .option(
      '--tenant <tenant...>',
      'whose data it is for; * is everyone. Without X-Scope-OrgID, a request is for the first',
      ['default'],
    )
    .option('--scope <scope...>', `what it allows: ${SCOPES.join(', ')}`, ['write'])
    .option('--expires <duration>', 'when it ends, as 90d; never unless given')
    .addHelpText(
      'after',
      examples(
        ['hearth admin token create --name collector', 'to send, as the tenant `default`'],
        ['hearth admin token create --tenant shop --scope read', 'to ask, as the tenant `shop`'],
        ['hearth admin token create --scope admin --name prometheus', 'to scrape /metrics'],
      ),
    )
    .action(async (options: TokenOptions) => createToken(options, context))
  token
    .command('list')
    .summary('what tokens there are')
    .description('Lists the tokens, without what is secret of them.')
    .option(...data)
    .option('--json', 'for scripts')
    .action(async (options: DataOption & { readonly json?: boolean }) => listTokens(options, context))
  token
    .command('revoke')
    .summary('end a token')
    .description('Ends a token: from now on it is refused.')
    .argument('<id>', 'as `hearth admin token list` shows it')
    .option(...data)
    .action(async (id: string, options: DataOption) => revokeToken(id, options, context))
}

function addRetention(admin: Command, data: DataArguments, context: Context): void {
  const keeping = admin
    .command('retention')
    .summary('what a tenant keeps')
    .description(
      'Says how long and how much one tenant keeps of each signal, where that differs from `hearth serve --retention`, ' +
        'which holds for the signals that are not named here.',
    )
  keeping
    .command('set')
    .summary('set what a tenant keeps')
    .description('Sets what a tenant keeps, in place of what was set before.')
    .argument('<tenant>', 'whose data')
    .argument(
      '<keep...>',
      'signals with age, size or both, as `profiles=7d,10GiB traces=2d logs=forever`; `7d` is for all',
    )
    .option(...data)
    .addHelpText(
      'after',
      examples(['hearth admin retention set shop profiles=7d,10GiB traces=2d', 'less for the shop']),
    )
    .action(async (tenant: string, keep: readonly string[], options: DataOption) =>
      setRetention(tenant, keep.join(' '), options, context),
    )
  keeping
    .command('clear')
    .summary('let a tenant keep what the server keeps')
    .description('Lets a tenant keep what the server keeps.')
    .argument('<tenant>', 'whose data')
    .option(...data)
    .action(async (tenant: string, options: DataOption) => clearRetention(tenant, options, context))
  keeping
    .command('list')
    .summary('who keeps something else than the server')
    .description('Lists the tenants that keep something else than the server.')
    .option(...data)
    .action(async (options: DataOption) => listRetention(options, context))
}

async function createToken(options: TokenOptions, context: Context): Promise<void> {
  for (const name of options.tenant) if (name !== '*') checkTenant(name)
  const scopes = options.scope.map(name => {
    const scope = SCOPES.find(known => known === name)
    if (scope === undefined) throw new CliError(2, `--scope: there is no '${name}'`, `There are ${SCOPES.join(', ')}.`)
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
  await print(context.stderr, 'It is shown only now. Senders pass it as `Authorization: Bearer TOKEN`.\n')
}

/** A century: what is meant to last longer needs no end. */
const LONGEST_MS = 36_525 * 86_400_000

function expiryOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const ms = valueOf('--expires: ', () => duration(text))
  if (ms === 0 || ms > LONGEST_MS)
    throw new CliError(2, `--expires: '${text}' is ${ms === 0 ? 'no time at all' : 'longer than a century'}`)
  return new Date(Date.now() + ms).toISOString()
}

async function listTokens(options: DataOption & { readonly json?: boolean }, context: Context): Promise<void> {
  const tokens = read(options).tokens.map(({ secretSha256: _, ...shown }) => shown)
  if (options.json === true) return print(context.stdout, `${JSON.stringify(tokens, undefined, 2)}\n`)
  if (tokens.length === 0) return print(context.stdout, `There are no tokens in ${printable(options.data)}.\n`)
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
        `there is no token '${id}' in ${options.data}`,
        '`hearth admin token list` shows those that there are; `--data` names another directory.',
      )
    return { ...access, tokens: left }
  })
  const last =
    tokens.length === 0 ? ' It was the last one: now everyone on this machine is served, and nobody else.' : ''
  await print(context.stdout, `The token ${id} has ended.${last}\n`)
}

async function setRetention(tenant: string, text: string, options: DataOption, context: Context): Promise<void> {
  checkTenant(tenant)
  const keep = valueOf('', () => retention(text))
  change(options, access => ({ ...access, retention: { ...access.retention, [tenant]: keep } }))
  await print(context.stdout, `${tenant} keeps ${retentionText(keep)}\n`)
}

async function clearRetention(tenant: string, options: DataOption, context: Context): Promise<void> {
  change(options, access => {
    if (!Object.hasOwn(access.retention, tenant))
      throw new CliError(
        1,
        `'${tenant}' has no retention of its own in ${options.data}`,
        '`hearth admin retention list` shows who has; `--data` names another directory.',
      )
    const others = Object.entries(access.retention).filter(([name]) => name !== tenant)
    return { ...access, retention: Object.fromEntries(others) }
  })
  await print(context.stdout, `${tenant} keeps what the server keeps\n`)
}

async function listRetention(options: DataOption, context: Context): Promise<void> {
  const entries = Object.entries(read(options).retention)
  if (entries.length === 0) {
    return print(context.stdout, `No tenant in ${printable(options.data)} has a retention of its own.\n`)
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
    `'${name}' cannot name a tenant`,
    'A tenant has 1 to 64 letters, digits, dots, dashes or underscores.',
  )
}

/** A value that a person has written; `where` comes before what is wrong with it. */
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

/** Returns what there is afterwards. */
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
  return new CliError(1, error.message, 'Mend the file, or put it out of the way to begin anew.', { cause: error })
}

function lines(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${table(
    titles.map(title => ({ title })),
    rows,
  ).join('\n')}\n`
}
