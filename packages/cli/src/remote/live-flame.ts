// A flame graph that is asked for again and again until somebody has seen enough. A server that goes away is waited for: what
// it said last stays, with the time at which it said so.
import { setTimeout as pause } from 'node:timers/promises'
import type { FlameGraphResponse } from '@hearth/client'
import type { Context } from '../context.ts'
import { countOf } from '../terminal/count-text.ts'
import { flameLines } from '../render/flame-lines.ts'
import { clipped, printable } from '../terminal/printable.ts'
import type { RemoteNames } from './remote-tree.ts'
import { remoteTree } from './remote-tree.ts'
import { Screen } from '../terminal/screen.ts'
import { sumText } from '../files/select-profiles.ts'
import type { ColorDepth } from '../terminal/terminal.ts'

export interface LiveFlame extends RemoteNames {
  /** What is asked for, for the first line. */
  readonly title: string
  readonly colors: ColorDepth
  readonly minPercent: number | undefined
  /** Between two questions. */
  readonly everyMs: number
  ask(signal: AbortSignal): Promise<FlameGraphResponse>
}

/** A server that takes connections and says nothing is as good as gone. */
const PATIENCE_MS = 20_000
/** The first line, an empty one, and the last. */
const OTHER_LINES = 3

/** Throws what the first question throws, and later only what asking again will not mend. */
export async function liveFlame(view: LiveFlame, context: Context): Promise<void> {
  const ended = new AbortController()
  const forget = context.onStop(() => ended.abort())
  const screen = new Screen(context.stdout)
  let shown: Shown | undefined
  const resized = (): void => {
    // A terminal that is gone is noticed by the next drawing.
    if (shown !== undefined) void screen.draw(linesOf(shown, view, screen)).catch(() => undefined)
  }
  context.stdout.on?.('resize', resized)
  try {
    while (!ended.signal.aborted) {
      try {
        const asked = view.ask(AbortSignal.any([ended.signal, AbortSignal.timeout(PATIENCE_MS)]))
        const answer = await (shown === undefined ? context.progress.during(`asking for ${view.title}`, asked) : asked)
        shown = { answer, time: clock(), fault: undefined }
      } catch (error) {
        if (ended.signal.aborted) return
        const fault = passing(error)
        if (shown === undefined || fault === undefined) throw error
        shown = { ...shown, fault }
      }
      context.progress.done()
      await screen.draw(linesOf(shown, view, screen))
      await pause(view.everyMs, undefined, { signal: ended.signal }).catch(() => undefined)
    }
  } finally {
    context.stdout.off?.('resize', resized)
    forget()
    await screen.close()
  }
}

interface Shown {
  readonly answer: FlameGraphResponse
  /** When it was answered. */
  readonly time: string
  /** Why there is nothing newer. */
  readonly fault: string | undefined
}

function linesOf({ answer, time, fault }: Shown, view: LiveFlame, screen: Screen): string[] {
  const { columns: width, rows } = screen
  const room = Math.max(0, rows - OTHER_LINES)
  const { type, unit, profiles } = answer
  const { colors, minPercent } = view
  const tree = remoteTree(answer, view)
  const all = profiles === 0 ? ['Nothing yet.'] : flameLines(tree, { unit, colors, width, minPercent })
  const heading = sumText(type, unit, tree.sum, profiles)
  const below = all.length > room ? `${countOf(all.length - room, 'line')} more below; ` : ''
  const every = `asked every ${view.everyMs / 1000} s`
  const last =
    fault === undefined
      ? `${time}  ${below}${every}; Ctrl-C ends`
      : `${time}, nothing newer: ${fault}; ${every}; Ctrl-C ends`
  const lines = [`${heading}  ${view.title}`, '']
  return [
    ...lines.map(line => clipped(printable(line), width)),
    ...all.slice(0, room),
    // So that the last line is at the bottom, where it does not jump.
    ...Array<string>(Math.max(0, room - all.length)).fill(''),
    clipped(printable(last), width),
  ].slice(-rows)
}

/** What may be over by the next question, in words; undefined for what will be the same then. */
function passing(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TimeoutError') return `no answer in ${PATIENCE_MS / 1000} s`
  if (error.name === 'UnreachableError') return error.message
  // A service that has been silent for as long as the range: what it had is no more, and may come again.
  if ('code' in error && error.code === 'unknown-attribute') return error.message
  const status = 'status' in error ? error.status : undefined
  return typeof status === 'number' && (status >= 500 || status === 429) ? error.message : undefined
}

/** `14:02:11`, as the clock of the person says. */
function clock(): string {
  return new Date().toTimeString().slice(0, 8)
}
