// A flame graph as SVG text: the boxes of the canvas, each with a title that describes it.
import { ROOT } from '@hearth/profile'
import { boxText } from './describe.ts'
import type { Scene } from './paint.ts'
import { PADDING, boxColour, rowTop, textColour } from './paint.ts'
import { MERGED } from './visible-boxes.ts'

/** Writes the scene at a pixel ratio of 1. */
export function svgText(scene: Scene, title: string, fontFamily: string): string {
  const { width, height, boxes, surfaces } = scene
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:${scene.fontSize}px ${escaped(fontFamily.replaceAll('"', "'"))}}</style>`,
    `<rect width="${width}" height="${height}" fill="${surfaces.paper}"/>`,
  ]
  for (let i = 0; i < boxes.length; i++) lines.push(boxElement(scene, i))
  lines.push('</svg>', '')
  return lines.join('\n')
}

function boxElement(scene: Scene, i: number): string {
  const { boxes, layout, width, rowHeight, fontSize } = scene
  const node = boxes.node[i]
  const x = Math.max(0, boxes.x[i])
  const wide = Math.min(width, boxes.x[i] + boxes.width[i]) - x
  const y = rowTop(scene, boxes.row[i])
  const shown = Math.max(0.3, wide > 3 ? wide - 1 : wide)
  const rect = `<rect x="${short(x)}" y="${y}" width="${short(shown)}" height="${rowHeight - 1}" fill="${boxColour(scene, node)}"/>`
  if (node === MERGED) return rect
  const title = `<title>${escaped(boxText(layout.tree, node))}</title>`
  const room = wide - 2 * PADDING
  const text =
    node === ROOT ? scene.rootLabel : room < 3 * PADDING ? '' : scene.labels.fit(layout.tree.frame[node], room)
  if (text === '') return `<g>${title}${rect}</g>`
  const baseline = y + Math.round((rowHeight - 1) / 2 + fontSize * 0.34)
  const label = `<text x="${short(x + PADDING)}" y="${baseline}" fill="${textColour(scene, node)}">${escaped(text)}</text>`
  return `<g>${title}${rect}${label}</g>`
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** XML cannot represent most control characters. */
function escaped(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}
