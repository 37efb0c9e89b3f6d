// Brokers and streams that a test opens, ended after it.
import { afterEach } from 'vitest'
import type { BrokerServer, BrokerServerOptions } from './broker-server.ts'
import { startBroker } from './broker-server.ts'
import type { StreamOptions } from './component-stream.ts'
import { ComponentStream } from './component-stream.ts'

export interface OpenBrokers {
  readonly start: (options?: BrokerServerOptions) => Promise<BrokerServer>
  /** A stream that is registered. */
  readonly subscribe: (server: BrokerServer, options?: StreamOptions) => Promise<ComponentStream>
  /** One that is not yet. */
  readonly open: (server: BrokerServer, options?: StreamOptions) => ComponentStream
  /** Whatever else is to be closed, in the opposite order of its coming. */
  readonly add: (closing: () => Promise<void>) => void
}

/** To be called once in a file. */
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

/** Until something holds that others bring about. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 2))
}
