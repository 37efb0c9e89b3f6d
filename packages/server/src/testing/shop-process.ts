// The example shop in its own processes, sending to a server.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

export class ShopProcess {
  readonly #child: ChildProcess
  #output = ''

  /** `env` contains the endpoints and may override other variables. */
  static start(env: Readonly<Record<string, string>>): ShopProcess {
    // Built, because TypeScript loaders do not reach worker threads that load the agent first.
    return new ShopProcess(env)
  }

  private constructor(env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, ['examples/shop/dist/start.js'], {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        HEARTH_EXPORT_INTERVAL: '1s',
        CHECKOUT_PORT: '0',
        STOREFRONT_PORT: '0',
        SHOP_PAUSE_MS: '100',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (text: Buffer) => (this.#output += text.toString()))
    }
  }

  get output(): string {
    return this.#output
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null
  }

  /** Like Ctrl-C. Returns the exit code. */
  async end(): Promise<number | null> {
    if (this.hasEnded) return this.#child.exitCode
    this.#child.kill('SIGINT')
    const [code] = (await once(this.#child, 'exit')) as [number | null]
    return code
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
