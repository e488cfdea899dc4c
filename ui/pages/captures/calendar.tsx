// A month; each day shows the services with captures. Arrow keys move, Enter selects the day.
import { ActionIcon, Group, Paper, Text, VisuallyHidden } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useRef, type KeyboardEvent } from 'react'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { captures } from '../../texts/en/captures.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'

const { calendar: texts } = captures
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
const MONTH = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
const WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const WEEK = 7
const MARKS = 3
const POLL_MS = 30_000

interface CalendarProps {
  /** The first day of the month. */
  readonly month: Date
  readonly onMonth: (month: Date) => void
  /** `YYYY-MM-DD`, or null. */
  readonly day: string | null
  readonly onDay: (day: string | null) => void
  /** The days of all captures, if the list has them; undefined: the calendar reads its month. */
  readonly days: Days | undefined
  /** The list is still being read, and will have them. */
  readonly isComing: boolean
}

type Days = NonNullable<Answer<'GET /api/snapshots/list'>['days']>

export function Calendar({ month, onMonth, day, onDay, days, isComing }: CalendarProps) {
  const names = useNames()
  const grid = useRef<HTMLTableElement>(null)
  const next = monthAfter(month, 1)
  const { data } = useRead(
    ['captures', 'days'],
    'GET /api/snapshots/list',
    { query: { since: seconds(month), until: seconds(next), children: false, days: ZONE, limit: 1 } },
    { keepPrevious: true, refetchInterval: POLL_MS, enabled: days === undefined && !isComing },
  )
  const byDay = Map.groupBy(days ?? data?.days ?? [], (one) => one.day)
  const weeks = weeksOf(month)
  const today = dateText(new Date(nowAtServiceMs()))
  const entry = weeks.flat().find((date) => dateText(date) === (day ?? today) && isIn(date, month))
  const tabStop = dateText(entry ?? month)

  function focusOn(date: Date): void {
    if (!isIn(date, month)) onMonth(monthAfter(date, 0))
    const text = dateText(date)
    // The other month is rendered in the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-day="${text}"]`)?.focus()),
    )
  }

  function onKeyDown(event: KeyboardEvent, date: Date): void {
    const moved = movedBy(event.key, date)
    if (moved === null) return
    event.preventDefault()
    focusOn(moved)
  }

  return (
    <Paper withBorder p="md" component="section" aria-label={texts.label}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.previous}
          onClick={() => onMonth(monthAfter(month, -1))}
        >
          <IconChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <Text fw={600} aria-live="polite">
          {MONTH.format(month)}
        </Text>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.next} onClick={() => onMonth(next)}>
          <IconChevronRight size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <table className="month" ref={grid} aria-label={MONTH.format(month)}>
        <thead>
          <tr>
            {weeks[0]!.map((date) => (
              <th key={date.getDay()} scope="col">
                {WEEKDAY.format(date)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={dateText(week[0]!)}>
              {week.map((date) => {
                const text = dateText(date)
                if (!isIn(date, month)) return <td key={text} />
                const of = byDay.get(text) ?? []
                const n = of.reduce((sum, { count }) => sum + count, 0)
                const services = of.map(({ provider }) => names.account(provider)).join(', ')
                const label =
                  n === 0
                    ? say(texts.day, { day: DAY.format(date), n })
                    : say(texts.dayOf, { day: DAY.format(date), n, services })
                return (
                  <td key={text}>
                    <button
                      type="button"
                      className="month-day"
                      data-day={text}
                      data-today={text === today || undefined}
                      data-filled={n > 0 || undefined}
                      aria-pressed={text === day}
                      title={n > 0 ? label : undefined}
                      tabIndex={text === tabStop ? 0 : -1}
                      onClick={() => onDay(text === day ? null : text)}
                      onKeyDown={(event) => onKeyDown(event, date)}
                    >
                      <span aria-hidden>{date.getDate()}</span>
                      <VisuallyHidden>{label}</VisuallyHidden>
                      <span className="marks month-marks">
                        {of.slice(0, MARKS).map(({ provider }) => (
                          <ServiceMark key={provider} provider={provider} size={14} />
                        ))}
                      </span>
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Paper>
  )
}

/** Epoch seconds of local midnight on this date. */
export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}

export function monthAfter(date: Date, months: number): Date {
  return new Date(date.getFullYear(), date.getMonth() + months, 1)
}

function dateText(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The local midnights at the start and end of a day. */
export function spanOf(day: string): readonly [from: Date, to: Date] {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return [new Date(year, month - 1, date), new Date(year, month - 1, date + 1)]
}

function isIn(date: Date, month: Date): boolean {
  return date.getMonth() === month.getMonth() && date.getFullYear() === month.getFullYear()
}

/** Whole weeks, starting on Monday. */
function weeksOf(month: Date): readonly (readonly Date[])[] {
  const [year, index] = [month.getFullYear(), month.getMonth()]
  const before = (month.getDay() + WEEK - 1) % WEEK
  const length = new Date(year, index + 1, 0).getDate()
  return Array.from({ length: Math.ceil((before + length) / WEEK) }, (_, week) =>
    Array.from({ length: WEEK }, (_day, day) => new Date(year, index, week * WEEK + day - before + 1)),
  )
}

function movedBy(key: string, date: Date): Date | null {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  const lastOf = (of: number) => new Date(year, of + 1, 0).getDate()
  switch (key) {
    case 'ArrowLeft':
      return new Date(year, month, day - 1)
    case 'ArrowRight':
      return new Date(year, month, day + 1)
    case 'ArrowUp':
      return new Date(year, month, day - WEEK)
    case 'ArrowDown':
      return new Date(year, month, day + WEEK)
    case 'PageUp':
      return new Date(year, month - 1, Math.min(day, lastOf(month - 1)))
    case 'PageDown':
      return new Date(year, month + 1, Math.min(day, lastOf(month + 1)))
    case 'Home':
      return new Date(year, month, 1)
    case 'End':
      return new Date(year, month, lastOf(month))
    default:
      return null
  }
}
