// Chooses the image of a work, and one of the sizes that the service offers.
import type { Namespace } from '../api.ts'
import { languageOf } from '../settings.ts'
import type { Library } from '../library.ts'
import { resolve } from '../resolve.ts'
import type { Picture } from '../record.ts'
import { defined } from '@playhead/sdk'

export type ArtKind = 'poster' | 'backdrop' | 'still'

interface ArtRequest {
  readonly namespace: Namespace
  readonly id: string
  readonly kind: ArtKind
  /** `original`, or a width. */
  readonly width: number | 'original'
  readonly season?: number
  readonly episode?: number
  readonly locale: string
  readonly title?: string
  readonly year?: number
}

interface ChosenArt {
  /** Path below the image URL. */
  readonly source: string
  readonly folder: string
  readonly name: string
}

const WIDTHS = {
  poster: [92, 154, 185, 342, 500, 780],
  backdrop: [300, 780, 1280],
  still: [92, 185, 300],
} as const satisfies Record<ArtKind, readonly number[]>

/** Undefined without an image. Rethrows failures of the service. */
export async function chooseArt(library: Library, request: ArtRequest): Promise<ChosenArt | undefined> {
  const { namespace, id, kind, season, episode, locale, title, year } = request
  if (kind === 'still') {
    const still = await library.still(id, season as number, episode as number)
    if (still !== undefined) return artOf(request, namespace, kind, `${kind}-${season}-${episode}`, still)
  }
  const record = await resolve(library, { namespace, ids: { tmdb: id }, locale, ...defined({ title, year }) })
  // Fall back to an image of the show.
  for (const art of kind === 'still' ? (['backdrop', 'poster'] as const) : [kind]) {
    const path = best(record?.images[art] ?? [], locale)
    if (record !== undefined && path !== undefined) return artOf(request, record.type, art, `${art}`, path)
  }
  return undefined
}

function artOf(
  { id, width, locale }: ArtRequest,
  namespace: Namespace,
  kind: ArtKind,
  what: string,
  path: string,
): ChosenArt {
  const size = sizeOf(kind, width)
  return { source: `${size}${path}`, folder: `art/${namespace}/${id}`, name: `${what}_${locale}_${size}` }
}

/** The smallest size that is large enough. */
function sizeOf(kind: ArtKind, width: number | 'original'): string {
  const found = width === 'original' ? undefined : WIDTHS[kind].find((one) => one >= width)
  return found === undefined ? 'original' : `w${found}`
}

function best(pictures: readonly Picture[], locale: string): string | undefined {
  const wanted = languageOf(locale)
  const score = ({ lang }: Picture) => (lang === null ? -5 : 10) + (lang === wanted ? 50 : lang === 'en' ? 30 : 0)
  return pictures.toSorted((a, b) => score(b) - score(a) || b.votes - a.votes)[0]?.path
}
