// Mantine theme: colours and component defaults. All shades have a contrast of at least 4.5 in both colour schemes.
import { createTheme, type MantineColorsTuple, type CSSVariablesResolver } from '@mantine/core'
import { parts } from '../texts/en/parts.ts'

const playhead: MantineColorsTuple = [
  '#e8f4ff',
  '#d2e6f8',
  '#a6cbee',
  '#75aee4',
  '#4f96dc',
  '#3787d7',
  '#2a7fd5',
  '#1a6cbd',
  '#0b5fa5',
  '#00508f',
]

export const theme = createTheme({
  primaryColor: 'playhead',
  primaryShade: { light: 8, dark: 8 },
  colors: { playhead },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  components: Object.fromEntries(
    ['Modal', 'Drawer', 'Notification'].map((name) => [
      name,
      { defaultProps: { closeButtonProps: { 'aria-label': parts.close } } },
    ]),
  ),
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
})

/** The default dimmed and placeholder colours have too little contrast in both schemes. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6a7178',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#0b5fa5',
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
    '--mantine-color-anchor': '#75aee4',
  },
})
