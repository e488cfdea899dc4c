// Locales from settings and browsers.
import { DEFAULT_LOCALE } from './settings.ts'

/** The locale in a text, or the fallback. Other text must not reach requests or file names. */
export function localeOf(value: unknown, fallback: string = DEFAULT_LOCALE): string {
  const text = typeof value === 'string' ? value.trim().replaceAll('_', '-') : ''
  return text.length <= 64 && /^[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(text) ? text : fallback
}

/** `de` of `de-DE` */
export function languageOf(locale: string): string {
  return (locale.split('-')[0] as string).toLowerCase()
}

/** `DE` of `de-DE`; undefined without a country. */
export function countryOf(locale: string): string | undefined {
  return locale
    .split('-')
    .slice(1)
    .find((part) => /^[A-Za-z]{2}$/.test(part))
    ?.toUpperCase()
}
