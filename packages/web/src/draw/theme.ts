// The theme of colours.
export type Theme = 'light' | 'dark'
