import assert from 'node:assert/strict'
import test from 'node:test'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { monthOf } from './month.ts'

const manifest = new URL('./plugin.json', import.meta.url)

test('a month begins at midnight in Greenwich', () => {
  assert.equal(monthOf(Date.UTC(2026, 0, 31, 23, 59)), '2026-01')
  assert.equal(monthOf(Date.UTC(2026, 1, 1)), '2026-02')
})

test('nothing was changed yet', async () => {
  await using host = await createTestHost({ plugin, manifest })
  assert.equal((await host.inject('/api/star-of-the-month')).json().changes, 0)
})
