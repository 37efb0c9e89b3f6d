// The journal on disk: acknowledged requests that are not in the engine yet. Each group has a directory:
//   journal/0000000007/          a committed group: <table>.native files and manifest.json; the rename to this name is
//                                the commit
//   journal/0000000008.tmp/      being written; removed at startup, because it was not acknowledged
//   journal/0000000006.applied/  in the engine, being deleted; removed at startup
//   journal/applying.json        see apply-record.ts, and applied.json
//   journal/counter.json         see journal-counter.ts
//   journal/refused/  broken/    groups that cannot be inserted, for an administrator to examine
//   journal/lock                 see directory-lock.ts
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { StateFile } from '../../files/state-file.ts'
import type { ApplyRecord, DoneRecord } from './apply-record.ts'
import { recordFile } from './apply-record.ts'
import type { CommitLog } from './commit-state.ts'
import type { GroupFile } from './group-file.ts'
import { JournalCounter, counterFile } from './journal-counter.ts'
import type { JournalDisk } from './journal-disk.ts'
import { errorCode, messageOf } from './journal-disk.ts'
import type { JournalFile, JournalRequest, Manifest } from './manifest.ts'
import { BrokenGroupError, decodeManifest, encodeManifest } from './manifest.ts'
import type { QuarantineKind, QuarantineNote } from './quarantine-note.ts'

/** A group in the journal, without its rows. */
export interface CommittedGroup {
  readonly number: number
  readonly directory: string
  /** In order of insertion. */
  readonly files: readonly JournalFile[]
  /** Size of all files without the manifest. */
  readonly bytes: number
  readonly committed: number
  /** Unix milliseconds of its first request. */
  readonly receivedFrom: number
  /** Tables already in the engine, for a quarantined group that was moved back. */
  readonly applied: readonly string[]
  /** All requests of the group. */
  readonly contained: readonly JournalRequest[]
  /** The requests of a group of an earlier run, which the engine may have already. Undefined for a new group. */
  readonly requests?: readonly JournalRequest[]
  /** An earlier run may have started with it. It keeps its own tokens and is not combined with others. */
  readonly alone: boolean
}

export interface LeftGroup {
  readonly group: CommittedGroup
  readonly requests: readonly JournalRequest[]
}

export interface JournalOptions {
  readonly dataDirectory: string
  readonly durable: boolean
  readonly disk: JournalDisk
  readonly log: CommitLog
  readonly now: () => number
  /** The identity of the data directory. */
  readonly server: string
  /** Table names in order of insertion. Others come last. */
  readonly tableOrder: readonly string[]
}

const MANIFEST = 'manifest.json'
const NOTE = 'set-aside.json'
const QUARANTINE_KINDS: readonly QuarantineKind[] = ['refused', 'broken']

/** Number of files of a group that are written concurrently. */
const CONCURRENT_WRITES = 4

export class Journal {
  readonly directory: string
  /** Counts of quarantined groups, including those of earlier runs. */
  readonly quarantinedGroups: Record<QuarantineKind, number> = { refused: 0, broken: 0 }
  readonly quarantinedBytes: Record<QuarantineKind, number> = { refused: 0, broken: 0 }
  readonly #options: JournalOptions
  readonly #rank: ReadonlyMap<string, number>
  /** Different for every start, so that no token is used for other rows, even if the journal was replaced. */
  readonly #instance = randomBytes(8).toString('hex')
  readonly #applying: StateFile<ApplyRecord>
  readonly #done: StateFile<DoneRecord>
  readonly counter: JournalCounter
  /** Inserted groups whose directories could not be removed. */
  #notRemoved: number[] = []

  private constructor(options: JournalOptions) {
    this.#options = options
    this.#rank = new Map(options.tableOrder.map((name, i) => [name, i]))
    this.directory = join(options.dataDirectory, 'journal')
    this.#applying = recordFile(this.directory, 'applying', options.disk, options.durable)
    this.#done = recordFile(this.directory, 'applied', options.disk, options.durable)
    const counter = counterFile(this.directory, options.disk, options.durable)
    this.counter = new JournalCounter(counter, options.server)
  }

