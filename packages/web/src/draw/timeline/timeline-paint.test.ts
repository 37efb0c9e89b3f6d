import { describe, expect, it } from 'vitest'
import { cut, shortened } from './timeline-paint.ts'

/** Every letter is 10 pixels wide. */
const pen = { measureText: (text: string) => ({ width: 10 * text.length }) as TextMetrics }

describe('shortened', () => {
  it('keeps the start and the end of a long name', () => {
    expect(shortened(pen, 'worker-1', 80)).toBe('worker-1')
    expect(shortened(pen, 'http-nio-8080-exec-12', 120)).toBe('http-…ec-12')
  })

  it('keeps two letters of a name in a very narrow space', () => {
    expect(shortened(pen, 'http-nio-8080-exec-12', 10)).toBe('h…2')
    const wide = {
      measureText: (text: string) => ({ width: text.length + 9 * text.split('W').length - 9 }) as TextMetrics,
    }
    expect(shortened(wide, 'WWWWiiiiiiiiiiiiiiii 7', 20)).toBe('W… 7')
  })
})

describe('cut', () => {
  it('cuts the end of a name, and shows nothing rather than two letters', () => {
    expect([80, 60, 30].map(room => cut(pen, 'GET /cart', room))).toEqual(['GET /ca…', 'GET /…', ''])
  })
})
