// The list that ships with Playhead: signed by a trusted key, and the same as the folders beside it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { asksOf } from '../../core/packages/asks.ts'
import { readCatalogue } from '../../core/packages/catalogue.ts'
import { CATALOGUE_KEYS } from '../../core/packages/catalogue-keys.ts'
import { packListed } from '../../core/packages/directory.ts'
import { openPluginFolder } from '../../core/packages/folders.ts'
import { manifestIn } from '../../core/packages/install.ts'
import { sha512Of } from '../../core/packages/npm-registry.ts'
import { readTarball } from '../../core/packages/unpack.ts'
import { LEVEL_CHECKS } from '../../core/cli/directory/levels.ts'
import { directory as texts } from '../../ui/texts/en/directory.ts'
import { DIRECTORY, packages } from './rules.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const catalogue = await readCatalogue(await readFile(join(DIRECTORY, 'catalogue.json')), CATALOGUE_KEYS, Date.now())

t.test('a listed version is the folder that ships, byte for byte', async (t) => {
  let compared = 0
  for (const folder of await packages()) {
    const plugin = await openPluginFolder(folder)
    const { id, version } = plugin.manifest
    const entry = catalogue.plugins.find((one) => one.id === id)
    const listed = entry?.versions.find((one) => one.version === version)
    if (entry === undefined || listed?.archive == null) {
      t.comment(`${id} ${version} is not in the list yet`)
      continue
    }
    const archive = await packListed(plugin, listed.asks)
    const advice = `${id} ${version} was changed: raise its version, then run "directory build"`
    t.equal(sha512Of(archive), listed.archive.sha512, advice)
    t.equal(archive.length, listed.archive.size, advice)
    t.same(asksOf(manifestIn(await readTarball(archive, id), id)), listed.asks, id)
    t.same([entry.name, entry.kind, listed.api], [plugin.manifest.name, plugin.manifest.kind, plugin.manifest.api])
    t.match(listed, { level: /^(?:gold|platinum)$/, conformance: { points: listed.conformance?.possible } }, id)
    compared += 1
  }
  t.ok(compared > 0)
})

t.test('the services that are built in are listed with their own manifests', async (t) => {
  const builtIn = catalogue.plugins.filter((one) => one.builtIn)
  t.ok(builtIn.length >= 12)
  for (const { id, name, mark, versions } of builtIn) {
    const { manifest } = await openPluginFolder(join(ROOT, 'plugins', 'providers', id))
    t.same([name, mark, versions[0]?.asks], [manifest.name, manifest.mark, asksOf(manifest)], id)
  }
})

t.test('no private key is in the repository', async (t) => {
  t.notMatch(await readFile(join(ROOT, 'core', 'packages', 'catalogue-keys.ts'), 'utf8'), /PRIVATE/)
  for (const key of Object.values(CATALOGUE_KEYS)) t.equal(Buffer.from(key, 'base64url').length, 32)
})

t.test('the guide and the page explain each check of the scale', async (t) => {
  const guide = await readFile(join(ROOT, 'docs', 'guide', 'plugins', 'directory.md'), 'utf8')
  const ids = Object.entries(LEVEL_CHECKS).flatMap(([level, checks]) => checks.map(({ id }) => [level, id] as const))
  t.same(Object.keys(texts.checks).sort(), ids.map(([, id]) => id).sort())
  let level = ''
  const rows = [...guide.matchAll(/^\| (\w*) ?\| `([a-z]+)` \|/gm)].map(([, named = '', id = '']) => {
    level = named === '' ? level : named.toLowerCase()
    return [level, id]
  })
  t.same(rows, ids)
})
