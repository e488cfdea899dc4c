// Settings: the TMDB key, language and cache limits.
import { type Static, Type } from '@playhead/sdk'
import { addressField, FIELD_WORDS } from '@playhead/sdk/provider'

export const API_URL = 'https://api.themoviedb.org/3'
export const IMAGE_URL = 'https://image.tmdb.org/t/p'
const DEFAULT_LOCALE = 'en-US'

const whole = (value: number, minimum: number, maximum: number, title: string, description: string) =>
  Type.Integer({ default: value, minimum, maximum, advanced: true, title, description })

export const Settings = Type.Object({
  metaA: Type.Object(
    {
      api_key: Type.String({
        default: '',
        maxLength: 512,
        secret: true,
        boundTo: 'api_url',
        description: 'The API key (v3) of your TMDB account.',
      }),
      api_url: {
        ...addressField(API_URL, { ...FIELD_WORDS.api, description: 'Includes the version of the API.' }),
        advanced: true,
      },
      image_url: {
        ...addressField(IMAGE_URL, {
          title: 'Image address',
          description: 'Change this only to use another server, for example for tests.',
        }),
        advanced: true,
      },
    },
    { default: {}, title: 'TMDB: titles and posters' },
  ),
  metadata: Type.Object(
    {
      locale: Type.String({
        default: DEFAULT_LOCALE,
        maxLength: 64,
        title: 'Language and country',
        description: 'The language of titles and descriptions, for example de-DE.',
      }),
      ttl_hours: whole(720, 1, 100_000, 'Keep metadata (hours)', 'Older metadata is read again.'),
      bulk_max: whole(300, 1, 5_000, 'Maximum titles per request', 'More titles are ignored.'),
      meta_cache_max_mb: whole(
        256,
        0,
        100_000,
        'Maximum cache size (MB)',
        'Does not include posters. 0 means no limit.',
      ),
    },
    { default: {} },
  ),
})
export type Settings = Static<typeof Settings>

/** The current settings: a new key needs no restart. */
export interface LiveSettings {
  get(): Readonly<Settings>
  /** Reads the settings from here from now on. */
  follow(source: () => Readonly<Settings>): void
}

export function createLiveSettings(first: Readonly<Settings>): LiveSettings {
  let source = () => first
  return {
    get: () => source(),
    follow(next) {
      source = next
    },
  }
}

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
