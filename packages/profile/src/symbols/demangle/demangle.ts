// Demangles Rust and C++ names. The raw name is kept as the function's system name.
import type { FunctionIndex, StringIndex } from '../../model/columns/brand.ts'
import type { StringTable } from '../../model/columns/dictionary.ts'
import { FUNCTION_STRIDE } from '../../model/columns/dictionary.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { demangleCpp } from './demangle-cpp.ts'
import { demangleRust } from './demangle-rust.ts'
import { DictionaryEdit } from '../dictionary-edit.ts'

/** Returns undefined if the name is not mangled. Never throws. */
export function demangle(name: string): string | undefined {
  // Disassemblers add suffixes: `_ZN3foo3barEv@plt`, `_ZSt4cout@@GLIBCXX_3.4`.
  const at = name.indexOf('@')
  const symbol = at > 0 ? name.slice(0, at) : name
  const text = demangleRust(symbol) ?? demangleCpp(symbol)
  return text === undefined || at <= 0 ? text : text + name.slice(at)
}

/**
 * Demangles the names of functions and returns how many it changed. A function whose system name is neither
 * empty nor its name keeps both, because the raw name would be lost.
 */
export function demangleNames(profiles: Profiles): { readonly profiles: Profiles; readonly count: number } {
  const { strings, functions } = profiles.dictionary
  let edit: DictionaryEdit | undefined
  let count = 0
  for (let i = 0 as FunctionIndex; i < functions.length; i++) {
    const systemName = functions.systemName(i)
    const name = strings.byteLength(functions.name(i)) === 0 ? systemName : functions.name(i)
    if (!mayBeMangled(strings, name)) continue
    const raw = strings.text(name)
    if (strings.byteLength(systemName) !== 0 && strings.text(systemName) !== raw) continue
    const text = demangle(raw)
    if (text === undefined) continue
    edit ??= new DictionaryEdit(profiles)
    const row = edit.functions.array
    row[i * FUNCTION_STRIDE] = edit.string(text)
    row[i * FUNCTION_STRIDE + 1] = name
    count++
  }
  return { profiles: edit?.finish() ?? profiles, count }
}

/** Checks the first bytes, so that plain names need not be decoded: `_Z`, `_R`, with an optional extra underscore. */
function mayBeMangled(strings: StringTable, i: StringIndex): boolean {
  const { bytes } = strings
  const length = strings.byteLength(i)
  const offset = strings.offset(i)
  if (length < 3 || bytes[offset] !== 0x5f) return false
  const second = bytes[offset + 1] === 0x5f ? bytes[offset + 2] : bytes[offset + 1]
  return second === 0x5a || second === 0x52
}
