// Messages between brokers other than events: heartbeats, changes and component lists. They are JSON, so that people can
// read them while debugging. Invalid messages are ignored.
import { z } from 'zod'
import type { LiveComponent } from '../components/live-component.ts'

const text = z.string()
const number = z.number()

const component = z.object({ type: text, app: text, name: text, hash: text, id: text, brokerId: text })

const live = z.object({
  tenant: text,
  component,
  environment: text,
  profileTypes: z.array(text),
  attributes: z.record(text, text),
  routes: z.array(z.object({ id: number, rule: text, priority: number })),
  defaultHandler: z.boolean(),
  since: z.iso.datetime(),
  load: z.object({ queued: number, inFlight: number, received: number, sent: number, dropped: number }),
})

/** `version` counts joins and leaves, so that a receiver notices when it missed one. */
const beat = z.object({ version: number, bye: z.boolean().optional() })
const change = z.object({ version: number, joined: live.optional(), left: component.optional() })
const listRequest = z.object({ tenant: text.optional(), from: number })
const listResponse = z.object({ version: number, components: z.array(live), next: number.optional() })

export type Change = z.infer<typeof change>

function reader<T>(schema: z.ZodType<T>): (data: Uint8Array) => T | undefined {
  return data => {
    try {
      const parsed = schema.safeParse(JSON.parse(Buffer.from(data).toString('utf8')))
      return parsed.success ? parsed.data : undefined
    } catch {
      return undefined
    }
  }
}

export const readBeat = reader(beat)
export const readChange = reader(change)
export const readListRequest = reader(listRequest)
export const readListResponse = reader(listResponse)

export function remoteComponent(sent: z.infer<typeof live>): LiveComponent {
  return { ...sent, since: new Date(sent.since), remote: true }
}

/** Writes as many components from index `from` on as fit into `maxBytes`, but at least one. */
export function writeList(
  version: number,
  components: readonly LiveComponent[],
  from: number,
  maxBytes: number,
): Uint8Array {
  const texts: string[] = []
  let bytes = 0
  let at = from
  for (; at < components.length; at++) {
    const next = JSON.stringify(components[at])
    bytes += Buffer.byteLength(next) + 1
    if (bytes > maxBytes && texts.length > 0) break
    texts.push(next)
  }
  const next = at < components.length ? `,"next":${at}` : ''
  return Buffer.from(`{"version":${version},"components":[${texts.join(',')}]${next}}`)
}
