// Whether views of time show the time of day or the time since their start.
import { computed } from '@preact/signals'
import { stored } from './stored.ts'

const choice = stored('times', 'clock')

export const showsClock = computed(() => choice.value !== 'elapsed')

export function showClock(shown: boolean): void {
  choice.value = shown ? 'clock' : 'elapsed'
}
