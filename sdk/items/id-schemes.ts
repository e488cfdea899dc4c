// The id schemes: normal form, rank as a key, and the scope in which equal ids mean the same work. An invalid id is
// rejected: extracting the digits of 12-abc3 would name another work.

/**
 * The scope of a comparison. `anywhere`: accounts of different providers; `provider`: accounts of one provider;
 * `account`: one account.
 */
export type Reach = 'anywhere' | 'provider' | 'account'

interface SchemeRule {
  /** 1 is best; null is never used as a key. */
  readonly rank: number | null
  /** The widest scope in which equal ids mean equal works. `anywhere` makes a scheme strong. */
  readonly reach: Reach
  /** The normal form, or undefined for an invalid id. */
  readonly normalise: (text: string) => string | undefined
  /** Lower-case aliases that providers use. `<name>_id` always works. */
  readonly names: readonly string[]
}

const decimal = (text: string) => (/^\d{1,18}$/.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined)
const imdb = (text: string) => /^(?:tt)?(\d{1,18})$/i.exec(text)?.[1]
const opaque = (text: string) => (/^[\x21-\x7e]{1,256}$/.test(text) ? text : undefined)
const slug = (text: string) => (/^[a-z0-9_-]{1,256}$/i.test(text) ? text.toLowerCase() : undefined)
const listId = (text: string) => (/^\d+$/.test(text) ? undefined : opaque(text)?.toLowerCase())
// These agents identify a file of one server, not a work.
const guid = (text: string) =>
  /^(?:local|none|com\.plexapp\.agents\.none):\/\//i.test(text) ? undefined : opaque(text)

export const ID_SCHEMES = {
  tmdb: { rank: 1, reach: 'anywhere', normalise: decimal, names: ['metaa', 'themoviedb', 'moviedb'] },
  imdb: { rank: 2, reach: 'anywhere', normalise: (text) => prefixed('tt', imdb(text)), names: [] },
  tvdb: { rank: 3, reach: 'anywhere', normalise: decimal, names: ['thetvdb'] },
  tracka: { rank: 4, reach: 'anywhere', normalise: decimal, names: ['trakt'] },
  mal: { rank: 5, reach: 'provider', normalise: decimal, names: ['myanimelist', 'idmal'] },
  anilist: { rank: 6, reach: 'provider', normalise: decimal, names: ['animea'] },
  kitsu: { rank: 7, reach: 'provider', normalise: decimal, names: [] },
  anidb: { rank: 8, reach: 'provider', normalise: decimal, names: [] },
  trackb: { rank: 9, reach: 'provider', normalise: decimal, names: ['simkl'] },
  guid: { rank: 11, reach: 'provider', normalise: guid, names: [] },
  slug: { rank: 12, reach: 'provider', normalise: slug, names: [] },
  // Ids of a server or list are meaningless at other servers of the same provider.
  mediaa: { rank: null, reach: 'account', normalise: opaque, names: ['plex'] },
  mediab: { rank: null, reach: 'account', normalise: opaque, names: ['jellyfin'] },
  mediac: { rank: null, reach: 'account', normalise: opaque, names: ['emby'] },
  lista: { rank: null, reach: 'account', normalise: listId, names: ['mdblist'] },
} as const satisfies Record<string, SchemeRule>

export type IdScheme = keyof typeof ID_SCHEMES
export type Ids = { readonly [scheme in IdScheme]?: string }

/** All schemes by rank, those that are never keys last. */
export const SCHEMES = (Object.keys(ID_SCHEMES) as IdScheme[]).sort((a, b) => rankOf(a) - rankOf(b))
/** The schemes that match rows of different providers. */
export const STRONG_SCHEMES = SCHEMES.filter((scheme) => ID_SCHEMES[scheme].reach === 'anywhere')

const EMPTY = new Set(['', 'none', 'null', 'nan', 'undefined', 'unknown'])
const WIDTH: Readonly<Record<Reach, number>> = { account: 0, provider: 1, anywhere: 2 }
const BY_NAME: ReadonlyMap<string, IdScheme> = new Map(
  SCHEMES.flatMap((scheme) =>
    [scheme, ...ID_SCHEMES[scheme].names].flatMap((name) => [[name, scheme] as const, [`${name}_id`, scheme] as const]),
  ),
)

/**
 * The normal form of an id, or undefined if it is empty or invalid.
 *
 * @example
 * normaliseId('imdb', '0133093') // 'tt0133093'
 * normaliseId('tmdb', '12-abc3') // undefined
 */
export function normaliseId(scheme: IdScheme, value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined
  const text = String(value).trim()
  if (EMPTY.has(text.toLowerCase()) || /^(?:tt)?0+$/i.test(text)) return undefined
  return ID_SCHEMES[scheme].normalise(text)
}

/** The scheme of a field name: `tmdb`, `Tmdb`, `tmdb_id`, `tmdbId`. */
export function schemeOf(name: string): IdScheme | undefined {
  return (
    BY_NAME.get(name.toLowerCase()) ?? (name.endsWith('Id') ? BY_NAME.get(name.slice(0, -2).toLowerCase()) : undefined)
  )
}

/** Whether equal ids of the scheme mean equal works within this scope. */
export function reaches(scheme: IdScheme, within: Reach): boolean {
  return WIDTH[ID_SCHEMES[scheme].reach] >= WIDTH[within]
}

/** The id with the best rank, or undefined if none may be a key. */
export function bestId(ids: Ids | undefined): { readonly scheme: IdScheme; readonly id: string } | undefined {
  for (const scheme of SCHEMES) {
    const id = ids?.[scheme]
    if (id !== undefined && ID_SCHEMES[scheme].rank !== null) return { scheme, id }
  }
  return undefined
}

function rankOf(scheme: IdScheme): number {
  return ID_SCHEMES[scheme].rank ?? Infinity
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text
}
