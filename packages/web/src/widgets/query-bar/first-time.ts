// The start of all stored data.
import { timeText } from '../../address/time-range.ts'
import { loadTime } from '../../state/load-time.ts'
import { client } from '../../state/session.ts'
import { millisOf } from '../format-time.ts'

const HOUR = 3_600_000

/** The time of the first item of any signal, or an hour ago if there is none. */
export async function firstTime(): Promise<string> {
  const { first } = await client.peek().query('dataRange', {})
  return timeText(first === undefined ? loadTime.peek() - HOUR : millisOf(first) - 1000)
}
