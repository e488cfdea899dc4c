// A search result, for people to choose from.
import type { WorkSummary } from '@playhead/sdk'
import type { Library } from './library.ts'
import { yearOf } from './titles.ts'

type Hit = Awaited<ReturnType<Library['search']>>[number]

const SHORT = 240

export function summaryOf({
  id,
  title,
  name,
  release_date: released,
  first_air_date: aired,
  overview,
  namespace,
}: Hit): WorkSummary {
  return {
    type: namespace === 'movie' ? 'movie' : 'show',
    tmdb: String(id),
    title: title ?? name ?? '',
    year: yearOf(released ?? aired),
    overview: (overview ?? '').slice(0, SHORT),
  }
}
