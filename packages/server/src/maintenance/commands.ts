// The commands of `hearth admin` that work on stored data: in the server that has it open, or on the data of a stopped one.
import { resolve } from 'node:path'
import type { CommitLog } from '../store/commit/commit-state.ts'
import type { Store } from '../store/store.ts'
import type { BackupReport } from './backup/backup.ts'
import { backup } from './backup/backup.ts'
import { openTarget } from './backup/open-target.ts'
import type { CopyReport } from './backup/restore.ts'
import { copyStore, restore } from './backup/restore.ts'
import type { S3Credentials } from './backup/s3-signature.ts'
import type { ControlHandler } from './control.ts'
import { ControlError, callServer } from './control.ts'
import type { DataPlace } from './open-data.ts'
import { runOnData, withStore } from './open-data.ts'
import type { Progress, RepairReport, VerifyReport } from './verify.ts'
import { repair, verify } from './verify.ts'

export interface CommandOptions {
  readonly place: DataPlace
  readonly log: CommitLog
  readonly progress: Progress
}

export interface BackupArgument {
  /** A directory or `s3://bucket/prefix`. */
  readonly target: string
  readonly credentials?: S3Credentials | undefined
}

export function verifyData({ place, log, progress }: CommandOptions): Promise<VerifyReport> {
  return runOnData(place, { command: 'verify', log, progress }, maintained => verify(maintained, progress))
}

export function repairData({ place, log, progress }: CommandOptions): Promise<RepairReport> {
  return runOnData(place, { command: 'repair', log, progress }, maintained => repair(maintained, progress))
}

export async function backupData(
  { target: address, credentials }: BackupArgument,
  { place, log, progress }: CommandOptions,
): Promise<BackupReport> {
  // A running server has another working directory.
  const argument = { target: address.startsWith('s3://') ? address : resolve(address), credentials }
  const target = openTarget(argument.target, credentials)
  return runOnData(place, { command: 'backup', argument, log, progress }, maintained =>
    backup({ ...maintained, target, progress }),
  )
}

export async function restoreData(
  { target, credentials }: BackupArgument,
  { place, progress }: CommandOptions,
): Promise<CopyReport> {
  await refuseServed(place, 'restore')
  return restore(openTarget(target, credentials), place, progress)
}

/** One of the places has a URL, and both have the same data directory. */
export async function migrateData(
  { from, to }: { readonly from: DataPlace; readonly to: DataPlace },
  { log, progress }: Omit<CommandOptions, 'place'>,
): Promise<CopyReport> {
  await refuseServed(from, 'migrate')
  return withStore(from, log, ({ store }) => copyStore(store, to, progress))
}

async function refuseServed({ dataDirectory }: DataPlace, command: string): Promise<void> {
  const served = await callServer(dataDirectory, 'ping', {}, () => undefined)
  if (served !== undefined)
    throw new ControlError(`a server uses ${dataDirectory}; stop it before \`hearth admin ${command}\``)
}

/** The commands that a running server accepts. One at a time, because they read all data. */
export function controlHandlers(store: Store, dataDirectory: string): Readonly<Record<string, ControlHandler>> {
  let running = ''
  const alone =
    (name: string, run: ControlHandler): ControlHandler =>
    async (argument, progress, signal) => {
      if (running !== '') throw new ControlError(`the server is busy with \`hearth admin ${running}\`; try again later`)
      running = name
      try {
        return await run(argument, progress, signal)
      } finally {
        running = ''
      }
    }
  const maintained = { store, dataDirectory }
  return {
    ping: async () => ({}),
    verify: alone('verify', (_, progress) => verify(maintained, progress)),
    repair: alone('repair', (_, progress) => repair(maintained, progress)),
    backup: alone('backup', (argument, progress, signal) => {
      const { target, credentials } = argument as BackupArgument
      return backup({ ...maintained, target: openTarget(target, credentials, signal), progress, signal })
    }),
  }
}
