// The tables of checks and of mistakes in docs/reference/conformance.md. Run directly, it writes them.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKS, GROUPS } from '@playhead/sdk/testing/conformance'
import { MUTANTS } from './mutants.ts'

export const REFERENCE = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'conformance.md')
const HEAD = '| Check | Promise | Points |\n|---|---|---|\n'
const MISTAKES_HEAD = '| Found by | A provider that … |\n|---|---|\n'
/** Where a mistake is found that needs no check. */
const OTHERS = ['load', 'coverage'] as const

/** The text with updated tables. */
export function withTables(text: string): string {
  const mistakes = [...CHECKS.map(({ id }) => id), ...OTHERS].flatMap((id) =>
    MUTANTS.filter(({ caught }) => caught[0] === id).map(({ mistake }) => `| \`${id}\` | ${mistake} |`),
  )
  return GROUPS.reduce(
    (before, group) =>
      replaced(
        before,
        `### ${group}\n`,
        HEAD,
        CHECKS.filter((check) => check.group === group).map(
          ({ id, title, points = 1 }) => `| \`${id}\` | ${title} | ${points} |`,
        ),
      ),
    replaced(text, '## Mistakes that it finds\n', MISTAKES_HEAD, mistakes),
  )
}

/** Replaces the rows of the first such table after the heading. */
function replaced(text: string, heading: string, head: string, rows: readonly string[]): string {
  const at = text.indexOf(heading)
  const from = text.indexOf(head, at)
  if (at === -1 || from === -1) throw new Error(`${REFERENCE} has no table below "${heading.trim()}".`)
  const begin = from + head.length
  const end = begin + (/^(?:\|.*\n)*/.exec(text.slice(begin))?.[0].length ?? 0)
  return `${text.slice(0, begin)}${rows.map((row) => `${row}\n`).join('')}${text.slice(end)}`
}

if (import.meta.main) await writeFile(REFERENCE, withTables(await readFile(REFERENCE, 'utf8')))
