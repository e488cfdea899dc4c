// The recorded play: title, part, time, and the resulting requests.
import type { Answer, Body } from '../../api/client.ts'
import type { Work } from '../../parts/titles/title-search.tsx'

export type Watched = Answer<'POST /api/manual/watched'>
type Result = Watched['results'][number]
export type ActionResult = NonNullable<Result['history']>
export type Target = Answer<'GET /api/manual/providers'>['providers'][number]
export type Play = NonNullable<Watched['plays']>[number]
type Request = Body<'POST /api/manual/watched'>

export interface Episode {
  readonly season: number
  readonly episode: number
  readonly title: string | null
}

export type Part =
  | { readonly kind: 'all' }
  | { readonly kind: 'season'; readonly season: number }
  | { readonly kind: 'episodes'; readonly season: number; readonly episodes: readonly number[] }

export interface When {
  readonly mode: 'now' | 'day' | 'release'
  /** `2026-11-01` */
  readonly date: string
  /** `20:15`; empty if unknown. */
  readonly time: string
}

/** Each episode is one request; above this limit, mark a season. */
export const MAX_EPISODES = 60

export const idOf = ({ provider, instance }: { readonly provider: string; readonly instance: string }) =>
  `${provider}@${instance}`

/** The requests of a form, without their common fields. */
export function itemsOf({ type, title, year, ids }: Work, part: Part): readonly Request['item'][] {
  if (type === 'movie') return [{ type, title, year, ids }]
  if (part.kind === 'all') return [{ type, title, year, ids }]
  const of = { show_ids: ids, series_title: title, season: part.season }
  if (part.kind === 'season') return [{ type: 'season', ...of }]
  return part.episodes.map((episode) => ({ type: 'episode', ...of, episode }))
}

export function whenOf({ mode, date, time }: When): Pick<Request, 'date_mode' | 'watched_on'> {
  if (mode === 'now') return { date_mode: 'today' }
  if (mode === 'release') return { date_mode: 'release' }
  return { date_mode: 'custom', watched_on: time === '' ? date : instantOf(date, time) }
}

/** The local time with the UTC offset at that date. */
function instantOf(date: string, time: string): string {
  const offset = -new Date(`${date}T${time}`).getTimezoneOffset()
  const two = (n: number) => String(n).padStart(2, '0')
  const size = Math.abs(offset)
  return `${date}T${time}:00${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

export function isAhead({ mode, date, time }: When): boolean {
  return mode === 'day' && date !== '' && new Date(`${date}T${time === '' ? '00:00' : time}`).getTime() > Date.now()
}

/** Parses "1-3, 5"; null if invalid. */
export function numbersOf(text: string): readonly number[] | null {
  const found = new Set<number>()
  for (const part of text.split(/[,;\s]+/).filter((one) => one !== '')) {
    const match = /^(\d{1,4})(?:[-–](\d{1,4}))?$/.exec(part)
    if (match === null) return null
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])]
    if (from < 1 || to < from) return null
    for (let n = from; n <= to; n += 1) found.add(n)
  }
  return [...found].sort((a, b) => a - b)
}
