// Names of native frames for stored profiles: uploaded debug files, folders and debuginfod servers, with the real engine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client as GrpcClient, credentials } from '@grpc/grpc-js'
import { HearthClient } from '@hearth/client'
import type { FlameGraphResponse } from '@hearth/client'
import { ProfilesBuilder, htlhash, readSymbols, writeOtlp } from '@hearth/profile'
import type { Message } from '@hearth/signals'
import { codecOf } from '@hearth/signals'
import { corpus } from '../../profile/src/formats/testing/corpora.node.ts'
import { bytesOf } from '../../profile/src/symbols/native/testing/fuzz-symbols.ts'
import { programs } from '../../profile/src/symbols/native/testing/generated/programs.ts'
import type { RunningServer } from './receive/testing/running-server.ts'
import { startServer } from './receive/testing/running-server.ts'
import { PROTOBUF, post } from './receive/testing/senders.ts'
import * as messages from './symbols/parca/debuginfo-messages.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-names-'))
const folder = join(directory, 'debug')
const program = bytesOf(programs.dwarf5)
const { buildId = '' } = readSymbols(program)
/** An address in a function that is inlined into another one, and one in its caller. */
const INLINED = 0x401000n
const CALLER = 0x40100an

let at: RunningServer
let client: HearthClient
let debuginfod: Server
/** Requests to the debuginfod server, and what it serves by build id. */
const requested: string[] = []
const served = new Map<string, Uint8Array>()
let debuginfodFails = false
let sent = 0

beforeAll(async () => {
  debuginfod = createServer((request, response) => {
    requested.push(request.url ?? '')
    const [, , id = '', kind = '', ...path] = (request.url ?? '').split('/')
    const file =
      kind === 'debuginfo' ? served.get(id) : kind === 'source' ? served.get(`${id}/${path.join('/')}`) : undefined
    response.writeHead(debuginfodFails ? 500 : file === undefined ? 404 : 200).end(file)
  })
  await new Promise<void>(resolve => debuginfod.listen(0, '127.0.0.1', resolve))
  mkdirSync(folder)
  at = await startServer(join(directory, 'data'), {
    debuginfod: `http://127.0.0.1:${(debuginfod.address() as AddressInfo).port}`,
    symbols: folder,
    'symbols-quota': '3MiB',
    'self-profile': 'no',
  })
  client = new HearthClient({ server: at.main })
})
afterAll(async () => {
  await at.server.close()
  debuginfod.close()
  rmSync(directory, { recursive: true })
})

const GNU = 'process.executable.build_id.gnu'

interface SentFrame {
  readonly address: bigint
  readonly file?: string
  readonly id?: string | undefined
}

/** Sends one profile with one stack of addresses, leaf first, in the way of the eBPF profiler. */
async function send(service: string, ...frames: readonly SentFrame[]): Promise<void> {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  builder.profile({ type: 'samples', unit: 'count', timeUnixNano: BigInt(Date.now()) * 1_000_000n, durationNano: 1n })
  const stack = frames.map(({ address, file = 'shop', id = buildId }) => {
    const ids = id === '' ? [] : [builder.attribute(GNU, id)]
    const range = { memoryStart: 0x401000n, memoryLimit: 0x402000n, fileOffset: 0x1000n }
    const mapping = builder.mapping({ ...range, filename: file, attributes: ids })
    const type = builder.attribute('profile.frame.type', 'native')
    return builder.location({ mapping, address, attributes: [type] })
  })
  builder.sample({ stack: builder.stack(stack), values: [BigInt(++sent)] })
  const response = await post(`${at.otlp}/v1development/profiles`, writeOtlp(builder.build()).bytes, {
    'content-type': PROTOBUF,
    'otlp-profiles-development-version': '1',
  })
  expect(response.status).toBe(200)
  await at.server.store.settled()
}

const of = (service: string): string => `samples:count{service.name="${service}"}`
const graph = (service: string, more: object = {}): Promise<FlameGraphResponse> =>
  client.query('flameGraph', { selector: of(service), ...more })

/** The names of the only stack, root first. */
const stackOf = ({ nodes, frames }: FlameGraphResponse): string[] => nodes.frame.map(row => frames[row].name)

