// The JSON schemas for editors match the host's, and all bundled manifests and registries satisfy them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Value } from '@sinclair/typebox/value'
import { PluginManifest, PluginRegistry } from '@playhead/sdk'
import { SCHEMA_FILES, schemaText } from '../../sdk/generate-schemas.ts'

const ROOT = join(import.meta.dirname, '../..')

for (const [name, schema] of Object.entries(SCHEMA_FILES)) {
  t.test(`${name} matches the host's schema; write it with node sdk/generate-schemas.ts`, async (t) => {
    t.equal(readFileSync(join(ROOT, 'sdk', name), 'utf8'), schemaText(schema))
  })
}

t.test('every manifest and the shipped registry are valid, and the registry leads to each plugin', async (t) => {
  const registry: unknown = JSON.parse(readFileSync(join(ROOT, 'plugin-registry.json'), 'utf8'))
  t.ok(Value.Check(PluginRegistry, registry))
  const folders = readdirSync(join(ROOT, 'plugins'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('plugin.json'))
    .map((file) => `./plugins/${file.replace(/\/plugin\.json$/, '')}`)
  // Those of the directory are added by people.
  const shipped = folders.filter((folder) => !folder.startsWith('./plugins/directory/'))
  t.same((registry as PluginRegistry).plugins.map(({ source }) => source).toSorted(), shipped.toSorted())
  for (const folder of folders) {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, folder, 'plugin.json'), 'utf8'))
    t.same(
      [...Value.Errors(PluginManifest, manifest)].map(({ path, message }) => `${path}: ${message}`),
      [],
      folder,
    )
    // Plugins of different kinds may share a folder name, but not an id.
    t.match((manifest as PluginManifest).id, new RegExp(`^([a-z]+-)?${folder.split('/').at(-1)}(-policy)?$`))
  }
})
