// What the page and the worker say to each other. Answers hold typed arrays, which change hands without being copied.
import type { TimelineEvents } from '../timeline/events.ts'
import type {
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Loss,
  Part,
  SandwichTrees,
  TimelineAnswer,
  TopColumns,
  TreeAnswer,
  TreeOrder,
  WrittenFile,
} from './answers.ts'

/** Profiles of one type and unit out of one file: what can be added up. */
export interface FilePart {
  readonly file: string
  /** As `cpu:ns`; empty for the first. */
  readonly type: string
  /** Only these observations. */
  readonly within?: Part
  /** Attributes whose values stand at the root of the stacks. */
  readonly roots?: readonly string[]
}

export interface FileMeasure {
  /** As `cpu:ns`. */
  readonly type: string
  readonly unit: string
  readonly profiles: number
  readonly samples: number
  readonly observations: number
  readonly total: bigint
  /** Nanoseconds since 1970 of the first profile; 0 where it is not known. */
  readonly time: bigint
  readonly duration: bigint
  /** Whether samples have times of their own. */
  readonly timed: boolean
}

export interface FileSummary {
  readonly file: string
  readonly name: string
  readonly bytes: number
  readonly format: string
  readonly formatTitle: string
  readonly confidence: 'certain' | 'possible' | 'given'
  readonly compression: string
  readonly notes: readonly Loss[]
  readonly measures: readonly FileMeasure[]
  readonly writable: readonly { readonly name: string; readonly title: string; readonly extension: string }[]
}

/** For people to read. */
export interface Property {
  readonly key: string
  readonly value: string
}

export interface Link {
  readonly traceId: string
  readonly spanId: string
}

export interface RuleProblem {
  readonly rule: string
  readonly level: string
  readonly path: string
  readonly message: string
}

export interface ProfileDetails {
  readonly type: string
  readonly unit: string
  readonly time: bigint
  readonly duration: bigint
  readonly period: string
  readonly samples: number
  readonly observations: number
  readonly total: bigint
  readonly shape: string
  readonly id: string
  readonly attributes: readonly Property[]
  readonly resource: readonly Property[]
  readonly scope: readonly Property[]
  readonly originalFormat: string
}

export interface FileDetails {
  readonly profiles: readonly ProfileDetails[]
  /** The first of them, of `allLinks`. */
  readonly links: readonly Link[]
  readonly allLinks: number
  readonly problems: readonly RuleProblem[]
}

/** Every question by its name, with what it takes and what it is answered with. */
export interface Questions {
  readonly open: {
    readonly asks: { readonly file: string; readonly name: string; readonly content: Blob }
    readonly answer: FileSummary
  }
  readonly tree: { readonly asks: { readonly part: FilePart; readonly order: TreeOrder }; readonly answer: TreeAnswer }
  readonly top: { readonly asks: { readonly part: FilePart; readonly byLine: boolean }; readonly answer: TopColumns }
  readonly sandwich: {
    readonly asks: { readonly part: FilePart; readonly frame: FrameName }
    readonly answer: SandwichTrees | undefined
  }
  /** The first thread where there is none of that key. */
  readonly timeline: {
    readonly asks: { readonly part: FilePart; readonly thread: string }
    readonly answer: TimelineAnswer
  }
  /** Of all types of the file. */
  readonly events: { readonly asks: { readonly part: FilePart }; readonly answer: TimelineEvents }
  readonly heatMap: {
    readonly asks: { readonly part: FilePart; readonly choice: HeatMapChoice }
    readonly answer: HeatMapResponse
  }
  readonly diff: {
    readonly asks: {
      readonly before: FilePart
      readonly after: FilePart
      readonly order: TreeOrder
      readonly absolute: boolean
    }
    readonly answer: TreeAnswer
  }
  readonly diffRows: {
    readonly asks: { readonly before: FilePart; readonly after: FilePart }
    readonly answer: DiffRows
  }
  /** Keys of attributes. */
  readonly attributes: { readonly asks: { readonly part: FilePart }; readonly answer: readonly string[] }
  readonly details: { readonly asks: { readonly file: string }; readonly answer: FileDetails }
  readonly write: { readonly asks: { readonly part: FilePart; readonly format: string }; readonly answer: WrittenFile }
}

export type QuestionName = keyof Questions

export interface Asked<Name extends QuestionName = QuestionName> {
  readonly id: number
  readonly name: Name
  readonly asks: Questions[Name]['asks']
}

export type Said =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } }

/** Of the error where the worker was started anew since the file was opened. */
export const UNKNOWN_FILE = 'UnknownFileError'
