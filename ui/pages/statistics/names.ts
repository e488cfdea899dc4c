// Names of months, weekdays and durations in the language of the page.
import { statistics as texts } from '../../texts/en/statistics.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'

const MONTH = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' })
const MONTH_OF_YEAR = new Intl.DateTimeFormat(locale, { month: 'short', year: '2-digit', timeZone: 'UTC' })
const WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
const SHORT_WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** @param month `2026-07` */
export function monthName(month: string, withYear: boolean): string {
  return (withYear ? MONTH_OF_YEAR : MONTH).format(Date.parse(`${month}-01T00:00:00Z`))
}

/** @param weekday 1 is Monday */
export function weekdayName(weekday: number, isShort = false): string {
  // 1 January 2024 was a Monday.
  return (isShort ? SHORT_WEEKDAY : WEEKDAY).format(Date.UTC(2024, 0, weekday))
}

/** @param hour 0 to 23 */
export function hourName(hour: number): string {
  return HOUR.format(Date.UTC(2024, 0, 1, hour))
}

export function dayName(date: string): string {
  return DAY.format(Date.parse(`${date}T00:00:00Z`))
}

export function timeText(minutes: number): string {
  return minutes < 60 ? say(texts.minutes, { minutes }) : say(texts.hours, { hours: Math.round(minutes / 60) })
}
