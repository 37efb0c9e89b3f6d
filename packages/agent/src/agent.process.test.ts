// Runs the agent in separate processes. Checks what it records and sends, and that the application exits as it would without it.
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import { readOtlp, validate } from '@hearth/profile'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HttpBackend } from './export/testing/http-backend.ts'
import { AgentFolder } from './testing/agent-process.ts'

let folder: AgentFolder
const closers: (() => unknown)[] = []
beforeEach(() => {
  folder = new AgentFolder()
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  folder.remove()
})

/** A function that uses 250 ms of CPU. It counts CPU time: by the clock, a busy machine might leave no sample of it. */
const BURN = `
function burnABit() {
  const until = process.cpuUsage().user + 250_000
  let sum = 0
  while (process.cpuUsage().user < until) for (let i = 0; i < 100_000; i++) sum += Math.sqrt(i)
  return sum
}
`

async function backend(): Promise<{ readonly at: HttpBackend; readonly env: Readonly<Record<string, string>> }> {
  const at = await HttpBackend.start()
  closers.push(() => at.stop())
  return { at, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${at.port}`, OTEL_SERVICE_NAME: 'shop' } }
}

function functionsIn(profiles: Profiles): readonly string[] {
  const { dictionary } = profiles
  return Array.from({ length: dictionary.functions.length }, (_, i) =>
    dictionary.strings.text(dictionary.functions.name(i as FunctionIndex)),
  )
}

const sentFunctions = (at: HttpBackend): readonly string[] =>
  at.received.flatMap(({ body }) => functionsIn(readOtlp(body, {}).profiles))

describe('the last export', () => {
  test('is sent when the event loop is empty', async () => {
    const { at, env } = await backend()
    const ended = await folder.run(`${BURN} burnABit(); console.log('bye')`, { env })
    expect(ended).toEqual({ by: 0, stdout: 'bye\n', stderr: '' })
    expect(at.received).toHaveLength(1)
    expect(sentFunctions(at)).toContain('burnABit')
    expect(validate(readOtlp(at.received[0].body, {}).profiles, {})).toEqual([])
  })

  test('is written to a file, even after process.exit', async () => {
    const out = join(folder.path, 'out.otlp')
    const ended = await folder.run(`${BURN} burnABit(); process.exit(3)`, { env: { HEARTH_OUTPUT: out } })
    expect(ended).toEqual({ by: 3, stdout: '', stderr: '' })
    expect(functionsIn(readOtlp(readFileSync(out), {}).profiles)).toContain('burnABit')
  })

  test('is written when the application throws', async () => {
    const out = join(folder.path, 'out.otlp')
    const ended = await folder.run(`${BURN} burnABit(); throw new Error('own fault')`, {
      env: { HEARTH_OUTPUT: out },
    })
    expect(ended.by).toBe(1)
    expect(ended.stderr).toContain('own fault')
    expect(functionsIn(readOtlp(readFileSync(out), {}).profiles)).toContain('burnABit')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('is sent at %s, and the signal still ends the process', async signal => {
    const { at, env } = await backend()
    const ended = await folder.run(`${BURN} burnABit(); setInterval(() => {}, 1000); console.log('up')`, {
      env,
      onOutput: (stdout, kill) => void (stdout.includes('up') && kill(signal)),
    })
    expect(ended).toMatchObject({ by: signal, stderr: '' })
    expect(sentFunctions(at)).toContain('burnABit')
  })

  test.each([
    ['exits', `process.on('SIGTERM', () => whenSent(() => process.exit(7)))`],
    ['listens once and exits', `process.once('SIGTERM', () => whenSent(() => process.exit(7)))`],
    [
      'exits only if it is the only listener',
      `process.on('SIGTERM', () => process.listeners('SIGTERM').length === 1 && whenSent(() => process.exit(7)))`,
    ],
    [
      'exits at the second signal',
      `let times = 0
       process.on('SIGTERM', () => ++times === 1 ? whenSent(() => process.kill(process.pid, 'SIGTERM')) : process.exit(7))`,
    ],
  ])('is sent at a signal if the listener of the application %s', async (_, listen) => {
    const { at, env } = await backend()
    // The application waits for the profile. Only the signal can cause that export: exports are an hour apart.
    const whenSent = `import { existsSync } from 'node:fs'
       const whenSent = run => existsSync('sent') ? run() : setTimeout(whenSent, 20, run)`
    const program = `${whenSent}; ${BURN} ${listen}; burnABit(); setInterval(() => {}, 1000); console.log('up')`
    const onOutput = (stdout: string, kill: (signal: NodeJS.Signals) => void): void =>
      void (stdout.includes('up') && kill('SIGTERM'))
    at.onReceived = () => void folder.write('sent', '')
    const run = folder.run(program, { env: { ...env, HEARTH_EXPORT_INTERVAL: '1h' }, onOutput })
    expect(await run).toEqual({ by: 7, stdout: 'up\n', stderr: '' })
    expect(sentFunctions(at)).toContain('burnABit')
  })

  test('does not end an application that ignores the signal', async () => {
    const { env } = await backend()
    const program = `const stays = setInterval(() => {}, 1000)
      process.on('SIGTERM', () => setTimeout(() => { console.log('still here'); clearInterval(stays) }, 500))
      console.log('up')`
    let isSent = false
    const ended = await folder.run(program, {
      env,
      onOutput: (stdout, kill) => {
        if (!isSent && stdout.includes('up')) kill('SIGTERM')
        isSent = true
      },
    })
    expect(ended).toEqual({ by: 0, stdout: 'up\nstill here\n', stderr: '' })
  })
})

describe('an export', () => {
  const program = `
    import { subscribe } from 'node:diagnostics_channel'
    import { start } from '@hearth/agent'
    ${BURN}
    subscribe('http.client.request.start', () => console.log('sent by the application'))
    process.on('worker', worker => console.log(worker.threadName ?? 'a thread started'))
    burnABit()
    await start().flush()`

  test.each(['none', 'gzip', 'zstd'])('is sent by a thread of its own, compression %s', async compression => {
    const { at, env } = await backend()
    const ended = await folder.run(program, { env: { ...env, OTEL_EXPORTER_OTLP_COMPRESSION: compression } })
    expect(ended).toMatchObject({ by: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^(a thread started|hearth agent)\n$/)
    expect(sentFunctions(at)).toContain('burnABit')
  })

  test('is sent by the application if threads are forbidden', async () => {
    const { at, env } = await backend()
    const command = [
      '--experimental-permission',
      '--allow-fs-read=*',
      '--allow-addons',
      folder.write('app.mjs', program),
    ]
    const ended = await folder.run(program, { env: { ...env, NODE_NO_WARNINGS: '1' }, command })
    expect(ended).toMatchObject({ by: 0, stderr: '' })
    // The second one at the exit.
    expect(ended.stdout).toMatch(/^(sent by the application\n)+$/)
    expect(sentFunctions(at)).toContain('burnABit')
  })
})

describe('the exit of the application', () => {
  const program = `${BURN} burnABit(); console.log('bye')`

  test('is not delayed by an unreachable backend', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const ended = await folder.run(program, { env })
    expect(ended).toMatchObject({ by: 0, stdout: 'bye\n' })
    expect(ended.stderr).toMatch(/^hearth agent: .*ECONNREFUSED.*\n$/)
  })

  test.each(['http/protobuf', 'grpc'])('is not delayed by a backend that never responds (%s)', async protocol => {
    const sockets: Socket[] = []
    const server = createServer(socket => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      // Longer than the test timeout: the test passes only if the exit has a limit of its own.
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
      HEARTH_EXPORT_INTERVAL: '200ms',
      HEARTH_EXIT_TIMEOUT: '300ms',
      NODE_NO_WARNINGS: '1',
    }
    // One export is in flight, without a response, when the work is done.
    const ended = await folder.run(`${BURN} burnABit(); setTimeout(() => console.log('bye'), 600)`, { env })
    expect(ended).toEqual({ by: 0, stdout: 'bye\n', stderr: '' })
    expect(sockets.length).toBeGreaterThan(0)
  })

  test('is not affected by an invalid configuration', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense', HEARTH_SAMPLE_RATE_HZ: 'fast', HEARTH_OUTPUT: '/dev/null/x' }
    const ended = await folder.run(program, { env })
    expect(ended).toMatchObject({ by: 0, stdout: 'bye\n' })
    expect(ended.stderr).toContain('HEARTH_SAMPLE_RATE_HZ')
  })
})

describe('processes', () => {
  test('a worker thread is recorded and exported by the main thread', async () => {
    const out = join(folder.path, 'out') + '/'
    folder.write('worker.mjs', `${BURN.replace('burnABit', 'burnInWorker')} burnInWorker()`)
    const program = `
      import { once } from 'node:events'
      import { Worker } from 'node:worker_threads'
      await once(new Worker(new URL('worker.mjs', import.meta.url)), 'exit')
      await new Promise(resolve => setTimeout(resolve, 100))`
    const ended = await folder.run(program, { env: { HEARTH_OUTPUT: out, OTEL_SERVICE_NAME: 'my shop' } })
    expect(ended).toEqual({ by: 0, stdout: '', stderr: '' })
    const files = readdirSync(out)
    expect(files.every(file => /Z-my_shop-\d+-\d+\.otlp$/.test(file))).toBe(true)
    const names = files.flatMap(file => functionsIn(readOtlp(readFileSync(join(out, file)), {}).profiles))
    expect(names).toContain('burnInWorker')
  })

  test('child processes work as without the agent', async () => {
    const { env } = await backend()
    const npm = `
      import { execSync } from 'node:child_process'
      console.log(execSync('npm --version').toString().trim())`
    const plain = await folder.run(npm, { env: { ...env, HEARTH_AGENT_DISABLED: 'true' } })
    const ended = await folder.run(npm, { env, byNodeOptions: true })
    expect(ended.by).toBe(0)
    expect(ended.stdout).toBe(plain.stdout)
    const script = await folder.run('', { env, byNodeOptions: true, command: ['-e', 'console.log(typeof require)'] })
    expect(script).toEqual({ by: 0, stdout: 'function\n', stderr: '' })
  })

  test.each(['HEARTH_AGENT_DISABLED', 'OTEL_SDK_DISABLED'])('%s=true disables the agent', async variable => {
    const { at, env } = await backend()
    await folder.run(`${BURN} burnABit()`, { env: { ...env, [variable]: 'true' } })
    expect(at.received).toHaveLength(0)
  })
})

describe('the API', () => {
  const off = { HEARTH_AGENT_DISABLED: 'true' }

  test('starts, captures, flushes and stops with a custom exporter', async () => {
    const program = `
      import { start, stop, flush, capture } from '@hearth/agent'
      import { writeFileSync } from 'node:fs'
      ${BURN}
      await stop() // the agent that --import started
      const sent = []
      const exporter = { dropped: 0, send: p => sent.push(p), flush: async () => {}, shutdown: async () => { sent.push('end') } }
      const agent = start({ exporter, disabled: false, serviceName: 'own', exportIntervalMillis: 60_000 })
      await agent.ready
      console.log(start({ serviceName: 'other' }) === agent)
      burnABit()
      const until = BigInt(Date.now()) * 1_000_000n
      const captured = await capture({ seconds: 1, kinds: ['cpu'] })
      console.log(captured.profiles.length)
      console.log(await capture({ from: 1n, until: 2n }))
      await flush()
      console.log(sent.length)
      await stop()
      await agent.stop()
      console.log(sent.at(-1), agent.dropped)
      await flush()
      const again = start({ exporter, disabled: false })
      console.log(again !== agent)
      await again.ready
      await stop()`
    const ended = await folder.run(program, { env: off })
    expect(ended.stderr).toBe('')
    expect(ended.stdout.split('\n')).toEqual(['true', '1', 'undefined', '1', 'end 0', 'true', ''])
  })

  test('survives an exporter and a listener that throw', async () => {
    const program = `
      import { start, stop } from '@hearth/agent'
      ${BURN}
      const fail = () => { throw new Error('mine') }
      const exporter = { dropped: 0, send: fail, flush: fail, shutdown: fail }
      await stop()
      const agent = start({ exporter, disabled: false, onProblem: problem => { console.log(problem); throw new Error('mine') } })
      await agent.ready
      burnABit()
      await agent.flush()
      await stop()`
    const ended = await folder.run(program, { env: off })
    expect(ended).toMatchObject({ by: 0, stderr: '' })
    expect(ended.stdout).toContain('mine')
  })

  test('records only the configured kinds', async () => {
    const out = join(folder.path, 'out.otlp')
    await folder.run(`${BURN} burnABit()`, { env: { HEARTH_OUTPUT: out, HEARTH_PROFILE_TYPES: 'cpu' } })
    expect(readOtlp(readFileSync(out), {}).profiles.profiles.length).toBe(1)
  })
})
