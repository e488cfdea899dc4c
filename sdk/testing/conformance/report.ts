// The report: a table with the reason for each lost point, and a badge.
import { GROUPS, type Report } from './contract.ts'

const SIGNS = { passed: 'ok  ', failed: 'FAIL', left_out: '-   ' } as const

/** Lines of the table. `all` includes passed and skipped checks. */
export function tableOf(
  { label, version, points, possible, passed, results, unexercised = [] }: Report,
  { all = true } = {},
): readonly string[] {
  const width = Math.max(...results.map(({ id }) => id.length), 0)
  const lines: string[] = []
  for (const group of GROUPS) {
    for (const { id, title, points: worth, outcome, reason, remedy } of results.filter(
      (result) => result.group === group,
    )) {
      if (!all && outcome !== 'failed') continue
      const lost = outcome === 'failed' ? ` (${worth} ${worth === 1 ? 'point' : 'points'} lost)` : ''
      lines.push(`${SIGNS[outcome]}  ${id.padEnd(width)}  ${title}${lost}`)
      if (reason !== undefined && (outcome === 'failed' || all)) lines.push(`${' '.repeat(width + 8)}${reason}`)
      if (remedy !== undefined) lines.push(`${' '.repeat(width + 8)}What to change: ${remedy}`)
    }
  }
  if (unexercised.length > 0)
    lines.push(
      'Declared and never exercised, so nothing is known about it (seed and fresh of its adapter leave it out):',
      ...unexercised.map((line) => `      ${line}`),
    )
  const left = results.filter(({ outcome }) => outcome === 'left_out').length
  const leftText = left === 0 ? '' : `, ${left} ${left === 1 ? 'check does' : 'checks do'} not apply`
  lines.push(
    `${label} ${version}: ${points} of ${possible} points${leftText}. ${passed ? 'It conforms.' : 'It does not conform.'}`,
  )
  return lines
}

/** An SVG badge for a README. */
export function badgeOf({ points, possible, passed }: Report): string {
  const text = `${points} / ${possible}`
  const colour = passed ? '#2e7d32' : points >= possible * 0.9 ? '#b26a00' : '#b3261e'
  const name = 'Playhead conformance'
  const [left, right] = [name.length * 6.6 + 12, text.length * 6.8 + 16].map(Math.round) as [number, number]
  const words = (at: number, content: string) => `<text x="${at}" y="14">${content}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${text}">`,
    `<title>${name}: ${text}</title>`,
    `<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">',
    words(left / 2, name),
    words(left + right / 2, text),
    '</g></svg>',
    '',
  ].join('\n')
}
