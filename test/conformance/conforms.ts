// One provider and the kit: one test per check, so that each failed check has a name.
import { join } from 'node:path'
import t from 'tap'
import { type Adapter, openSubject, runConformance } from '@playhead/sdk/testing/conformance'
import { seed } from '../fast-check.ts'

// Each check has a limit of its own, of time that the process could use.
t.setTimeout(0)

const ROOT = join(import.meta.dirname, '..', '..')

/** @param plugin name of a shipped provider, or a folder of the repository */
export async function conforms(
  plugin: string,
  adapter?: Adapter,
  { isolated = false, items }: { readonly isolated?: boolean; readonly items?: number } = {},
): Promise<void> {
  const folder = plugin.includes('/') ? join(ROOT, plugin) : join(ROOT, 'plugins', 'providers', plugin)
  const subject = await openSubject({
    folder,
    isolated,
    seed,
    ...(items === undefined ? {} : { items }),
    ...(adapter === undefined ? {} : { adapter }),
  })
  t.comment(`acts in the orders of the seed ${seed}`)
  const { results, points, possible, unexercised = [] } = await runConformance(subject)
  for (const { id, title, outcome, reason } of results) {
    if (outcome === 'left_out') t.comment(`${id} is left out: ${reason}`)
    else t.equal(outcome, 'passed', `${id}: ${title}${reason === undefined ? '' : `: ${reason}`}`)
  }
  t.equal(points, possible)
  if (adapter !== undefined) t.same(unexercised, [], 'everything that it declares was exercised')
  t.ok(results.filter(({ outcome }) => outcome === 'passed').length >= 30, 'the kit says something about it')
}
