// Addresses of pictures of a title. The service finds them at the media servers and the metadata service; where there is
// none, `PosterImage` shows the title on colours of its own.

export interface Pictured {
  /** `movie`, or anything of a show. */
  readonly kind: string
  /** Of the title; of an episode, those of its show. */
  readonly ids: Readonly<Record<string, string | undefined>>
}

type PictureWidth = 185 | 342 | 780 | 1280

const SCHEMES = ['tmdb', 'imdb', 'tvdb', 'tracka', 'mal', 'anilist', 'kitsu', 'anidb', 'trackb'] as const
/** `movie:tmdb:949`, `show:tmdb:1399#s01e02` */
const KEY = /^(movie|show):([a-z]+):([^#@]+)/

/** null without an id. */
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

/** Of the title of an item key; null if its ids do not tell the title. */
export function pictureOfKey(key: string, width: PictureWidth): string | null {
  const [, kind = '', scheme = '', id = ''] = KEY.exec(key) ?? []
  return pictureOf({ kind, ids: { [scheme]: id } }, width)
}

export function titleAddress(key: string): string {
  return `/library/${encodeURIComponent(key)}`
}
