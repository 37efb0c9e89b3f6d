// The demo data of the server: whether it is there, and how to load and remove it.
import { signal } from '@preact/signals'
import { refresh } from './load-time.ts'
import { client, handleUnauthorized } from './session.ts'

const POLL_MS = 500

export interface DemoData {
  readonly state: 'none' | 'loading' | 'live' | 'removing'
  /** The message of the last failure. */
  readonly error?: string
}

/** Undefined until the server has responded, and for servers without demo data. */
export const demoData = signal<DemoData | undefined>(undefined)

export async function checkDemo(): Promise<void> {
  try {
    const { state } = await client.peek().act('demo', {})
    demoData.value = { state }
    const next = await settled(state)
    if (next === state) return
    demoData.value = { state: next }
    refresh()
  } catch (error) {
    // Screens show why the server does not respond.
    handleUnauthorized(error)
  }
}

/** Resolves when the history is there. */
export async function loadDemo(): Promise<void> {
  await change('loading', async () => {
    const { state } = await client.peek().act('loadDemo', {})
    return await settled(state)
  })
}

/** Resolves when queries do not see the data any more. */
export async function removeDemo(): Promise<void> {
  await change('removing', async () => {
    const { state } = await client.peek().act('removeDemo', {})
    return await settled(state)
  })
}

/** Waits while the server loads or removes the data. */
async function settled(state: DemoData['state']): Promise<DemoData['state']> {
  let now = state
  while (now === 'loading' || now === 'removing') {
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
    now = (await client.peek().act('demo', {})).state
  }
  return now
}

async function change(meanwhile: DemoData['state'], work: () => Promise<DemoData['state']>): Promise<void> {
  const before = demoData.peek()?.state ?? 'none'
  demoData.value = { state: meanwhile }
  try {
    demoData.value = { state: await work() }
    refresh()
  } catch (error) {
    handleUnauthorized(error)
    demoData.value = { state: before, error: error instanceof Error ? error.message : String(error) }
  }
}
