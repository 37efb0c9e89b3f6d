// Uploads of debug files, one after another.
import { useRef, useState } from 'preact/hooks'
import { client } from '../../state/session.ts'

export interface Upload {
  readonly id: number
  readonly name: string
  readonly state: 'sending' | 'done' | 'failed'
  readonly message: string
}

const CONTENTS = {
  lines: 'names, files and lines',
  names: 'names of functions',
  none: 'a part of other files',
} as const

/** `onStored` is called after each stored file. */
export function useUploads(onStored: () => void): {
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
} {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const last = useRef<Promise<void>>(Promise.resolve())
  const next = useRef(0)
  const send = async (id: number, file: File): Promise<void> => {
    const end = (state: Upload['state'], message: string): void =>
      setUploads(all => all.map(each => (each.id === id ? { ...each, state, message } : each)))
    try {
      const { quality, code, sources } = await client.peek().uploadSymbols(file, { name: file.name, code: true })
      end('done', sources === undefined ? CONTENTS[quality] : `${sources} source files`)
      if (quality === 'none' && code !== undefined) end('done', 'code, without names')
      onStored()
    } catch (error) {
      end('failed', error instanceof Error ? error.message : String(error))
    }
  }
  const add = (files: readonly File[]): void => {
    for (const file of files) {
      const id = next.current++
      setUploads(all => [...all, { id, name: file.name, state: 'sending', message: '' }])
      last.current = last.current.then(() => send(id, file))
    }
  }
  return { uploads, add }
}
