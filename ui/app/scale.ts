// The scales and colours of everything that is shown: of the pages by their theme, and of the guide and the API reference, which
// have no library, as variables of the same names.

/** Steps of the space between and inside of things. There is no other distance. */
export const SPACING = {
  '3xs': '0.125rem',
  '2xs': '0.25rem',
  xs: '0.5rem',
  sm: '0.75rem',
  md: '1rem',
  lg: '1.5rem',
  xl: '2rem',
}

/** Sizes of text. Headings are h2 (the page), h4 (a section), h5 (a card) and h6 (a group). */
export const FONT_SIZES = {
  '2xs': '0.6875rem',
  xs: '0.75rem',
  sm: '0.875rem',
  md: '1rem',
  lg: '1.125rem',
  xl: '1.25rem',
}

/** The heading of a page. */
export const HEADING = '1.625rem'

// The accent colour, violet.
export const PLAYHEAD = [
  '#f1eeff',
  '#e0daff',
  '#c3b8ff',
  '#a594ff',
  '#8b75fb',
  '#7a61f4',
  '#6f54ee',
  '#684ce6',
  '#6246dc',
  '#5639c6',
] as const

// Dark ink instead of grey, so that posters carry the colour. 0 is text, 7 the page, 6 a card, 4 its border.
export const DARK = [
  '#dfe3ec',
  '#b6bdca',
  '#98a1b1',
  '#667085',
  '#2b3342',
  '#212836',
  '#161b26',
  '#0c0f16',
  '#090b11',
  '#05070a',
] as const

export const TYPEFACE =
  '"Figtree", "Figtree wait", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

/** The variables for pages without the library. */
export function scaleCss(): string {
  const variables = [
    ['font-family', TYPEFACE],
    ['h2-font-size', HEADING],
    ...Object.entries(SPACING).map(([step, size]) => [`spacing-${step}`, size]),
    ...Object.entries(FONT_SIZES).map(([step, size]) => [`font-size-${step}`, size]),
    ...PLAYHEAD.map((color, shade) => [`color-playhead-${shade}`, color]),
    ...DARK.map((color, shade) => [`color-dark-${shade}`, color]),
  ]
  return `:root{${variables.map(([name, value]) => `--mantine-${name}:${value}`).join(';')}}`
}
