// Addresses of title pictures. The service finds them at the media servers and the metadata service; if there is none,
// `PosterImage` shows the title on a coloured background.

export interface Pictured {
  /** `movie`, or any kind of show, season or episode. */
  readonly kind: string
  /** Ids of the title; for an episode, the ids of its show. */
  readonly ids: Readonly<Record<string, string | undefined>>
}

type PictureWidth = 185 | 342 | 780 | 1280

const SCHEMES = ['tmdb', 'imdb', 'tvdb', 'tracka', 'mal', 'anilist', 'kitsu', 'anidb', 'trackb'] as const
/** `movie:tmdb:949`, `show:tmdb:1399#s01e02` */
const KEY = /^(movie|show):([a-z]+):([^#@]+)/

/** null if the title has no id. */
export function pictureOf(
  { kind, ids }: Pictured,
  width: PictureWidth,
  art: 'poster' | 'backdrop' = 'poster',
): string | null {
  const query = SCHEMES.flatMap((scheme) => {
    const id = ids[scheme]
    return id === undefined || id === '' ? [] : [`${scheme}=${encodeURIComponent(id)}`]
  })
  if (query.length === 0) return null
  if (art !== 'poster') query.push(`art=${art}`)
  return `/api/pictures/${kind === 'movie' ? 'movie' : 'show'}?${query.join('&')}&width=${width}`
}

/** The picture for an item key; null if its ids do not identify the title. */
export function pictureOfKey(key: string, width: PictureWidth): string | null {
  const [, kind = '', scheme = '', id = ''] = KEY.exec(key) ?? []
  return pictureOf({ kind, ids: { [scheme]: id } }, width)
}

/** The events of an item, on the page of its title. */
export function eventsAddress(key: string): string {
  return `${titleAddress(key.replace(/[#@].*$/s, ''))}#events`
}

export function titleAddress(key: string): string {
  return `/library/${encodeURIComponent(key)}`
}
