// The filters of the event list, stored in the address.
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { events } from '../../texts/en/events.ts'

export type View = keyof typeof events.views
export type Visibility = keyof typeof events.visibilities
type Category = Exclude<keyof typeof events.categories, 'all'> | ''
export type Domain = keyof typeof events.domains
export type Time = keyof typeof events.times

export interface Filters {
  readonly view: View
  readonly q: string
  readonly visibility: Visibility
  readonly category: Category
  readonly domain: Domain
  readonly provider: string
  readonly feature: string
  readonly event_type: string
  readonly reason_code: string
  readonly run_id: string
  readonly time: Time
  /** A date such as 2026-03-31. */
  readonly until: string
  readonly order: 'newest' | 'oldest'
}

export const STANDARD: Filters = {
  view: 'groups',
  q: '',
  visibility: 'open',
  category: '',
  domain: 'sync',
  provider: '',
  feature: '',
  event_type: '',
  reason_code: '',
  run_id: '',
  time: '',
  until: '',
  order: 'newest',
}
/** Filters that narrow the result. */
export const NARROWING = [
  'q',
  'category',
  'provider',
  'feature',
  'event_type',
  'reason_code',
  'run_id',
  'time',
  'until',
] as const satisfies readonly (keyof Filters)[]

const CHOICES: Partial<Readonly<Record<keyof Filters, readonly string[]>>> = {
  view: Object.keys(events.views),
  visibility: Object.keys(events.visibilities),
  category: Object.keys(events.categories),
  domain: Object.keys(events.domains),
  time: Object.keys(events.times),
  order: Object.keys(events.orders),
}
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME_SECONDS: Readonly<Record<Time, number>> = {
  '': 0,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
  '365d': 31_536_000,
}

export function useFilters(): readonly [filters: Filters, change: (part: Partial<Filters>) => void] {
  const [params, setParams] = useSearchParams()
  const text = params.toString()
  const filters = useMemo(() => read(new URLSearchParams(text)), [text])
  const change = (part: Partial<Filters>) => setParams((now) => write({ ...read(now), ...part }), { replace: true })
  return [filters, change]
}

function read(params: URLSearchParams): Filters {
  const given = Object.entries(STANDARD).map(([name, standard]) => {
    const value = params.get(name) ?? standard
    const isKnown =
      CHOICES[name as keyof Filters]?.includes(value) ?? (name !== 'until' || value === '' || DAY.test(value))
    return [name, isKnown ? value : standard]
  })
  return Object.fromEntries(given) as unknown as Filters
}

function write(filters: Filters): URLSearchParams {
  return new URLSearchParams(
    Object.entries(filters).filter(([name, value]) => value !== STANDARD[name as keyof Filters]),
  )
}

export function addressOf(part: Partial<Filters>): string {
  const query = write({ ...STANDARD, ...part }).toString()
  return query === '' ? '/events' : `/events?${query}`
}

/** The query of the service. The start of "the last 24 hours" is rounded to a minute. */
export function queryOf({ view: _view, time, until, category, ...rest }: Filters, nowMs: number) {
  const minute = Math.floor(nowMs / 60_000) * 60
  return {
    ...rest,
    ...(category === '' ? {} : { category }),
    ...(time === '' ? {} : { since: String(minute - TIME_SECONDS[time]) }),
    ...(until === '' ? {} : { until: String(Math.floor(new Date(`${until}T23:59:59`).getTime() / 1000)) }),
  }
}
