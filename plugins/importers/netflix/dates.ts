// Dates in the formats of different countries. The order of day, month and year follows from the whole file: an order that makes one
// of its dates invalid is excluded.
import { timeCell } from '@playhead/sdk/importer'

type Order = (first: string, second: string, third: string) => readonly [year: string, month: string, day: string]

const SHORT = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{1,2}|\d{4})$/
const ORDERS: readonly Order[] = [
  (day, month, year) => [year, month, day],
  (month, day, year) => [year, month, day],
  (year, month, day) => [year, month, day],
]
/** Netflix has been streaming since then. */
const FIRST_YEAR = 2007
const DAY_MS = 86_400_000

/** The dates of a file, in its order; undefined for ambiguous and invalid dates. */
export function datesOf(given: readonly string[]): readonly (string | undefined)[] {
  const texts = given.map(plain)
  const short = texts.map((text) => SHORT.exec(text)?.slice(1) as Parameters<Order> | undefined)
  // A date that is invalid in every order says nothing about the order.
  const telling = short.filter(
    (parts) => parts !== undefined && ORDERS.some((order) => dateIn(order, parts) !== undefined),
  )
  const possible = ORDERS.filter((order) => telling.every((parts) => dateIn(order, parts!) !== undefined))
  return texts.map((text, index) => {
    const parts = short[index]
    if (parts === undefined) return notBefore(timeCell(text))
    const [date, ...others] = new Set(possible.map((order) => dateIn(order, parts)))
    return others.length === 0 ? date : undefined
  })
}

function dateIn(order: Order, parts: Parameters<Order>): string | undefined {
  const [year, month, day] = order(...parts)
  if (day.length > 2) return undefined
  return notBefore(
    timeCell(
      `${year.length === 4 ? year : `20${year.padStart(2, '0')}`}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
    ),
  )
}

function notBefore(date: string | undefined): string | undefined {
  if (date === undefined || Number(date.slice(0, 4)) < FIRST_YEAR) return undefined
  return Date.parse(date) > Date.now() + DAY_MS ? undefined : date
}

/** `23. 1. 31.` is `2023/1/31`: with a final point the year comes first. Digits may be Arabic, with directional marks. */
function plain(given: string): string {
  const text = given
    .replace(/[\u200e\u200f\u061c]/gu, '')
    .replace(/[٠-٩۰-۹]/gu, (digit) => String((digit.codePointAt(0)! - 0x660) % 0x90))
    .trim()
  const [, year, month, day] = /^(\d{2}|\d{4})\.\s*(\d{1,2})\.\s*(\d{1,2})\.$/.exec(text) ?? []
  return year === undefined ? text : `${year.padStart(4, '20')}/${month}/${day}`
}
