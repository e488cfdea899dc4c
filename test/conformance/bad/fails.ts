// Runs the kit on a bad provider: it must fail the checks of its fault, and no others of the same groups.
import { join } from 'node:path'
import t from 'tap'
import { type Check, CHECKS, openSubject, runConformance } from '@playhead/sdk/testing/conformance'
import type { Bad } from './spoil.ts'

t.setTimeout(900_000)

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PROVIDERS = join(ROOT, 'plugins', 'providers')

export function failing(all: readonly Bad[]): void {
  for (const { habit, plugin, fails, of, manifest } of all) {
    t.test(`a provider that ${habit} loses the points for it, and no others`, async (t) => {
      const opened = await openSubject(
        of === undefined
          ? { folder: join(ROOT, 'sdk', 'templates', 'provider'), plugin }
          : { folder: join(PROVIDERS, of.folder), plugin, adapter: of.adapter },
      )
      const subject = { ...opened, manifest: { ...opened.manifest, ...manifest } }
      const groups = new Set(CHECKS.filter(({ id }) => fails.includes(id)).map(({ group }) => group))
      // Slow checks run only where they must fail.
      const isQuick = ({ alone }: Check) => alone !== true
      const checks = CHECKS.filter((check) =>
        of !== undefined
          ? of.checks.includes(check.id)
          : fails.includes(check.id) || (groups.has(check.group) && isQuick(check)),
      )
      const { results, passed } = await runConformance(subject, { checks })
      const lost = results.filter(({ outcome }) => outcome === 'failed')
      t.strictSame(
        lost.map(({ id }) => id).sort(),
        fails.toSorted(),
        lost.map(({ id, reason }) => `${id}: ${reason}`).join('\n'),
      )
      t.notOk(passed)
      t.ok(
        lost.every(({ reason = '' }) => reason !== ''),
        'each with its reason',
      )
    })
  }
}
