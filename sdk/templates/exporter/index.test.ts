import t from 'tap'
import { capability } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import type { Row } from './format.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('every row is one line, whatever its values hold', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  const exporter = host.capability<{ write(rows: AsyncIterable<Row>): AsyncIterable<string> }>(
    capability('exporter:acme'),
  )
  async function* rows(): AsyncIterable<Row> {
    yield { title: 'One', year: 1999, watched_at: '2026-01-02T03:04:05Z' }
    yield { title: 'A\ttab and\na break' }
  }

  const file = (await Array.fromAsync(exporter.write(rows()))).join('')

  t.equal(file, 'title\tyear\twatched_at\nOne\t1999\t2026-01-02T03:04:05Z\nA tab and a break\t\t\n')
})