const upload = (bytes: Uint8Array, request: { name?: string; buildId?: readonly string[] } = {}) =>
  client.uploadSymbols(new Uint8Array(bytes), { name: 'shop.debug', ...request })

describe('uploaded debug files', () => {
  it('name frames of profiles that were stored before, with inlined calls and lines', async () => {
    await send('early', { address: INLINED }, { address: CALLER })
    const before = await graph('early', { addresses: true })
    expect(stackOf(before)).toEqual(['shop+0x40100a', 'shop+0x401000'])
    // Until the folder is searched, the file counts as being fetched.
    const unresolved = async () => (await graph('early')).missing.unresolved
    await expect.poll(unresolved).toEqual([{ reason: 'no-debug-info', frames: 2 }])
    const file = await upload(program)
    expect(file).toMatchObject({ name: 'shop.debug', quality: 'lines', bytes: program.length, source: 'upload' })
    expect(file.buildIds).toEqual(expect.arrayContaining([buildId, htlhash(program)]))
    const after = await graph('early', { by: 'line' })
    expect(stackOf(after)).toEqual(['shop::Cart::total() const', 'shop::Cart::total() const', 'discounted', 'rounded'])
    expect(after.nodes.frame.map(row => `${after.frames[row].file}:${after.frames[row].line}`)).toEqual([
      '/src/shop.cc:13',
      '/src/shop.cc:13',
      '/src/price.h:8',
      '/src/price.h:4',
    ])
    expect(after.missing.unresolved).toEqual([])
  })

  it('stay unknown to other tenants', async () => {
    const other = new HearthClient({ server: at.main, tenant: 'other' })
    expect((await other.act('symbolFiles', {})).files).toEqual([])
    expect((await client.act('symbolFiles', {})).files).toHaveLength(1)
    expect(await other.act('checkSymbols', { binaries: [[buildId]] })).toEqual({ binaries: [{ code: false }] })
    expect(await client.act('checkSymbols', { binaries: [[buildId], ['ab']] })).toEqual({
      binaries: [{ code: true, quality: 'lines' }, { code: false }],
    })
  })

  it('name the frames of exports, on request, and the stored profile stays as it was sent', async () => {
    const exported = async (request: object): Promise<string> =>
      new TextDecoder().decode((await client.export({ selector: of('early'), format: 'folded', ...request })).bytes)
    expect(await exported({})).toContain('shop+0x401000')
    expect(await exported({ symbols: true })).toContain('shop::Cart::total() const;discounted;rounded')
    expect(await exported({ merged: true })).toContain('discounted;rounded')
    expect(await exported({ merged: true, symbols: false })).toContain('shop+0x401000')
  })

  it('are found by names in selectors', async () => {
    /** The sum of the stacks that match: 1 for the only one. */
    const found = async (predicate: string): Promise<number> =>
      Number((await client.query('flameGraph', { selector: `${of('early')} | ${predicate}` })).sum)
    expect(await found('frame "discounted"')).toBe(1)
    expect(await found('leaf "rounded"')).toBe(1)
    expect(await found('frame =~"shop::.*total.*"')).toBe(1)
    expect(await found('frame file "/src/price.h"')).toBe(1)
    expect(await found('leaf "discounted"')).toBe(0)
    expect(await found('frame "nothing"')).toBe(0)
  })

  it('are deleted, and frames are addresses again', async () => {
    const [{ id }] = (await client.act('symbolFiles', {})).files
    expect(await client.act('removeSymbols', {}, { of: id })).toEqual({ removed: id })
    await expect(client.act('removeSymbols', {}, { of: id })).rejects.toThrow('debug file')
    expect(stackOf(await graph('early', { addresses: true }))).toEqual(['shop+0x40100a', 'shop+0x401000'])
  })

  it('are rejected if they are broken, stripped or exceed the quota', async () => {
    await expect(upload(new Uint8Array(100))).rejects.toMatchObject({ status: 422, code: 'broken' })
    await expect(upload(program.subarray(0, 300))).rejects.toMatchObject({ status: 422, code: 'broken' })
    await expect(upload(new Uint8Array(4 * 2 ** 20))).rejects.toMatchObject({ status: 413 })
    expect(await client.act('symbolFiles', {})).toMatchObject({ files: [], bytes: 0 })
  })

  it('include lists of the kernel, by the build id that the sender gives', async () => {
    const list =
      'ffffffff81000000 T _text\nffffffff81000100 T _stext\nffffffff81000200 T do_work\nffffffff81000300 T _end\n'
    await upload(new TextEncoder().encode(list), { name: 'System.map', buildId: ['feed'] })
    await send('kernel', { address: 0x11fn, file: 'vmlinux', id: 'feed' })
    expect(stackOf(await graph('kernel'))).toEqual(['do_work'])
  })
})

