// Selects the requested fields of a record for a response.
import { ART, type Art, type MetaRecord } from './record.ts'

const FIELDS = [
  'overview',
  'tagline',
  'genres',
  'cast',
  'videos',
  'certification',
  'release',
  'runtime_minutes',
  'score',
  'vote_count',
] as const
export type Need = Readonly<Record<string, unknown>>

const SIZES = { poster: 'w780', backdrop: 'w1280', logo: 'w500' } as const
const USUAL: Need = { poster: true, backdrop: true }
const SHORT = 280

/** @param imageUrl base URL of the images */
export function metaOf(
  record: MetaRecord,
  need: Need | undefined,
  imageUrl: string,
): Readonly<Record<string, unknown>> {
  const wanted = need === undefined || Object.keys(need).length === 0 ? USUAL : need
  const images = artOf(wanted)
  const fields = Object.fromEntries(
    FIELDS.filter((field) => wanted[field] === true).map((field) => [
      field,
      field === 'cast' ? (record.cast ?? []) : record[field],
    ]),
  )
  return {
    type: record.type,
    ids: record.ids,
    title: record.title,
    year: record.year,
    ...fields,
    ...(images.length === 0
      ? {}
      : { images: Object.fromEntries(images.map((art) => [art, picturesOf(record, art, imageUrl)])) }),
    ...(wanted['series_info'] === true || wanted['release'] === true ? { detail: record.detail } : {}),
    resolved_type: record.type === 'movie' ? 'movie' : 'show',
  }
}

/** Cuts at a word boundary. */
export function shortened(text: string): string {
  if (text.length <= SHORT) return text
  const cut = text.slice(0, SHORT)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trimEnd()}…`
}

/** `images` without a list means posters. */
function artOf(need: Need): readonly Art[] {
  const named = ART.filter((art) => need[art] === true)
  return named.length === 0 && need['images'] === true ? ['poster'] : named
}

function picturesOf(record: MetaRecord, art: Art, imageUrl: string) {
  return record.images[art].map(({ path, w, h, lang }) => ({ url: `${imageUrl}/${SIZES[art]}${path}`, w, h, lang }))
}
