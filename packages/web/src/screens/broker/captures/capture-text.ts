// Descriptions of a capture, and the form fields that repeat it.
import type { Capture } from '@hearth/client'
import type { CaptureDraft } from '../../../address/broker-route.ts'
import { EMPTY_DRAFT } from '../../../address/broker-route.ts'
import { durationText } from '../../../address/time-range.ts'
import { formatLength, millisOf } from '../../../widgets/format-time.ts'

/** The length of the captured time, in milliseconds. */
export function lengthOfCapture({ lookBack, durationMs }: Capture): number {
  return lookBack === undefined ? durationMs : millisOf(BigInt(lookBack.to) - BigInt(lookBack.from))
}

/** `cpu, 10 s` or `cpu, past 10 s`. */
export function captureText(capture: Capture): string {
  const length = formatLength(lengthOfCapture(capture))
  return `${capture.type}, ${capture.lookBack === undefined ? '' : 'past '}${length}`
}

/** Returns the name of the trigger that requested the capture. Undefined if a user did. */
export function triggerOf({ by }: Pick<Capture, 'by'>): string | undefined {
  return by.startsWith('trigger ') ? by.slice('trigger '.length) : undefined
}

export function captureDraftOf(capture: Capture): CaptureDraft {
  const { service, environment = '', instance = '', all, type, lookBack, frequencyHz, reason } = capture
  return {
    ...EMPTY_DRAFT,
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
