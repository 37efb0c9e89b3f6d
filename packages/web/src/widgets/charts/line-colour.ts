// Colours of the lines of a chart. They are apart from the chart, which is loaded when it is needed.

const HUES = [45, 245, 150, 300, 95, 200, 350, 20]

export function lineColour(line: number, theme: 'light' | 'dark'): string {
  const hue = HUES[line % HUES.length]
  return theme === 'dark' ? `oklch(0.75 0.13 ${hue})` : `oklch(0.58 0.15 ${hue})`
}
