// Ranges of episodes in the data sets: `7`, `1-12`, `13-` (open end), several of them joined by commas. A suffix such
// as `|2` joins or splits episodes and cannot be translated.

/** The first number is 1; `to` is Infinity for an open end. */
interface Span {
  readonly from: number
  readonly to: number
}

/** `ratio`: readable, but without a translation. */
export type Range = readonly Span[] | 'ratio'

/** Why a number has no counterpart. */
export type NoCounterpart = 'outside' | 'ratio'

const SPAN = /^(\d{1,6})(?:(-)(\d{1,6})?)?$/
const MAX_SPANS = 200

/** Undefined for anything that is not a range. */
export function parseRange(text: string): Range | undefined {
  const [list = '', ratio, ...more] = text.split('|')
  if (more.length > 0 || (ratio !== undefined && !/^-?\d{1,6}$/.test(ratio))) return undefined
  const parts = list.split(',')
  if (parts.length > MAX_SPANS) return undefined
  const spans: Span[] = []
  for (const part of parts) {
    const span = parseSpan(part.trim())
    // An episode that counts twice has no single position.
    if (span === undefined || overlaps(spans, [span])) return undefined
    spans.push(span)
  }
  return ratio === undefined ? spans : 'ratio'
}

function parseSpan(text: string): Span | undefined {
  const match = SPAN.exec(text)
  if (match === null) return undefined
  const from = Number(match[1])
  const to = match[2] === undefined ? from : match[3] === undefined ? Infinity : Number(match[3])
  return from >= 1 && to >= from ? { from, to } : undefined
}

/** The counterpart of an episode: its position in the source spans, counted along the target spans. */
export function translate(source: Range, target: Range, episode: number): number | NoCounterpart {
  if (source === 'ratio' || target === 'ratio') return covers(source, episode) ? 'ratio' : 'outside'
  let offset: number | undefined
  let before = 0
  for (const { from, to } of source) {
    if (episode >= from && episode <= to) offset = before + episode - from
    before += to - from + 1
  }
  // After an open end no position can be counted.
  if (offset === undefined || !Number.isFinite(offset)) return 'outside'
  for (const { from, to } of target) {
    const length = to - from + 1
    if (offset < length) return from + offset
    offset -= length
  }
  return 'outside'
}

/** Whether a number lies in the range. For a ratio the numbers are unknown, so it may contain any. */
export function covers(range: Range, episode: number): boolean {
  return range === 'ratio' || range.some(({ from, to }) => episode >= from && episode <= to)
}

export function overlaps(a: Range, b: Range): boolean {
  if (a === 'ratio' || b === 'ratio') return true
  return a.some((one) => b.some((other) => one.from <= other.to && other.from <= one.to))
}

/** Whether the range contains the first episode. */
export function startsAtOne(range: Range): boolean {
  return covers(range, 1)
}
