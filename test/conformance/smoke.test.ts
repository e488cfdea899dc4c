// Each shipped provider signs in, reads, writes, removes, and fails on a truncated read, so that no absence is derived from it.
// The neighbouring files run every check of the kit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Adapter, CHECKS, openSubject, runConformance } from '@playhead/sdk/testing/conformance'
import { readProofs } from '../proof.ts'

t.setTimeout(0)

const ROOT = join(import.meta.dirname, '..', '..')
const SMOKE = [
  'basics.describes',
  'sign-in.works',
  'reads.complete',
  'writes.add',
  'writes.update',
  'writes.remove',
  'writes.remove-absent',
  'lists.entries',
  'damage.cut',
]
const checks = CHECKS.filter(({ id }) => SMOKE.includes(id))
const { plugins } = JSON.parse(readFileSync(join(ROOT, 'plugin-registry.json'), 'utf8')) as {
  plugins: { id: string; source: string }[]
}
const providers = plugins.filter(({ source }) => source.startsWith('./plugins/providers/'))

t.equal(checks.length, SMOKE.length, 'each check exists')
t.equal(providers.length, 12)

t.test('the table of test/PROOFS.md lists the same', async (t) => {
  const names = providers.map(({ source }) => {
    const manifest = readFileSync(join(ROOT, source, 'plugin.json'), 'utf8')
    return (JSON.parse(manifest) as { readonly name: string }).name
  })
  t.same((await readProofs()).map(({ provider }) => provider).toSorted(), names.toSorted())
})

for (const { id, source } of providers) {
  t.test(id, async (t) => {
    const { default: adapter } = (await import(`./adapters/${id}.ts`)) as { default: Adapter }
    const { results } = await runConformance(await openSubject({ folder: join(ROOT, source), adapter }), { checks })
    for (const { id, title, outcome, reason } of results) {
      if (outcome === 'left_out') t.comment(`${id} is left out: ${reason}`)
      else t.equal(outcome, 'passed', `${id}: ${title}${reason === undefined ? '' : `: ${reason}`}`)
    }
    t.ok(results.filter(({ outcome }) => outcome === 'passed').length >= 4, 'the checks say something about it')
  })
}
