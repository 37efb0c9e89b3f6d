// What a capture was asked for, in words and as a wish for the same again.
import type { Capture } from '@hearth/client'
import type { CaptureWish } from '../../../address/broker-route.ts'
import { NO_WISH } from '../../../address/broker-route.ts'
import { durationText } from '../../../address/time-range.ts'
import { millisOf } from '../../../widgets/format-time.ts'

/** How long the time is that it is about, in milliseconds. */
export function lengthOfCapture({ lookBack, durationMs }: Capture): number {
  return lookBack === undefined ? durationMs : millisOf(BigInt(lookBack.to) - BigInt(lookBack.from))
}

/** `10s of cpu`, `the last 10s of cpu`. */
export function captureText(capture: Capture): string {
  const length = durationText(lengthOfCapture(capture))
  return `${capture.lookBack === undefined ? '' : 'the past '}${length} of ${capture.type}`
}

/** Who asked: a token's name, or the trigger. */
export function triggerOf({ by }: Pick<Capture, 'by'>): string | undefined {
  return by.startsWith('trigger ') ? by.slice('trigger '.length) : undefined
}

export function wishOf(capture: Capture): CaptureWish {
  const { service, environment = '', instance = '', all, type, lookBack, frequencyHz, reason } = capture
  return {
    ...NO_WISH,
    service,
    environment,
    instance,
    all,
    type,
    duration: durationText(lengthOfCapture(capture)),
    time: lookBack === undefined ? 'next' : 'last',
    frequency: frequencyHz === undefined ? '' : String(frequencyHz),
    reason: triggerOf(capture) === undefined ? reason : '',
  }
}
