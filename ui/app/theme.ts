// Mantine theme: colours and component defaults. All shades have a contrast of at least 4.5 in both colour schemes.
import { createTheme, type MantineColorsTuple, type CSSVariablesResolver } from '@mantine/core'
import { parts } from '../texts/en/parts.ts'

// The accent colour, violet.
const playhead: MantineColorsTuple = [
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
]

// Dark ink instead of grey, so that posters carry the colour. 0 is text, 7 the page, 6 a card, 4 its border.
const dark: MantineColorsTuple = [
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
]

export const theme = createTheme({
  primaryColor: 'playhead',
  primaryShade: { light: 8, dark: 8 },
  colors: { playhead, dark },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'md',
  headings: {
    fontWeight: '650',
    sizes: { h2: { fontSize: '1.625rem', lineHeight: '1.25' }, h4: { fontSize: '1.125rem' } },
  },
  cursorType: 'pointer',
  components: {
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': parts.form.showPassword } } },
    Badge: { defaultProps: { tt: 'none' } },
    // The placeholder would be a child of the menu that is not a menu item, which is invalid.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    ...Object.fromEntries(
      ['Modal', 'Drawer', 'Notification'].map((name) => [
        name,
        { defaultProps: { closeButtonProps: { 'aria-label': parts.close } } },
      ]),
    ),
  },
  fontFamily:
    '"Figtree", "Figtree wait", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
})

/** The default dimmed and placeholder colours have too little contrast in both schemes. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6a7178',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#5639c6',
    '--mantine-color-playhead-light-color': '#3f2599',
    '--mantine-color-green-light-color': '#1c6b2e',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-orange-light-color': '#8f3d04',
    '--mantine-color-yellow-light-color': '#7a4b00',
    '--mantine-color-gray-light-color': '#495057',
    '--mantine-color-blue-light-color': '#12508c',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-placeholder': '#989fa6',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#b3a5ff',
  },
})
