// The scale of quality: each level asks for all of those before it.
import t from 'tap'
import type { PluginManifest } from '@playhead/sdk'
import { changesOf } from '../../core/cli/directory/examine.ts'
import { type Facts, levelOf } from '../../core/cli/directory/levels.ts'

const manifest: PluginManifest = {
  ...{ id: 'kettle', name: 'Kettle', version: '1.0.0', api: '^1.0.0', kind: 'provider' },
  mark: { color: '#123456' },
}
const best: Facts = {
  ...{ manifest, builtIn: false, isSound: true, isPacked: true, isTested: true },
  report: { points: 5, possible: 5, unexercised: [] },
  readme: `# Kettle\n${'It boils water. '.repeat(20)}\n## Limits\nNone.\n![Settings](settings.png)\n`,
  ...{ languages: ['de'], source: 'https://example.org/kettle', changes: ['Boils.'], isUpdate: true },
}

t.test('what is missing decides the level', async (t) => {
  t.same(levelOf(best), { level: 'platinum', missing: [] })
  for (const [edit, level, missing] of [
    [{ isSound: false }, null, ['sound']],
    [{ isPacked: false }, null, ['packed']],
    [{ readme: 'Kettle.' }, null, ['readme']],
    [{ report: { points: 4, possible: 5, unexercised: [] } }, 'bronze', ['conforms']],
    [{ report: { points: 5, possible: 5, unexercised: ['ratings'] } }, 'bronze', ['exercised']],
    [{ report: null }, 'bronze', ['conforms', 'exercised']],
    [{ readme: best.readme.replace('Limits', 'Files') }, 'bronze', ['limits']],
    [{ isTested: false, languages: [] }, 'silver', ['tested', 'translated']],
    [{ manifest: { ...manifest, mark: undefined } }, 'silver', ['mark']],
    [{ manifest: { ...manifest, needs: { hosts: ['*.example.org'] } } }, 'silver', ['contained']],
    [{ manifest: { ...manifest, needs: { builtins: ['node:fs'] } } }, 'silver', ['contained']],
    [{ changes: [] }, 'gold', ['changes']],
    [{ source: null, readme: best.readme.replace('![Settings]', '') }, 'gold', ['source', 'pictured']],
    // Bronze first: a picture does not help what does not start.
    [{ isSound: false, report: null, source: null }, null, ['sound']],
  ] as const)
    t.same(levelOf({ ...best, ...edit } as Facts), { level, missing }, JSON.stringify(edit))
})

t.test('what does not apply is not asked for', async (t) => {
  t.same(levelOf({ ...best, isUpdate: false, changes: [] }).level, 'platinum', 'a first version')
  t.same(
    levelOf({ ...best, manifest: { ...manifest, kind: 'feature', mark: undefined } as PluginManifest, report: null })
      .level,
    'platinum',
  )
  t.same(
    levelOf({ ...best, builtIn: true, isPacked: null, isTested: null, readme: '', source: null, changes: [] }).level,
    'platinum',
    'a part of Playhead has no archive or documents of its own',
  )
})

t.test('what is new is read from the changelog', async (t) => {
  const text =
    '# Changelog\n\n## 1.1.0 (2026-11-30)\n\n- Boils faster.\n* Whistles.\n\nMore words.\n\n## [1.0.0]\n\n- First.\n\n## 1.0.0-rc.1\n\n- Before.\n'
  t.same(changesOf(text, '1.1.0'), ['Boils faster.', 'Whistles.'])
  t.same(changesOf(text, '1.0.0'), ['First.'])
  t.same(changesOf(text, '1.0'), [])
  t.same(changesOf('', '1.0.0'), [])
})
