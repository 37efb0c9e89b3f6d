// Starts the shop: checkout, storefront, and customers. Ctrl-C stops all three. Telemetry goes to the OTLP endpoint of the
// environment, or to Hearth on this machine.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ENDPOINT = 'http://127.0.0.1:4318'
/** SHOP_VERSION=1.5.0 SHOP_RANKINGS=2 is a slower version. */
const VERSION = process.env['SHOP_VERSION'] ?? '1.4.2'
const children: ChildProcess[] = []
let isEnding = false

function startProcess(name: string, variables: Readonly<Record<string, string>>, isProfiled: boolean): ChildProcess {
  const file = fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url))
  // This option is all that profiling needs.
  const agent = isProfiled ? ['--import', import.meta.resolve('@hearth/agent/register')] : []
  const child = fork(file, {
    execArgv: [...process.execArgv, ...agent],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_RESOURCE_ATTRIBUTES: `service.namespace=shop,service.version=${VERSION},deployment.environment.name=example`,
      HEARTH_EXPORT_INTERVAL: '5s',
      HEARTH_SPAN_ATTRIBUTES: 'http.route',
      HEARTH_PROFILE_TYPES: 'cpu,wall,heap,events,waits',
      ...process.env,
      ...variables,
    },
    // Shows the output of the services and of the agent.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.on('exit', code => {
    if (!isEnding) process.stderr.write(`${name} ended with ${code ?? 'a signal'}\n`)
    void end(isEnding ? 0 : 1)
  })
  children.push(child)
  return child
}

async function startService(name: string, port: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const child = startProcess(name, { OTEL_SERVICE_NAME: name, PORT: port, ...variables }, true)
  const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }]
  return url
}

async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ended = running.map(child => once(child, 'exit'))
  for (const child of running) child.kill('SIGTERM')
  // Kills services that hang.
  setTimeout(() => running.forEach(child => child.kill('SIGKILL')), 10_000).unref()
  await Promise.all(ended)
  process.exit(code)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0))

const checkout = await startService('checkout', process.env['CHECKOUT_PORT'] ?? '3401', {})
const storefront = await startService('storefront', process.env['STOREFRONT_PORT'] ?? '3400', {
  CHECKOUT_URL: checkout,
})
startProcess('load', { STOREFRONT_URL: storefront }, false)
const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ENDPOINT
process.stdout.write(
  `The shop is open at ${storefront}/products and sends its telemetry to ${endpoint}. Ctrl-C closes it.\n`,
)
