export type Chromium =
  | {
      readonly kind: 'found'
      readonly path: string
    }
  | {
      readonly kind: 'missing'
      readonly why: string
    }
/** The machine, which tests replace. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isRoot: boolean
  isExecutable(path: string): boolean
  /** Returns true if the command exits with 0 within the time. */
  run(command: string, args: readonly string[], timeoutMs: number): boolean
}
/** For headless runs, also as root and without a network. */
export declare const chromiumFlags: readonly string[]
export declare function findChromium(machine: Machine): Chromium
export declare const thisMachine: Machine
//# sourceMappingURL=find-chromium.d.ts.map
