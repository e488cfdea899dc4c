import t from 'tap'
import { capability } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import type { Finding, Item } from './rule.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('a title without a year is found, one with a year is not', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  const analyzer = host.capability<{ inspect(items: AsyncIterable<Item>): AsyncIterable<Finding> }>(
    capability('analyzer:acme'),
  )
  async function* items(): AsyncIterable<Item> {
    yield { key: 'movie:1', title: 'One', year: 1999 }
    yield { key: 'movie:2', title: 'Two' }
  }

  const findings = await Array.fromAsync(analyzer.inspect(items()))

  t.match(findings, [{ key: 'movie:2', severity: 'warn', text: /"Two" has no year/ }])
  t.equal(findings.length, 1)
})