  static async prepare(options: JournalOptions): Promise<Journal> {
    const { disk, dataDirectory, durable } = options
    const directory = join(dataDirectory, 'journal')
    for (const kind of QUARANTINE_KINDS) await disk.makeDirectory(join(directory, kind))
    if (durable) for (const path of [directory, dataDirectory]) await disk.syncDirectory(path)
    return new Journal(options)
  }

  /**
   * Returns the committed groups of an earlier run in order, and those it was inserting together. Quarantines damaged groups.
   * Call it once, first, and with the lock held.
   */
  async takeLeft(): Promise<{ readonly left: readonly LeftGroup[]; readonly applying: ApplyRecord | undefined }> {
    const { disk, log } = this.#options
    await this.#finishDone()
    const applying = this.#readRecord(this.#applying)
    const numbers: number[] = []
    for (const name of await readdir(this.directory)) {
      const [, digits, suffix] = /^(\d{10,})(\.tmp|\.applied)?$/.exec(name) ?? []
      if (digits === undefined) continue
      const number = Number(digits)
      this.counter.skip(number)
      if (suffix === undefined) numbers.push(number)
      else await disk.remove(join(this.directory, name))
    }
    await this.#countQuarantined()
    const left: LeftGroup[] = []
    for (const number of numbers.sort((a, b) => a - b)) {
      const directory = join(this.directory, groupName(number))
      try {
        left.push(await readGroup(number, directory, left.length === 0 && applying?.groups.includes(number) !== true))
      } catch (error) {
        if (!(error instanceof BrokenGroupError)) throw error
        await this.quarantine({ number, directory, bytes: await bytesIn(directory) }, 'broken', {
          reason: error.message,
          applied: [],
        })
      }
    }
    if (left.length > 0) log.info({ groups: left.length }, 'inserting the groups left in the journal')
    const together = left.filter(({ group }) => applying?.groups.includes(group.number))
    if (together.length === 0) await this.#applying.remove()
    else if (applying !== undefined && together.length < applying.groups.length)
      log.error({ ...applying }, 'some groups of a combined insert are missing from the journal')
    return {
      left: [...together, ...left.filter(group => !together.includes(group))],
      applying: together.length === 0 ? undefined : applying,
    }
  }

