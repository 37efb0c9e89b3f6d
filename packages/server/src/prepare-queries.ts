// Reads the data of the first queries after a start. The server says that it is ready when they are fast.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from './store/store.ts'

/** The longest time for which a start waits for the data. */
const MAX_PREPARE_MS = 5000

/** Waits for `warmUp` if anything is stored, at most MAX_PREPARE_MS. */
export async function prepareQueries(
  store: Pick<Store, 'settled' | 'engine'>,
  warmUp: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  const late = new AbortController()
  try {
    await store.settled()
    const prepared = warmUp().catch(onError)
    const { rows } = await store.engine.select('SELECT 1 FROM profiles LIMIT 1')
    if (rows === 0) return
    const limit = sleep(MAX_PREPARE_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
    await Promise.race([prepared, limit])
  } catch (error) {
    onError(error)
  } finally {
    late.abort()
  }
}
