// The machine code of one function with the cost of each instruction.
import { baseName, formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { DisassembledFunction, ProfileSource, TopColumns } from '../../api/profile-source.ts'
import type { View } from '../../address/view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { isNativeType } from '../../tree/native-code.ts'
import { Progress } from '../controls/progress.tsx'
import { SplitHandle } from '../controls/split-handle.tsx'
import { Failure } from '../failure.tsx'
import { frameAt } from '../top-table/top-table.tsx'

export interface InstructionsViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly table: JSX.Element | undefined
  readonly top: TopColumns | undefined
}

export function InstructionsView({ source, view, table, top }: InstructionsViewProps): JSX.Element {
  const name = view.frame !== '' || top === undefined ? view.frame : firstNative(top)
  const key = name === '' ? undefined : `${source.key}:instructions:${name}`
  const loaded = useLoaded(key, async signal => await source.disassembly?.(name, signal))
  const { value } = loaded
  return (
    <div class="instructions split column-if-narrow">
      <div class="profile-table">{table}</div>
      <SplitHandle name="table" first={0.4} label="Size of the table" />
      <div class="instructions-code lines scrolls" tabIndex={0} role="region" aria-label="Instructions">
        <Progress of={loaded} what="Loading instructions" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : (
          value !== undefined && (
            <>
              {value.functions.length === 0 && (
                <p class="profile-hint muted">
                  {name} has no code of its own: it is not native code, or its binary has no symbols.
                </p>
              )}
              {value.functions.map(each => (
                <FunctionCode key={each.start} code={each} unit={value.unit} sum={value.sum} />
              ))}
            </>
          )
        )}
      </div>
    </div>
  )
}

/** The function of native code with the largest self value. Names of the kernel and of interpreters were sent without code. */
function firstNative(top: TopColumns): string {
  for (let row = 0; row < top.length; row++) {
    const frame = top.frame[row]
    const name = top.frames.name[frame]
    if (isNativeType(top.frames.type[frame]) && !name.startsWith('[')) return name
  }
  return top.length === 0 ? '' : frameAt(top, 0).name
}

interface FunctionCodeProps {
  readonly code: DisassembledFunction
  readonly unit: string
  readonly sum: bigint
}

function FunctionCode({ code, unit, sum }: FunctionCodeProps): JSX.Element {
  const { instructions } = code
  const most = Math.max(1, ...instructions.map(({ self }) => Number(self)))
  return (
    <section aria-label={code.name}>
      <div class="lines-heading">
        <span class="code">{code.name}</span>
        <span class="muted">
          {code.binary} {code.start}–{code.end}
          {code.machine !== undefined && `, ${code.machine}`}
        </span>
      </div>
      {code.machine === undefined ? (
        <p class="lines-why muted">
          The server has the symbols of {code.binary}, but not its code. Upload it with{' '}
          <code>hearth symbols upload {code.binary} --code</code>.
        </p>
      ) : (
        <table class="plain-table has-text">
          <thead>
            <tr>
              <th scope="col" class="number">
                Address
              </th>
              <th scope="col" class="number">
                Self
              </th>
              <th scope="col" class="number">
                %
              </th>
              <th scope="col" class="number">
                Total
              </th>
              <th scope="col">Instruction</th>
              <th scope="col">Line</th>
            </tr>
          </thead>
          <tbody>
            {instructions.map(({ address, text, self, total, file, line }, i) => {
              const isSameLine = i > 0 && instructions[i - 1].line === line && instructions[i - 1].file === file
              return (
                <tr key={address}>
                  <td class="number code muted">{address}</td>
                  <td class="number">{self !== 0n && formatValue(self, unit)}</td>
                  <td class="number muted">{self !== 0n && formatShare(self, sum)}</td>
                  <td class="number">{total !== 0n && formatValue(total, unit)}</td>
                  <td
                    class="code lines-function lines-text"
                    style={{ '--share': `${((100 * Math.max(0, Number(self))) / most).toFixed(2)}%` }}
                  >
                    {text}
                  </td>
                  <td class="code muted" title={file}>
                    {line > 0 && !isSameLine && `${baseName(file)}:${line}`}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {code.skippedBytes > 0 && <p class="lines-why muted">{code.skippedBytes} more bytes of code are not shown.</p>}
    </section>
  )
}
