// `hearth admin verify`, `repair`, `backup`, `restore` and `migrate`: the stored data, in a running server or a stopped one.
import type { Command } from 'commander'
import type { CommandOptions, CopyReport, StoreFinding } from '@hearth/server'
import type { Context } from '../../context.ts'
import { CliError, aboutFile } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { DataArguments } from './admin-data.ts'

interface PlaceOptions {
  readonly data: string
  readonly store?: string
  readonly json?: boolean
}

const STORE = ['--store <url>', 'the ClickHouse server with the data; default: the embedded store'] as const
const JSON_OPTION = ['--json', 'print JSON'] as const

export function addStoreCommands(admin: Command, data: DataArguments, context: Context): void {
  admin
    .command('verify')
    .summary('check all stored data for damage')
    .description(
      'Checks every part of the embedded store, the journal and the state files against their checksums. Damaged parts are detached, ' +
        'as a query would do, and nothing is deleted. Works while the server runs. The exit code is 1 if something is damaged.',
    )
    .option(...data)
    .option(...STORE)
    .option(...JSON_OPTION)
    .action(async (options: PlaceOptions) => verify(options, context))
  admin
    .command('repair')
    .summary('recover damaged data')
    .description(
      'Verifies all data, recovers the intact rows of damaged parts, and moves damaged files to `quarantine` in the data directory. ' +
        'Names and attributes that are lost are stored again when senders announce them next. Works while the server runs.',
    )
    .option(...data)
    .option(...STORE)
    .option(...JSON_OPTION)
    .action(async (options: PlaceOptions) => repair(options, context))
  admin
    .command('backup')
    .summary('make a backup')
    .description(
      'Makes a consistent copy of all data, tokens, triggers and captures. Works while the server runs. A further backup to the same place ' +
        'writes only what has changed. For S3, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN) are used.',
    )
    .argument('<target>', 'a directory, or s3://bucket/prefix?endpoint=URL&region=NAME')
    .option(...data)
    .option(...STORE)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        ['hearth admin backup /backups/hearth', 'back up to a directory'],
        ["hearth admin backup 's3://backups/hearth?endpoint=https://minio:9000'", 'back up to a bucket of MinIO'],
      ),
    )
    .action(async (target: string, options: PlaceOptions) => backup(target, options, context))
  admin
    .command('restore')
    .summary('restore a backup')
    .description(
      'Restores a backup into a new data directory, or with --store into an empty database of ClickHouse. An interrupted restore ' +
        'can be repeated and continues. The server must not run.',
    )
    .argument('<backup>', 'the target of `hearth admin backup`')
    .option(...data)
    .option('--store <url>', 'restore the rows into this ClickHouse server instead of the embedded store')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(['hearth admin restore /backups/hearth --data ./restored', 'restore into a new directory']),
    )
    .action(async (from: string, options: PlaceOptions) => restore(from, options, context))
  admin
    .command('migrate')
    .summary('move data between the embedded store and ClickHouse')
    .description(
      'Copies all data from the embedded store in the data directory to a ClickHouse server, or back. The source stays unchanged. ' +
        'An interrupted migration can be repeated and continues. The server must not run; start it afterwards with or without `--store`.',
    )
    .option(...data)
    .option('--to <url>', 'copy from the embedded store to this ClickHouse server')
    .option('--from <url>', 'copy from this ClickHouse server to the embedded store')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples([
        'hearth admin migrate --to clickhouse://user:password@host:8123/hearth',
        'the embedded store has become too small',
      ]),
    )
    .action(async (options: PlaceOptions & { readonly to?: string; readonly from?: string }) =>
      migrate(options, context),
    )
}

async function verify(options: PlaceOptions, context: Context): Promise<void> {
  const { verifyData } = await import('@hearth/server')
  const report = await done(verifyData(commandOptions(options, context)))
  if (options.json === true) await printJson(context, report)
  else {
    await printFindings(context, report.findings)
    const { parts, bytes, groups } = report
    await print(
      context.stdout,
      `checked ${parts} parts (${bytes} B), ${groups} groups of the journal and the state files\n`,
    )
  }
  const count = report.findings.length
  if (count > 0)
    throw new CliError(
      1,
      `${count} ${count === 1 ? 'problem' : 'problems'}`,
      '`hearth admin repair` recovers what can be recovered.',
    )
}

