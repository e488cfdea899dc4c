// Formats byte sizes in the units of the language.
import { locale } from '../../texts/language.ts'

const STEP = 1_000
const UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const formats = UNITS.map((unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }))

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes / STEP, 0]
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit += 1
  }
  return formats[unit]!.format(value)
}
