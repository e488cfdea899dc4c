// Compares titles leniently. Only used to choose between works that an id names.
import { looseTitle } from '@playhead/sdk/items'

/** @param year the expected year, which may be at the end of a title */
export function sameTitle(a: string, b: string, year?: number): boolean {
  const [one, other] = [plain(a, year), plain(b, year)]
  return one !== '' && one === other
}

/** Allows a difference of one year; a missing year matches. */
export function nearYear(a: number | null | undefined, b: number | null | undefined): boolean {
  return a == null || b == null || Math.abs(a - b) <= 1
}

export function yearOf(date: string | null | undefined): number | null {
  const year = Number(/^(\d{4})-/.exec(date ?? '')?.[1] ?? 0)
  return year > 0 ? year : null
}

function plain(title: string, year: number | undefined): string {
  const text = looseTitle(title)
  // A title that consists of a number only is kept.
  return year !== undefined && text.endsWith(` ${year}`) ? text.slice(0, -String(year).length - 1) : text
}
