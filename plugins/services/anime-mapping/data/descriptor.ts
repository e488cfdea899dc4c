// Descriptors of the mapping set: `<base>:<id>[:<scope>]`, for example tvdb_show:81797:s2, anidb:69:R, anilist:21.

export const AIRED = ['tvdb', 'tmdb', 'imdb'] as const
/** In order of preference. */
export const NATIVE = ['anidb', 'mal', 'anilist'] as const
export type Aired = (typeof AIRED)[number]
export type Native = (typeof NATIVE)[number]

interface Base {
  /** The spelling of the data: `tvdb_show`, `anidb`. */
  readonly base: string
  readonly scheme: Aired | Native
  readonly kind: 'show' | 'movie' | 'entry'
}

const BASES: ReadonlyMap<string, Base> = new Map<string, Base>([
  ...NATIVE.map((scheme) => [scheme, { base: scheme, scheme, kind: 'entry' }] as const),
  ...AIRED.flatMap((scheme) =>
    (['show', 'movie'] as const).map(
      (kind) => [`${scheme}_${kind}`, { base: `${scheme}_${kind}`, scheme, kind }] as const,
    ),
  ),
])

export interface Descriptor extends Base {
  readonly id: string
  /** `s<n>` of shows, `R`, `S` or `O` of AniDB; empty for a whole show, film or entry. */
  readonly scope: string
  /** The season number in a show's scope. */
  readonly season?: number
}

/** Undefined for unknown bases and unreadable text. */
export function parseDescriptor(text: string): Descriptor | undefined {
  const [base = '', id = '', scope = '', ...more] = text.split(':')
  const known = BASES.get(base)
  if (known === undefined || more.length > 0 || !isId(known.scheme, id)) return undefined
  if (scope === '') return descriptorOf(base, id, scope)
  if (known.scheme === 'anidb') return /^[RSO]$/.test(scope) ? descriptorOf(base, id, scope) : undefined
  const season = known.kind === 'show' ? /^s(\d{1,5})$/.exec(scope)?.[1] : undefined
  return season === undefined ? undefined : descriptorOf(base, id, `s${Number(season)}`)
}

/** Creates a descriptor from valid parts. */
export function descriptorOf(base: string, id: string, scope: string): Descriptor {
  const { scheme, kind } = BASES.get(base) as Base
  return kind === 'show' && scope !== ''
    ? { base, scheme, kind, id, scope, season: Number(scope.slice(1)) }
    : { base, scheme, kind, id, scope }
}

function isId(scheme: string, id: string): boolean {
  return scheme === 'imdb' ? /^tt\d{1,18}$/.test(id) : /^[1-9]\d{0,17}$/.test(id)
}

/** The descriptor without its scope. @example tvdb_show:81797 */
export function workOf({ scheme, kind, id }: Pick<Descriptor, 'scheme' | 'kind' | 'id'>): string {
  return `${baseOf({ scheme, kind })}:${id}`
}

export function baseOf({ scheme, kind }: Pick<Descriptor, 'scheme' | 'kind'>): string {
  return kind === 'entry' ? scheme : `${scheme}_${kind}`
}

export function keyOf(descriptor: Descriptor): string {
  return descriptor.scope === '' ? workOf(descriptor) : `${workOf(descriptor)}:${descriptor.scope}`
}

/** Specials and other extras. */
export function isSide({ scheme, scope }: Descriptor): boolean {
  return scope === 's0' || (scheme === 'anidb' && (scope === 'S' || scope === 'O'))
}
