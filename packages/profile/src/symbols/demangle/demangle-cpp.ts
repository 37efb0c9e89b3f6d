// C++ names as the Itanium ABI mangles them (GCC, Clang, everywhere but MSVC), spelled as c++filt does.
import { CppNameParser } from './cpp-name-parser.ts'
import { printCpp } from './cpp-printer.ts'
import { MangledError } from './mangled-cursor.ts'

/** The maximum length of a mangled name. Real names of 60 KB exist, but are unreadable when demangled too. */
const MAX_INPUT = 1 << 16

/** Returns undefined if the text is not a mangled C++ name or is too long. Never throws. */
export function demangleCpp(name: string): string | undefined {
  // Mach-O puts one more underscore in front.
  const start = name.startsWith('_Z') ? 2 : name.startsWith('__Z') ? 3 : 0
  if (start === 0 || name.length > MAX_INPUT) return undefined
  const parser = new CppNameParser(name, start, false)
  const text = demangledText(parser)
  return text === undefined && parser.isAmbiguous ? demangledText(new CppNameParser(name, start, true)) : text
}

function demangledText(parser: CppNameParser): string | undefined {
  try {
    return printCpp(parser.mangledName())
  } catch (error) {
    if (error instanceof MangledError) return undefined
    throw error
  }
}
