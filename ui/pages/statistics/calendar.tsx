// The days of a year as squares, one column per week; more plays give a stronger colour.
import { Group, ScrollArea, Text } from '@mantine/core'
import { statistics as texts } from '../../texts/en/statistics.ts'
import { say } from '../../texts/say.ts'
import { dayName, monthName, weekdayName } from './names.ts'
import type { Statistics } from './data.ts'

const SIZE = 12
const STEP = 15
const TOP = 18
/** The names of the weekdays. */
const START = 30
const DAY_MS = 86_400_000
/** Every other one, from 0 for Monday. */
const WEEKDAYS = [0, 2, 4]
const LEVELS = 5
const LEVEL_NUMBERS = [...Array(LEVELS).keys()]

interface CalendarProps {
  readonly year: number
  readonly days: Statistics['days']
  readonly isNamed: boolean
}

export function Calendar({ year, days, isNamed }: CalendarProps) {
  const own = days.filter(({ date }) => date.startsWith(`${year}-`))
  const plays = own.reduce((sum, one) => sum + one.plays, 0)
  const label = say(texts.calendarText, { n: plays, days: own.length })
  const squares = squaresOf(year, own)
  const width = START + (squares.at(-1)!.column + 1) * STEP
  const height = TOP + 7 * STEP
  return (
    <figure style={{ margin: 0 }} aria-label={isNamed ? `${year}: ${label}` : label}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" c="dimmed">
          {isNamed ? `${year} · ${label}` : label}
        </Text>
        <Group gap="2xs" aria-hidden>
          <Text size="xs" c="dimmed">
            {texts.less}
          </Text>
          {LEVEL_NUMBERS.map((level) => (
            <span key={level} className="calendar-square" data-level={level} />
          ))}
          <Text size="xs" c="dimmed">
            {texts.more}
          </Text>
        </Group>
      </Group>
      <ScrollArea type="auto" scrollbars="x" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': label }}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width="100%"
          style={{ minWidth: width }}
          role="img"
          aria-label={label}
          className="calendar"
        >
          {WEEKDAYS.map((row) => (
            <text key={row} x={0} y={TOP + row * STEP + SIZE - 2}>
              {weekdayName(row + 1, true)}
            </text>
          ))}
          {squares
            .filter(({ date }) => date.endsWith('-01'))
            .map((first) => (
              <text key={first.date} x={START + first.column * STEP} y={11}>
                {monthName(first.date.slice(0, 7), false)}
              </text>
            ))}
          {squares.map(({ date, column, row, plays: n, level }) => (
            <rect
              key={date}
              x={START + column * STEP}
              y={TOP + row * STEP}
              width={SIZE}
              height={SIZE}
              rx={3}
              data-level={level}
            >
              <title>{say(texts.calendarDay, { day: dayName(date), n })}</title>
            </rect>
          ))}
        </svg>
      </ScrollArea>
    </figure>
  )
}

interface Square {
  readonly date: string
  /** The week of the year, from 0. */
  readonly column: number
  /** 0: Monday. */
  readonly row: number
  readonly plays: number
  readonly level: number
}

export function squaresOf(year: number, days: Statistics['days']): readonly Square[] {
  const known = new Map(days.map(({ date, plays }) => [date, plays]))
  const most = Math.max(1, ...known.values())
  const start = Date.UTC(year, 0, 1)
  const count = (Date.UTC(year + 1, 0, 1) - start) / DAY_MS
  const before = (new Date(start).getUTCDay() + 6) % 7
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(start + index * DAY_MS).toISOString().slice(0, 10)
    const plays = known.get(date) ?? 0
    return {
      date,
      column: Math.floor((index + before) / 7),
      row: (index + before) % 7,
      plays,
      // The square root keeps one long day from making all others pale.
      level: plays === 0 ? 0 : Math.max(1, Math.ceil(Math.sqrt(plays / most) * (LEVELS - 1))),
    }
  })
}
