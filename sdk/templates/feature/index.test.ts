import t from 'tap'
import { capability } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { decide, type Sides } from './policy.ts'

const manifest = new URL('./plugin.json', import.meta.url)

for (const [sides, action] of [
  [{ before: false, here: true, there: false }, 'add there'],
  [{ before: false, here: false, there: true }, 'add here'],
  [{ before: true, here: true, there: false }, 'remove here'],
  [{ before: true, here: false, there: true }, 'remove there'],
  [{ before: true, here: false, there: false }, 'nothing'],
  [{ before: false, here: true, there: true }, 'nothing'],
  [{ before: true, here: 'unknown', there: false }, 'nothing'],
  [{ before: true, here: true, there: 'unknown' }, 'nothing'],
] as const) {
  t.test(`${JSON.stringify(sides)} asks for: ${action}`, async (t) => {
    t.equal(decide(sides), action)
  })
}

t.test('the plan holds what is to be done and nothing else', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  const feature = host.capability<{
    plan(sides: readonly (Sides & { key: string })[]): readonly { key: string; action: string }[]
  }>(capability('feature:acme'))

  const plan = await feature.plan([
    { key: 'movie:1', before: false, here: true, there: false },
    { key: 'movie:2', before: true, here: true, there: true },
  ])

  t.strictSame(plan, [{ key: 'movie:1', action: 'add there' }])
})