  /** Without an intact record, the applier asks the engine which requests it has. */
  #readRecord<Content>(file: StateFile<Content>): Content | undefined {
    const { content, damage } = file.read()
    if (damage !== undefined) this.#options.log.error({ problem: 'state-file-damaged' }, damage)
    return content
  }

  rank(table: string): number {
    return this.#rank.get(table) ?? this.#rank.size
  }

  /** Call before the first combined insert of several groups. */
  async beginTogether(groups: readonly CommittedGroup[]): Promise<ApplyRecord> {
    const numbers = groups.map(({ number }) => number)
    const token = `${this.#instance}-${groupName(numbers[0])}-${groupName(numbers[numbers.length - 1])}`
    const record = { token, groups: numbers, apart: [] }
    await this.#applying.write(record)
    return record
  }

  /** Call before inserting the table group by group. */
  async insertSeparately(record: ApplyRecord, table: string): Promise<ApplyRecord> {
    const changed = { ...record, apart: [...record.apart, table] }
    await this.#applying.write(changed)
    return changed
  }

  /** Call when all groups are in the engine, except those to quarantine. Rejects if they may have to be inserted again. */
  async endTogether(
    groups: readonly CommittedGroup[],
    quarantined: ReadonlyMap<CommittedGroup, readonly [kind: QuarantineKind, note: QuarantineNote]>,
  ): Promise<void> {
    const { log } = this.#options
    const applied = groups.filter(group => !quarantined.has(group))
    const aside = [...quarantined].map(([group, [kind, note]]) => ({ group: group.number, kind, note }))
    await this.#done.write({ applied: [...applied.map(({ number }) => number), ...this.#notRemoved], aside })
    for (const [group, [kind, note]] of quarantined) await this.quarantine(group, kind, note)
    for (const group of applied)
      await this.remove(group).catch((error: unknown) => {
        this.#notRemoved.push(group.number)
        log.warn({ directory: group.directory, error: messageOf(error) }, 'cannot remove an inserted group')
      })
    await this.#applying.remove()
    if (this.#notRemoved.length === 0) await this.#done.remove()
  }

  /** Removes groups that an earlier run had inserted but not removed. */
  async #finishDone(): Promise<void> {
    const { disk } = this.#options
    const done = this.#readRecord(this.#done)
    if (done === undefined) return
    for (const number of done.applied) await disk.remove(join(this.directory, groupName(number)))
    for (const { group: number, kind, note } of done.aside) {
      const directory = join(this.directory, groupName(number))
      if (await exists(directory))
        await this.quarantine({ number, directory, bytes: await bytesIn(directory) }, kind, note)
    }
    await this.#applying.remove()
    await this.#done.remove()
  }

  /** Resolves when the group is committed. A failure leaves nothing behind. */
  async write(content: readonly GroupFile[], requests: readonly JournalRequest[]): Promise<CommittedGroup> {
    const { disk, durable, now } = this.#options
    const number = await this.counter.take()
    const directory = join(this.directory, groupName(number))
    const temporary = `${directory}.tmp`
    const files: JournalFile[] = []
    let bytes = 0
    try {
      await disk.makeDirectory(temporary)
      const todo = this.#inOrder(content)
      await inParallel(todo.length, CONCURRENT_WRITES, async i => {
        const { table, columns, rows, crc32: sum, content: native } = todo[i]
        bytes += native.length
        files[i] = {
          table,
          file: `${table}.native`,
          columns,
          rows,
          bytes: native.length,
          crc32: sum,
          token: `${this.#instance}-${groupName(number)}-${table}`,
        }
        await disk.write(join(temporary, files[i].file), [native], durable)
      })
      const manifest: Manifest = { version: 1, committed: now(), files, requests }
      await disk.write(join(temporary, MANIFEST), [encodeManifest(manifest)], durable)
      if (durable) await disk.syncDirectory(temporary)
      await disk.rename(temporary, directory)
      if (durable) await this.#syncOrUndo(directory, temporary)
      const { committed } = manifest
      const receivedFrom = firstReceived(requests, committed)
      return {
        number,
        directory,
        files,
        bytes,
        committed,
        receivedFrom,
        applied: [],
        contained: requests,
        alone: false,
      }
    } catch (error) {
      await disk.remove(temporary).catch(() => {})
      throw error
    }
  }

  /** Rejects if a commit would fail now. Uses 64 KiB, because small files may still fit on a full disk. */
  async tryWriting(): Promise<void> {
    const { disk, durable } = this.#options
    const path = join(this.directory, 'probe')
    try {
      await disk.write(path, [new Uint8Array(65_536)], durable)
    } finally {
      await disk.remove(path).catch(() => {})
    }
  }

  /** Call when the group is in the engine. */
  async remove(group: CommittedGroup): Promise<void> {
    const { disk, durable } = this.#options
    const applied = `${group.directory}.applied`
    // Rename first: a crash during deletion would leave a group that looks damaged.
    await disk.rename(group.directory, applied)
    if (durable) await disk.syncDirectory(this.directory)
    await disk.remove(applied)
  }

  async quarantine(
    group: Pick<CommittedGroup, 'number' | 'directory' | 'bytes'>,
    kind: QuarantineKind,
    note: QuarantineNote,
  ): Promise<void> {
    const { disk, durable, log } = this.#options
    const text = new TextEncoder().encode(JSON.stringify(note))
    // The note is optional: the log has the reason, and the tokens prevent duplicate rows.
    await disk.write(join(group.directory, NOTE), [text], durable).catch(() => {})
    const to = join(this.directory, kind, groupName(group.number))
    try {
      await disk.rename(group.directory, to)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      this.quarantinedGroups[kind]++
      log.error({ directory: group.directory, ...note }, 'a group of requests is missing from the journal')
      return
    }
    if (durable) for (const path of [this.directory, join(this.directory, kind)]) await disk.syncDirectory(path)
    this.quarantinedGroups[kind]++
    this.quarantinedBytes[kind] += group.bytes
    const what = kind === 'broken' ? 'a damaged group of requests' : 'a group of requests that the store rejected'
    log.error({ directory: to, bytes: group.bytes, ...note }, `quarantined ${what}; its rows are not in the store`)
  }

  /** Throws BrokenGroupError if a file has changed since it was written. */
  async verify(group: CommittedGroup): Promise<void> {
    for (const file of group.files) await verifyFile(group.directory, file)
  }

  /** Undoes a commit whose name may not be durable. It must not reappear after its requests have failed. */
  async #syncOrUndo(directory: string, temporary: string): Promise<void> {
    const { disk, log } = this.#options
    try {
      await disk.syncDirectory(this.directory)
    } catch (error) {
      await disk.rename(directory, temporary).catch((undoError: unknown) => {
        log.error({ directory, error: messageOf(undoError) }, 'a failed commit is left in the journal')
      })
      throw error
    }
  }

  #inOrder(files: readonly GroupFile[]): readonly GroupFile[] {
    return files.toSorted((a, b) => this.rank(a.table) - this.rank(b.table))
  }

  /** Counts again after groups were moved away. */
  recountQuarantined(): Promise<void> {
    return this.#countQuarantined()
  }

  async #countQuarantined(): Promise<void> {
    for (const kind of QUARANTINE_KINDS) {
      this.quarantinedGroups[kind] = 0
      this.quarantinedBytes[kind] = 0
      for (const name of await readdir(join(this.directory, kind))) {
        this.quarantinedGroups[kind]++
        this.quarantinedBytes[kind] += await bytesIn(join(this.directory, kind, name))
        if (/^\d{10,}$/.test(name)) this.counter.skip(Number(name))
      }
    }
  }
}

