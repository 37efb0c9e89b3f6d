// The changed frames of a diff that a server sent as a call tree.
import type { ChangesResponse, CompareTracesResponse, DiffResponse, DiffSide } from '@hearth/client'
import type { CallTree, Judgement, TopTable } from '@hearth/profile'
import {
  compareTexts,
  judgeDeviations,
  judgeRate,
  perRequest,
  requestDeviations,
  topOfTree,
  treeOfDiffJson,
} from '@hearth/profile'
import type { Change, ChangedFrame, ChangedFrames, ComparedSide } from './changed-frames.ts'
import { byMagnitude } from './changed-frames.ts'
import { changeOf } from './file-changes.ts'
import { placeText } from '../render/frame-text.ts'
import type { RemoteNames } from '../remote/remote-tree.ts'
import { readableName } from '../remote/remote-tree.ts'

export interface RemoteChangesOptions extends RemoteNames {
  readonly normalise?: boolean
}

/** `compared` has the significance of the same ranges. */
export function remoteChanges(
  response: DiffResponse,
  options: RemoteChangesOptions,
  compared?: ChangesResponse,
): ChangedFrames {
  const changes = changesOf(response, treeOfDiffJson(response), options, changeOf)
  if (compared === undefined || compared.runs.before === 0 || compared.runs.after === 0) return changes
  const keyOf = (name: string, file: string, line: string | undefined): string => `${name}\n${file}\n${line ?? ''}`
  const known = new Map(
    compared.rows.map(({ name, file, line, self, total }) => [
      keyOf(readableName(name, options), file, line),
      { self: judgeRate(self.q), total: judgeRate(total.q) },
    ]),
  )
  return {
    ...changes,
    rows: changes.rows.map(row => {
      const significance = known.get(keyOf(row.name, row.file, row.line))
      return significance === undefined ? row : { ...row, significance }
    }),
  }
}

/** The changes between fast and slow requests, in values per request, with their significance. */
export function requestChanges({ diff, fast, slow }: CompareTracesResponse): ChangedFrames {
  // The server has scaled the fast requests to the number of slow ones.
  const tree = perRequest(treeOfDiffJson(diff), slow.traces)
  const judgeChange: JudgeChange = (before, after) =>
    judgeDeviations(
      requestDeviations(
        { value: before, sum: fast.perTrace, samples: fast.samples, requests: fast.traces },
        { value: after, sum: slow.perTrace, samples: slow.samples, requests: slow.traces },
      ),
    )
  const side = (compared: ComparedSide, { perTrace, traces }: CompareTracesResponse['slow']): ComparedSide => ({
    ...compared,
    sum: perTrace,
    requests: traces,
  })
  const changes = changesOf(diff, tree, {}, averageChange, judgeChange)
  return { ...changes, before: side(changes.before, fast), after: side(changes.after, slow) }
}

/** A change of values per request. A function that occurs in few requests has less than one unit of each. */
function averageChange({ before, ...after }: TopTable, i: number, value: 'self' | 'total'): Change {
  const [was, is] = [before![value][i], after[value][i]]
  return { before: was, after: is, delta: is - was }
}

type JudgeChange = (before: number, after: number) => Judgement

function changesOf(
  response: DiffResponse,
  tree: CallTree,
  options: RemoteChangesOptions,
  changeIn: typeof changeOf,
  judgeChange?: JudgeChange,
): ChangedFrames {
  const { before, after, nodes, scale } = response
  const top = topOfTree(tree)
  const presence = new Uint8Array(top.frames.length)
  for (const [i, frame] of nodes.frame.entries()) presence[frame] |= nodes.presence[i]
  const rows = Array.from(top.frame, (frame, i): ChangedFrame => {
    const line = top.frames.line[frame]
    return {
      name: readableName(top.frames.name[frame], options),
      file: top.frames.file[frame],
      line: line === '' ? undefined : line,
      place: placeText(top.frames, frame),
      presence: presence[frame] === 1 ? 'vanished' : presence[frame] === 2 ? 'new' : 'both',
      self: changeIn(top, i, 'self'),
      total: changeIn(top, i, 'total'),
      ...(judgeChange && {
        significance: {
          self: judgeChange(top.before!.self[i], top.self[i]),
          total: judgeChange(top.before!.total[i], top.total[i]),
        },
      }),
    }
  })
  return {
    before: comparedSide(before),
    after: comparedSide(after),
    normalised: options.normalise === true,
    scale,
    rows: rows.sort(
      (a, b) =>
        byMagnitude(a.self.delta, b.self.delta) ||
        byMagnitude(a.total.delta, b.total.delta) ||
        compareTexts(a.name, b.name) ||
        compareTexts(a.place, b.place),
    ),
    hidden: after.hidden.nodes,
  }
}

function comparedSide({ type, unit, sum, profiles, snapshots }: DiffSide): ComparedSide {
  return { type, unit, sum: BigInt(sum), profiles, snapshots }
}
