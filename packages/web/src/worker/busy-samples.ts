// Finds samples that are not from idle processors or threads.
import type { Profiles, StackIndex } from '@hearth/profile'
import { IDLE_FRAME, locationFrames } from '@hearth/profile'

export function busySamples({ dictionary, samples }: Profiles): (sample: number) => boolean {
  const { stacks } = dictionary
  const table = locationFrames(dictionary, { by: 'function', inlined: true })
  const { end, frames } = table
  const idle = new RegExp(`^(?:${IDLE_FRAME})$`, 's')
  const isIdleFrame = Uint8Array.from({ length: table.length }, (_, frame) => Number(idle.test(table.name(frame))))
  const isIdle = new Uint8Array(stacks.length)
  for (let stack = 1; stack < stacks.length; stack++) {
    for (let k = stacks.from(stack as StackIndex), to = stacks.to(stack as StackIndex); k < to; k++) {
      const location = stacks.locations.at(k)
      const first = location === 0 ? 0 : end[location - 1]
      for (let f = first; f < end[location]; f++) isIdle[stack] |= isIdleFrame[frames[f]]
    }
  }
  return sample => isIdle[samples.stack(sample)] === 0
}
