// The position of a frame in a few words.
import type { FrameTable } from '@hearth/profile'

/** `src/gc.ts:12`, or the mapping if the source is unknown. For a frame that is not a function: its attribute key. */
export function placeText(frames: FrameTable, frame: number): string {
  const attribute = frames.attribute?.[frame] ?? ''
  if (attribute !== '') return attribute
  const file = frames.file[frame]
  if (file === '') return frames.mapping[frame]
  const line = frames.line[frame]
  return line === '' ? file : `${file}:${line}`
}
