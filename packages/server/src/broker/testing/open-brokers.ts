// Opens brokers and streams for a test and closes them after it.
import { afterEach } from 'vitest'
import type { BrokerServer, BrokerServerOptions } from './broker-server.ts'
import { startBroker } from './broker-server.ts'
import type { StreamOptions } from './component-stream.ts'
import { ComponentStream } from './component-stream.ts'

export interface OpenBrokers {
  readonly start: (options?: BrokerServerOptions) => Promise<BrokerServer>
  /** Opens and registers a stream. */
  readonly subscribe: (server: BrokerServer, options?: StreamOptions) => Promise<ComponentStream>
  /** Opens a stream without registering it. */
  readonly open: (server: BrokerServer, options?: StreamOptions) => ComponentStream
  /** Adds a function that runs after the test, in reverse order. */
  readonly add: (closing: () => Promise<void>) => void
}

/** Call once per file. */
export function openBrokers(): OpenBrokers {
  const closers: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
  const opened = (stream: ComponentStream): ComponentStream => {
    closers.push(async () => stream.destroy())
    return stream
  }
  return {
    start: async options => {
      const server = await startBroker(options)
      closers.push(() => server.close())
      return server
    },
    subscribe: async (server, options) => opened(await ComponentStream.subscribe(server.port, options)),
    open: (server, options) => opened(new ComponentStream(server.port, options)),
    add: closing => closers.push(closing),
  }
}

/** Waits until the condition is true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 2))
}
