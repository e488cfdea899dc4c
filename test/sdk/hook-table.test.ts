// The table of hooks and events is current and complete.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import * as sdk from '@playhead/sdk'
import { hookTable, HOOK_TABLE_FILE } from '../../sdk/generate-hook-table.ts'
import { BUS_EVENTS, HOOK_TABLE } from '../../sdk/hook-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const KINDS: readonly unknown[] = ['notify', 'waterfall', 'bail', 'collect', 'review']

t.test('docs/reference/hooks.md is current; write it with node sdk/generate-hook-table.ts', async (t) => {
  t.equal(readFileSync(HOOK_TABLE_FILE, 'utf8'), hookTable())
})

t.test('every hook of the SDK is in the table, and no other', async (t) => {
  const hooks = Object.values(sdk).flatMap((one: unknown) => {
    const { name, kind } = (one ?? {}) as { readonly name?: unknown; readonly kind?: unknown }
    return typeof one === 'object' && KINDS.includes(kind) ? [name] : []
  })
  t.ok(hooks.length > 15)
  t.same(HOOK_TABLE.map(({ hook }) => hook.name).sort(), hooks.sort())
})

t.test('every event that the service emits is in the table, and no other', async (t) => {
  const emitted = new Set<string>()
  for (const folder of ['core', 'plugins'])
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue
      const text = readFileSync(join(ROOT, folder, file), 'utf8')
      for (const [, name] of text.matchAll(/(?:\bemit|\bpublish)\(\s*['`]([a-z_]+\.[^'`]+)['`]/g))
        emitted.add(String(name).replace(/\$\{.*\}$/, '*'))
    }
  t.same(Object.keys(BUS_EVENTS).sort(), [...emitted].sort())
})
