// The line of its file at which a frame is shown. A frame for a whole function has no line of its own. Its line is then
// where the function is declared, or the only line at which samples were taken.
import type { LocationFrames } from '../../analyze/stacks/location-frames.ts'
import type { LocationIndex } from '../../model/columns/brand.ts'

/** 0n if no line is known. */
export function frameLines(table: LocationFrames): (frame: number) => bigint {
  const { by, inlined } = table.grouping
  if (by === 'line' || by === 'address') return frame => table.line(frame) ?? 0n
  const lines = new Map<number, bigint>()
  if (by !== 'function') return () => 0n
  const { locations, functions } = table.dictionary
  for (let i = 0; i < locations.length; i++) {
    const from = locations.linesFrom(i as LocationIndex)
    const to = locations.linesTo(i as LocationIndex)
    const firstFrame = i === 0 ? 0 : table.end[i - 1]
    for (let k = inlined ? from : Math.max(from, to - 1); k < to; k++) {
      const frame = table.frames[firstFrame + (inlined ? k - from : 0)]
      const declared = functions.startLine(locations.lines.function(k))
      const line = declared > 0n ? declared : locations.lines.line(k)
      const known = lines.get(frame)
      lines.set(frame, known === undefined || known === line ? line : 0n)
    }
  }
  return frame => lines.get(frame) ?? 0n
}
