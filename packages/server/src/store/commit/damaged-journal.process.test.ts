// A journal that is damaged or deleted while the server is down: nothing is stored twice, and every loss is reported.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Senders } from '../../testing/senders.ts'
import { sentRequest } from '../../testing/sent-request.ts'
import { ServerProcess } from '../../testing/server-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-damaged-journal-'))
const journal = join(directory, 'journal')
let server: ServerProcess | undefined
afterEach(async () => {
  await server?.kill()
  rmSync(directory, { recursive: true, force: true })
})

const groups = (): number => readdirSync(journal).filter(name => /^\d{10}$/.test(name)).length
const count = async (sql: string): Promise<number> => Number((await server?.select(sql))?.[0]?.replaceAll(/[()]/g, ''))

/** Kills the server during a combined insert. Returns the acknowledged requests. */
async function killDuringInsert(): Promise<ReadonlyMap<string, number>> {
  server = await ServerProcess.start({ data: directory })
  // More would fill the time of a slow insert with requests that show nothing else.
  const senders = new Senders(8, sentRequest, 50)
  server.slow(100)
  senders.aim(server)
  // The requests of a combined insert are in the store, and their spans are not.
  await expect
    .poll(async () => existsSync(join(journal, 'applying.json')) && (await count('SELECT count() FROM requests')))
    .toBeGreaterThan(10)
  const stopped = senders.finish()
  await expect.poll(groups).toBeGreaterThan(2)
  await stopped
  await server.kill()
  return new Map(senders.acknowledged.map(({ id, items }) => [id, items]))
}

async function stored(): Promise<ReadonlyMap<string, number>> {
  const rows = await server?.select(
    'SELECT lower(hex(request)) AS id, toUInt32(count()) AS n FROM (SELECT request FROM profiles UNION ALL SELECT request FROM spans ' +
      'UNION ALL SELECT request FROM logs UNION ALL SELECT request FROM metric_points) GROUP BY request',
  )
  return new Map((rows ?? []).map(row => /'(\w+)',(\d+)/.exec(row) ?? []).map(([, id, n]) => [id, Number(n)]))
}

// Each test starts several servers, which takes a busy machine minutes.
describe('a journal', { timeout: 600_000 }, () => {
  it.each([
    ['deleted', 'applying.json'],
    ['damaged', 'applying.json'],
    ['damaged', 'counter.json'],
  ])('with a %s %s stores every request once', async (kind, file) => {
    const acknowledged = await killDuringInsert()
    if (kind === 'deleted') rmSync(join(journal, file), { force: true })
    else writeFileSync(join(journal, file), '{"check":7,"content":{"token":"x","gro')
    server = await ServerProcess.start({ data: directory })
    await server.settled()
    expect(await stored()).toEqual(acknowledged)
    expect(await count('SELECT count() FROM requests')).toBe(acknowledged.size)
    const { codes } = await server.prepared()
    expect(codes).toEqual(kind === 'damaged' ? ['state-file-damaged'] : [])
  })

  it('that was deleted with groups is reported until an administrator has seen it', async () => {
    await killDuringInsert()
    rmSync(journal, { recursive: true })
    for (let start = 0; start < 2; start++) {
      server = await ServerProcess.start({ data: directory })
      const { codes, problems } = await server.prepared()
      expect(codes).toEqual(['journal-lost'])
      expect(problems[0].message).toMatch(/the journal of an earlier run is missing; acknowledged requests .* are lost/)
      await server.kill()
    }
  })

  it('that was deleted when it was empty is not reported', async () => {
    server = await ServerProcess.start({ data: directory })
    expect(await server.end()).toBe(0)
    rmSync(journal, { recursive: true })
    server = await ServerProcess.start({ data: directory })
    expect((await server.prepared()).codes).toEqual([])
  })
})
