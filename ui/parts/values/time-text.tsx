// A relative time ("3 minutes ago") with the exact time as tooltip.
import { useEffect, useState } from 'react'
import { nowAtServiceMs } from '../../api/clock.ts'
import { parts } from '../../texts/en/parts.ts'
import { locale } from '../../texts/language.ts'

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const TICK_MS = 20_000

interface TimeTextProps {
  /** Epoch milliseconds or an ISO date; null, 0 and '' mean never. */
  readonly at: number | string | null | undefined
  readonly never?: string
  /** A time in the future. Other times are capped at now, because clocks differ. */
  readonly isAhead?: boolean
}

export function TimeText({ at, never = parts.time.never, isAhead = false }: TimeTextProps) {
  const [nowMs, setNow] = useState(nowAtServiceMs)
  useEffect(() => {
    const timer = setInterval(() => setNow(nowAtServiceMs()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const atMs = typeof at === 'string' ? Date.parse(at) : (at ?? 0)
  if (!Number.isFinite(atMs) || atMs === 0) return <span>{never}</span>
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exact.format(atMs)}>
      {isAhead ? timeAhead(atMs, nowMs) : relativeTime(atMs, nowMs)}
    </time>
  )
}

/** A past time; a time in the future counts as now. */
export function relativeTime(atMs: number, nowMs = nowAtServiceMs()): string {
  return timeAhead(Math.min(atMs, nowMs), nowMs)
}

export function timeAhead(atMs: number, nowMs = nowAtServiceMs()): string {
  const seconds = Math.round((atMs - nowMs) / 1000)
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
  return relative.format(Math.round(seconds / size), unit)
}

export function exactTime(atMs: number): string {
  return exact.format(atMs)
}
