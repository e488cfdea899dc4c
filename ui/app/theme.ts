// Mantine theme: colours and component defaults. All shades have a contrast of at least 4.5 in both colour schemes.
import { alpha, createTheme, type CSSVariablesResolver } from '@mantine/core'
import { useState } from 'react'
import { parts } from '../texts/en/parts.ts'
import { DARK, FONT_SIZES, HEADING, PLAYHEAD, SPACING, TYPEFACE } from './scale.ts'

/**
 * The library draws the options of each closed field, which takes longer than the field. These are drawn when it gets the focus:
 * a key that opens it finds the chosen one among them.
 */
function useOptions() {
  const [isUsed, setUsed] = useState(false)
  return { comboboxProps: { keepMounted: isUsed }, onFocus: () => setUsed(true) }
}

function useSelect() {
  // The library keeps as much room for the arrow as for a button.
  return { rightSectionWidth: 28, ...useOptions() }
}

export const theme = createTheme({
  primaryColor: 'playhead',
  spacing: SPACING,
  fontSizes: FONT_SIZES,
  primaryShade: { light: 8, dark: 8 },
  colors: { playhead: PLAYHEAD, dark: DARK },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'md',
  headings: {
    fontWeight: '650',
    sizes: {
      h2: { fontSize: HEADING, lineHeight: '1.25' },
      h3: { fontSize: FONT_SIZES.xl },
      h4: { fontSize: FONT_SIZES.lg },
      h5: { fontSize: FONT_SIZES.md },
      h6: { fontSize: FONT_SIZES.sm },
    },
  },
  cursorType: 'pointer',
  components: {
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': parts.form.showPassword } } },
    Badge: { defaultProps: { tt: 'none' } },
    Select: { defaultProps: useSelect },
    ...Object.fromEntries(
      ['MultiSelect', 'Autocomplete', 'TagsInput'].map((name) => [name, { defaultProps: useOptions }]),
    ),
    // As Fold.
    Accordion: { defaultProps: { chevronPosition: 'left' } },
    Chip: { defaultProps: { variant: 'outline', size: 'sm' } },
    // The placeholder would be a child of the menu that is not a menu item, which is invalid.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    ...Object.fromEntries(
      ['Modal', 'Drawer', 'Notification'].map((name) => [
        name,
        { defaultProps: { closeButtonProps: { 'aria-label': parts.close } } },
      ]),
    ),
  },
  fontFamily: TYPEFACE,
})

/** Tints of a colour in the dark scheme, of which the default ones are nearly black with white text. */
const TINT = { light: 0.15, hover: 0.24 }

/**
 * Colours that the library derives with too little contrast in either scheme, and those by which an active, a destructive and a
 * disabled control differ from text in the dark scheme.
 */
export const readableColors: CSSVariablesResolver = ({ colors }) => ({
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
    '--mantine-color-default': 'var(--mantine-color-dark-5)',
    '--mantine-color-default-hover': 'var(--mantine-color-dark-4)',
    '--mantine-color-default-border': '#374054',
    '--mantine-color-disabled': '#232a38',
    '--mantine-color-disabled-color': '#7f899b',
    '--mantine-color-disabled-border': '#374054',
    ...Object.fromEntries(
      Object.entries(colors).flatMap(([name, shades]) => [
        [`--mantine-color-${name}-light`, alpha(shades[5], TINT.light)],
        [`--mantine-color-${name}-light-hover`, alpha(shades[5], TINT.hover)],
        [`--mantine-color-${name}-light-color`, shades[name === 'playhead' ? 2 : 3]],
      ]),
    ),
  },
})
