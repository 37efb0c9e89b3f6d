// The bytes of a folded file as UTF-8, without its byte order mark.
import type { Utf8Text } from '../../wire/utf16.ts'
import { utf16ToUtf8 } from '../../wire/utf16.ts'

export interface FoldedText extends Utf8Text {
  /** The start of the text, after the byte order mark. */
  readonly from: number
}

export function openText(file: Uint8Array): FoldedText {
  const text = utf16ToUtf8(file)
  if (text !== undefined) return { ...text, from: 0 }
  const marked = file.length >= 3 && file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf
  return { bytes: file, from: marked ? 3 : 0, broken: 0, sourceOffset: at => at }
}