async function repair(options: PlaceOptions, context: Context): Promise<void> {
  const { repairData } = await import('@hearth/server')
  const report = await done(repairData(commandOptions(options, context)))
  if (options.json === true) return printJson(context, report)
  await printFindings(context, report.findings)
  for (const line of report.repaired) await print(context.stdout, `${printable(line)}\n`)
  if (report.findings.length === 0) await print(context.stdout, 'nothing is damaged\n')
}

async function backup(target: string, options: PlaceOptions, context: Context): Promise<void> {
  const { backupData } = await import('@hearth/server')
  const report = await done(
    backupData({ target, credentials: credentialsOf(context) }, commandOptions(options, context)),
  )
  if (options.json === true) return printJson(context, report)
  const { rows, chunks, written, writtenBytes, bytes } = report
  await print(
    context.stdout,
    `backed up ${rows} rows in ${chunks} chunks (${bytes} B) to ${printable(report.target)}; wrote ${written} objects (${writtenBytes} B)\n`,
  )
}

async function restore(target: string, options: PlaceOptions, context: Context): Promise<void> {
  const { restoreData } = await import('@hearth/server')
  const argument = { target, credentials: credentialsOf(context) }
  await printCopy(options, context, await done(restoreData(argument, commandOptions(options, context))), 'restored')
}

async function migrate(
  options: PlaceOptions & { readonly to?: string; readonly from?: string },
  context: Context,
): Promise<void> {
  const { data, to, from } = options
  if ((to === undefined) === (from === undefined))
    throw new CliError(
      2,
      'give either --to or --from',
      'The other side is the embedded store in the directory of --data.',
    )
  const { migrateData } = await import('@hearth/server')
  const embedded = { dataDirectory: data }
  const places =
    to === undefined
      ? { from: { dataDirectory: data, url: from }, to: embedded }
      : { from: embedded, to: { dataDirectory: data, url: to } }
  await printCopy(options, context, await done(migrateData(places, commandOptions(options, context))), 'copied')
}

async function printCopy(options: PlaceOptions, context: Context, report: CopyReport, verb: string): Promise<void> {
  if (options.json === true) return printJson(context, report)
  const { rows, chunks, skipped } = report
  const before = skipped === 0 ? '' : `; ${skipped} chunks were there already`
  await print(context.stdout, `${verb} ${rows} rows in ${chunks} chunks${before}\n`)
}

function commandOptions({ data, store }: PlaceOptions, context: Context): CommandOptions {
  const write = (details: object, message: string): void =>
    void print(
      context.stderr,
      `${printable(message)}${'error' in details ? `: ${printable(String(details.error))}` : ''}\n`,
    )
  return {
    place: { dataDirectory: data, url: store },
    log: { info: () => undefined, warn: write, error: write },
    progress: message => void print(context.stderr, `${printable(message)}\n`),
  }
}

function credentialsOf({
  env,
}: Context): { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined } | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env
  return accessKeyId === undefined || secretAccessKey === undefined
    ? undefined
    : { accessKeyId, secretAccessKey, sessionToken }
}

const KNOWN_ERRORS = new Set([
  'ControlError',
  'BackupError',
  'S3Error',
  'EngineError',
  'ClickHouseUrlError',
  'DirectoryInUseError',
  'SchemaTooNewError',
  'StateFileError',
])

/** Errors by name, because the classes belong to a package that is loaded late. */
async function done<Result>(command: Promise<Result>): Promise<Result> {
  try {
    return await command
  } catch (error) {
    if (error instanceof Error && KNOWN_ERRORS.has(error.name))
      throw new CliError(1, error.message, '', { cause: error })
    throw error instanceof Error && 'path' in error ? aboutFile(error, String(error.path)) : error
  }
}

async function printFindings(context: Context, findings: readonly StoreFinding[]): Promise<void> {
  for (const { kind, what, message } of findings)
    await print(context.stdout, `${kind} ${printable(what)}: ${printable(message)}\n`)
}

async function printJson(context: Context, value: unknown): Promise<void> {
  await print(context.stdout, `${JSON.stringify(value, undefined, 2)}\n`)
}