describe("Parca's protocol", () => {
  const path = (name: string): string => `/${messages.DEBUGINFO_SERVICE}/${name}`
  const same = (bytes: Buffer): Buffer => bytes

  /** Calls a method that takes one message, or a stream of messages. */
  async function call<Request, Response>(
    name: string,
    [request, response]: readonly [Message<Request>, Message<Response>],
    ...sentMessages: readonly Request[]
  ): Promise<Response> {
    const grpc = new GrpcClient(`127.0.0.1:${at.server.ports.otlpGrpc}`, credentials.createInsecure())
    const encoded = sentMessages.map(each => Buffer.from(codecOf(request, name).encode(each)))
    try {
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        const done = (error: Error | null, value?: Buffer): void =>
          error === null ? resolve(value ?? Buffer.alloc(0)) : reject(error)
        if (encoded.length === 1) return void grpc.makeUnaryRequest(path(name), same, same, encoded[0], done)
        const stream = grpc.makeClientStreamRequest(path(name), same, same, done)
        for (const each of encoded) stream.write(each)
        return stream.end()
      })
      return codecOf(response, name).decode(bytes)
    } finally {
      grpc.close()
    }
  }

  /** Announces a file, sends it in two pieces and finishes. */
  async function uploadAs(type: number, bytes: Uint8Array): Promise<void> {
    const initiate = [messages.INITIATE_UPLOAD_REQUEST, messages.INITIATE_UPLOAD_RESPONSE] as const
    const announced = { buildId, hash: '', force: false, type, buildIdType: 1, size: BigInt(bytes.length) }
    const { uploadId = '' } = (await call('InitiateUpload', initiate, announced)).uploadInstructions ?? {}
    const upload = [messages.UPLOAD_REQUEST, messages.UPLOAD_RESPONSE] as const
    const chunk = (from: number, to?: number) => ({ info: undefined, chunkData: bytes.slice(from, to) })
    const info = { info: { buildId, uploadId, type }, chunkData: undefined }
    await call('Upload', upload, info, chunk(0, 10), chunk(10))
    const finish = [messages.MARK_UPLOAD_FINISHED_REQUEST, messages.MARK_UPLOAD_FINISHED_RESPONSE] as const
    await call('MarkUploadFinished', finish, { buildId, uploadId, type })
  }

  it('uploads the source code of a binary once', async () => {
    const sources = messages.DEBUGINFO_TYPE.values.DEBUGINFO_TYPE_SOURCES
    const map = { version: 3, sources: ['src/shop.cc'], sourcesContent: ['long total();\n'], mappings: '' }
    await uploadAs(sources, new TextEncoder().encode(JSON.stringify(map)))
    const found = await client.query('source', { file: '/build/src/shop.cc', buildId: [buildId] })
    expect(found).toMatchObject({ path: 'shop.cc', text: 'long total();\n' })
    await expect(uploadAs(sources, new Uint8Array(20))).rejects.toThrow('the source code is known')
  })

  it('uploads a debug file once', async () => {
    const should = [messages.SHOULD_INITIATE_UPLOAD_REQUEST, messages.SHOULD_INITIATE_UPLOAD_RESPONSE] as const
    const wanted = { buildId, hash: '', force: false, type: 0, buildIdType: 1 }
    expect((await call('ShouldInitiateUpload', should, wanted)).shouldInitiateUpload).toBe(true)
    const initiate = [messages.INITIATE_UPLOAD_REQUEST, messages.INITIATE_UPLOAD_RESPONSE] as const
    const { uploadInstructions } = await call('InitiateUpload', initiate, { ...wanted, size: BigInt(program.length) })
    const { uploadId = '', uploadStrategy } = uploadInstructions ?? {}
    expect(uploadStrategy).toBe(messages.UPLOAD_STRATEGY.values.UPLOAD_STRATEGY_GRPC)
    const finish = [messages.MARK_UPLOAD_FINISHED_REQUEST, messages.MARK_UPLOAD_FINISHED_RESPONSE] as const
    await expect(call('MarkUploadFinished', finish, { buildId, uploadId, type: 0 })).rejects.toThrow('not complete')
    const chunk = (from: number, to?: number) => ({ info: undefined, chunkData: program.slice(from, to) })
    const info = { info: { buildId, uploadId, type: 0 }, chunkData: undefined }
    const upload = [messages.UPLOAD_REQUEST, messages.UPLOAD_RESPONSE] as const
    expect(await call('Upload', upload, info, chunk(0, 1000), chunk(1000))).toMatchObject({
      buildId,
      size: BigInt(program.length),
    })
    await call('MarkUploadFinished', finish, { buildId, uploadId, type: 0 })
    expect((await call('ShouldInitiateUpload', should, wanted)).shouldInitiateUpload).toBe(false)
    expect(stackOf(await graph('early')).at(-1)).toBe('rounded')
    await expect(
      call('Upload', upload, { info: { ...info.info, uploadId: 'x' }, chunkData: undefined }, chunk(0)),
    ).rejects.toThrow('InitiateUpload')
  })
})

