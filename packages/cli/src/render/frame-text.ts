// Where a frame is, in a few words.
import type { FrameTable } from '@hearth/profile'

/** `src/gc.ts:12`; the mapping where the source is not known. For what is no function, the attribute of which it is a value. */
export function placeText(frames: FrameTable, frame: number): string {
  const attribute = frames.attribute?.[frame] ?? ''
  if (attribute !== '') return attribute
  const file = frames.file[frame]
  if (file === '') return frames.mapping[frame]
  const line = frames.line[frame]
  return line === '' ? file : `${file}:${line}`
}
