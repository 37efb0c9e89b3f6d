// Icons on a grid of 16 with one line width.
import type { JSX } from 'preact'

const PATHS = {
  refresh: 'M13 3v4H9M13 7a5.5 5.5 0 1 0 .3 3.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  zoomOut: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14M4.5 7h5',
  close: 'm4 4 8 8m0-8-8 8',
  down: 'm4 6 4 4 4-4',
  up: 'm4 10 4-4 4 4',
  back: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  plus: 'M8 3v10M3 8h10',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  help: 'M5.7 6a2.3 2.3 0 1 1 3.3 2.1c-.7.3-1 .8-1 1.4V10M8 12.5v.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3l2 2',
  swap: 'M3 5h9m-3-3 3 3-3 3M13 11H4m3-3-3 3 3 3',
  download: 'M8 2v8m-3.5-3L8 10.5 11.5 7M3 13.5h10',
  link: 'M6.5 9.5a3 3 0 0 0 4.2 0l2-2a3 3 0 0 0-4.2-4.2l-.7.7M9.5 6.5a3 3 0 0 0-4.2 0l-2 2a3 3 0 0 0 4.2 4.2l.7-.7',
  file: 'M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5',
  bookmark: 'M4 2h8v12l-4-3-4 3z',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14a5.5 5.5 0 0 1 11 0',
  warning: 'M8 2 1.5 13.5h13zM8 6.5V10m0 1.7v.3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={PATHS[name]} stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  )
}