describe('binaries', () => {
  it('lists binaries by their share of samples, with their state', async () => {
    await send(
      'listed',
      { address: INLINED, file: 'libfirst.so', id: 'aa01' },
      { address: CALLER, file: 'app', id: '' },
    )
    await send('listed', { address: CALLER, file: 'app', id: '' })
    const list = () => client.query('binaries', { selector: '{service.name="listed"}' })
    expect((await list()).samples).toBe(2)
    await expect
      .poll(async () => (await list()).binaries)
      .toEqual([
        { name: 'app', buildIds: {}, self: 1, total: 2, addresses: 1, unresolved: 1, reason: 'no-build-id' },
        {
          name: 'libfirst.so',
          buildIds: { gnu: 'aa01' },
          self: 1,
          total: 1,
          addresses: 1,
          unresolved: 1,
          reason: 'no-debug-info',
        },
      ])
  })
})

describe('folders and debuginfod servers', () => {
  const reasonsOf = async (service: string): Promise<string[]> =>
    (await graph(service)).missing.unresolved.map(({ reason }) => reason)

  it('receive no request for private binaries', async () => {
    await send('private', { address: INLINED, file: 'company-app', id: 'c0ffee01' })
    await expect.poll(() => reasonsOf('private')).toEqual(['no-debug-info'])
    expect(requested.filter(url => url.includes('c0ffee01'))).toEqual([])
  })

  it('name frames after a download that no query waits for, and remember a miss', async () => {
    served.set('c0ffee02', program)
    await send('library', { address: INLINED, file: 'libc.so.6', id: 'c0ffee02' })
    await send('missing', { address: INLINED, file: 'libm.so.6', id: 'c0ffee03' })
    await expect.poll(async () => stackOf(await graph('library')).at(-1)).toBe('rounded')
    await expect.poll(() => reasonsOf('missing')).toEqual(['no-debug-info'])
    expect(await reasonsOf('missing')).toEqual(['no-debug-info'])
    expect(requested.filter(url => url.includes('c0ffee03'))).toEqual([
      '/buildid/c0ffee03/debuginfo',
      '/buildid/c0ffee03/executable',
    ])
    const { binaries } = await client.query('binaries', { selector: '{service.name="library"}' })
    expect(binaries[0].file).toMatchObject({ source: 'debuginfod', quality: 'lines' })
  })

  it('have the source text of binaries that a debuginfod server knows', async () => {
    served.set('c0ffee02/usr/src/rounded.c', Buffer.from('int rounded;\n'))
    const [known, other] = ['c0ffee02', 'c0ffee01'].map(id => ({ file: '/usr/src/rounded.c', buildId: [id] }))
    expect(await client.query('source', known)).toMatchObject({ path: 'usr/src/rounded.c', text: 'int rounded;\n' })
    expect((await client.query('source', other)).text).toBeUndefined()
    expect(requested.filter(url => url.includes('/source/'))).toEqual(['/buildid/c0ffee02/source/usr/src/rounded.c'])
  })

  it('report a failed download, and try it again on request', async () => {
    debuginfodFails = true
    await send('failing', { address: INLINED, file: 'libz.so.1', id: 'c0ffee04' })
    await expect.poll(() => reasonsOf('failing')).toEqual(['download-failed'])
    const { binaries } = await client.query('binaries', { selector: '{service.name="failing"}' })
    expect(binaries[0].message).toContain('responded 500')
    debuginfodFails = false
    served.set('c0ffee04', program)
    await client.act('retrySymbols', { buildIds: ['c0ffee04'] })
    await expect.poll(async () => stackOf(await graph('failing')).at(-1)).toBe('rounded')
  })

  it('complete debug files with the supplement of dwz and with packages of split units', async () => {
    const shared = bytesOf(programs.withSupplement)
    served.set('c0ffee05', shared)
    served.set(readSymbols(bytesOf(programs.supplement)).buildId!, bytesOf(programs.supplement))
    await send('shared', { address: INLINED, file: 'libm.so.6', id: 'c0ffee05' })
    await expect.poll(async () => stackOf(await graph('shared')).at(-1)).toBe('rounded')
    writeFileSync(join(folder, 'split'), bytesOf(programs.split5))
    writeFileSync(join(folder, 'split.dwp'), bytesOf(programs.split5Package))
    writeFileSync(join(folder, 'linked'), bytesOf(programs.linked))
    writeFileSync(join(folder, 'linked.debug'), bytesOf(programs.linkedDebug))
    await client.act('retrySymbols', { buildIds: [] })
    await send('split', { address: INLINED, file: 'split', id: readSymbols(bytesOf(programs.split5)).buildId })
    await expect.poll(async () => stackOf(await graph('split')).at(-1)).toBe('rounded')
    await send('linked', { address: INLINED, file: 'linked', id: htlhash(bytesOf(programs.linked)) })
    await expect.poll(async () => stackOf(await graph('linked')).at(-1)).toBe('rounded')
  })

  it('name frames from the layout of /usr/lib/debug', async () => {
    const place = join(folder, '.build-id', 'de')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'adbeef.debug'), program)
    await client.act('retrySymbols', { buildIds: [] })
    await send('folder', { address: INLINED, file: 'company-app', id: 'deadbeef' })
    await expect.poll(async () => stackOf(await graph('folder')).at(-1)).toBe('rounded')
  })
})

