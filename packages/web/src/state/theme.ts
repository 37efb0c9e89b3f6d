// The theme: the user's choice, or the setting of the system.
import type { Theme } from '../draw/theme.ts'
import { computed, effect, signal } from '@preact/signals'

export type ThemeChoice = 'system' | 'light' | 'dark'

const KEY = 'hearth.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(dark.matches)
dark.addEventListener('change', event => {
  systemIsDark.value = event.matches
})

export const themeChoice = signal<ThemeChoice>(kept())

export const theme = computed<Theme>(() => {
  if (themeChoice.value !== 'system') return themeChoice.value
  return systemIsDark.value ? 'dark' : 'light'
})

/** Applies the theme to the document, now and on every change. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value
  })
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // Without storage, the choice lasts as long as the tab.
  }
}

function kept(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}
