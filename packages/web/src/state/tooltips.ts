// Whether tooltips are shown for boxes. The line below the graph always shows details.
import { computed } from '@preact/signals'
import { stored } from './stored.ts'

const choice = stored('tooltips', 'yes')

export const tooltips = computed(() => choice.value !== 'no')

export function showTooltips(shown: boolean): void {
  choice.value = shown ? 'yes' : 'no'
}