describe('captures of the eBPF profiler', () => {
  const files = corpus('ebpf/c-stripped')

  it.skipIf(files === undefined)('show addresses, and names once the debug file is uploaded', async () => {
    const file = (name: string): Uint8Array => files!.find(each => each.name === name)!.bytes
    for (const { name, bytes } of files!.filter(each => each.name.endsWith('.otlp'))) {
      const response = await post(`${at.otlp}/v1development/profiles`, new Uint8Array(bytes), {
        'content-type': PROTOBUF,
        'otlp-profiles-development-version': '1',
      })
      expect([name, response.status]).toEqual([name, 200])
    }
    await at.server.store.settled()
    const query = { selector: of('c-stripped'), from: '0', by: 'line' } as const
    const names = (found: FlameGraphResponse): Set<string> => new Set(stackOf(found))
    const before = await client.query('flameGraph', { ...query, addresses: true })
    expect([...names(before)].filter(name => name.startsWith('c-stripped+0x')).length).toBeGreaterThan(3)
    await upload(file('c-stripped.debug'), { name: 'c-stripped.debug' })
    const after = await client.query('flameGraph', query)
    expect([...names(after)].filter(name => name.startsWith('c-stripped+0x'))).toEqual([])
    expect(after.frames.find(({ name }) => name === 'main')?.file).toMatch(/burn\.c$/)
    expect(after.frames.some(({ line }) => Number(line ?? 0) > 0)).toBe(true)
  })
})