/** Ten digits, so that names sort by number. */
function groupName(number: number): string {
  return String(number).padStart(10, '0')
}

export async function readGroup(number: number, directory: string, first: boolean): Promise<LeftGroup> {
  const manifest = decodeManifest(await readOrBroken(join(directory, MANIFEST)))
  for (const file of manifest.files) await verifyFile(directory, file)
  const { files, committed, requests } = manifest
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const applied = await appliedBefore(directory)
  const alone = first || applied.length > 0
  const receivedFrom = firstReceived(requests, committed)
  const times = { committed, receivedFrom }
  return {
    group: { number, directory, files, bytes, ...times, applied, alone, contained: requests, requests },
    requests,
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

export async function verifyFile(directory: string, file: JournalFile): Promise<void> {
  let bytes = 0
  let sum = 0
  try {
    for await (const chunk of createReadStream(join(directory, file.file), { highWaterMark: 1 << 20 })) {
      const part = chunk as Uint8Array
      bytes += part.length
      sum = crc32(part, sum)
    }
  } catch (error) {
    throw asBroken(error, file.file)
  }
  if (bytes !== file.bytes) throw new BrokenGroupError(`${file.file} has ${bytes} bytes instead of ${file.bytes}`)
  if (sum !== file.crc32) throw new BrokenGroupError(`${file.file} has the wrong checksum`)
}

async function readOrBroken(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw asBroken(error, path)
  }
}

/** Missing or unreadable files mean a broken group. Other errors (permissions, open files) are not the group's fault. */
function asBroken(error: unknown, what: string): unknown {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'EIO' || code === 'EISDIR' || code === 'ENOTDIR'
    ? new BrokenGroupError(`cannot read ${what}: ${messageOf(error)}`, { cause: error })
    : error
}

function firstReceived(requests: readonly JournalRequest[], committed: number): number {
  return requests.reduce((first, { received }) => Math.min(first, received), committed)
}

async function appliedBefore(directory: string): Promise<readonly string[]> {
  try {
    const note = JSON.parse(await readFile(join(directory, NOTE), 'utf8')) as Partial<QuarantineNote>
    return note.applied ?? []
  } catch {
    // No note or an incomplete one: the tokens prevent duplicate rows.
    return []
  }
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0
  try {
    for (const name of await readdir(directory)) bytes += (await stat(join(directory, name))).size
  } catch {
    // Only a figure for display. The group may be a file or missing.
  }
  return bytes
}

/** Runs `work` for 0 to count-1 with limited concurrency. After a failure, starts no more and waits for running ones. */
async function inParallel(count: number, concurrency: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  let failed = false
  const worker = async () => {
    while (next < count && !failed)
      await work(next++).catch((error: unknown) => {
        failed = true
        throw error
      })
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(count, concurrency) }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
