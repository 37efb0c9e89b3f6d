// The top table of a server's response, with the line above it.
import type { TopResponse } from '@hearth/client'
import type { RemoteNames } from './remote-tree.ts'
import { readableName } from './remote-tree.ts'
import { sumText } from '../files/select-profiles.ts'
import { topLines } from '../render/top-lines.ts'

export function remoteTopLines(response: TopResponse, names: RemoteNames, width: number | undefined): string[] {
  const { type, unit, profiles, allFrames } = response
  const sum = BigInt(response.sum)
  const rows = response.rows.map(
    ({ frame: { name, file = '', line, mapping = '', attribute = mapping }, self, total }) => ({
      self: BigInt(self),
      total: BigInt(total),
      name: readableName(name, names),
      place: file === '' ? attribute : line === undefined ? file : `${file}:${line}`,
    }),
  )
  return [
    sumText(type, unit, sum, profiles, response.snapshots),
    '',
    ...topLines(rows, { sum, unit, all: allFrames }, width),
  ]
}
