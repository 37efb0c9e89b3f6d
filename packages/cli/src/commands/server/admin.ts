// `hearth admin`: manages tokens, the retention of each tenant, and the audit log. It changes files in the data directory, which
// a running server reads again within a second.
import type { Command } from 'commander'
import { retention, retentionText } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { addAudit } from './admin-audit.ts'
import { addDelete, addRedaction } from './admin-delete.ts'
import type { DataArguments, DataOption } from './admin-data.ts'
import { audit, changeAccess, checkTenant, lines, readAccessOf, valueOf } from './admin-data.ts'
import { addStoreCommands } from './admin-store.ts'
import { keepDataOwner } from './data-owner.ts'
import { addOpen, addToken } from './admin-token.ts'

const DATA = './hearth-data'

export function addAdmin(program: Command, context: Context): void {
  const admin = program
    .command('admin')
    .summary('manage tokens, retention, stored data and the audit log')
    .description(
      'Manages a server. `token`, `open` and `retention` change files in the data directory of `hearth serve`: a running server ' +
        'applies changes within a second, others at their next start. `audit` shows who changed what. The other ' +
        'commands check, repair, back up and move stored data.',
    )
  admin.hook('preAction', (_, command) => {
    const { data } = command.opts<Partial<DataOption>>()
    if (data !== undefined) keepDataOwner(data)
  })
  const data = ['--data <dir>', "the server's data directory", context.env?.['HEARTH_DATA'] ?? DATA] as const
  addToken(admin, data, context)
  addOpen(admin, data, context)
  addRetention(admin, data, context)
  addAudit(admin, data, context)
  addDelete(admin, context)
  addRedaction(admin, context)
  addStoreCommands(admin, data, context)
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

async function setRetention(tenant: string, text: string, options: DataOption, context: Context): Promise<void> {
  checkTenant(tenant)
  const keep = valueOf('', () => retention(text))
  changeAccess(options, access => ({ ...access, retention: { ...access.retention, [tenant]: keep } }))
  audit(options, { action: 'retention-changed', tenant, details: { retention: retentionText(keep) } })
  await print(context.stdout, `retention of ${tenant}: ${retentionText(keep)}\n`)
}

async function clearRetention(tenant: string, options: DataOption, context: Context): Promise<void> {
  changeAccess(options, access => {
    if (!Object.hasOwn(access.retention, tenant))
      throw new CliError(
        1,
        `'${tenant}' has no retention in ${options.data}`,
        '`hearth admin retention list` lists the tenants that have one; `--data` selects another directory.',
      )
    const others = Object.entries(access.retention).filter(([name]) => name !== tenant)
    return { ...access, retention: Object.fromEntries(others) }
  })
  audit(options, { action: 'retention-changed', tenant, details: { retention: 'that of the server' } })
  await print(context.stdout, `retention of ${tenant}: that of the server\n`)
}

async function listRetention(options: DataOption, context: Context): Promise<void> {
  const entries = Object.entries(readAccessOf(options).retention)
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
