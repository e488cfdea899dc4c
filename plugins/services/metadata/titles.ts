// Whether two titles are the same one, however it was typed. It only ever chooses between works that an id names.

/** @param year the expected one: a title may carry it at its end */
export function sameTitle(a: string, b: string, year?: number): boolean {
  const [one, other] = [plain(a, year), plain(b, year)]
  return one !== '' && one === other
}

/** A year apart is the same; a missing one says nothing. */
export function nearYear(a: number | null | undefined, b: number | null | undefined): boolean {
  return a == null || b == null || Math.abs(a - b) <= 1
}

export function yearOf(date: string | null | undefined): number | null {
  const year = Number(/^(\d{4})-/.exec(date ?? '')?.[1] ?? 0)
  return year > 0 ? year : null
}

function plain(title: string, year: number | undefined): string {
  const text = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['\u2018\u2019`\u00b4]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  // A title that is a number is a title.
  return year !== undefined && text.endsWith(` ${year}`) ? text.slice(0, -String(year).length - 1) : text
}
